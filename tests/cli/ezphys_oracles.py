#!/usr/bin/env python3
"""Checks the physics of ezphys-sim by its messages.

    ezphys_oracles.py NAME…      runs these checks, by default all; a failure raises an exception
"""
import hashlib
import math
import signal
import socket
import struct
import subprocess
import sys
import time

from ezphys_wire import (LE32, Client, Simulation, Wire, die_with_parent, force, motor, near, reset,
                         scene)

SCENES = ["arm4", "box", "cart-pole", "double-pendulum", "falling", "humanoid", "pendulum", "slider-crank"]

# A box with a moment of inertia of 1/600 kg m² about each axis, on a hinge through its centre.
ROTOR = """
gravity 0 0 0
step 10ms
body rotor box 0.1 0.1 0.1 mass 1 collide off {body}
joint shaft hinge rotor world anchor 0 0 0 axis 0 0 1 {joint}
"""
INERTIA, DT = 1 / 600, 0.01


def rotor(body="", joint=""):
    return scene(ROTOR.format(body=body, joint=joint))


def free_fall():
    """A falling body moves by the semi-implicit method, exactly."""
    with Simulation(["falling"]) as sim:
        assert sim.receive().step == 0
        for n in range(1, 201):
            limb = sim.exchange().limb[1]
            near([limb.position[2]], [100 - 9.81 * 1e-4 * n * (n + 1) / 2])
            near([limb.linear[2]], [-9.81 * 0.01 * n])
            near(limb.angular, [0, 0, 1])
        near(limb.rotation, [math.cos(1), 0, 0, math.sin(1)], absolute=1e-4)


def many_steps():
    with Simulation(["falling", "--lock-step=50", "--step-size", "2ms"]) as sim:
        sim.receive()
        state = sim.exchange()
        assert state.step == 50
        near([state.step_size], [0.002])
        near([state.limb[1].position[2]], [100 - 9.81 * 4e-6 * 50 * 51 / 2])


def motors():
    """A motor at rest reaches min(v, fmax dt / I) in a step and keeps its command."""
    for velocity, torque in (2, 1e-3), (2, 1e3), (-2, 1e-3), (0.5, 0.2), (2, 0.0):
        with Simulation([rotor()]) as sim:
            sim.receive()
            state = sim.exchange(motor(1, velocity, torque))
            rate = math.copysign(min(abs(velocity), torque * DT / INERTIA), velocity)
            near([state.axes[1][0].rate], [rate])
            near(state.feedback[1].t1, [0, 0, INERTIA * rate / DT])
            near(state.feedback[1].f2 + state.feedback[1].t2, [0] * 6)
            # The command stays active in later steps.
            state = sim.steps(9)
            rate = math.copysign(min(abs(velocity), 10 * torque * DT / INERTIA), velocity)
            near([state.axes[1][0].rate], [rate])


def brake():
    """A motor with velocity 0 brakes its joint."""
    with Simulation([rotor("spin 0 0 1")]) as sim:
        sim.receive()
        near([sim.exchange(motor(1, 0, 1e-3)).axes[1][0].rate], [0.994])
        near([sim.steps(99).axes[1][0].rate], [0.4])
        near([sim.steps(100).axes[1][0].rate], [0])


def angle_wraps():
    """A hinge angle wraps at ±pi."""
    with Simulation([rotor("spin 0 0 1")]) as sim:
        sim.receive()
        near([sim.steps(310).axes[1][0].displacement], [3.1], 1e-4)
        near([sim.steps(10).axes[1][0].displacement], [3.2 - 2 * math.pi], 1e-4)


def feedback():
    """The feedback of a hinge with a motor between two bodies has the expected forces."""
    path = scene("""
        gravity 0 0 -10
        step 10ms
        body near box 0.1 0.1 0.1 mass 2 at 0 0 0 collide off
        body far  box 0.1 0.1 0.1 mass 2 at 1 0 0 collide off
        joint lock fixed near world
        joint hinge hinge near far anchor 0.5 0 0 axis 0 1 0 motor 0 1000
    """.replace("\n        ", "\n"))
    with Simulation([path]) as sim:
        sim.receive()
        hold, hinge = (sim.exchange().feedback[i] for i in (1, 2))
        near(hinge.f1 + hinge.t1, [0, 0, -20, 0, 20, 0], absolute=1e-5)
        near(hinge.f2 + hinge.t2, [0, 0, 20, 0, 0, 0], absolute=1e-5)
        near(hold.f1, [0, 0, 40], absolute=1e-5)
        near(hold.f2 + hold.t2, [0] * 6)


