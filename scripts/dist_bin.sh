#!/bin/sh
# Packs a program with its libraries, presets, manual page, page for browsers, DOCUMENTS and licences into FOLDER.tar.gz, with the same bytes
# each time:
#
#     DOCUMENTS='FILE FOLDER ...' sh scripts/dist_bin.sh PROGRAM MANUAL PAGE LIBRARY GALLERY FOLDER
#
# PROGRAM finds its libraries in ../lib, and LIBRARY in its own folder. The licences of the libraries are those that Debian installs with them.
set -eu
program=$1 manual=$2 page=$3 library=$4 gallery=$5 folder=$6

fail() {
    echo "dist_bin: $*" >&2
    exit 1
}

rm -rf "$folder"
umask 022
mkdir -p "$folder/lib" "$folder/share/boids/configs" "$folder/share/licences"
install -D -m 755 "$program" "$folder/bin/boids"
install -D -m 644 "$manual" "$folder/share/man/man1/boids.1"
install -D -m 644 "$library" "$folder/lib/${library##*/}"
ln -s "${library##*/}" "$folder/lib/libboids.so"
install -D -m 644 include/boids/boids.h "$folder/include/boids/boids.h"
install -m 644 configs/*.json "$folder/share/boids/configs"
install -m 644 "$page" "$folder"
# shellcheck disable=SC2086
find $DOCUMENTS -type f ! -name '*.pyc' -exec install -D -m 644 {} "$folder/{}" \;
install -m 644 "$gallery" "$folder/docs/gallery/README.md"
install -m 644 LICENSE "$folder/share/licences/boids"
for pair in cjson=libcjson-dev hdf5=libhdf5-dev libaec=libaec-dev zlib=zlib1g-dev; do
    licence=/usr/share/doc/${pair#*=}/copyright
    [ -e "$licence" ] || fail "there is no $licence; build on Debian, with ${pair#*=} installed"
    install -m 644 "$licence" "$folder/share/licences/${pair%=*}"
done

needed=$(LC_ALL=C readelf -d "$program" "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort -u)
for name in $needed; do
    case $name in
    libc.so.6 | libm.so.6 | ld-linux*) ;;
    libcjson.so.1)
        install -m 644 "$(ldd "$library" | sed -n 's/.*libcjson.so.1 => \([^ ]*\).*/\1/p')" "$folder/lib/$name"
        strip "$folder/lib/$name"
        ;;
    *) fail "the program needs $name; install the static libraries of HDF5 (libhdf5-dev libaec-dev zlib1g-dev)" ;;
    esac
done
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -C "${folder%/*}" -cf "$folder.tar" "${folder##*/}"
gzip -9nf "$folder.tar"
rm -r "$folder"
echo "$folder.tar.gz"
