#!/bin/bash
# Builds archives of static programs for machines without a compiler in build/dist/, twice, to compare
# them; then tests and measures them. Prints TAP; build/dist/table.ARCH has the sizes and times.
#
#   tests/dist.sh [ARCH…]      default: amd64 arm64 armhf
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
unset MAKEFLAGS MAKELEVEL MFLAGS PREFIX DESTDIR
export LC_ALL=C.UTF-8 TERM=dumb NO_COLOR=1
# shellcheck source=tests/arch.sh
. tests/arch.sh
version=$(sed -n 's/^VERSION  *:= *//p' Makefile)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile)}
export SOURCE_DATE_EPOCH
tools=$(tests/tools.sh)
programs="$tools armwire-mcap ezphys-sim"
linked='libc6-dev libreadline-dev libncurses-dev libjansson-dev libinih-dev libserialport-dev libzstd-dev liblz4-dev zlib1g-dev'
linked+=" libode-dev gcc-$(gcc -dumpversion)-base"

wrapped=-Wl$(printf ',--wrap=%s' getaddrinfo getpwuid getpwnam getgrgid)

# Collects the licences and source versions of the linked libraries.
licences() {
    local package doc source to=$1/share/doc/armwire/licences
    mkdir -p "$to"
    {
        echo "The programs in bin/ contain these libraries of Debian. Their licences are beside this file."
        echo "armwire itself has the MIT licence; with GNU readline inside, a program as a whole is under the"
        echo "GNU General Public License, version 3 or later. The sources, by name and version, are on"
        echo "https://snapshot.debian.org:"
        echo
        for package in $linked; do
            doc=$libraries_of/usr/share/doc/$package
            cp "$doc/copyright" "$to/$package.txt" || return 1
            source=$(zcat "$doc/changelog.Debian.gz" | sed -n '1s/^\([^ ]*\) (\([^)]*\)).*/\1 \2/p')
            echo "$package: ${source:?}"
        done
    } >"$to/README" && chmod 644 "$to"/*
}

# build FOLDER: builds there and creates the archive $name.tar.xz.
build() {
    local B=$1 compiler=${triplet}-gcc
    [ "$libraries_of" = "" ] || compiler+=" --sysroot=$libraries_of"
    mkdir -p "$B" && rm -rf "${B:?}/$name" &&
        $compiler -O2 -c -o "$B/static.o" docs/packaging/archive/static.c &&
        make CC="$compiler" AR="$triplet-ar" B="$B" CFLAGS="$cflags" DEBUG= \
            LDFLAGS="-static -s -Wl,--build-id=none -Wl,-z,norelro $wrapped $B/static.o" SCRIPTS= BIN="$(printf "$B/bin/%s " $programs)" \
            EXTRA_ezphys-sim="-lode -lstdc++ -lm" DESTDIR="$B/$name" PREFIX= install-tools &&
        cp docs/packaging/archive/install.sh "$B/$name/" && licences "$B/$name" &&
        tar -C "$B" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
            --mode=u+rwX,go+rX,go-w -cf - "$name" | xz -T1 >"$B/$name.tar.xz"
}
same_again() {
    CCACHE_DISABLE=1 build "$top/again/$arch" && cmp "$top/$arch/$name.tar.xz" "$top/again/$arch/$name.tar.xz"
}
unpacked() {
    cp "$top/$arch/$name.tar.xz" "$top/" && rm -rf "${top:?}/$name" && tar -C "$top" -xJf "$top/$name.tar.xz"
}
alone() { ! readelf -ld "$top/$name"/bin/* | grep -E 'INTERP|NEEDED'; }
small() {
    (cd "$top/$name/bin" && stat -c '%s %n' ./*)
    [ -z "$(find "$top/$name/bin" -size +5M)" ]
}
documented() {
    local program
    for program in $programs; do
        [ -s "$top/$name/share/man/man1/$program.1" ] || return 1
    done
    [ -s "$top/$name/lib/udev/rules.d/70-hidmotor.rules" ] && [ -s "$top/$name/share/doc/armwire/docs/example/armctl.bats" ] &&
        [ -s "$top/$name/share/bash-completion/completions/canpid" ] && [ -s "$top/$name/share/doc/armwire/licences/README" ]
}

# Creates scripts with the programs' names that run them with qemu or, on amd64, in a chroot without other files.
# The paths of test files are the same there.
wrap() {
    local program how='' new=
    rm -rf "$run" && mkdir -p "$run"
    if ! runs "$top/$name/bin/armctl"; then
        how="$emulator "
        export AW_EMULATED=1
    elif [ "$arch" = amd64 ]; then
        unset AW_EMULATED
        new=$top/$name
        mkdir -p "$new/$PWD/tests/golden" && cp -r tests/golden/packets "$new/$PWD/tests/golden/"
        how="$([ "$(id -u)" = 0 ] || echo unshare -r) chroot $new "
    fi
    for program in $programs; do
        printf '#!/bin/sh\nexec %s%s "$@"\n' "$how" "${new:+/bin/$program}" >"$run/$program"
        [ "$new" ] || printf '#!/bin/sh\nexec %s%s "$@"\n' "$how" "$top/$name/bin/$program" >"$run/$program"
    done
    chmod +x "$run"/*
}
golden() { tests/golden/run.sh "$run"; }
# Runs the five first motions of the README. Under qemu programs cannot start others, so ezphys-sim gets a socket.
first_motions() {
    local line simulator='' tries=600 socket=$top/ezphys.sock
    [ "$(first_lines | wc -l)" = 5 ] || return 1
    if [ "${AW_EMULATED-}" ]; then
        rm -f "$socket"
        "$run/ezphys-sim" pendulum --listen "unix-listen:$socket" &
        simulator=$!
        while [ ! -S "$socket" ] && [ $((tries -= 1)) -gt 0 ]; do sleep 0.1; done
    fi
    while read -r line; do
        [ -z "$simulator" ] || line=${line/\'sim:\?scene=pendulum\' motor hinge/unix:$socket motor 1}
        (PATH=$run:$PATH && eval "$line") </dev/null || break
        line=
    done < <(first_lines)
    [ -z "$simulator" ] || kill "$simulator"
    [ -z "$line" ]
}
first_lines() { sed -n '/^A first motion with each/,/^```$/s/^\$ //p' README.md; }
installs() {
    local home=$top/home
    rm -rf "$home" && mkdir -p "$home/bin" && touch "$home/bin/mine"
    (cd / && PREFIX=$home sh "$top/$name/install.sh") && "$home/bin/armctl" --version &&
        [ -s "$home/share/man/man1/canpid.1" ] && sh "$top/$name/install.sh" nonsense
    [ $? = 2 ] && PREFIX=$home sh "$top/$name/install.sh" && PREFIX=$home sh "$home/share/armwire/install.sh" --uninstall &&
        [ "$(cd "$home" && find . -type f)" = ./bin/mine ]
}

cylinders_refused() {
    printf 'body %s mass 1\n' 'a cylinder 0.1 0.2' 'b capsule 0.1 0.2' >"$top/two.scene"
    "$top/$name/bin/ezphys" -q -l "sim:$top/two.scene" status 2>&1 | grep 'install the Debian package ezphys-sim'
}
# Runs the README's two installation commands on a minimal Debian without a compiler.
two_commands() {
    local bare=$top/bare
    [ -e "$bare/complete" ] || {
        rm -rf --one-file-system "$bare" &&
            mmdebstrap --quiet --variant=minbase --include=xz-utils "$suite" "$bare" "$(mirror)" &&
            chroot "$bare" useradd -m -d /user user && touch "$bare/complete"
    } || return 1
    cp "$top/$name.tar.xz" "$bare/user/" && rm -rf "$bare/user/.local" &&
        sed -n '/^## Install/,/^## /s/^    //p' README.md | sed "s/amd64/$arch/g" >"$bare/user/lines" &&
        [ "$(wc -l <"$bare/user/lines")" = 2 ] && ! chroot "$bare" which gcc cc &&
        chroot "$bare" su - user -c 'sh -ex lines' | grep -E '^deg .*result=confirmed'
}

# Measures the median start time, alternating with cansend for equal conditions.
start() {
    hyperfine -N --warmup 30 --min-runs 300 -i --export-csv "$top/start.csv" "$1" >/dev/null 2>&1 &&
        awk -F, 'NR == 2 { printf "%.3f", $(NF - 4) * 1000 }' "$top/start.csv"
}
quick() {
    local try own=9 peer=9
    for try in 1 2 3 4 5 6; do
        own=$(printf '%s\n' "$own" "$(start "$top/$name/bin/canpid --version")" | sort -n | head -n1)
        peer=$(printf '%s\n' "$peer" "$(start 'cansend nosuch0 123#00')" | sort -n | head -n1)
        ratio=$(awk -v a="$own" -v b="$peer" 'BEGIN { printf "%.2f", a / b }')
        echo "try $try: canpid $own ms, cansend $peer ms, ratio $ratio"
        [ "$try" -lt 3 ] || [ "${ratio/./}" -gt 105 ] || return 0
    done
    return 1
}

# Writes the table of this architecture.
table() {
    local file
    for file in "$top/$name.tar.xz" "$top/$name"/bin/*; do
        printf '%-6s %-36s %5.2f MB\n' "$arch" "${file##*/}" "$(($(stat -c %s "$file") / 10000))e-2"
    done | tee "$top/table.$arch" | sed 's/^/# /'
    [ -z "$ratio" ] || printf '%-6s start: %s of cansend\n' "$arch" "$ratio" | tee -a "$top/table.$arch" | sed 's/^/# /'
}

