#!/bin/bash
# Installs into an empty directory and tests the library as users do: builds the programs of docs/example with
# pkg-config, shared and static, and compiles the headers as C and C++. Then uninstalls and looks for leftovers.
# Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. tests/tap.sh
dir=$(mktemp -d) && log=$dir/log
trap 'rm -rf "$dir"' EXIT
root=$dir/root
export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root

in_root() { make "$1" PREFIX=/usr DESTDIR="$root"; }
# Serves a simulated device: serve TOOL URL [OPTION…].
serve() {
    "$root/usr/bin/$1" sim --listen "$2" "${@:3}" 2>"$dir/ready.$n" &
    for ((tries = 200; tries > 0; tries--)); do
        grep -q "^ready: " "$dir/ready.$n" 2>/dev/null && return
        sleep 0.05
    done
    return 1
}
# Runs a built example with the served device, then ends the server.
try() {
    local status
    LD_LIBRARY_PATH=$root/usr/lib "$@" >"$dir/answer"
    status=$?
    kill $! && wait $! 2>/dev/null
    echo "exit $status: $(<"$dir/answer")"
    return $status
}
turn_runs() {
    serve armctl "unix-listen:$dir/arm.$n" && try "$1" "unix:$dir/arm.$n" 1 5 &&
        [ "$(<"$dir/answer")" = "DEG1,005: confirmed" ]
}
# The CAN example prints five lines; the last one must show a motion.
knee_runs() {
    serve canpid "slcan:pty:$dir/bus.$n" && try "$1" "slcan:$dir/bus.$n" lknee 20 &&
        [ "$(grep -c '^setpoint 20.0 deg, joint -\?[0-9.]* deg, torque' "$dir/answer")" = 5 ] &&
        tail -n 1 "$dir/answer" | grep -q 'joint 1[0-9]'
}
# Compares the final position with that of the program in docs/controllers.md.
balance_runs() {
    serve ezphys "unix-listen:$dir/cart.$n" --scene cart-pole && try "$1" "unix:$dir/cart.$n" 100 &&
        grep -qx "$(<"$dir/answer")" docs/controllers.md
}
point_runs() {
    serve hidmotor "unix-listen:$dir/board.$n" && try "$1" "unix:$dir/board.$n" 30 &&
        grep -qx 'elbow \(29\|30\|31\) of 30 deg' "$dir/answer"
}
lift_runs() {
    serve unitysim "unix-listen:$dir/bento.$n" && try "$1" "unix:$dir/bento.$n" 2500 &&
        [ "$(<"$dir/answer")" = "elbow is there" ]
}
# Uses the compiler options in the first lines of the examples.
example() {
    # shellcheck disable=SC2046 # the output of pkg-config is split
    $1 -std=c11 -Wall -Wextra -Werror -o "$dir/$2" "docs/example/$2.c" \
        $(pkg-config --cflags armwire) $(eval "$3") && "${2}_runs" "$dir/$2"
}
shared() { example "$1" "$2" 'pkg-config --libs armwire' && needs "$dir/$2" 'libarmwire\.so\.0'; }
needs() { readelf -d "$1" | grep -q "NEEDED.*\\[$2\\]"; }
static() {
    example "$1" "$2" 'pkg-config --static --libs armwire | sed s/-larmwire/-l:libarmwire.a/' &&
        ! needs "$dir/$2" 'libarmwire\.so\.0'
}
# The library must export only the public prefix with one version, few names, and must not need a terminal
# library.
symbols() {
    local names library=$root/usr/lib/libarmwire.so
    names=$(nm -D --defined-only --with-symbol-versions "$library" | awk '$2 != "A" { print $3 }')
    echo "$(wc -l <<<"$names") symbols"
    [ "$(wc -l <<<"$names")" -le 320 ] && ! grep -v '^aw_[a-z0-9_]*@@ARMWIRE_0$' <<<"$names" &&
        grep -q '^aw_link_open@@' <<<"$names" &&
        ! grep -E '^aw_(transport|hid_find|fd_link|part_add|sim_|view_|pcapng_)' <<<"$names" &&
        ! needs "$library" 'lib\(ncurses\|tinfo\|udev\|readline\).*'
}
# The library must export every function declared in an installed header.
declared() {
    local name missing=0
    nm -D --defined-only "$root/usr/lib/libarmwire.so" | awk '{ sub("@.*", "", $3); print $3 }' |
        sort >"$dir/exported"
    for name in $(find "$root/usr/include" -name '*.h' -exec cat {} + |
        sed 's|/\*.*\*/||; /\/\*/,/\*\//d; /^static/d; /^typedef/d' |
        grep -oE '^[a-z].*[ *]aw_[a-z0-9_]+\(' | grep -oE 'aw_[a-z0-9_]+\($' | tr -d '(' | sort -u); do
        grep -qx "$name" "$dir/exported" || { echo "$name is not in the library" && missing=1; }
    done
    return $missing
}
# Each header must compile alone in both languages.
headers() {
    local compiler=$1 header
    [ -e "$root/usr/include/armwire/wire/wire.h" ] || return 1
    [ ! -e "$root/usr/include/armwire/link/core/transport.h" ] || return 1
    [ "$(find "$root/usr/include" -name '*.h' | wc -l)" -le 45 ] || return 1
    for header in $(cd "$root/usr/include/armwire" && find . -name '*.h'); do
        echo "#include \"$header\"" |
            $compiler -Wall -Wextra -Werror -I"$root/usr/include/armwire" -fsyntax-only - || return 1
    done
}
python_module() {
    PATH=$root/usr/bin:$PATH PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 -B -c '
import armwire, importlib.metadata
assert importlib.metadata.version("armwire") == armwire.open("armctl").about["version"]
assert [e.name for e in importlib.metadata.entry_points(group="pytest11") if "armwire" in e.value] == ["armwire"]
with armwire.open("armctl", "sim:?time=virtual") as arm:
    print(arm.deg(1, 90).result)' | grep confirmed
}
programs() {
    local tool
    for tool in $(tests/tools.sh); do
        "$root/usr/bin/$tool" --version && [ -s "$root/usr/share/man/man1/$tool.1" ] &&
            [ -s "$root/usr/share/bash-completion/completions/$tool" ] &&
            [ -s "$root/usr/share/zsh/site-functions/_$tool" ] &&
            [ -s "$root/usr/share/fish/vendor_completions.d/$tool.fish" ] || return 1
    done
    [ "$(grep -c '^.SS .*\.c$' "$root/usr/share/man/man3/armwire.3")" = 5 ] || return 1
    for tool in armwire-code armwire-foxglove armwire-mcap armwire-mqtt armwire-pad ezphys-sim; do
        "$root/usr/bin/$tool" --version && [ -s "$root/usr/share/man/man1/$tool.1" ] || return 1
    done
    "$root/usr/bin/armctl" describe --as json | "$root/usr/bin/armwire-code" --language python >"$dir/packets.py" || return 1
    grep -q '^KERNEL=="hidraw' "$root/usr/lib/udev/rules.d/70-hidmotor.rules"
}
# Requires the layouts of every tool, and runs the worked example.
shared_files() {
    local tool share=$root/usr/share/armwire
    for tool in $(tests/tools.sh); do
        [ -s "$share/layouts/$tool.foxglove.json" ] && [ -s "$share/layouts/$tool.plotjuggler.xml" ] || return 1
    done
    "$root/usr/bin/hidmotor" -l sim: record "$dir/run.mcap" -n 5 2>"$dir/said" &&
        grep -F "layouts for Foxglove ($share/layouts/hidmotor.foxglove.json)" "$dir/said" &&
        PATH="$root/usr/bin:$PATH" bats "$share/tests/armctl.bats" && [ "$(ls "$share/tests" | wc -l)" -ge 6 ]
}
nothing_left() {
    local left
    [ -d "$root/usr/bin" ] || return 1
    left=$(find "$root" ! -type d)
    [ -z "$left" ] || { echo "$left" && return 1; }
}

case_of "make install succeeds" in_root install
case_of "installed programs run and have manual pages; tools have completions; udev rules are installed" programs
case_of "the library exports at most 320 symbols, all public and versioned, and needs no terminal library" symbols
case_of "the library exports every function that the headers declare" declared
for compiler in gcc clang; do
    for program in turn knee balance point lift; do
        for kind in shared static; do
            case_of "$program.c builds with the $kind library and $compiler through pkg-config, and runs" \
                $kind $compiler $program
        done
    done
done
case_of "every header compiles alone as C" headers "gcc -std=c11 -D_GNU_SOURCE -x c"
case_of "every header compiles alone as C++" headers "g++ -std=c++20 -x c++"
case_of "the Python module has the tools' version and its pytest plugin, and moves an arm" python_module
case_of "layouts are installed and named by record, and an installed example test passes" shared_files
case_of "make uninstall succeeds" in_root uninstall
case_of "make uninstall leaves no files" nothing_left
echo "1..$n"
