#!/usr/bin/env bats
# The commands wait and expect, and the examples of docs/testing.md with their JUnit reports.
load common.bash

@test "wait prints the first later match, and --stable requires the match to last" {
    prints_lines 1 canpid -q -j -l "$fast" wait 'lknee.measured < 1' --for 2s
    same "$(json .msg)" '"pid"'
    fails 3 canpid -q -l "$fast" wait 'lknee.measured>90' --for 0.3s
    has "$why" 'canpid: wait: lknee.measured>90: not true in 0.3' ' s; last value: lknee.measured=0'
    fails 2 canpid -q -l "$fast" wait 'lknee.frob>90' --for 0.3s
    fails_with 2 'wait: ' canpid -q -l "$fast" wait 'lknee.measured' --for 0.3s
    hasnt "$why" '--where'
    fails 3 hidmotor -q -l 'sim:?fault=lost:1' wait 'm1.position>90' --for 0.2s
    ok said 'setpoint 5deg -b lknee -c pos --verify' \
        "wait 'lknee.lever_angle>2deg' --stable 100ms --for 5s"
    exits 3 said 'setpoint 5deg -b lknee -c pos --verify' 'disable -b lknee' \
        "wait 'lknee.setpoint<50' --for 0.2s"
    has "$stderr" 'stdin:3:1: wait: lknee.setpoint<50: not true in 0.2 s'
    exits_with 3 'not for long enough' said "wait 'lknee.lever_angle>-1' --stable 5s --for 0.2s"
}

# said LINE…: runs these commands for canpid's knee as a script.
said() { printf '%s\n' "$@" | canpid -q -k -l "$fast"; }

@test "expect reports a match or the nearest of up to 32 values, also with --never" {
    prints "result=seen" hidmotor -q -l "$fast" expect 'm1.position<5'
    exits 1 hidmotor -q -l "$fast" expect 'm1.position>50 and m2.position<5' --for 0.1s
    matches "$stderr" '*hidmotor: nearest: <- positions *hidmotor: expect: no m1.position>50 and m2.position<5 in 0.1*received*'
    prints result=never hidmotor -q -l "$fast" expect --never 'm1.position>50' --for 0.1s
    exits_with 1 'received after' hidmotor -q -l "$fast" expect --never 'm1.position<50' --for 0.1s
    fails_with 2 '--for' hidmotor -q -l "$fast" expect --never 'm1.position<50'
    exits 1 armctl -q -l "$fast" expect --never 'angle>80' --for 0.1s
    has "$stderr" 'expect: never angle>80: no such message received in 0.1 s, so nothing was checked'
    { printf '[packet many]\nid = 77\nask = yes\n'; printf 'f%d = u8\n' {1..33}; } >many.packets
    many() { hidmotor -q -l "$fast" --packets many.packets expect many "$@"; }
    prints "result=seen" many f{1..32}=0
    exits 1 many f{1..31}=0 f32=1 --for 0.2s
    fails_with 2 "expect: more than 32 values" many f{1..33}=0
    fails_with 2 "wait: m1.position: '5mm': wrong unit 'mm' — use deg" hidmotor -q -l sim: wait 'm1.position>5mm'
}

asked() { printf '%s\n' "$@" | armctl -q -l "$fast"; }

@test "expect compares a message and its values, even from a device that sends only answers" {
    ok asked 'deg 1 90' 'expect deg joint=1 angle=90' \
        'expect deg joint=1 angle=92 --tolerance 2deg' \
        'expect deg angle=1.5707963rad joint=1 --tolerance 1'
    exits 1 asked 'deg 1 90' 'deg 2 10' 'expect deg joint=1 angle=90 --for 0.1s'
    has "$stderr" 'stdin:3:1: expect: no deg joint=1 angle=90'
    fails 2 armctl -q -l "$fast" expect deg angle=90 --tolerance 2kg
    fails 2 armctl -q -l "$fast" expect deg frob=90
    fails_with 2 '--tolerance requires FIELD=NUMBER' armctl -q -l "$fast" expect 'angle>80' --tolerance 1deg
}

