#!/usr/bin/env bats
# The commands wait, expect and test; TAP and JUnit as their readers see them.
load common.bash

check() { armctl -q -l "$fast" test "$@"; }

# junit FILE EXPRESSION…: what Python makes of each, with the elements of the first suite as s and its
# cases as c, names to elements. The report is what Jenkins takes: FORM has what its schema (junit-10.xsd of
# the xUnit plugin) says of the elements that we write, and text is only where it may be.
junit() {
    /usr/bin/python3 - "$@" <<'END'
import re
import sys
import xml.etree.ElementTree as tree
FORM = {  # attributes that have to be and that may be, elements inside
    "testsuites": ("", "name time tests failures errors", "testsuite"),
    "testsuite": ("name tests failures errors", "group time skipped timestamp hostname id package file log url",
                  "testsuite properties testcase system-out system-err"),
    "properties": ("", "", "property"),
    "property": ("name value", "", ""),
    "testcase": ("name", "time classname group", "skipped error failure system-out system-err"),
    "failure": ("", "type message", ""), "error": ("", "type message", ""), "skipped": ("", "type message", ""),
    "system-out": ("", "", ""), "system-err": ("", "", ""),
}
TEXT = {"failure", "error", "skipped", "system-out", "system-err"}

def check(element):
    must, may, inside = (words.split() for words in FORM[element.tag])
    assert set(must) <= set(element.attrib) <= {*must, *may}, (element.tag, element.attrib)
    assert element.tag in TEXT or not (element.text or "").strip()
    time = element.get("time") if element.tag != "testcase" else None
    assert time is None or re.fullmatch(r"(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?", time), time
    for child in element:
        assert child.tag in inside and not (child.tail or "").strip(), (element.tag, child.tag)
        check(child)

root = tree.parse(sys.argv[1]).getroot()
check(root)
assert root.tag == "testsuites" and len(root) == 1
s = root[0]
c = {case.get("name"): case for case in s.findall("testcase")}
assert len(c) == int(s.get("tests")) == len(s.findall("testcase")), "names are unique"
for kind, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
    assert int(s.get(kind)) == len(s.findall("testcase/" + element)), kind
assert all(len(list(case)) <= 2 and float(case.get("time")) >= 0 for case in c.values())
for expression in sys.argv[2:]:
    print(eval(expression))
END
}

@test "wait: the first message that is as wanted is the result" {
    ok canpid -q -j -l "$fast" wait 'lknee.measured < 1' --for 2s
    same "${#lines[@]}" 1
    same "$(json .msg)" '"pid"'
    fails 3 canpid -q -l "$fast" wait 'lknee.measured>90' --for 0.3s
    has "$why" 'canpid: wait: lknee.measured>90: not so in 0.3'
    has "$why" ' s — at last lknee.measured=0'
    fails 2 canpid -q -l "$fast" wait 'lknee.frob>90' --for 0.3s
    fails 2 canpid -q -l "$fast" wait 'lknee.measured' --for 0.3s
    has "$why" 'wait: '
    hasnt "$why" '--where'
    fails 3 hidmotor -q -l 'sim:?fault=lost:1' wait 'm1.position>90' --for 0.2s
}

# said LINE…: a script for canpid's knee
said() { printf '%s\n' "$@" | canpid -q -k -l "$fast"; }

@test "wait: what was true before does not count, and --stable wants it for some time" {
    ok said 'setpoint 5deg -b lknee -c pos --verify' \
        "wait 'lknee.lever_angle>2deg' --stable 100ms --for 5s"
    exits 3 said 'setpoint 5deg -b lknee -c pos --verify' 'disable -b lknee' \
        "wait 'lknee.setpoint<50' --for 0.2s"
    has "$stderr" 'stdin:3:1: wait: lknee.setpoint<50: not so in 0.2 s'
    exits 3 said "wait 'lknee.lever_angle>-1' --stable 5s --for 0.2s"
    has "$stderr" 'not for long enough'
}

