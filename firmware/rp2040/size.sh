#!/bin/sh
# What an image takes, from the output of `size -A -x`, and its speed, from the table in README.md:
#
#     size.sh PRESET, or nothing if the image is not that of the table
flash=0
ram=0
while read -r section size _; do
    case $section in
    .boot2 | .text) flash=$((flash + size)) ;;
    .data) flash=$((flash + size)) ram=$((ram + size)) code=$((size)) ;;
    .bss) ram=$((ram + size)) ;;
    esac
done
echo "flash $flash bytes of 2097152; RAM $ram of 262144, $code of them code; two stacks of 4096"
row=$(grep "^| \`${1:-none}\` |" "$(dirname "$0")/README.md" | tr -d ' ')
if [ -z "$row" ]; then
    echo "speed: make bench-firmware with the same variables measures it in an emulator"
    exit
fi
IFS='|'
# shellcheck disable=SC2086 # The cells are words.
set -- $row
echo "speed: $5 steps per second in the emulator, at worst $6, $7 late frames of 300"
if [ "$7" -gt 0 ]; then
    echo "warning: $7 of 300 frames were late; fewer boids, smaller radii or update=synchronous are faster"
fi
