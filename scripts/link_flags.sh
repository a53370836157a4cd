#!/bin/sh
# Prints the libraries that boids is linked with, as words for the compiler. The Makefile calls it once per build folder.
#
#     LINK='gcc ...' PKG_CONFIG=pkg-config HDF5=hdf5-serial STATIC_HDF5=yes sh scripts/link_flags.sh
#
# HDF5 is the package, or `no`.
#
# Debian's shared HDF5 loads thirty more libraries at each start, curl and Kerberos among them, for files in the cloud. The static
# library contains only what is used, so it is taken if it is installed and links. STATIC_HDF5=no selects the shared one.
set -eu
: "${LINK:?run this through make}" "${PKG_CONFIG:?}" "${HDF5:?}" "${STATIC_HDF5:?}"

program=$(mktemp)
trap 'rm -f "$program"' EXIT

# links FUNCTION LIBRARIES
links() {
    # shellcheck disable=SC2086 # LINK and $2 are words.
    echo "int $1(void); int main(void) { return $1(); }" | $LINK -x c - -o "$program" -x none $2 -lm 2>/dev/null
}

cjson=$($PKG_CONFIG --libs libcjson 2>/dev/null || echo -lcjson)
if links cJSON_Parse "-Wl,-Bstatic $cjson -Wl,-Bdynamic"; then
    cjson="-Wl,-Bstatic $cjson -Wl,-Bdynamic"
fi
if [ "$HDF5" = no ]; then
    echo "$cjson -lm"
    exit
fi

# Timers are in a library of their own before glibc 2.34. macOS has none.
timers=
if ! links timer_create '' && links timer_create -lrt; then
    timers=-lrt
fi
# HDF5 depends on zlib, so it is installed.
shared="$($PKG_CONFIG --libs "$HDF5") -lz"
static="-Wl,--as-needed $($PKG_CONFIG --libs-only-L "$HDF5") -Wl,-Bstatic -lhdf5 -lsz -laec -lz -Wl,-Bdynamic -ldl -lpthread"
if [ "$STATIC_HDF5" = no ] || ! links H5open "$static"; then
    libraries=$shared
else
    libraries=$static
fi
echo "$libraries $cjson $timers -lm"