def forces():
    """A force acts on its limb for one step and is not part of the feedback."""
    with Simulation([rotor()]) as sim:
        sim.receive()
        state = sim.exchange(force(1, 0.5))
        near(state.limb[1].torque, [0, 0, 0.5])
        near(state.feedback[1].t1, [0, 0, 0])
        rate = 0.5 * DT / INERTIA
        near([state.axes[1][0].rate], [rate])
        state = sim.exchange()
        near(state.limb[1].torque, [0, 0, 0])
        near([state.axes[1][0].rate], [rate])
        near([sim.exchange(force(1, 0.1), force(1, 0.2)).limb[1].torque[2]], [0.3])
    with Simulation([rotor(), "--limb-force", "post"]) as sim:
        sim.receive()
        near(sim.exchange(force(1, 0.5)).limb[1].torque, [0, 0, 0])
    with Simulation([rotor(), "--hold-force", "--lock-step=5"]) as sim:
        sim.receive()
        state = sim.exchange(force(1, 0.01))
        near([state.axes[1][0].rate], [5 * 0.01 * DT / INERTIA])
        near([sim.exchange().axes[1][0].rate], [10 * 0.01 * DT / INERTIA])
        near([sim.exchange(force(1, 0)).axes[1][0].rate], [10 * 0.01 * DT / INERTIA])
    with Simulation([rotor(), "--lock-step=5"]) as sim:
        sim.receive()
        state = sim.exchange(force(1, 0.01))
        near([state.axes[1][0].rate, state.limb[1].torque[2]], [0.01 * DT / INERTIA, 0.01])


def slider():
    """Slider joints use m and N."""
    path = scene("gravity 0 0 0\nbody cart box 0.1 0.1 0.1 mass 3\n"
                 "joint rail slider cart world axis 1 0 0\n")
    with Simulation([path]) as sim:
        sim.receive()
        sim.send(motor(1, 2.0, 1e6))
        state = sim.receive()
        near(state.feedback[1].f1, [3 * 2 / DT, 0, 0])
        state = sim.steps(9)
        near(state.axes[1][0], [0.2, 2])
        state = sim.exchange(motor(1, 0, 0), force(1, 30.0))
        near([state.axes[1][0].rate, state.limb[1].force[0]], [2 + 30 / 3 * DT, 30])


TWO = """
gravity 0 0 0
body post box 0.1 0.1 0.1 mass 1 at 0 0 0 collide off
body arm  box 0.1 0.1 0.1 mass 1 at 0 0 0 collide off
joint lock fixed post world feedback off
joint j {kind} {bodies} anchor 0 0 0 {axes}
"""


def axes_of(kind, axes, bodies, targets):
    """Each axis reaches its rate in one step, and its angle changes with the sign of the rate. Rates are reported
    after the step, when Euler axes have turned slightly."""
    exact = 1e-2 if kind == "ball" else 1e-4
    with Simulation([scene(TWO.format(kind=kind, bodies=bodies, axes=axes))]) as sim:
        sim.receive()
        values = [v for target in targets for v in (target, 1e6)]
        state = sim.exchange(motor(2, *values))
        near([axis.rate for axis in state.axes[2]], targets, exact, 1e-5)
        state = sim.steps(4)
        near([axis.displacement for axis in state.axes[2]], [5 * DT * v for v in targets], 2e-2,
             1e-4)


def axes():
    """Angles of all joint types change with the sign of their rates."""
    axes_of("hinge", "axis 0 1 0", "arm post", [1.5])
    axes_of("universal", "axis 0 0 1  axis2 1 0 0", "arm post", [1, -0.5])
    axes_of("hinge2", "axis 0 0 1  axis2 1 0 0", "post arm", [0.2, 3])
    axes_of("ball", "axis 1 0 0  axis3 0 0 1", "arm post", [0.3, 0.2, -0.1])
    axes_of("ball", "axis 1 0 0  axis3 0 0 1", "arm world", [0.3, 0.2, -0.1])