top=$PWD/build/dist
log=$top/log
mkdir -p "$top"
[ $# -gt 0 ] || set -- amd64 arm64 armhf
for arch; do
    choose "$arch"
    name=armwire-$version-linux-$arch run=$top/run/$arch libraries_of=$root ratio=
    if [ "$arch" = "$(dpkg --print-architecture)" ]; then
        libraries_of=
    else
        case_of "$arch: the target's libraries unpack" unpack "$arch"
    fi
    case_of "$arch: the archive builds" build "$top/$arch" || continue
    case_of "$arch: a second build gives the same bytes" same_again
    case_of "$arch: the archive unpacks" unpacked
    case_of "$arch: programs need no shared library" alone
    case_of "$arch: each program has at most 5 MB" small
    case_of "$arch: the archive contains man pages, completions, udev rules, documents and licences" documented
    if runs "$top/$name/bin/armctl"; then
        case_of "$arch: a scene that needs libccd is refused and suggests the Debian package" cylinders_refused
        case_of "$arch: the two install commands of the README work on a minimal Debian" two_commands
        case_of "$arch: install.sh installs, and --uninstall removes only its own files" installs
        case_of "$arch: canpid starts in at most 1.05 times the time of cansend" quick
    fi
    wrap
    case_of "$arch: all golden cases pass" golden
    case_of "$arch: the first motions of the README succeed" first_motions
    table
done
echo "1..$n"
[ $failed = 0 ]
