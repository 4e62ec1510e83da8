#!/bin/bash
# Builds Debian packages of the tree in build/deb/, checks them with lintian, unpacks and tests them.
# Prints TAP. DEB_BUILD_OPTIONS=nocheck skips the unit tests.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
unset MAKEFLAGS MAKELEVEL MFLAGS PREFIX DESTDIR
export LC_ALL=C.UTF-8
top=$PWD/build/deb
log=$top/log
version=$(sed -n 's/^VERSION  *:= *//p' Makefile)
tree=$top/armwire-$version
root=$top/root

# Creates the source tree, including debian/, beside its .orig archive, as dpkg-buildpackage expects.
prepare() {
    mkdir -p "$tree"
    git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$tree" || return 1
    tar -C "$top" -cJf "$top/armwire_$version.orig.tar.xz" "armwire-$version" && make -C "$tree" debian
}

packages() { (cd "$tree" && dpkg-buildpackage -us -uc); }
accepted() { lintian --allow-root -I --pedantic --fail-on error,warning,info,pedantic "$top"/*.changes; }
contains() { dpkg-deb -c "$top/$1"_*.deb | grep -q -- "$2"; }

sorted_in() {
    contains armwire ' ./usr/bin/armctl$' && contains armwire ' ./lib/udev/rules.d/70-hidmotor.rules$' &&
        contains armwire ' ./usr/share/armwire/layouts/canpid.plotjuggler.xml$' &&
        contains armwire ' ./usr/share/armwire/tests/canpid.bats$' &&
        contains armwire '/armwire/libawtools.so$' && contains armwire-doc './usr/share/doc/armwire/docs/install.md$' &&
        contains ezphys-sim ' ./usr/bin/ezphys-sim$' &&
        contains armwire-code ' ./usr/bin/armwire-code$' && contains armwire-code '/code/pack.py$' &&
        contains armwire-foxglove ' ./usr/bin/armwire-foxglove$' &&
        contains armwire-pad ' ./usr/bin/armwire-pad$' &&
        contains armwire-mcap ' ./usr/bin/armwire-mcap$' &&
        contains armwire-mqtt ' ./usr/bin/armwire-mqtt$' && contains libarmwire0 'libarmwire.so.0 ->' &&
        contains libarmwire-dev ' ./usr/include/armwire/wire/wire.h$' &&
        contains python3-armwire ' ./usr/lib/python3/dist-packages/armwire/__init__.py$'
}
# Checks the dependencies: only ezphys-sim needs ODE, and the tools do not need libarmwire0.
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
    for package in armwire armwire-doc armwire-foxglove armwire-mcap armwire-mqtt armwire-pad ezphys-sim libarmwire0 libarmwire-dev python3-armwire; do
        dpkg-deb -x "$top/$package"_*.deb "$root" || return 1
    done
}
# Before the installation, programs need a library path to find the private library.
tools_run() {
    local tool
    LD_LIBRARY_PATH=$(dirname "$(find "$root" -name libawtools.so)")
    export LD_LIBRARY_PATH
    for tool in $(tests/tools.sh) armwire-foxglove armwire-mcap armwire-mqtt armwire-pad ezphys-sim; do
        "$root/usr/bin/$tool" --version | grep -F "$version" || return 1
    done
    "$root/usr/bin/armctl" -q -l 'sim:?time=virtual' deg 1 90 | grep result=confirmed
}
# Runs the test of autopkgtest with the tools of the unpacked packages.
first_motions() { (cd "$tree" && PATH=$root/usr/bin:$PATH debian/tests/first-motions); }
# Checks that all link targets of README.md and its pages are installed.
links_lead() {
    local page link missing=0
    while IFS=: read -r page link; do
        [ -e "$(dirname "$page")/$link" ] || { echo "$page: $link" && missing=1; }
    done < <(grep -roE '\]\([^)#:]+' --include='*.md' "$root/usr/share/doc/armwire" | sed '/(http/d; s/:\](/:/')
    return $missing
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
    # shellcheck disable=SC2046 # the output of pkg-config is split
    gcc -o "$top/$1" "$root/usr/share/doc/libarmwire-dev/examples/$1.c" \
        $(PKG_CONFIG_PATH=$libdir/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --cflags --libs armwire) &&
        { LD_LIBRARY_PATH=$libdir "$top/$1" nothing:there "$2" 20 2>&1 | grep "^$1: .*unknown link 'nothing'"; }
}

rm -rf "$top"
mkdir -p "$top"
case_of "make debian prepares the source tree" prepare
case_of "dpkg-buildpackage succeeds" packages
case_of "lintian reports nothing" accepted
case_of "each package contains its main files" sorted_in
case_of "only the packages that use a library depend on it" light
case_of "the packages unpack" unpacked
case_of "the tools print their version, and armctl moves a simulated arm" tools_run
case_of "the first motions of the autopkgtest succeed" first_motions
case_of "every file that an installed page links is installed" links_lead
case_of "the Python module moves a simulated arm" python_works
case_of "the example turn builds and runs with the installed library" library_works turn 1
case_of "the example knee builds and runs with the installed library" library_works knee lknee
echo "1..$n"
ls "$top"/*.deb
[ $failed = 0 ]