@test "expect reports the distance of the nearest value, and --tolerance works without a message" {
    ok asked 'deg 1 90' 'expect angle=92 --tolerance 2deg'
    ok asked 'deg 1 90' 'expect angle=1.5707963rad --tolerance 1'
    exits 1 asked 'deg 1 90' 'expect angle=92deg --for 0.1s'
    has "$stderr" '; nearest joint1.angle 90, 2 away — allow it with --tolerance'
    exits 1 asked 'deg 1 90' 'expect deg joint=1 angle=92 --for 0.1s'
    has "$stderr" '; nearest joint1.angle 90, 2 away — allow it with --tolerance'
    exits 1 asked 'deg 1 90' 'expect angle=92 --tolerance 1deg --for 0.1s'
    has "$stderr" '; nearest joint1.angle 90, 2 away, more than --tolerance 1'
    exits_with 1 '; nearest joint1.angle 90, 5 away' asked 'deg 1 90' "expect 'angle>95deg' --for 0.1s"
    hasnt "$stderr" 'allows'
    exits 1 asked 'deg 2 10' 'expect deg joint=1 --for 0.1s' # a value of another joint is not the nearest match
    hasnt "$stderr" 'away'
    fails_with 2 "--tolerance: angle: '2kg': unknown unit" asked 'expect angle=92 --tolerance 2kg'
    exits 6 asked 'expect angle=92 --tolerance -2deg'
}

# report FILE: prints the case names of a JUnit report; fails if any case failed.
report() {
    /usr/bin/python3 - "$1" <<'END'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
cases = list(root.iter("testcase"))
assert cases and sum(int(s.get("tests")) for s in root.iter("testsuite")) == len(cases)
for case in cases:
    assert not [e.tag for e in case if e.tag in ("failure", "error", "skipped")], case.attrib
    print(case.get("name"))
END
}

# example FILE: runs an example with bats, which writes report.xml. bats 1.8 does not wait for the process that
# writes the report, but that process holds standard error open. So the end of the pipe marks the end of the
# report.
example() {
    env -u BATS_TEST_FILTER -u BATS_RUN_TMPDIR -u BATS_TMPDIR PATH="$BIN:$PATH" \
        /usr/bin/bats --report-formatter junit -o "$D" "$1" 2>&1
}

@test "the bats example of each tool passes; its JUnit report lists the cases and failures" {
    for tool in $tools; do
        ok example "$root/docs/example/$tool.bats"
        ok report report.xml
        same "$output" "$(sed -n 's/^@test "\(.*\)" {$/\1/p' "$root/docs/example/$tool.bats")"
    done
    sed 's/m2.position>42/m2.position>52/' "$root/docs/example/hidmotor.bats" >fails.bats
    exits 1 example fails.bats
    grep -q 'tests="2" failures="1"' report.xml
    has "$(<report.xml)" 'expect: no m2.position'
}

@test "the pytest example passes for each tool, and a failing test appears in the JUnit report" {
    cp "$root/docs/example/test_arm.py" .
    sed -n '/^```python test_lift.py/,/^```$/{/^```/!p}' "$root/docs/testing.md" >test_lift.py
    python() {
        env PYTHONPATH="$root/lib/python" PYTHONDONTWRITEBYTECODE=1 ARMWIRE_BIN="$BIN" /usr/bin/python3 -m pytest \
            -p armwire.pytest_plugin -p no:cacheprovider --basetemp=kept -q --junitxml=out.xml test_arm.py test_lift.py
    }
    ok python
    gives "$(sed -n 's/^def \(test_[a-z_]*\).*/\1/p' test_arm.py test_lift.py)" report out.xml
    sed -i 's/actual - 45/actual - 5/' test_arm.py
    exits 1 python
    grep -q 'failures="1"' out.xml
}