@test "expect: seen, not seen with what came nearest, never" {
    ok hidmotor -q -l "$fast" expect 'm1.position<5'
    has "$output" result=seen
    exits 1 hidmotor -q -l "$fast" expect 'm1.position>50 and m2.position<5' --for 0.1s
    matches "$stderr" '*hidmotor: nearest: <- positions *hidmotor: expect: no m1.position>50 and m2.position<5 in 0.1*came*'
    ok hidmotor -q -l "$fast" expect --never 'm1.position>50' --for 0.1s
    has "$output" result=never
    exits 1 hidmotor -q -l "$fast" expect --never 'm1.position<50' --for 0.1s
    has "$stderr" 'came after'
    fails 2 hidmotor -q -l "$fast" expect --never 'm1.position<50'
    has "$why" '--for'
    exits 1 armctl -q -l "$fast" expect --never 'angle>80' --for 0.1s
    has "$stderr" 'expect: never angle>80: no such message came in 0.1 s, so nothing is shown'
}

asked() { printf '%s\n' "$@" | armctl -q -l "$fast"; }

@test "expect: a message with its values, and what a device that only answers has said" {
    ok asked 'deg 1 90' 'expect deg joint=1 angle=90' \
        'expect deg joint=1 angle=92 --tolerance 2deg' \
        'expect deg angle=1.5707963rad joint=1 --tolerance 1'
    exits 1 asked 'deg 1 90' 'deg 2 10' 'expect deg joint=1 angle=90 --for 0.1s'
    has "$stderr" 'stdin:3:1: expect: no deg joint=1 angle=90'
    fails 2 armctl -q -l "$fast" expect deg angle=90 --tolerance 2kg
    fails 2 armctl -q -l "$fast" expect deg frob=90
    fails 2 armctl -q -l "$fast" expect 'angle>80' --tolerance 1deg
    has "$why" '--tolerance goes with FIELD=VALUE'
}

@test "expect: how far the nearest value is away, and --tolerance without a message" {
    ok asked 'deg 1 90' 'expect angle=92 --tolerance 2deg'
    ok asked 'deg 1 90' 'expect angle=1.5707963rad --tolerance 1'
    exits 1 asked 'deg 1 90' 'expect angle=92deg --for 0.1s'
    has "$stderr" '; nearest joint1.angle 90, 2 away — --tolerance allows that'
    exits 1 asked 'deg 1 90' 'expect deg joint=1 angle=92 --for 0.1s'
    has "$stderr" '; nearest angle 90, 2 away — --tolerance allows that'
    exits 1 asked 'deg 1 90' 'expect angle=92 --tolerance 1deg --for 0.1s'
    has "$stderr" '; nearest joint1.angle 90, 2 away, more than --tolerance 1'
    exits 1 asked 'deg 1 90' "expect 'angle>95deg' --for 0.1s"
    has "$stderr" '; nearest joint1.angle 90, 5 away'
    hasnt "$stderr" 'allows'
    exits 1 asked 'deg 2 10' 'expect deg joint=1 --for 0.1s' # another joint is no nearer one
    hasnt "$stderr" 'away'
    fails 2 asked 'expect angle=92 --tolerance 2kg'
    has "$stderr" "--tolerance: angle: '2kg': unknown unit"
    exits 6 asked 'expect angle=92 --tolerance -2deg'
}

@test "test: what another file has recorded stays, and the simulator is no output of a case" {
    printf '## a\ndeg 1 10\nexpect angle=11 --for 0.1s\n' >f1.test
    printf '## a\ndeg 1 10\n' >f2.test
    exits 1 armctl -l "$fast" test f1.test --junit out.xml
    has "$stderr" 'this is the simulator'
    ok junit out.xml 'c["a"].find("failure").text' 'c["a"].find("system-out").text'
    has "${lines[0]}" 'nearest joint1.angle 10, 1 away'
    hasnt "$output" 'this is the simulator'
    ok check f2.test
    same "$(ls armctl-*)" armctl-f1-case-1.pcapng
}

