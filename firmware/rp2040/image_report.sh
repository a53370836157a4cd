#!/bin/sh
# Prints the memory that an image needs, from the output of `size -A`, and its speed, from the table in README.md:
#
#     image_report.sh PRESET, or without PRESET if the table does not have this image
awk -F '[ |`]+' -v preset="${1:-none}" '
    $1 ~ /^[.](boot2|text|data)$/ { flash += $2 }
    $1 ~ /^[.](data|bss)$/ { ram += $2 }
    $1 == ".data" { code = $2 }
    /^[|]/ && $2 == preset { rate = $5; worst = $6; late = $7 }
    END {
        print "flash " flash " bytes of 2097152; RAM " ram " of 262144, " code " of them code; two stacks of 4096"
        if (!rate)
            print "speed: make bench-firmware with the same variables measures it in an emulator"
        else
            print "speed: " rate " steps per second in the emulator, at worst " worst ", " late " late frames of 300"
        if (late > 0)
            print "warning: " late " of 300 frames were late; fewer boids, smaller radii or update=synchronous are faster"
    }' - "$(dirname "$0")/README.md"
