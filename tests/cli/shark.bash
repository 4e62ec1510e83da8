# Loaded after common.bash by suites that look at captures with Wireshark.

# Wireshark runs no Lua for root, so it gets a folder that anybody can read, and runs as nobody.
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

# shark TOOL FILE OPTION…: tshark with the dissector of this tool, or with another script, or with those
# in the folder of plugins ("")
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

# agree TOOL FILE: each value that decode prints is a field of Wireshark's with that value.
agree() {
    shark "$1" "$2" -T json >packets.json
    "$1" decode -j "$2" >records
    ok python3 "$root/tests/cli/tshark_check.py" "$1" packets.json records
}