@test "test: the worked examples, by prove" {
    command -v prove >/dev/null || skip "no prove"
    for pair in armctl:arm hidmotor:board canpid:knee unitysim:bento; do
        ok prove -e "${pair%:*} -q -l $fast test" "$root/docs/example/${pair#*:}.test"
        has "$output" 'Result: PASS'
    done
    ok prove -e 'ezphys -q -l sim:?scene=pendulum test' "$root/docs/example/pendulum.test"
    ok check "$root/docs/example/arm.test" --junit out.xml
    ok junit out.xml '[s.get(k) for k in ("failures", "errors")]'
    same "$output" "['0', '0']"
}

cat_cases() {
    cat <<'END'
## good
deg 1 10
=6 deg 1 400
! deg 1 400
## failure
deg 1 10
expect deg joint=1 angle=45 --for 0.1s
deg 1 20
## not refused
! deg 1 30
## refused
deg 1 400
## error
dge 1 10
## left out
skip there is no gripper
deg 1 10
END
}

@test "test: TAP, and a failure is no error" {
    cat_cases >all.test
    exits 1 check all.test --junit out.xml
    has "$(<out.xml)" "timestamp=\"$(date -u +%Y)-" # virtual time, too
    same "$stderr" 'armctl: test: 4 of 6 cases failed, some by an error'
    same "${lines[1]}" 1..6
    same "$(grep -cE '^ok [0-9]+ - ' <<<"$output") $(grep -cE '^not ok ' <<<"$output")" '2 4'
    has "$output" 'ok 6 - left out # SKIP there is no gripper'
    has "$output" 'all.test:7:1: expect: no deg joint=1 angle=45'
    has "$output" "all.test:10: 'deg 1 30' was carried out, and is to be refused"
    ok junit out.xml '[s.get(k) for k in ("tests", "failures", "errors", "skipped")]' \
        'c["error"].find("error").get("message")' 'c["failure"].find("failure").get("message")' \
        '[p.get("name") for p in s.findall("properties/property")]' \
        's.findall("properties/property")[2].get("value")'
    same "${lines[0]}" "['6', '3', '1', '1']"
    has "${lines[1]}" "no command 'dge'"
    has "${lines[2]}" 'recorded in ./armctl-all-case-2.pcapng'
    same "${lines[3]}" "['version', 'link', 'firmware', 'config']"
    same "${lines[4]}" simulated
    ok armctl decode -j armctl-all-case-2.pcapng
    same "$(ls armctl-all-case-*)" "$(printf 'armctl-all-case-2.pcapng\narmctl-all-case-3.pcapng')"
}

@test "test: set-up and tear-down, repetitions, limits of time" {
    printf '## set-up\ndeg 1 0\n## a\ndeg 1 180\n## a\ndeg 1 10\n## tear-down\ndeg 1 5\n' >two.test
    ok check two.test --repeat 2 -j
    same "$(jq -rs 'map(select(.case).case) | join(",")' <<<"$output")" \
        'a (1 of 2),a (2 of 2),a (line 5) (1 of 2),a (line 5) (2 of 2)'
    exits 1 check two.test --timeout 0.5s --junit out.xml
    ok junit out.xml 'c["a"].find("error").get("message")' 'c["a (line 5)"].find("error")'
    has "${lines[0]}" "two.test:4: 'deg 1 180': the case takes more than 0.5 s"
    same "${lines[1]}" None
    printf '## set-up\ndeg 1 %s\n## a\ndeg 1 10\n## tear-down\ndeg 1 %s\ndeg 1 180\n' 0 350 >slow.test
    exits 1 check slow.test --timeout 1s --junit out.xml
    ok junit out.xml 'c["a"].find("error").get("message")' '"angle=180" in c["a"].find("system-out").text'
    has "${lines[0]}" "slow.test:6: 'deg 1 350': tear-down takes more than 1 s"
    same "${lines[1]}" False # nothing of tear-down after that
    exits 1 check <(sed 's/350/0/; s/deg 1 0/deg 1 359/' slow.test) --timeout 1s --junit out.xml
    ok junit out.xml 'c["a"].find("error").get("message")'
    has "$output" "'deg 1 359': set-up takes more than 1 s"
    printf '## set-up\ndeg 1 400\n## a\ndeg 1 180\n' >bad.test
    exits 1 check bad.test --junit out.xml
    ok junit out.xml 's.get("errors")'
    same "$output" 1
}

