-- Wireshark dissector of armctl, variant ascii: made by `armctl describe --as lua` from the
-- protocol's table; not to be edited. Copy it and armwire.lua to Wireshark's folder of personal
-- plugins, or: tshark -X lua_script:armctl.lua -r FILE (not as root)

local protocol = {tool = "armctl", medium = "serial", big_endian = false}
protocol.title = "handler arm: ASCII lines with an alternating bit"
protocol.head_bytes = 0
protocol.code_at = {bit = 0, bits = 0}
protocol.messages = {
    {name = "ack", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "ACK", fixed = true},
        {id = "ack.ack", name = "ack", type = "uint", bits = 0, digits = 1},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
    {name = "pulse", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "DEG", fixed = true},
        {id = "pulse.joint", name = "joint", type = "uint", bits = 0, digits = 1},
        {id = "pulse.pulse", name = "pulse", type = "int", bits = 0, digits = 4, before = ",", least = 500, most = 2500, unit = "us"},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
    {name = "deg", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "DEG", fixed = true},
        {id = "deg.joint", name = "joint", type = "uint", bits = 0, digits = 1, may_miss = true},
        {id = "deg.angle", name = "angle", type = "int", bits = 0, digits = 3, before = ",", may_miss = true, unit = "deg"},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
    {name = "pos", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "POS", fixed = true},
        {id = "pos.joint", name = "joint", type = "uint", bits = 0, digits = 1, may_miss = true},
        {id = "pos.position", name = "position", type = "int", bits = 0, digits = 3, before = ",", may_miss = true, unit = "mm"},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
    {name = "arm", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "ARM", fixed = true},
        {id = "arm.r", name = "r", type = "int", bits = 0, digits = 3, may_miss = true, unit = "mm"},
        {id = "arm.theta", name = "theta", type = "int", bits = 0, digits = 3, before = ",", may_miss = true, unit = "deg"},
        {id = "arm.h", name = "h", type = "int", bits = 0, digits = 3, before = ",", may_miss = true, unit = "mm"},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
    {name = "mov", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "MOV", fixed = true},
        {id = "mov.distance", name = "distance", type = "int", bits = 0, digits = 4, may_miss = true, unit = "mm"},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
    {name = "duty", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "SPD", fixed = true},
        {id = "duty.joint", name = "joint", type = "uint", bits = 0, digits = 1},
        {id = "duty.duty", name = "duty", type = "int", bits = 0, digits = 3, before = ","},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
    {name = "spd", dir = "both", code = 0, bytes = 0,
        {id = "seq", name = "seq", type = "uint", bits = 0, digits = 1},
        {id = "type", name = "type", type = "uint", bits = 0, word = "SPD", fixed = true},
        {id = "spd.speed", name = "speed", type = "int", bits = 0, digits = 3, may_miss = true, unit = "mm/s"},
        {id = "CR", name = "CR", type = "uint", bits = 0, word = "\r", fixed = true},
        {id = "LF", name = "LF", type = "uint", bits = 0, word = "\n", fixed = true},
    },
}

local code = package.searchpath("armwire", package.path)
local dissect = assert(loadfile(assert(code, "armwire.lua is missing: copy it to where this file is")))

dissect(protocol)
