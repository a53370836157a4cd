#!/bin/sh
# Prints the libraries that boids is linked with, as words for the compiler. The Makefile calls it once per build folder.
#
#     LINK='gcc ...' PKG_CONFIG=pkg-config HDF5=hdf5-serial STATIC_HDF5=yes sh scripts/link_flags.sh
#
# Debian's shared HDF5 loads thirty more libraries at each start, curl and Kerberos among them, for files in the cloud. The static
# library contains only what is used, so it is taken if it is installed and links. STATIC_HDF5=no selects the shared one.
set -eu
: "${LINK:?run this through make}" "${PKG_CONFIG:?}" "${HDF5:?}" "${STATIC_HDF5:?}"

program=$(mktemp)
trap 'rm -f "$program"' EXIT

links() {
    # shellcheck disable=SC2086 # LINK is a command with its options.
    echo 'int H5open(void); int main(void) { return H5open(); }' | $LINK -x c - -o "$program" -x none "$@" 2>/dev/null
}

# HDF5 depends on zlib, so it is installed.
shared="$($PKG_CONFIG --libs "$HDF5") -lz"
static="-Wl,--as-needed $($PKG_CONFIG --libs-only-L "$HDF5") -Wl,-Bstatic -lhdf5 -lsz -laec -lz -Wl,-Bdynamic -ldl -lpthread"
# shellcheck disable=SC2086
if [ "$STATIC_HDF5" = no ] || ! links $static -lm; then
    libraries=$shared
else
    libraries=$static
fi
echo "$libraries $($PKG_CONFIG --libs libcjson) -lm"
