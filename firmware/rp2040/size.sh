#!/bin/sh
# What an image takes, from the output of `size -A -x`.
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
