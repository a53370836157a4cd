#!/bin/sh
# Prints the variables of `make firmware` as lines of C. A number that the board does not support is refused.
#
#     variables_to_c.sh NAME VALUE ... > part of configuration.h
set -u

# refuse NAME VALUE WANTED
refuse() {
    echo "make firmware: $1 is ${2:-empty}; it must be $3" >&2
    exit 2
}

# check NAME VALUE LEAST MOST WANTED; in C, a number that begins with 0 would be octal
check() {
    case $2 in '' | *[!0-9]* | 0?* | ???????*) refuse "$1" "$2" "$5" ;; esac
    if [ "$2" -lt "$3" ] || [ "$2" -gt "$4" ]; then
        refuse "$1" "$2" "$5"
    fi
}

while [ $# -gt 1 ]; do
    value=$2
    case $1 in
    CORES) check "$1" "$2" 1 2 '1 or 2' ;;
    CLOCK) case $2 in 125 | 133 | 200 | 250) ;; *) refuse "$1" "$2" '125, 133, 200 or 250 MHz' ;; esac ;;
    WIRING)
        case $2 in
        classic) value=WIRING_CLASSIC ;;
        vha) value=WIRING_VHA ;;
        *) refuse "$1" "$2" 'classic or vha' ;;
        esac
        ;;
    BUTTON)
        case $2 in
        '') value=0 ;;
        pause | next) value="'$(printf %.1s "$2")'" ;;
        *) refuse "$1" "$2" 'pause or next' ;;
        esac
        ;;
    PACE) check "$1" "$2" 0 1000 'steps per second up to 1000, or 0 for as fast as it can' ;;
    SCREEN | LIVE | HAS_POT) check "$1" "$2" 0 1 '0 or 1' ;;
    REPORT) check "$1" "$2" 1 999999 'a number of steps, 1 or more' ;;
    FRAMES) check "$1" "$2" 0 999999 'a number of steps, or 0 for none' ;;
    esac
    echo "#define SIM_$1 $value"
    shift 2
done