def pushes_of(kind, axes, bodies, n):
    """A torque on an axis causes the acceleration expected from its inertia."""
    for axis in range(n):
        with Simulation([scene(TWO.format(kind=kind, bodies=bodies, axes=axes))]) as sim:
            sim.receive()
            torques = [0.01 if i == axis else 0.0 for i in range(3)]
            found = [a.rate for a in sim.exchange(force(2, *torques)).axes[2]]
            near([found[axis]], [0.01 * DT / INERTIA], 1e-2)


def pushes():
    pushes_of("hinge", "axis 0 1 0", "arm post", 1)
    pushes_of("slider", "axis 0 1 0", "arm world", 0)
    pushes_of("universal", "axis 0 0 1  axis2 1 0 0", "arm post", 2)
    pushes_of("ball", "axis 1 0 0  axis3 0 0 1", "arm post", 3)
    pushes_of("hinge2", "axis 0 0 1  axis2 1 0 0", "post arm", 2)


def stops():
    """Joint stops limit the motion."""
    with Simulation([rotor(joint="stops -10deg 20deg motor 1 0.01")]) as sim:
        sim.receive()
        near([sim.steps(300).axes[1][0].displacement], [math.radians(20)], 1e-2)


def contacts():
    """Contacts report four points of a box, the depth of a ball and pairs of bodies."""
    with Simulation(["box"]) as sim:
        state = sim.receive()
        state = sim.steps(100)
        assert len(state.collisions) == 4, state.collisions
        assert all(name == 1 and depth >= 0 and abs(point[2]) < 1e-3
                   for name, point, depth in state.collisions)
        near([state.limb[1].position[2]], [0.5], 1e-3)
    path = scene("ground\nbody ball sphere 0.5 mass 1 at 0 0 0.49\n")
    with Simulation([path]) as sim:
        (name, point, depth), = sim.receive().collisions
        assert name == 1
        near([*point, depth], [0, 0, -0.01, 0.01], absolute=1e-6)
    path = scene("gravity 0 0 0\nbody a sphere 1 mass 1\nbody b sphere 1 mass 1 at 1.9 0 0 id 7\n"
                 "body c sphere 1 mass 1 at 3.8 0 0 send off\n")
    with Simulation([path]) as sim:
        state = sim.receive()
        assert sorted(state.limb) == [1, 7]
        names = [name for name, _, _ in state.collisions]
        assert sorted(names) == [1, 7, 7], names
        pair = [c for c in state.collisions if abs(c[1][0] - 0.95) < 1e-6]
        assert len(pair) == 2 and pair[0][1:] == pair[1][1:]
        assert state.collisions.index(pair[0]) + 1 == state.collisions.index(pair[1])


def energy():
    """A frictionless pendulum loses less than 1 % of its energy in 10 s."""
    with Simulation(["pendulum", "--lock-step=10"]) as sim:
        sim.receive()
        spin = 0.4 * 1 * 0.05 ** 2  # the ball's own moment of inertia
        lowest, highest = math.inf, -math.inf
        for _ in range(1000):
            limb = sim.exchange().limb[1]
            kinetic = (sum(v * v for v in limb.linear) + spin * sum(w * w for w in limb.angular)) / 2
            total = kinetic + 9.81 * (limb.position[2] - 1)
            lowest, highest = min(lowest, total), max(highest, total)
            near([math.dist(limb.position, (0, 0, 2))], [1], 1e-3)
        assert 9.81 * 0.99 < lowest and highest < 9.81 * 1.01, (lowest, highest)


def run_humanoid(sim, steps):
    """Runs a motion that ends in a fall; returns a digest of its state messages."""
    digest = hashlib.sha256()
    for step in range(steps):
        commands = [motor(joint, 2 * math.sin(step / 50 + joint), 30.0,
                          math.cos(step / 70), 20.0) for joint in range(1, 16)]
        if step % 100 == 50:
            commands.append(force(1 + step % 15, 5.0, -3.0))
        state = sim.exchange(*commands)
        digest.update(state.raw)
    return digest.hexdigest(), state


