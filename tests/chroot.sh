#!/bin/bash
# Tests a fresh clone on a clean Debian that has only git and make: make demo, make check. Needs root
# and debootstrap. Tests the last commit; uncommitted changes have no effect.
#
#   tests/chroot.sh [FOLDER]      default: a new folder under /var/tmp; removed on success
#   TARGETS="dist deb cross" tests/chroot.sh
set -eu
cd "$(dirname "$0")/.."
tree=$PWD
suite=${SUITE:-bookworm}
root=${1:-$(mktemp -d /var/tmp/armwire-chroot.XXXXXX)}

# Uses the package mirror of this machine.
mirror=${MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' "Codename: $suite" | head -n1)}
lap() { printf '%4ds  %s\n' $SECONDS "$*"; }

leave() {
    local place
    for place in proc dev/pts dev/shm; do
        mountpoint -q "$root/$place" || continue
        umount "$root/$place" 2>/dev/null || umount -l "$root/$place"
    done
}
trap leave EXIT

if ! [ -e "$root/usr/bin/git" ]; then
    debootstrap --variant=minbase --include=git,make,ca-certificates "$suite" "$root" "$mirror" \
        >"$root.log" 2>&1 || { tail "$root.log" && exit 1; }
    rm -f "$root.log"
fi
chmod 755 "$root" # mktemp sets mode 700, which hides all files from tests of another user
lap "a bare $suite"

for setting in /etc/apt/apt.conf.d/*proxy*; do
    [ ! -e "$setting" ] || cp "$setting" "$root$setting"
done
cp /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
mkdir -p "$root/dev/shm" && mount -t tmpfs tmpfs "$root/dev/shm"
ln -sf pts/ptmx "$root/dev/ptmx"

rm -rf "$root/src"
git clone -q "$tree" "$root/src"
inside() {
    chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        sh -c "cd /src && $1"
}
status=0
for target in ${TARGETS:-demo check}; do
    inside "make $target" || status=1
    lap "make $target: exit $status"
done
dirty=$(git -C "$root/src" status --porcelain)
[ -z "$dirty" ] || { echo "files left behind:" && echo "$dirty" && status=1; }
if [ $status = 0 ]; then
    leave
    rm -rf --one-file-system "$root"
else
    echo "left for a look: $root"
fi
exit $status
