# Loaded after common.bash by suites that decode captures with Wireshark.

# Wireshark does not run Lua as root. So the tests run it as user nobody and give it a world-readable directory.
eval "plain_$(declare -f setup)"
eval "plain_$(declare -f teardown)"
setup() {
    plain_setup
    public=$(mktemp -d)
    chmod 755 "$public"
}
teardown() {
    rm -rf "$public"
    plain_teardown
}

# shark TOOL FILE OPTION…: runs tshark with this tool's dissector, with the script $script, or with the plugin
# directory's dissectors ("").
shark() {
    local tool=$1 file=$2 who=() with=()
    shift 2
    [ -e "$public/${script-$tool.lua}" ] || "$tool" describe --as lua >"$public/$tool.lua"
    [ -z "${script-$tool.lua}" ] || with=(-X "lua_script:${script-$tool.lua}")
    cp "$file" "$public/capture"
    chmod -R a+rX "$public"
    [ "$(id -u)" != 0 ] || who=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    (cd "$public" && "${who[@]}" env HOME="$public" XDG_CONFIG_HOME="$public" tshark "${with[@]}" -r capture "$@")
}

# agree TOOL FILE: requires that Wireshark shows a field with each value that decode prints.
agree() {
    shark "$1" "$2" -T json >packets.json
    "$1" decode -j "$2" >records
    ok python3 "$root/tests/cli/tshark_check.py" "$1" packets.json records
}
