#!/usr/bin/env bats
# The Python module: the examples of docs/python.md, exceptions, asyncio, the stop, the pytest plugin.
load common.bash

prepare() { export PYTHONPATH=$root/lib/python PYTHONDONTWRITEBYTECODE=1 ARMWIRE_BIN=$BIN; }
python() { /usr/bin/python3 "$@"; }

# blocks FILE: writes each Python example to its own file: block.1.py and so on.
blocks() { awk -v d="$D" '/^```python/ { n++; on = 1; next } /^```/ { on = 0 } on { print > d "/block." n ".py" }' "$1"; }

@test "the Python module has at most 600 lines and needs only the standard library" {
    [ "$(cat "$root"/lib/python/armwire/*.py | wc -l)" -le 600 ]
    ok python - "$root"/lib/python/armwire/*.py <<'END'
import ast
import sys
for path in sys.argv[1:]:
    for node in ast.walk(ast.parse(open(path).read())):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
        for name in names:
            top = name.split(".")[0]
            assert top in sys.stdlib_module_names or top == "armwire" or (
                top == "pytest" and path.endswith("pytest_plugin.py")), (path, name)
END
}

@test "every Python example in README and docs/python.md runs" {
    cat "$root/README.md" "$root/docs/python.md" >all.md
    blocks all.md
    [ "$(ls block.*.py | wc -l)" -ge 4 ]
    for block in block.*.py; do
        grep -q pytest "$block" && continue
        { echo 'import armwire'; cat "$block"; } >piece.py
        ok python piece.py
    done
    prints 'messages are in motion.csv' python "$root/docs/example/log.py" 'sim:?time=virtual'
    [ -s motion.csv ]
}

@test "each exit code raises a different exception" {
    ok python - <<'END'
import armwire

def raises(kind, code, call):
    try:
        call()
    except armwire.Error as error:
        assert type(error) is kind and error.exit_code == code and error.why, (type(error), error.exit_code, error.why)
        assert not error.why.startswith("stdin"), error.why
        return
    raise AssertionError(f"no {kind.__name__}")

with armwire.open("hidmotor", "sim:?time=virtual&state=unhomed") as arm:
    raises(armwire.Refused, 1, lambda: arm.move(m3=30, wait=True))
    raises(armwire.UsageError, 2, lambda: arm.move(frob=30))
    raises(armwire.UsageError, 2, lambda: arm.stop(1, 2, 3))
    raises(armwire.LimitError, 6, lambda: arm.move(0, 400, 0))
    assert arm.status().m1.actual is not None
with armwire.open("armctl", "sim:?time=virtual&drop=100%") as arm:
    raises(armwire.NoAnswer, 3, lambda: arm.deg(1, 10))
with armwire.open("armctl", "/dev/nothing-here") as arm:
    raises(armwire.NoLink, 4, lambda: arm.deg(1, 10))
raises(armwire.NoLink, 4, lambda: armwire.open("frobctl"))
try:
    arm.frob
except AttributeError as error:
    assert "deg" in str(error)
try:
    arm.stauts
except AttributeError as error:
    assert str(error) == "armctl: unknown command 'stauts' — did you mean 'status'?", error
assert "deg" in dir(arm) and "angle" in arm.deg.__doc__
END
}

@test "Python moves all five tools, and leaving the with block stops a motion" {
    ok python - <<'END'
import armwire
fast = "sim:?time=virtual"
with armwire.open("canpid", fast) as arm:
    assert arm.setpoint("5deg", b="lknee", c="pos", verify=True).result == "verified"
with armwire.open("unitysim", fast) as arm:
    assert arm.move(elbow=2300).result == "arrived"
with armwire.open("ezphys", "sim:?scene=pendulum") as arm:
    assert arm.motor("hinge", 2, 1000, for_="0.1s").velocity == 2
with armwire.open("hidmotor", fast) as arm:
    with arm.watch("m1", n=4) as watch:
        assert watch.to_csv("run.csv") == 4
    for record in arm.watch("m1.position"):
        break  # leaving the loop ends the watch
    assert arm.status().m1.actual is not None
    assert "target, linear, sinusoidal\n" in arm.move.__doc__
assert open("run.csv").readline().startswith("t,dir,msg,m1.setpoint")
END
    start board hidmotor sim --listen "unix-listen:$D/board"
    ok python - "unix:$D/board" <<'END'
import sys
import armwire
try:
    with armwire.open("hidmotor", sys.argv[1]) as arm:
        arm.move(m1=80, m2=0, m3=0, duration="20s")
        raise KeyError("out of the block")
except KeyError:
    pass
END
    ok hidmotor -q -j -l "unix:$D/board" status
    ok jq -e '.m1.target < 20' <<<"$output"
}

@test "killing the interpreter during a motion stops the arm" {
    start board hidmotor sim --listen "unix-listen:$D/board"
    cat >move.py <<'END'
import sys
import armwire
with armwire.open("hidmotor", sys.argv[1]) as arm:
    arm.home(wait=True)
    print("moves", flush=True)
    arm.move(m1=80, m2=0, m3=0, duration="20s", wait=True)
END
    for ((kills = 0; kills < ${KILLS:-10}; kills++)); do
        mkfifo "out.$kills"
        /usr/bin/python3 move.py "unix:$D/board" >"out.$kills" 3>&- &
        started+=($!)
        read -t "$patience" -r line <"out.$kills"
        ok hidmotor -q encode positions # delays the kill by a varying time
        end $! KILL
        for ((tries = 0; tries < 100; tries++)); do # the tool keeps the link open until its stop is complete
            if hidmotor -q -j -l "unix:$D/board" status >now 2>/dev/null; then break; fi
        done
        ok jq -e '.m1.target < 20' <now
    done
}

@test "an interrupted or cancelled call stops its motion at once" {
    start board hidmotor sim --listen "unix-listen:$D/board"
    ok python - "unix:$D/board" <<'END'
import asyncio
import signal
import sys
import time
import armwire
import armwire.aio

class Enough(Exception):
    pass

def enough(number, frame):
    raise Enough

long = {"m1": 80, "m2": 0, "m3": 0, "duration": "200s", "wait": True}
signal.signal(signal.SIGALRM, enough)
with armwire.open("hidmotor", sys.argv[1]) as arm:
    arm.home(wait=True)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    begun = time.monotonic()
    try:
        arm.move(**long)
    except Enough:
        pass
    assert arm.status().m1.target < 10 and arm.move(m1=0, m2=0, m3=0, wait=True).result
    assert time.monotonic() - begun < 100

async def main():
    async with await armwire.aio.open("hidmotor", sys.argv[1]) as arm:
        await arm.home(wait=True)
        begun = time.monotonic()
        try:
            await asyncio.wait_for(arm.move(**long), 0.3)
        except asyncio.TimeoutError:
            pass
        assert time.monotonic() - begun < 100
        assert (await arm.status()).m1.target < 10

asyncio.run(main())
END
}

@test "every command returns, even without a result" {
    ok timeout "$patience" /usr/bin/python3 - <<'END'
import armwire
with armwire.open("hidmotor", "sim:?time=virtual") as arm:
    assert len(arm.limits().messages) > 3
    assert arm.wait("m1.position<5").messages[0].m1.position < 5
    assert arm.config("path").ok and arm.config("show").messages and arm.help().messages[0].tool == "hidmotor"
    assert "text" in arm.plot("m1.position", for_="0.1s").messages[0]
    try:
        arm.run("frob", "frob")
    except armwire.UsageError as error:
        assert "frob" in error.why
    assert arm.status().m1.actual is not None
with armwire.open("armctl", "sim:?time=virtual") as arm:
    arm.deg(1, 90)
    assert arm.expect("deg", joint=1, angle=90).result == "seen"
END
}

@test "a recording continues after a watch, and leaving a watch early ends it" {
    ok python - <<'END'
import subprocess
import armwire
with armwire.open("hidmotor", "sim:?time=virtual", record="run.pcapng") as arm:
    arm.move(0, 10, 0, wait=True)
    for record in arm.watch("m1.position"):
        break
    assert subprocess.run(["pgrep", "-P", str(__import__("os").getpid()), "hidmotor"]).returncode == 1
    arm.status()
END
    prints '"msg":"set_setpoints"' hidmotor decode -j run.pcapng
    same "$(ls run*.pcapng)" "$(printf 'run-2.pcapng\nrun.pcapng')"
}

@test "watch after a motion runs in the same process and shows the reached position" {
    ok python - <<'END'
import asyncio
import armwire
import armwire.aio
with armwire.open("hidmotor", "sim:?time=virtual") as arm:
    arm.move(m2=30, wait=True)
    seen = [record.m2.position for record in arm.watch("m2.position", n=3)]
    assert len(seen) == 3 and min(seen) > 25 and arm.status().m2.actual > 25, seen
    try:
        list(arm.watch("frob", n=1))
    except armwire.UsageError:
        assert arm.status().m2.actual > 25

async def main():
    async with await armwire.aio.open("hidmotor", "sim:?time=virtual") as arm:
        await arm.move(m2=30, wait=True)
        seen = [record.m2.position async for record in arm.watch("m2.position", n=3)]
        assert len(seen) == 3 and min(seen) > 25 and (await arm.status()).m2.actual > 25, seen
        async for record in arm.watch("m2.position"):
            assert (await arm.status()).m2.actual is not None # leaving the block ends the watch

asyncio.run(main())
END
}

@test "a motion that another program stops raises Stopped" {
    start board hidmotor serve -l sim:
    cat >move.py <<'END'
import armwire
with armwire.open("hidmotor") as arm:
    arm.status()
    print("moves", flush=True)
    try:
        arm.move(m1=80, duration="60s", wait=True)
    except armwire.Stopped as error:
        print("Stopped", error.exit_code, error.why)
END
    mkfifo said
    python -u move.py >said 3>&- &
    started+=($!)
    exec {said}<said
    read -t "$patience" -r line <&"$said"
    until ok hidmotor -q -j status && [ "$(json '.m1.target > 1')" = true ]; do sleep 0.05; done
    ok hidmotor -q stop
    read -t "$patience" -r line <&"$said"
    matches "$line" "Stopped 3 stopped by hidmotor *"
}

@test "README's Python example runs in a shell after make demo with README's settings" {
    blocks "$root/README.md"
    grep -oE '^ +(export )?P(ATH|YTHONPATH)=.*' "$root/README.md" >lines
    same "$(grep -c . lines)" 2
    (cd "$root" && sed "s|build/bin|${BIN#"$root"/}|" "$D/lines" && printf 'cd %q; env -u ARMWIRE_BIN python3 -B block.1.py\n' "$D") >piece.sh
    (cd "$root" && ok bash "$D/piece.sh")
    grep -q 'PYTHONPATH=$PWD/lib/python' "$root/tests/demo.sh"
}

@test "the pytest plugin opens the marked arm and records a failing test" {
    command -v /usr/bin/pytest-3 >/dev/null || skip "no pytest"
    cat >test_arm.py <<'END'
import pytest

@pytest.mark.armwire("hidmotor", link="sim:?time=virtual")
def test_elbow(arm):
    arm.move(m1=0, m2=0, m3=30, wait=True)
    assert abs(arm.status().m3.actual - 30) < 3

@pytest.mark.armwire("armctl", link="sim:?time=virtual")
def test_wrong(arm):
    assert arm.deg(1, 90).angle == 91

def test_no_mark(arm):
    pass
END
    exits 1 python -m pytest -p armwire.pytest_plugin -p no:cacheprovider --basetemp=kept -q test_arm.py
    has "$output" '1 failed, 1 passed, 1 error' 'recording of the link: ' 'no tool given'
    same "$(ls kept/*0/armwire.pcapng | wc -l)" 1
    prints '"angle":90' armctl decode -j kept/test_wrong0/armwire.pcapng
    ok python -m pytest -p armwire.pytest_plugin -p no:cacheprovider --basetemp=again -q test_arm.py -k elbow --armwire-link sim:
}
