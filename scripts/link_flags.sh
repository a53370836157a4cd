#!/bin/sh
# Prints the libraries that boids is linked with, as words for the compiler. The Makefile calls it once per build folder.
#
#     LINK='gcc ...' PKG_CONFIG=pkg-config HDF5=hdf5-serial STATIC_HDF5=yes sh scripts/link_flags.sh FOLDER
#
# HDF5 is the package, or `no`. In FOLDER, it may write an object, no_cloud.o, which is then the first word.
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
# In Debian 13, the static library, too, calls curl and OpenSSL, but only if it opens a file in the cloud, which boids never does. The
# functions in no_cloud.o replace them, and fail.
no_cloud=$1/no_cloud.o
compile_no_cloud() {
    for name in curl_easy_cleanup curl_easy_init curl_easy_perform curl_easy_setopt curl_global_cleanup curl_global_init \
        curl_slist_append curl_slist_free_all EVP_sha256 HMAC SHA256; do
        echo "void *$name(void); void *$name(void) { return 0; }"
    done | $LINK -fPIC -c -x c - -o "$no_cloud" 2>/dev/null
}
libraries=$shared
if [ "$STATIC_HDF5" != no ]; then
    if links H5open "$static"; then
        libraries=$static
    elif compile_no_cloud && links H5open "$no_cloud $static"; then
        libraries="$no_cloud $static"
    fi
fi
echo "$libraries $cjson $timers -lm"
