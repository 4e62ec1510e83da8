#!/bin/sh
# Installs armwire for you, without root: ./install.sh [--uninstall]
# PREFIX=FOLDER installs to FOLDER instead of ~/.local.
set -eu
prefix=${PREFIX:-$HOME/.local}
list=share/armwire/installed
cd "$(dirname "$0")"

uninstall() {
    [ -e "$prefix/$list" ] || return 0
    while read -r file; do
        rm -f "$prefix/$file"
        (cd "$prefix" && rmdir -p "${file%/*}" 2>/dev/null) || :
    done <"$prefix/$list"
}

case ${1:-} in
--uninstall)
    [ -e "$prefix/$list" ] || { echo "install.sh: nothing installed in $prefix — give the PREFIX of the installation" >&2 && exit 1; }
    uninstall
    exit
    ;;
'') ;;
*) echo "usage: [PREFIX=FOLDER] ./install.sh [--uninstall]" >&2 && exit 2 ;;
esac

version=$(bin/armctl --version) || {
    echo "install.sh: bin/armctl does not run — install a missing library, or get the archive for $(uname -m)" >&2
    exit 1
}
uninstall # an older version
mkdir -p "$prefix/${list%/*}"
for file in $(find bin lib share -type f) install.sh; do
    target=$file
    [ "$file" != install.sh ] || target=share/armwire/install.sh
    mkdir -p "$prefix/${target%/*}"
    cp "$file" "$prefix/$target"
    echo "$target" >>"$prefix/$list.new"
done
echo "$list" >>"$prefix/$list.new"
mv "$prefix/$list.new" "$prefix/$list"

version=${version#* }
echo "armwire ${version% *} is installed in $prefix. Documentation: $prefix/share/doc/armwire/README.md"
case :$PATH: in
*:"$prefix/bin":*) ;;
*) echo "Add the programs to your PATH:  PATH=$prefix/bin:\$PATH" ;;
esac
echo "Once, to permit access to HID boards:"
echo "    sudo cp $prefix/lib/udev/rules.d/*.rules /etc/udev/rules.d/"
echo "    sudo udevadm control --reload && sudo udevadm trigger"
echo "To uninstall:  PREFIX=$prefix sh $prefix/share/armwire/install.sh --uninstall"
