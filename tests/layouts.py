#!/usr/bin/env python3
"""Prints a layout for a tool's recordings, generated from the tool's message table:

    layouts.py TOOL foxglove        for Foxglove: plots, the joints as text, and the stop button
    layouts.py TOOL plotjuggler     for PlotJuggler: plots

PANELS selects the fields of each plot; * matches any name. tests/cli/foxglove.bats looks for each curve in a
recording.
"""
import fnmatch
import json
import os
import subprocess
import sys
from xml.sax.saxutils import quoteattr

BOARDS = ("lhip", "lknee", "lankle", "rhip", "rknee", "rankle")
JOINTS = "joint_states"  # PlotJuggler identifies its fields by joint name, Foxglove by index

# title: [(topic below the tool's, field pattern)]; for JOINTS (topic, joint names, quantity)
PANELS = {
    "armctl": {"Angle that was reached": [("deg", "angle")], "Joint": [(JOINTS, ["joint1"], "position")]},
    "canpid": {"Angles": [(board + "/joint", "fix_link_angle") for board in BOARDS],
               "Left knee: setpoint, measured, output": [("lknee/pid", "setpoint"), ("lknee/pid", "measured"),
                                                    ("lknee/pid", "output")]},
    "ezphys": {"Joint": [(JOINTS, ["hinge"], "position"), (JOINTS, ["hinge"], "velocity")],
               "Simulation": [("timestamp", "step")]},
    "hidmotor": {"Positions": [("positions", "m[123].*")],
                 "Joints": [(JOINTS, ["m1", "m2", "m3"], "position")]},
    "unitysim": {"Joints": [(JOINTS, ["shoulder", "elbow", "wrist_rotate", "wrist_flex", "hand"], "position")],
                 "Velocity": [("feedback", "*.velocity")]},
}
COLOURS = ("#1f77b4", "#d62728", "#1ac938", "#ff7f0e", "#f14cc1", "#9467bd", "#17becf", "#bcbd22")
UNITS = {"position": "rad", "velocity": "rad/s"}


def curves(tool, messages, rows):
    """Yields for each curve its names in Foxglove and PlotJuggler, its label and its unit."""
    for topic, what, *of in rows:
        if topic == JOINTS:
            for i, joint in enumerate(what):
                yield (f"/{JOINTS}.{of[0]}[{i}]", f"/{JOINTS}/{joint}/{of[0]}"), f"{joint} {of[0]}", UNITS[of[0]]
            continue
        path, subject = f"/{tool}/{topic}", topic.rpartition("/")[0]
        fields = [f for f in messages[topic.split("/")[-1]] if fnmatch.fnmatch(f["name"], what)]
        assert fields, f"{tool}: no field {what} of {topic}"
        for field in fields:
            name = field["name"]
            names = (f"{path}.{name}", f"{path}/{name.replace('.', '/')}")
            yield names, f"{subject} {name}".strip().replace(".", " "), field.get("unit", "")


def panels(tool):
    table = json.loads(subprocess.run([f"{os.environ.get('BIN', 'build/bin')}/{tool}", "describe", "-j"], stdout=subprocess.PIPE, check=True).stdout)
    messages = {m["name"]: m["fields"] for m in table["messages"] if m["dir"] in ("rx", "both")}
    for title, rows in PANELS[tool].items():
        drawn = list(curves(tool, messages, rows))
        units = {unit for _, _, unit in drawn}
        yield title + (f", {units.pop()}" if len(units) == 1 and "" not in units else ""), drawn


def foxglove(tool):
    plots = {
        f"Plot!{place}": {
            "foxglovePanelTitle": title,
            "paths": [dict(value=names[0], label=label, enabled=True, timestampMethod="receiveTime")
                      for names, label, _ in drawn],
            "xAxisVal": "timestamp", "isSynced": True, "showLegend": True, "legendDisplay": "floating",
            "showXAxisLabels": True, "showYAxisLabels": True, "followingViewWidth": 10}
        for place, (title, drawn) in zip(("first", "second"), panels(tool))}
    others = {
        "RawMessages!joints": {"topicPath": "/" + JOINTS, "foxglovePanelTitle": "Joints"},
        "CallService!stop": {"serviceName": "/stop", "requestPayload": "{}", "buttonText": "Stop",
                             "buttonColor": "#d0021b", "layout": "vertical", "foxglovePanelTitle": "Stop"}}

    def split(direction, first, second, percentage):
        return dict(direction=direction, first=first, second=second, splitPercentage=percentage)

    return json.dumps({
        "configById": {**plots, **others}, "globalVariables": {}, "userNodes": {}, "playbackConfig": {"speed": 1},
        "layout": split("row", split("column", "Plot!first", "Plot!second", 60),
                        split("column", "CallService!stop", "RawMessages!joints", 25), 75)}, indent=1)


def plotjuggler(tool):
    areas = []
    for title, drawn in panels(tool):
        lines = [f'      <curve name={quoteattr(names[1])} color="{COLOURS[i % len(COLOURS)]}"/>'
                 for i, (names, _, _) in enumerate(drawn)]
        areas += [f"     <DockArea name={quoteattr(title)}>",
                  '      <plot style="Lines" mode="TimeSeries" flip_x="false" flip_y="false">', "       <limitY/>",
                  *(" " + line for line in lines), "      </plot>", "     </DockArea>"]
    return "\n".join([
        "<?xml version='1.0' encoding='UTF-8'?>", "<root>", ' <tabbed_widget name="Main Window" parent="main_window">',
        f'  <Tab tab_name="{tool}" containers="1">', "   <Container>",
        '    <DockSplitter orientation="-" count="2" sizes="0.6;0.4">', *areas, "    </DockSplitter>",
        "   </Container>", "  </Tab>", '  <currentTabIndex index="0"/>', " </tabbed_widget>",
        ' <use_relative_time_offset enabled="1"/>', "</root>"])


print({"foxglove": foxglove, "plotjuggler": plotjuggler}[sys.argv[2]](sys.argv[1]))
