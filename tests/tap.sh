# shellcheck shell=bash disable=SC2034,SC2154
# case_of TITLE COMMAND…: runs the command and prints a TAP line. After a failure, prints the end of its output ($log)
# and sets $failed to 1.
n=0 failed=0
case_of() {
    local title=$1
    shift
    n=$((n + 1))
    if "$@" >"$log" 2>&1; then
        echo "ok $n - $title"
    else
        echo "not ok $n - $title"
        failed=1
        sed 's/^/# /' "$log" | tail -n 40
        return 1
    fi
}
