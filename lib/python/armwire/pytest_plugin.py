"""Provides an arm to tests.

    @pytest.mark.armwire("hidmotor", link="sim:?time=virtual")
    def test_elbow(arm):
        arm.move(m3=30, wait=True)
        assert abs(arm.status().m3.actual - 30) < 3

The fixture 'arm' is an armwire.Arm for the tool of the mark; --armwire-link selects another link for all tests.
Any motion is stopped after each test. If a test fails, its report names the recording of the link, which
'TOOL decode', 'TOOL plot' and Wireshark can read.
"""
import pytest

import armwire


def pytest_addoption(parser):
    parser.addoption("--armwire-link", metavar="URL", help="link for all tests that use an arm")


def pytest_configure(config):
    config.addinivalue_line("markers", "armwire(tool, link=None, **options): tool, link and options of the fixture arm")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    recording = getattr(item, "armwire_recording", None)
    if call.when == "call" and recording:
        item.armwire_failed = report.failed
        if report.failed:
            found = " ".join(map(str, sorted(recording.parent.glob("armwire*.pcapng"))))
            report.sections.append(("armwire", f"recording of the link: {found}"))


@pytest.fixture
def arm(request, tmp_path):
    mark = request.node.get_closest_marker("armwire")
    if not mark:
        pytest.fail("no tool given — add @pytest.mark.armwire(TOOL, link=URL)", pytrace=False)
    options = dict(mark.kwargs)
    link = request.config.getoption("--armwire-link") or options.pop("link", None)
    options.pop("link", None)
    recording = tmp_path / "armwire.pcapng"
    request.node.armwire_recording = recording
    with armwire.open(*mark.args, link, record=str(recording), **options) as opened:
        yield opened
    if not getattr(request.node, "armwire_failed", True):
        for path in tmp_path.glob("armwire*.pcapng"):
            path.unlink()
