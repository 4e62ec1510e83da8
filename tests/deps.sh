#!/bin/sh
# Installs missing packages.
#
#   tests/deps.sh           everything: building, testing, measuring
#   tests/deps.sh build     only packages for programs and library
#   tests/deps.sh deb       packages for this target; also dist, cross, analyse, coverage
#   tests/deps.sh --list    prints the packages
#
# One line of packages per purpose. a|b: a, or b if the distribution lacks a.
set -eu

packages_build='
make gcc libc6-dev
libserialport-dev
libreadline-dev libjansson-dev libinih-dev libncurses-dev
libode-dev libwebsockets-dev libsdl2-dev libzstd-dev liblz4-dev zlib1g-dev python3-paho-mqtt
'
packages_check='
git g++ pkg-config procps
clang lld libclang-rt-dev|libclang-rt-14-dev clang-format-14|clang-format
libcmocka-dev bats expect tmux jq gojq socat netcat-openbsd spin pmccabe shellcheck
bash-completion zsh fish mandoc
tshark can-utils python3 python3-can python3-serial python3-pytest perl gnuplot-nox librsvg2-bin mosquitto mosquitto-clients openssl
openssh-server openssh-client
umockdev
hyperfine
qemu-system-x86 busybox-static kmod xz-utils iproute2
'
packages_deb='
build-essential dpkg-dev debhelper dh-python fakeroot lintian pkg-config git libcmocka-dev umockdev
'
packages_cross='
mmdebstrap gcc-i686-linux-gnu gcc-s390x-linux-gnu gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf qemu-user
libc6-dev-s390x-cross gcc-avr avr-libc simavr octave
'
packages_dist='
git xz-utils binutils can-utils hyperfine mmdebstrap qemu-user g++ g++-aarch64-linux-gnu g++-arm-linux-gnueabihf
'
packages_analyse='
cppcheck clang-tidy-14|clang-tidy
'
packages_coverage='
gcovr
'
wanted=$packages_build
case ${1:-all} in
build) ;;
deb) wanted=$wanted$packages_deb ;;
cross) wanted=$wanted$packages_cross ;;
dist) wanted=$wanted$packages_dist ;;
analyse) wanted=$wanted$packages_analyse ;;
coverage) wanted=$wanted$packages_check$packages_coverage ;;
*) wanted=$wanted$packages_check ;;
esac

if [ "${1:-}" = --list ]; then
    echo "$wanted" | xargs -n1
    exit
fi

if ! command -v dpkg-query >/dev/null; then
    echo "deps: this is not Debian or Ubuntu; these packages are needed by their names there:"
    echo "$wanted" | fmt -w 90
    exit 0
fi

installed() { case " $have " in *" $1 "*) ;; *) return 1 ;; esac; }

# dpkg-query fails for unknown names, as expected here.
have=$(echo "$wanted" | tr '|' ' ' |
    xargs dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
    sed -n 's/^installed //p' | tr '\n' ' ' || true)

missing=
for choice in $wanted; do
    found=
    for package in $(echo "$choice" | tr '|' ' '); do
        if installed "$package"; then found=yes; fi
    done
    [ "$found" ] || missing="$missing $choice"
done
[ "$missing" ] || exit 0

root=
if [ "$(id -u)" != 0 ]; then
    root=sudo
    if ! command -v sudo >/dev/null; then
        echo "deps: missing:$missing — install them as root (no sudo here)" >&2
        exit 1
    fi
fi

echo "deps: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() { "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }; }

quietly $root apt-get update -q
for choice in $missing; do
    for package in $(echo "$choice" | tr '|' ' '); do
        if apt-cache show "$package" >/dev/null 2>&1; then break; fi
    done
    chosen="${chosen:-} $package"
done
quietly $root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends $chosen
