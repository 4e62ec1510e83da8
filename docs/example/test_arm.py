"""One test per tool, against the simulators; --armwire-link URL names your device."""
import armwire
import pytest


@pytest.mark.armwire("armctl", link="sim:?time=virtual")
def test_joint_reaches_target(arm):
    arm.deg(1, 90)
    arm.expect("deg", joint=1, angle=90)


@pytest.mark.armwire("hidmotor", link="sim:?time=virtual")
def test_arm_reaches_target(arm):
    arm.move(m1=0, m2=45, m3=-30, wait=True)
    assert abs(arm.status().m2.actual - 45) < 3


@pytest.mark.armwire("canpid", link="sim:?time=virtual")
def test_knee_follows_setpoint(arm):
    arm.setpoint("10deg", board="lknee", controller="pos", approach="20deg/s", verify=True)
    arm.wait("lknee.lever_angle>7deg", for_="3s")


@pytest.mark.armwire("unitysim", link="sim:?time=virtual")
def test_target_beyond_limit_is_refused(arm):
    with pytest.raises(armwire.LimitError):
        arm.move(elbow=4000)


@pytest.mark.armwire("ezphys", link="sim:?scene=pendulum")
def test_motor_turns_hinge(arm):
    arm.reset()
    arm.motor("hinge", 2, 1000, for_="0.1s")
    arm.expect("hinge.displacement>0.19 and hinge.displacement<0.21")
