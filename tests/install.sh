#!/bin/bash
# Installs into an empty folder and uses the library from there as a stranger would: through
# pkg-config, shared and static, from C and from C++; then uninstalls and looks for leftovers.
# Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
root=$dir/root
export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root

cat >"$dir/use.c" <<'END'
#include <stdio.h>

#include <armctl/wire.h>
#include <wire/wire.h>

int main(void)
{
    static struct aw_wire wire;
    struct aw_record record;
    struct aw_error err;
    unsigned char line[64];
    size_t size;
    aw_wire_init(&wire, &aw_armctl_protocol, NULL, false);
    aw_record_init(&record, aw_wire_codec(&wire, "deg", AW_TX), AW_TX);
    aw_record_set(&record, "joint", 1, &err);
    aw_record_set(&record, "angle", 90, &err);
    if (aw_encode(&record, false, line, sizeof line, &size, &err) != AW_OK)
        return 1;
    return fwrite(line, 1, size, stdout) != size;
}
END

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
says_deg() { "$@" | cmp - <(printf '0DEG1,090\r\n'); }
# shellcheck disable=SC2046 # words of pkg-config
shared() {
    gcc -std=c11 -Wall -Wextra -Werror -o "$dir/shared" "$dir/use.c" $(pkg-config --cflags --libs armwire) &&
        LD_LIBRARY_PATH=$root/usr/lib says_deg "$dir/shared"
}
# shellcheck disable=SC2046
static() {
    gcc -std=c11 -o "$dir/static" "$dir/use.c" $(pkg-config --cflags armwire) \
        -L"$root/usr/lib" -Wl,--as-needed -l:libarmwire.a -lm && says_deg "$dir/static"
}
# Each header on its own, in both languages.
headers() {
    local compiler=$1 header
    [ -e "$root/usr/include/armwire/wire/wire.h" ] || return 1
    for header in $(cd "$root/usr/include/armwire" && find . -name '*.h'); do
        echo "#include \"$header\"" |
            $compiler -Wall -Wextra -Werror -I"$root/usr/include/armwire" -fsyntax-only - || return 1
    done
}
programs() {
    local tool
    for tool in armctl hidmotor canpid unitysim ezphys; do
        "$root/usr/bin/$tool" --version && [ -s "$root/usr/share/man/man1/$tool.1" ] &&
            [ -s "$root/usr/share/bash-completion/completions/$tool" ] || return 1
    done
}
nothing_left() {
    local left
    [ -d "$root/usr/bin" ] || return 1
    left=$(find "$root" ! -type d)
    [ -z "$left" ] || { echo "$left" && return 1; }
}

case_of "make install" in_root install
case_of "installed programs run, with manual page and completion" programs
case_of "a program links the shared library through pkg-config" shared
case_of "a program links the static library" static
case_of "every header stands on its own in C" headers "gcc -std=c11 -D_GNU_SOURCE -x c"
case_of "every header stands on its own in C++" headers "g++ -std=c++20 -x c++"
case_of "make uninstall" in_root uninstall
case_of "make uninstall leaves nothing" nothing_left
echo "1..$n"