def replay_is_identical():
    """After a reset, 2,000 steps with motors and contacts repeat bit for bit."""
    for options in ["--seed", "5"], ["--quick"]:
        with Simulation(["humanoid", *options]) as sim:
            beginning = sim.receive()
            first, end = run_humanoid(sim, 2000)
            assert end.step == 2000 and beginning.raw != end.raw
            state = sim.exchange(reset())
            assert state.step == 0 and state.raw == beginning.raw
            second, _ = run_humanoid(sim, 2000)
            assert first == second


def order():
    """Packets are in the documented order: timestamp, limbs, axes (of each joint together), feedback, contacts."""
    with Simulation(["humanoid"]) as sim:
        sim.receive()
        state = sim.steps(50)
        kinds = [kind for kind, _ in state.order]
        assert kinds == sorted(kinds, key=[5, 2, 3, 4, 1].index)
        assert [name for kind, name in state.order if kind == 2] == list(range(1, 17))
        joints = [name for kind, name in state.order if kind == 3]
        assert joints == sorted(joints) and len(joints) == 19 and len(state.axes[4]) == 2
        assert [name for kind, name in state.order if kind == 4] == list(range(1, 16))
        assert all(limb.unused == (0, 0) for limb in state.limb.values())
        assert len(state.collisions) == 8
        size, count = struct.unpack_from("<II", state.raw)
        assert size == len(state.raw) and count == len(state.order)


def reset_in_the_middle():
    """A reset discards earlier commands of its message and keeps later ones."""
    with Simulation([rotor()]) as sim:
        sim.receive()
        sim.steps(7)
        state = sim.exchange(motor(1, 1.0, 1e3), reset(), force(1, 0.5))
        assert state.step == 0
        near(state.axes[1][0], [0, 0])
        state = sim.exchange()
        assert state.step == 1
        near([state.axes[1][0].rate], [0.5 * DT / INERTIA])


STANDING = {"humanoid": 0.9, "arm4": 0.1, "box": 0.5}  # height of the first body


def all_finite():
    """All values stay finite in 10,000 steps of every scene, and standing bodies stay upright."""
    for name in SCENES:
        with Simulation([name, "--lock-step=200"]) as sim:
            sim.receive()
            for _ in range(50):
                state = sim.exchange()
                for limb in state.limb.values():
                    near([math.hypot(*limb.rotation)], [1], 1e-3)
            assert state.step == 10000
            if name in STANDING:
                near([state.limb[1].position[2]], [STANDING[name]], 1e-2)


def wires():
    """All wire variants have the same values."""
    name = {1: "shaft"}
    expected = None
    for preset in "le32", "be32", "packed8", "name32":
        wire = Wire(preset)
        for long_size in 4, 8:
            with Simulation([rotor()], wire, long_size) as sim:
                sim.receive()
                joint = name[1] if preset == "name32" else 1
                state = sim.exchange(motor(joint, 2.0, 1e-3, wire=wire))
                found = (state.step, state.step_size, *state.axes[joint][0])
                expected = expected or found
                assert found == expected, (preset, found, expected)
                assert sim.exchange(reset(wire)).step == 0
    bare = Wire("stream")
    with Simulation([rotor()], bare) as sim:
        with Simulation([rotor()]) as other:
            other.receive()
            whole = other.exchange(motor(1, 2.0, 1e-3))
        sim.read(len(whole.raw) - 8)
        sim.send(motor(1, 2.0, 1e-3))
        assert sim.read(len(whole.raw) - 8) == whole.raw[8:]
        sim.send(force(0, 0.0))
        sim.read(len(whole.raw) - 8)
        sim.end()
        assert "0 refused, 0 for unknown" in sim.said[-1], sim.said


# ---- Bad clients ----------------------------------------------------------------------------------

NAN, INF = math.nan, math.inf


