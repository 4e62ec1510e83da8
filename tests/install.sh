#!/bin/bash
# Installs into an empty folder and uses the library from there as a stranger would: the program of
# docs/example through pkg-config, shared and static; the headers from C and from C++; then
# uninstalls and looks for leftovers.
# Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
root=$dir/root
export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root

n=0
case_of() {
    local name=$1
    shift
    n=$((n + 1))
    if "$@" >"$dir/log" 2>&1; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        sed 's/^/# /' "$dir/log"
    fi
}

in_root() { make "$1" PREFIX=/usr DESTDIR="$root"; }
# The example out of docs/ turns a simulated joint.
turns() {
    local program=$1 url=unix:$dir/arm.$n answer status
    "$root/usr/bin/armctl" sim --listen "unix-listen:$dir/arm.$n" 2>"$dir/ready" &
    for ((tries = 200; tries > 0; tries--)); do
        grep -q "^ready: $url" "$dir/ready" && break
        sleep 0.05
    done
    answer=$(LD_LIBRARY_PATH=$root/usr/lib "$program" "$url" 1 5)
    status=$?
    kill $! && wait $! 2>/dev/null
    echo "exit $status: $answer"
    [ "$status $answer" = "0 DEG1,005: confirmed" ]
}
# The compiler's options as in the first lines of the example.
example() {
    # shellcheck disable=SC2046,SC2086 # words of pkg-config; a compiler with options
    $1 -std=c11 -Wall -Wextra -Werror -o "$2" docs/example/turn.c \
        $(pkg-config --cflags armwire) $(eval "$3") && turns "$2"
}
shared() { example "$1" "$dir/shared" 'pkg-config --libs armwire' && needs "$dir/shared"; }
needs() { readelf -d "$1" | grep -q 'NEEDED.*\[libarmwire\.so\.0\]'; }
static() {
    example "$1" "$dir/static" 'pkg-config --static --libs armwire | sed s/-larmwire/-l:libarmwire.a/' &&
        ! needs "$dir/static"
}
# Nothing but the public prefix, all of one version; and what is internal is not there.
symbols() {
    local names
    names=$(nm -D --defined-only --with-symbol-versions "$root/usr/lib/libarmwire.so" |
        awk '$2 != "A" { print $3 }')
    ! grep -v '^aw_[a-z0-9_]*@@ARMWIRE_0$' <<<"$names" && grep -q '^aw_link_open@@' <<<"$names" &&
        ! grep -E '^aw_(transport|hid_find|fd_link|part_add)' <<<"$names"
}
# Every function that an installed header declares is in the library.
declared() {
    local name missing=0
    nm -D --defined-only "$root/usr/lib/libarmwire.so" | awk '{ sub("@.*", "", $3); print $3 }' |
        sort >"$dir/exported"
    for name in $(cat "$root"/usr/include/armwire/*/*.h | sed '/\/\*/,/\*\//d; /^static/d; /^typedef/d' |
        grep -oE '^[a-z].*[ *]aw_[a-z0-9_]+\(' | grep -oE 'aw_[a-z0-9_]+\($' | tr -d '(' | sort -u); do
        grep -qx "$name" "$dir/exported" || { echo "$name is not in the library" && missing=1; }
    done
    return $missing
}
# Each header on its own, in both languages.
headers() {
    local compiler=$1 header
    [ -e "$root/usr/include/armwire/wire/wire.h" ] || return 1
    [ ! -e "$root/usr/include/armwire/link/transport.h" ] || return 1
    for header in $(cd "$root/usr/include/armwire" && find . -name '*.h'); do
        echo "#include \"$header\"" |
            $compiler -Wall -Wextra -Werror -I"$root/usr/include/armwire" -fsyntax-only - || return 1
    done
}
programs() {
    local tool
    for tool in armctl hidmotor canpid unitysim ezphys; do
        "$root/usr/bin/$tool" --version && [ -s "$root/usr/share/man/man1/$tool.1" ] &&
            [ -s "$root/usr/share/bash-completion/completions/$tool" ] &&
            [ -s "$root/usr/share/zsh/site-functions/_$tool" ] &&
            [ -s "$root/usr/share/fish/vendor_completions.d/$tool.fish" ] || return 1
    done
    "$root/usr/bin/ezphys-sim" --version && [ -s "$root/usr/share/man/man1/ezphys-sim.1" ] &&
        grep -q '^KERNEL=="hidraw' "$root/usr/lib/udev/rules.d/70-hidmotor.rules"
}
nothing_left() {
    local left
    [ -d "$root/usr/bin" ] || return 1
    left=$(find "$root" ! -type d)
    [ -z "$left" ] || { echo "$left" && return 1; }
}

case_of "make install" in_root install
case_of "installed programs run, with manual page, completion and udev rules" programs
case_of "the library gives away its public symbols only, with a version" symbols
case_of "what the headers declare is in the library" declared
for compiler in gcc clang; do
    case_of "the example with the shared library, through pkg-config, $compiler" shared $compiler
    case_of "the example with the static library, through pkg-config, $compiler" static $compiler
done
case_of "every header stands on its own in C" headers "gcc -std=c11 -D_GNU_SOURCE -x c"
case_of "every header stands on its own in C++" headers "g++ -std=c++20 -x c++"
case_of "make uninstall" in_root uninstall
case_of "make uninstall leaves nothing" nothing_left
echo "1..$n"
