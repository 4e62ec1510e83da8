# shellcheck shell=bash disable=SC2034 # for the scripts that read this
# Compilers and libraries of other machines, for cross.sh and dist.sh.
suite=${SUITE:-bookworm}
libraries=libc6-dev,libserialport-dev,libreadline-dev,libjansson-dev
libraries+=,libinih-dev,libncurses-dev,libode-dev,libwebsockets-dev,libsdl2-dev,libzstd-dev,liblz4-dev,zlib1g-dev,libcmocka-dev

# choose ARCH: sets triplet, multiarch, emulator, cflags and root (directory of its libraries).
choose() {
    cflags=''
    case $1 in
    amd64) triplet=x86_64-linux-gnu emulator=qemu-x86_64 ;;
    arm64) triplet=aarch64-linux-gnu emulator=qemu-aarch64 ;;
    armhf) triplet=arm-linux-gnueabihf emulator=qemu-arm ;;
    i386) triplet=i686-linux-gnu emulator=qemu-i386 cflags='-msse2 -mfpmath=sse' ;;
    s390x) triplet=s390x-linux-gnu emulator=qemu-s390x ;;
    *) echo "no architecture $1 — amd64, arm64, armhf, i386 or s390x" >&2 && exit 2 ;;
    esac
    multiarch=${triplet/i686/i386}
    root=$PWD/build/cross/$1/root
}

# The package mirror of this machine.
mirror() {
    echo "${MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $suite" | head -n1)}"
}

# unpack ARCH: unpacks the target's libraries without installing them.
unpack() {
    [ ! -e "$root/complete" ] || return 0
    rm -rf --one-file-system "$root" && mkdir -p "${root%/*}" &&
        mmdebstrap --quiet --variant=extract --architectures="$1" --include=$libraries "$suite" "$root" \
            "$(mirror)" >"$root.log" 2>&1 && touch "$root/complete" && return
    cat "$root.log"
    return 1
}

# runs PROGRAM: succeeds if this kernel can run it.
runs() { "$1" --version >/dev/null 2>&1; }
