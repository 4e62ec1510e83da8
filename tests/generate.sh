#!/bin/sh
# Generates files from the tables of the tools: completions, manual pages, protocol pages, Wireshark
# dissectors, the DBC file, the udev rules, layouts of Foxglove and PlotJuggler.
#
#   tests/generate.sh           into the tree
#   tests/generate.sh --check   elsewhere, and compares
set -eu
cd "$(dirname "$0")/.."
BIN=${BIN:-build/bin}
TOOLS=$(tests/tools.sh)

# Keeps the user's configuration out of generated files.
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
run() {
    env -i PATH="$PATH" HOME="$empty" XDG_CONFIG_HOME="$empty" XDG_STATE_HOME="$empty" \
        TERM=dumb LC_ALL=C.UTF-8 "$@"
}

# make FILE COMMAND…: writes the output to FILE. On an error or empty output, fails without creating FILE.
make() {
    file=$1
    shift
    mkdir -p "$(dirname "$file")"
    if ! run "$@" >"$file" || ! [ -s "$file" ]; then
        rm -f "$file"
        echo "generate: no output from: $*" >&2
        return 1
    fi
}

# Prints help topics common to all tools, with the rows of each tool's tables.
config_page() {
    run "$BIN/armctl" help config --as "$1"
    for tool in $TOOLS; do
        run "$BIN/$tool" help config --as "$1" --tables
    done
}
# Replaces the topic's heading with the title of the page, and the name of a page with a link.
config_markdown() {
    config_page md | sed '1s/.*/# The config file/; s/^| name | meaning |$/| key | meaning |/
        s/`docs\/teleop.md`/[teleop.md](teleop.md#change-the-controls)/'
}
records_page() {
    for topic in records results words fields units numbers exit-codes scripts; do
        [ "$1" = man ] || [ "$topic" = records ] || echo
        run "$BIN/armctl" help "$topic" --as "$1"
    done
}
# Omits the keys of results, which help and man contain, and sections that other pages have. The first topic is
# the title of the page; the others are sections.
records_markdown() {
    records_page md | awk '
        /^# / { skip = /^# (results|words|exit-codes) / }
        /^## (Tests|Controllers)$/ { skip = 1 }
        skip { next }
        NR == 1 { $0 = "# Output of commands" }
        { sub(/`docs\/safety.md`/, "[safety.md](safety.md#exit-codes)") }
        /^# / && n++ { sub(/ — of /, " of ") || sub(/ — /, ": "); $0 = "## " toupper(substr($0, 3, 1)) substr($0, 4) }
        { print }'
}
# Prints the manual page of the library: its header, the first sentence of each header, and an example per client.
library_page() {
    roff() { sed -e 's/\\/\\e/g' -e "s/^\([.']\)/\\\\\&\1/" -e 's/-/\\-/g'; }
    code() { printf '.PP\n.EX\n' && roff && printf '.EE\n'; }
    first() { sed -n '1,/\*\//{s/^\/\* *//; s/ *\*\/$//; s/^ \* \{0,1\}//; p}' "$1"; }
    printf '.SH SYNOPSIS\n.B #include <armwire.h>\n.PP\n'
    printf '.B cc \\-o program program.c $(pkg\\-config \\-\\-cflags \\-\\-libs armwire)\n'
    printf '.SH DESCRIPTION\n'
    first lib/armwire.h | sed '/^    /d' | sed 's/^$/.PP/' | sed "s/-/\\\\-/g"
    printf '.SH HEADERS\nEach of them is the documentation of its part.\n'
    for header in $(sed -n 's/^#include "\(.*\)"/\1/p' lib/armwire.h); do
        printf '.TP\n.I %s\n' "$header"
        first "lib/$header" | sed '/^$/,$d' | tr '\n' ' ' | sed 's/\. .*/./; s/ *$//' | roff
        echo
    done
    printf '.SH EXAMPLES\nOne for the client of each tool.\n'
    for source in docs/example/*.c; do
        printf '.SS %s\n' "$(basename "$source")"
        code <"$source"
    done
}
# manual SECTION SUMMARY PAGE: armwire(SECTION)
manual() {
    version=$(run "$BIN/armctl" --version | cut -d ' ' -f 2)
    printf '.TH ARMWIRE %s "" "armwire %s"\n.SH NAME\narmwire \\- %s\n' "$1" "$version" "$2"
    "$3" man
    printf '.SH SEE ALSO\n'
    for tool in $TOOLS; do printf '.BR %s (1)\n' "$tool"; done
}
# write FILE FUNCTION…: like make, for a shell function.
write() {
    file=$1
    shift
    mkdir -p "$(dirname "$file")"
    "$@" >"$file"
}

# dissector TOOL: prints the tool's table. It loads the common code from armwire.lua in the same or another plugin
# directory.
dissector() {
    run "$BIN/$1" describe --as lua | sed -e '1,/^$/s/Copy it/Copy it and armwire.lua/' \
        -e '/^local function dissect(/,/^end -- /c\
local code = package.searchpath("armwire", package.path)\
local dissect = assert(loadfile(assert(code, "armwire.lua is missing: copy it to where this file is")))'
}

# can TOOL FORM: succeeds if "describe --as" supports this form
can() { run "$BIN/$1" help describe | grep -A2 -e '--as' | grep -qw "$2"; }

generate() {
    out=$1
    failed=0
    for tool in $TOOLS; do
        make "$out/completions/$tool.bash" "$BIN/$tool" completion bash || failed=1
        make "$out/completions/_$tool" "$BIN/$tool" completion zsh || failed=1
        make "$out/completions/$tool.fish" "$BIN/$tool" completion fish || failed=1
        make "$out/docs/man/$tool.1" "$BIN/$tool" help --as man || failed=1
        make "$out/docs/protocols/$tool.md" "$BIN/$tool" describe --as md || failed=1
        make "$out/docs/example/$tool.foxglove.json" tests/layouts.py "$tool" foxglove || failed=1
        make "$out/docs/example/$tool.plotjuggler.xml" tests/layouts.py "$tool" plotjuggler || failed=1
        can "$tool" lua || continue
        write "$out/docs/wireshark/$tool.lua" dissector "$tool" || failed=1
    done
    write "$out/docs/config.md" config_markdown || failed=1
    write "$out/docs/records.md" records_markdown || failed=1
    write "$out/docs/man/armwire.5" manual 5 "the config file of armwire's tools" config_page || failed=1
    write "$out/docs/man/armwire.7" manual 7 "records, fields, units and exit codes" records_page ||
        failed=1
    write "$out/docs/man/armwire.3" manual 3 "the library: links, messages and clients of the tools" library_page || failed=1
    make "$out/docs/udev/70-hidmotor.rules" "$BIN/hidmotor" list --udev || failed=1
    make "$out/docs/man/ezphys-sim.1" "$BIN/ezphys-sim" --man || failed=1
    if can canpid dbc; then
        make "$out/docs/protocols/canpid.dbc" "$BIN/canpid" describe --as dbc || failed=1
    fi
    return $failed
}

if [ "${1:-}" != --check ]; then
    generate .
    exit
fi

status=0
generate "$empty/tree" || status=1
for file in $(cd "$empty/tree" && find . -type f | sort); do
    diff -u "$file" "$empty/tree/$file" || status=1
done
[ $status = 0 ] || echo "generated files are out of date — make generated" >&2
exit $status