def hostile():
    """Invalid numbers and sizes are rejected, counted and logged; the simulation continues."""
    with Simulation(["arm4"]) as sim:
        sim.receive()
        bad = [motor(2, NAN, 1.0), motor(2, 1.0, NAN), force(2, NAN), motor(2, INF, 1.0),
               motor(2, 1.0, -INF), force(2, 1e30), motor(2, 1e30, 1.0), motor(2, 1.0, 1e30)]
        for packet in bad:
            state = sim.exchange(packet)
        assert state.step == len(bad)
        assert all(math.isfinite(v) for limb in state.limb.values() for v in limb.position)
        sim.exchange(motor(2, 0.1, 10.0, NAN, INF))  # an axis that the joint lacks
        sim.exchange(motor(99, 1.0, 1.0), motor(0, 1.0, 1.0))
        sim.end()
        assert "1 commands executed, 8 refused, 2 for unknown joints" in sim.said[-1], sim.said
        assert any("not a finite number" in line for line in sim.said)
        assert any("out of range" in line for line in sim.said)
        assert any("joint 99 not found" in line for line in sim.said)


def bad_messages():
    """Messages with invalid sizes, counts, lengths or types are skipped; valid ones take effect."""
    good = LE32.message([motor(2, 0.1, 10.0)])
    bad = [
        struct.pack("<II", 0x80000000, 1), struct.pack("<II", 0xFFFFFFFF, 0xFFFFFFFF),
        struct.pack("<II", 4, 0), struct.pack("<II", 20, 1000), struct.pack("<II", 1 << 21, 1),
        struct.pack("<IIIII", 20, 1, 3, 2, 0x7FFFFFFF), struct.pack("<IIIII", 20, 1, 77, 0, 0),
        struct.pack("<IIIII", 20, 1, 3, 2, 0) + b"\xff" * 40, b"\0" * 100, b"\xff" * 100,
    ]
    with Simulation(["arm4"]) as sim:
        sim.receive()
        for junk in bad:
            # Noise may look like the header of a message and so hide the next message, but not
            # more.
            sim.sock.sendall(junk + good * 4)
            sim.receive()
        sim.sock.close()
        sim.sock = sim.connect()
        before = sim.receive().step
        assert before >= len(bad)
        assert sim.exchange(motor(2, 0.1, 10.0)).step == before + 1
        sim.end()
        # A block of noise is skipped and counted once.
        assert int(sim.said[-1].split(" refused")[0].split()[-1]) >= len(bad) // 2, sim.said


def flood():
    """Megabytes of noise cause no crash, memory growth or long log."""
    with Simulation(["pendulum"]) as sim:
        sim.receive()
        peak = memory(sim)
        noise = bytes((i * 7919 + 13) % 251 for i in range(1 << 16))
        sim.sock.settimeout(0.05)
        for _ in range(100):
            try:
                sim.sock.sendall(noise)
                while sim.sock.recv(1 << 16):
                    pass
            except (TimeoutError, socket.timeout):
                continue
            except OSError:
                break
        assert memory(sim) < peak + 4096, (peak, memory(sim))
        sim.sock.close()
        sim.sock = sim.connect()
        sim.sock.settimeout(20)
        assert sim.receive().step is not None
        sim.end()
        assert len(sim.said) < 40, sim.said


