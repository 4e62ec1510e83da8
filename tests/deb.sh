#!/bin/bash
# Debian packages of what is in the tree, in build/deb/: built, read by lintian, unpacked and tried.
# Prints TAP. The maintainer is $DEBFULLNAME <$DEBEMAIL>, else git's user.name <user.email>, else
# nobody at an address that can never be one.
set -u
cd "$(dirname "$0")/.." || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS PREFIX DESTDIR
export LC_ALL=C.UTF-8
top=$PWD/build/deb
version=$(sed -n 's/^VERSION  *:= *//p' Makefile)
tree=$top/armwire-$version
root=$top/root

n=0 failed=0
case_of() {
    local name=$1
    shift
    n=$((n + 1))
    if "$@" >"$top/log" 2>&1; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        failed=1
        sed 's/^/# /' "$top/log"
    fi
}

# An address needs a domain: that of git may be of this machine only.
maintainer() {
    local name=armwire address=developers@armwire.invalid git_address
    git_address=$(git config user.email)
    if [ -n "${DEBEMAIL:-}" ]; then
        name=${DEBFULLNAME:-armwire} address=$DEBEMAIL
    elif [[ $git_address == *@*.* && $git_address != *.localdomain ]]; then
        name=$(git config user.name) address=$git_address
    fi
    echo "${name:-armwire} <$address>"
}

# The template with names, dates and the licence filled in.
prepare() {
    local date file text
    date=$(git log -1 --format=%cD 2>/dev/null || date -R)
    mkdir -p "$tree"
    git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$tree" || return 1
    cp -r docs/packaging/debian "$tree/debian"
    for file in changelog control copyright; do
        text=$(<"$tree/debian/$file")
        text=${text//@VERSION@/"$version"}
        text=${text//@DATE@/"$date"}
        text=${text//@MAINTAINER@/"$(maintainer)"}
        text=${text//@COPYRIGHT@/"$(sed -n 's/^Copyright (c) //p' LICENSE)"}
        echo "$text" >"$tree/debian/$file"
    done
    sed -n '/^Permission/,$p' LICENSE | sed 's/^$/./; s/^/ /' >>"$tree/debian/copyright"
}

packages() { (cd "$tree" && dpkg-buildpackage -us -uc -b); }
accepted() { lintian --allow-root --fail-on error,warning "$top"/*.changes; }
contains() { dpkg-deb -c "$top/$1"_*.deb | grep -q -- "$2"; }

sorted_in() {
    contains armwire ' ./usr/bin/armctl$' && contains armwire ' ./lib/udev/rules.d/70-hidmotor.rules$' &&
        contains armwire ' ./usr/share/armwire/layouts/canpid.plotjuggler.xml$' &&
        contains armwire ' ./usr/share/armwire/tests/canpid.bats$' &&
        contains ezphys-sim ' ./usr/bin/ezphys-sim$' &&
        contains armwire-code ' ./usr/bin/armwire-code$' && contains armwire-code '/code/pack.py$' &&
        contains armwire-foxglove ' ./usr/bin/armwire-foxglove$' &&
        contains armwire-pad ' ./usr/bin/armwire-pad$' &&
        contains armwire-mcap ' ./usr/bin/armwire-mcap$' &&
        contains armwire-mqtt ' ./usr/bin/armwire-mqtt$' && contains libarmwire0 'libarmwire.so.0 ->' &&
        contains libarmwire-dev ' ./usr/include/armwire/wire/wire.h$' &&
        contains python3-armwire ' ./usr/lib/python3/dist-packages/armwire/__init__.py$'
}
# What each package needs: ODE is for the stand-in only, the tools need no library of ours.
needs() { dpkg-deb -f "$top/$1"_*.deb Depends | grep -q "$2"; }
light() {
    needs armwire-mqtt python3-paho-mqtt && ! needs armwire python3 &&
        needs armwire-mcap libzstd && ! needs armwire libzstd &&
        needs armwire-foxglove libwebsockets && ! needs armwire libwebsockets &&
        needs armwire-pad libsdl2 && ! needs armwire libsdl2 &&
        needs ezphys-sim libode && ! needs armwire libode && ! needs armwire libarmwire0 &&
        needs libarmwire-dev 'libarmwire0 (= '
}
unpacked() {
    local package
    rm -rf "$root"
    for package in armwire armwire-foxglove armwire-mcap armwire-mqtt armwire-pad ezphys-sim libarmwire0 libarmwire-dev python3-armwire; do
        dpkg-deb -x "$top/$package"_*.deb "$root" || return 1
    done
}
tools_run() {
    local tool
    for tool in $(tests/tools.sh) armwire-foxglove armwire-mcap armwire-mqtt armwire-pad ezphys-sim; do
        "$root/usr/bin/$tool" --version | grep -F "$version" || return 1
    done
    "$root/usr/bin/armctl" -q -l 'sim:?time=virtual' deg 1 90 | grep result=confirmed
}
python_works() {
    PATH=$root/usr/bin:$PATH PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -c '
import armwire
with armwire.open("armctl", "sim:?time=virtual") as arm:
    print(arm.deg(1, 90).result)' | grep confirmed
}
library_works() {
    local libdir
    libdir=$(dirname "$(find "$root" -name libarmwire.so)")
    # shellcheck disable=SC2046 # words of pkg-config
    gcc -o "$top/$1" "$root/usr/share/doc/libarmwire-dev/examples/$1.c" \
        $(PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs armwire) &&
        { LD_LIBRARY_PATH=$libdir "$top/$1" nothing:there "$2" 20 2>&1 | grep "^$1: .*link 'nothing': unknown"; }
}

rm -rf "$top"
mkdir -p "$top"
case_of "the source tree" prepare
case_of "dpkg-buildpackage" packages
case_of "lintian: no errors, no warnings" accepted
case_of "every file in its package" sorted_in
case_of "no package needs more than it uses" light
case_of "the packages unpack" unpacked
case_of "the tools run" tools_run
case_of "the Python module" python_works
case_of "an example, with the library" library_works turn 1
case_of "an example over CAN, with the library" library_works knee lknee
echo "1..$n"
ls "$top"/*.deb
[ $failed = 0 ]
