#!/bin/bash
# boot.sh SCRIPT DIRECTORY: boots Debian's kernel in qemu and runs SCRIPT there with bash. Exit
# status: SCRIPT's (0..99), or 100 and more if the VM itself failed.
#
# The guest's root is the host's, read-only (9p). Writable are /run, and /run/out, which is
# DIRECTORY. /dev/ttyS1 and /dev/ttyS2 are two UARTs wired back to back.
#
# The kernel comes from the Debian archive by "apt-get download" into a cache and is not installed.
# Deliberately without acceleration: an emulated /dev/kvm may be a thousand times slower, and these
# tests take only seconds.
set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
here=$(cd "$(dirname "$0")" && pwd)
script=${1:-} out=${2:-}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/armwire-kernel
time_limit_s=${ARMWIRE_KERNEL_TIME_LIMIT:-900}
packages=(qemu-system-x86 busybox-static kmod xz-utils iproute2)

# The standard kernel image: the cloud image has neither CAN, USB nor 9p.
kernels=(linux-image-6.12-amd64 linux-image-amd64)

# Modules that tests may load. The rest of the package's 400 MB is not extracted.
module_directories=(net/can drivers/net/can drivers/hid drivers/usb drivers/virtio drivers/input
    net/9p fs/9p fs/netfs fs/fscache fs/configfs lib crypto)
boot_modules=(virtio_pci 9p 9pnet_virtio)

die() {
    echo "boot: $1" >&2
    exit "${2:-100}"
}

missing_packages() {
    local package
    for package in "${packages[@]}"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            echo "$package"
    done
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages)
    [ ${#missing[@]} -eq 0 ] && return
    [ "$(id -u)" -eq 0 ] ||
        die "not installed, and only root can: sudo apt-get install ${missing[*]}"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
        die "apt-get could not install ${missing[*]}"
}

# Prints the versioned package that one of these names depends on.
kernel_package() {
    local name real
    for name in "${kernels[@]}"; do
        real=$(apt-cache depends "$name" 2>/dev/null |
            awk '/Depends: linux-image/ {print $2; exit}')
        [ -n "$real" ] && echo "$real" && return
    done
    return 1
}

find_kernel() {
    package=$(kernel_package) && return
    [ "$(id -u)" -eq 0 ] && apt-get update -qq
    package=$(kernel_package) || die "apt knows no Debian kernel (${kernels[*]}): no network?"
}

unpack_kernel() {
    local directory wanted=('./boot/vmlinuz-*' './lib/modules/*/modules.*')
    for directory in "${module_directories[@]}"; do
        wanted+=("./lib/modules/*/kernel/$directory")
    done
    (cd "$1" && apt-get download -qq "$package" 2>/dev/null) ||
        die "apt-get could not download $package: no network?"
    # tar fails for directories that this kernel lacks.
    dpkg-deb --fsys-tarfile "$1/${package}"_*.deb |
        tar -x -C "$1" --wildcards "${wanted[@]}" 2>/dev/null
    rm -f "$1/${package}"_*.deb
    ls "$1"/boot/vmlinuz-* >/dev/null 2>&1 || die "$package holds no kernel"
}

# Packs busybox, init, and the few modules needed to mount the host's root.
make_initramfs() {
    local version tree n=100 file
    version=$(basename "$1"/lib/modules/*)
    tree=$1/initramfs
    depmod -b "$1" "$version" 2>/dev/null
    mkdir -p "$tree"/{bin,modules,dev,proc,sys,host,out}
    cp "$(command -v busybox)" "$tree/bin/busybox"
    install -m 755 "$here/init" "$tree/init"
    modprobe -S "$version" -d "$1" --show-depends -a "${boot_modules[@]}" |
        awk '$1 == "insmod" && !seen[$2]++ {print $2}' |
        while read -r file; do
            n=$((n + 1))
            case $file in
            *.xz) xz -dc "$file" >"$tree/modules/$n-$(basename "$file" .xz)" ;;
            *) cp "$file" "$tree/modules/$n-$(basename "$file")" ;;
            esac
        done
    (cd "$tree" && find . | busybox cpio -o -H newc 2>/dev/null | gzip -1) >"$1/initramfs.gz"
    rm -rf "$tree"
}

# Built in a temporary directory and moved, so that it is always complete.
prepare() {
    local new
    # init is part of the initramfs, so each version of init has its own cache entry.
    kernel=$cache/$package-$(cksum <"$here/init" | cut -d' ' -f1)
    [ -d "$kernel" ] && return
    mkdir -p "$cache"
    new=$(mktemp -d "$cache/new-XXXXXX") || die "cannot write to $cache"
    chmod 755 "$new"
    echo "boot: fetching $package into $cache" >&2
    unpack_kernel "$new"
    make_initramfs "$new"
    mv -T "$new" "$kernel" 2>/dev/null || rm -rf "$new" # another process was faster
}

# Prints the exit status of the guest's script, or 199 if the VM failed earlier. The shared directory and qemu's
# exit status (isa-debug-exit) must agree.
run_vm() {
    local status exit_code realtime=(chrt -r 5)
    rm -f "$out/status"
    # Other load on this machine must not affect the measurements in the VM.
    "${realtime[@]}" true 2>/dev/null || realtime=()
    timeout -k 5 "$time_limit_s" "${realtime[@]}" qemu-system-x86_64 -M q35 -accel tcg,thread=multi -cpu max \
        -smp 2 -m 1024 -nodefaults -no-user-config -display none -no-reboot -serial stdio \
        -device isa-debug-exit,iobase=0xf4,iosize=1 \
        -kernel "$kernel"/boot/vmlinuz-* -initrd "$kernel/initramfs.gz" \
        -append "console=ttyS0 quiet panic=-1 aw.script=$script aw.modules=$kernel" \
        -fsdev local,id=root,path=/,security_model=none,readonly=on,multidevs=remap \
        -device virtio-9p-pci,fsdev=root,mount_tag=hostroot \
        -fsdev local,id=out,path="$out",security_model=none \
        -device virtio-9p-pci,fsdev=out,mount_tag=hostout \
        -chardev socket,id=wire1,path="$out/wire",server=on,wait=off \
        -device isa-serial,chardev=wire1,index=1 \
        -chardev socket,id=wire2,path="$out/wire" \
        -device isa-serial,chardev=wire2,index=2 </dev/null
    exit_code=$?
    status=$(cat "$out/status" 2>/dev/null)
    [ -n "$status" ] && [ "$exit_code" -eq $(((status << 1) | 1)) ] && return "$status"
    echo "boot: qemu ended with $exit_code, the guest said '${status}'" >&2
    return 199
}

command -v dpkg-deb >/dev/null || die "this needs a Debian system, for its kernel package"
[ "$(uname -m)" = x86_64 ] || die "this needs an x86_64 machine, this is $(uname -m)"
[ -d "$out" ] || die "usage: boot.sh SCRIPT DIRECTORY"
install_packages
find_kernel
prepare
run_vm