def memory(sim):
    """Returns the memory of this process, kB."""
    with open(f"/proc/{sim.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def abuse():
    """The largest accepted numbers, all at once, do not crash the simulator."""
    for name in SCENES:
        with Simulation([name, "--lock-step=10"]) as sim:
            sim.receive()
            for i in range(60):
                sign = 1 if i % 2 else -1
                packets = []
                for joint in range(1, 16):
                    packets.append(motor(joint, *(sign * 1e4, 1e12) * 3))
                    packets.append(force(joint, *(sign * 1e6,) * 3))
                state = sim.exchange(*packets)
                assert all(math.isfinite(v) for limb in state.limb.values()
                           for part in limb for v in part)
            assert sim.exchange(reset()).step == 0


# ---- Connections --------------------------------------------------------------------------------

def reconnect():
    """A new client gets the last state of the simulation; a partial message of the previous one is discarded."""
    with Simulation([rotor()]) as sim:
        sim.receive()
        state = sim.exchange(motor(1, 0.5, 1e3))
        sim.sock.sendall(LE32.message([motor(1, 9.0, 1e3)])[:30])
        sim.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        sim.sock.close()  # closes with a reset
        second = Client(sim.connect())
        again = second.receive()
        assert again.step == state.step == 1
        assert second.exchange().step == 2
        near([second.exchange().axes[1][0].rate], [0.5])
        second.sock.close()


def late_answer():
    """A missing answer is reported; the simulation continues once the client answers."""
    with Simulation(["falling", "--timeout", "100ms"]) as sim:
        sim.receive()
        sim.exchange()
        sim.wait_for("no answer to step 1 for 0.1 s")
        assert sim.exchange().step == 2
        sim.wait_for("client reconnected")


def stopped_client():
    """The simulator survives clients suspended or killed during an exchange."""
    code = ("import sys; sys.path.insert(0, sys.argv[1])\nimport socket\n"
            "from ezphys_wire import Client\n"
            "c = Client(socket.create_connection(('127.0.0.1', int(sys.argv[2]))))\n"
            "c.receive()\nwhile True:\n print(c.exchange().step, flush=True)\n")
    with Simulation(["humanoid", "--timeout", "200ms"]) as sim:
        sim.sock.close()
        sim.wait_for("client disconnected")
        port, last = sim.url.split(":")[2], 0
        for how in signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP:
            with subprocess.Popen([sys.executable, "-c", code, sys.path[0], port],
                                  stdout=subprocess.PIPE, text=True,
                                  preexec_fn=die_with_parent) as client:
                for _ in range(20):
                    step = int(client.stdout.readline())
                assert step > last
                last = step
                client.send_signal(how)
                if how == signal.SIGSTOP:
                    sim.wait_for("no answer to step")
                    client.kill()
                sim.wait_for("client disconnected")
        sim.sock = sim.connect()
        assert sim.receive().step >= last
        assert sim.exchange(reset()).step == 0


def real_time():
    """With real time, the simulation runs at the wall clock without answers, and pauses without a client."""
    with Simulation(["falling", "--real-time", "--interval", "10ms", "--step-size", "1ms"]) as sim:
        first = sim.receive()
        start = time.monotonic()
        state = first
        while state.step < 300:
            state = sim.receive()
        passed = time.monotonic() - start
        assert first.step == 0 and passed > 0.25, passed
        n = state.step
        near([state.limb[1].position[2]], [100 - 9.81e-6 * n * (n + 1) / 2])
        sim.send(reset())
        while state.step >= 300:
            state = sim.receive()
        assert state.step == 0 or state.step < 300
        sim.sock.close()
        sim.wait_for("client disconnected at step")
        stood = int(sim.said[-1].split("step ")[1].split(",")[0])
        time_of_next = Client(sim.connect())
        assert time_of_next.receive().step == stood
        time_of_next.sock.close()


def motors_in_real_time():
    with Simulation([rotor(), "--real-time", "--interval", "5ms"]) as sim:
        sim.receive()
        sim.send(motor(1, 0.5, 1e3))
        state = sim.receive()
        for _ in range(200):
            if abs(state.axes[1][0].rate - 0.5) < 1e-6:
                return
            state = sim.receive()
        raise AssertionError("the motor never ran")


def dials_out():
    """With --connect, the simulator retries until a server listens, and reconnects."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    with subprocess.Popen(["ezphys-sim", "falling", "--connect", f"127.0.0.1:{port}"],
                          stderr=subprocess.DEVNULL,
                          preexec_fn=die_with_parent) as process:
        listener = socket.create_server(("127.0.0.1", port))
        listener.settimeout(20)
        for turn in range(2):
            client = Client(listener.accept()[0])
            assert client.receive().step == turn
            assert client.exchange().step == turn + 1
            client.sock.close()
        process.terminate()
        assert process.wait(20) == 143


CHECKS = {name: function for name, function in list(globals().items())
          if callable(function) and getattr(function, "__module__", None) == "__main__"
          and not function.__code__.co_argcount and name not in ("memory", "rotor")}

if __name__ == "__main__":
    for check in sys.argv[1:] or CHECKS:
        CHECKS[check]()
        print("ok", check, flush=True)