@test "test: what is wrong with a file is said before anything moves" {
    printf 'deg 1 10\n' >no.test
    fails 2 check no.test
    has "$why" 'no.test:1:1: a command before the first case'
    printf '## a\n=x deg 1 10\n' >no.test
    fails 2 check no.test
    has "$why" no.test:2
    printf '# nothing\n' >no.test
    fails 2 check no.test
    fails 2 check nothing-here.test
    fails 2 check no.test no.test
    has "$why" 'no.test is named twice'
    printf '## a\ndeg 1 10\n' >a.test
    fails 2 check a.test --junit /nowhere/out.xml
}

@test "test: a test in a test is refused, a # in a name is no directive of TAP, --record has all" {
    printf '## self # SKIP\ntest self.test\n' >self.test
    exits 1 check self.test
    has "$output" 'not ok 1 - self \# SKIP'
    has "$output" 'self.test:2:1: test: this is a case of a test already'
    printf '## a\ndeg 1 10\n## b\ndeg 1 400\n## c\ndeg 1 20\n' >all.test
    exits 1 check --record all.pcapng all.test
    ok armctl -q decode -j all.pcapng
    has "$output" '"angle":10'
    has "$output" '"angle":20'
    [ ! -e armctl-all-case-2.pcapng ]
    exits 1 hidmotor -q -l 'sim:?fault=lost:1' test "$D/all.test"
    hasnt "$output" all.test:0
}

@test "test: the report is XML, whatever a case is called and prints" {
    printf '## a\xff <b> \xc3\xa9\ndeg 1 "\xc3\xa9\xe9"\n' >bytes.test
    exits 1 check bytes.test --junit out.xml
    ok junit out.xml 'list(c)' 's.get("errors")'
    same "${lines[0]}" "['a? <b> é']"
}

@test "test: nothing of a case moves on into the next" {
    printf '## a\nsetpoint 5deg -b lknee -c pos --verify\n## b\nexpect "lknee.setpoint>99"\n' >on.test
    ok canpid -q -l "$fast" test on.test
    printf '## a\ndrive elbow=+5 --hold --for 0.1s\n## b\nexpect --never "elbow.velocity>0" --for 0.2s\n' >on.test
    ok unitysim -q -l "$fast" test on.test
}

@test "test: killed in a case the report is whole, and says so" {
    printf '## quick\ndeg 1 1\n## long\ndeg 1 350\n' >kill.test
    armctl -q -l sim: test kill.test --junit out.xml >out 2>/dev/null &
    started+=($!)
    victim=$!
    until grep -qs 'name="long"' out.xml && [ -s armctl-kill-case-2.pcapng ]; do kill -0 "$victim"; done
    kill -9 "$victim"
    ok junit out.xml 'c["long"].find("error").get("message")' 'c["quick"].find("error")'
    same "$output" "$(printf 'the case has not ended: the test was killed\nNone')"
    ok ls armctl-kill-case-2.pcapng
}

@test "--keep makes its folder; one that cannot be made is told before the first case" {
    printf '## wrong\ndeg 1 10\n! deg 1 20\n' >one.test
    fails 1 check one.test --keep new/folder
    has "$output" "recorded in new/folder/armctl-one-case-1.pcapng"
    armctl -q decode new/folder/armctl-one-case-1.pcapng | grep -q deg
    touch file
    fails 2 check one.test --keep file/folder
    same "$output" ""
    has "$stderr" "--keep: file/folder"
}
