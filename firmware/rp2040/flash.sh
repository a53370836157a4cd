#!/bin/sh
# Puts an image on a board with the first of these that is available: its drive, picotool, or a debug probe and openocd.
#
#     flash.sh IMAGE (without its ending)
#
# RPI_RP2_PLACES are the folders that the drive may be mounted as (tests set it).
set -u
image=$1
user=${USER:-root}
places=${RPI_RP2_PLACES-/media/$user/RPI-RP2:/run/media/$user/RPI-RP2:/media/RPI-RP2:/mnt/RPI-RP2:/Volumes/RPI-RP2}

# The drive of a board contains a file that identifies it; a folder of the same name without this file is not a board.
IFS=:
for place in $places; do
    if [ -f "$place/INFO_UF2.TXT" ]; then
        cp "$image.uf2" "$place/" && sync && echo "flash: copied $image.uf2 to $place; the board starts by itself"
        exit
    fi
done
if command -v picotool >/dev/null 2>&1; then
    echo "flash: picotool load -f -x $image.uf2"
    exec picotool load -f -x "$image.uf2"
fi
if command -v openocd >/dev/null 2>&1; then
    echo "flash: openocd, by a CMSIS-DAP probe"
    exec openocd -f interface/cmsis-dap.cfg -f target/rp2040.cfg -c "adapter speed 5000; program $image.elf verify reset exit"
fi
echo "flash: no drive RPI-RP2 is mounted, and there is neither picotool nor openocd; hold BOOTSEL while plugging the" \
    "board in and copy $image.uf2 to the drive that shows up" >&2
exit 1
