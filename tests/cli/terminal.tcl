# Commands for tests on a real terminal (a pty). The terminal function of common.bash runs it with a
# script on standard input. Nothing here sleeps: everything waits for text.
#
#   launch armctl -l sim:      starts a program on a terminal
#   want TEXT ...            waits for these texts, in this order; "armctl> " is its prompt with
#                            any link and state, and %d is any number
#   type TEXT                types; \r is Enter, \t TAB, \003 Ctrl-C, \004 Ctrl-D, \022 Ctrl-R
#   ask LINE TEXT ...        types a line, waits for the texts
#   ends CODE                waits for the end and compares the exit status
#   seen                     everything the program wrote so far
set columns [lindex $argv 0]
if {$columns eq ""} { set columns 200 }
set stty_init "rows 40 columns $columns"
set timeout 60 ;# a loaded machine may be slow, but it gets there
match_max 1000000
log_user 0
set seen ""

proc fail {text} {
    global seen
    puts "$text\nthe terminal showed: [string map {\x1b ^[ \r {}} $seen]"
    exit 1
}
proc seen {} {
    global seen
    return $seen
}
proc launch {args} {
    global spawn_id
    uplevel #0 [list spawn -noecho {*}$args]
}
# Returns the output that no command has waited for.
proc more {} {
    global seen
    upvar expect_out out
    if {[info exists out(buffer)]} { append seen $out(buffer) }
}
# Returns the same after a failed wait, when expect does not provide the output.
proc rest {} {
    global seen
    expect -timeout 0 -re {.+} { append seen $expect_out(buffer) } timeout {}
}
proc want {args} {
    global seen
    foreach text $args {
        set how -ex
        set sought $text
        if {[regexp {^([a-z]+)> (.*)$} $text all tool rest]} {
            set how -re
            set sought "$tool\[^>\r\n\]*> [regsub -all {[][\\^$.|?*+(){}]} $rest {\\&}]"
        }
        if {[string first %d $text] >= 0} {
            set how -re
            set sought [regsub -all %d [regsub -all {[][\\^$.|?*+(){}]} $text {\\&}] {\\d+}]
        }
        expect {
            $how $sought { append seen $expect_out(buffer) }
            timeout { rest; fail "no '$text' in time" }
            eof { more; fail "no '$text' before the end" }
        }
    }
}
proc type {text} { send -- $text }
proc ask {line args} {
    type "$line\r"
    want {*}$args
}
proc ends {code} {
    global seen
    expect {
        eof { append seen $expect_out(buffer) }
        timeout { rest; fail "it does not end" }
    }
    set status [wait]
    set found [expr {[llength $status] > 4 ? [lindex $status 5] : [lindex $status 3]}]
    if {$found ne $code} { fail "it ended with $found, not $code" }
}
proc hasnt {text} {
    if {[string first $text [seen]] >= 0} { fail "this must not be there: [string map {\x1b ^[} $text]" }
}

eval [read stdin]
