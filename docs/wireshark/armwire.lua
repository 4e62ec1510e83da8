-- The Wireshark dissector of all five tools' protocols. It is given one protocol's table, the file
-- of a tool beside this one, which loads it; by itself, as Wireshark loads it too, it does nothing.
local protocol = ...
if type(protocol) ~= "table" then
    return
end

local tool, medium, messages = protocol.tool, protocol.medium, protocol.messages
local ports, can_ids, extended_ids = protocol.ports, protocol.can_ids, protocol.extended_ids
local big_endian, envelope = protocol.big_endian, protocol.envelope
local head_bytes, code_at, length_at = protocol.head_bytes, protocol.code_at, protocol.length_at

local proto = Proto(tool, protocol.title)
local malformed = ProtoExpert.new(tool .. ".malformed", "Not what the protocol says",
    expert.group.MALFORMED, expert.severity.ERROR)
proto.experts = {malformed}

local in_or_out = Field.new("frame.packet_flags_direction")
local can_id = medium == "can" and Field.new("can.id")
local is_extended = medium == "can" and Field.new("can.flags.xtd")

local fields = {}

local function declare(id, new)
    if not fields[id] then
        fields[id] = new(tool .. "." .. id, id:match("[^.]*$"))
    end
end

local function type_of(row)
    if row.names or row.word or row.type == "text" then
        return ProtoField.string
    elseif row.type == "float" or row.decimals or row.wide or row.bits > 32 then
        return ProtoField.double
    end
    return row.type == "uint" and ProtoField.uint32 or ProtoField.int32
end

declare("dir", ProtoField.string)
declare("msg", ProtoField.string)
for _, row in ipairs(envelope or {}) do
    declare(row.id, ProtoField.uint32)
end
for _, message in ipairs(messages) do
    for _, row in ipairs(message) do
        declare(row.id, type_of(row))
    end
end
proto.fields = fields

-- The shortest decimal that is the same 32-bit float.
local function shortest(value)
    local packed = Struct.pack("<f", value)
    value = Struct.unpack("<f", packed)
    for digits = 6, 9 do
        local short = tonumber(string.format("%." .. digits .. "g", value))
        if Struct.pack("<f", short) == packed then
            return short
        end
    end
end

local function rounded(value, decimals)
    local whole = math.floor(math.abs(value) * 10 ^ decimals + 0.5) / 10 ^ decimals
    return value < 0 and -whole or whole
end

local function as_text(value)
    return type(value) == "number" and string.format("%.15g", value) or value
end

-- The highest bit first: bits count from the highest one of byte 0.
local function unsigned_big(range, bit, bits)
    local value, before, left = 0, bit % 8, bits
    for i = 0, range:len() - 1 do
        local here = 8 - (i == 0 and before or 0)
        local byte, take = range(i, 1):uint() % 2 ^ here, math.min(here, left)
        value = value * 2 ^ take + math.floor(byte / 2 ^ (here - take))
        left = left - take
    end
    return value
end

-- Bits count from the lowest one of byte 0; whole bytes may come with the highest first.
local function unsigned(range, bit, bits)
    local value, last = 0, range:len() - 1
    for i = 0, last do
        value = value * 256 + range(big_endian and i or last - i, 1):uint()
    end
    return math.floor(value / 2 ^ (bit % 8)) % 2 ^ bits
end

local function signed(value, bits)
    return value >= 2 ^ (bits - 1) and value - 2 ^ bits or value
end

local function range_of(tvb, row)
    local first = math.floor(row.bit / 8)
    return tvb(first, math.floor((row.bit + row.bits - 1) / 8) - first + 1)
end

local function number_at(tvb, row)
    return unsigned(range_of(tvb, row), row.bit, row.bits)
end

local readers = {}

local function number_in(range, row)
    return (row.big and unsigned_big or unsigned)(range, row.bit, row.bits)
end

function readers.uint(range, row)
    return number_in(range, row)
end

function readers.int(range, row)
    if row.bits == 64 and row.bit % 8 == 0 then
        return ((big_endian or row.big) and range:int64() or range:le_int64()):tonumber()
    end
    return signed(number_in(range, row), row.bits)
end

function readers.float(range, row)
    return (big_endian or row.big) and range:float() or range:le_float()
end

function readers.signmag(range)
    local size = unsigned(range(0, 2), 0, 16)
    return range(2, 1):uint() == 0 and size > 0 and -size or size
end

function readers.text(range)
    return (range:string():match("^%Z*"):gsub('[%c "\\,\127-\255]', "?"))
end

-- What the number on the wire stands for, and its unit; nothing if there is no value.
local function meaning(row, number, values)
    local scale = row.scales and row.scales[values[row.by]] or row
    local key = row.no_data_with and values[row.no_data_with] or number
    if key == row.no_data or number ~= number or math.abs(number) == math.huge then
        return
    elseif row.names then
        return row.names[number] or as_text(number)
    end
    number = number * (scale.scale or 1) + (row.offset or 0)
    if row.decimals then
        number = rounded(number, row.decimals)
    elseif row.type == "float" and row.bits == 32 then
        number = shortest(number)
    end
    return number, scale.unit
end

local function show(tree, range, row, value, unit)
    local item = tree:add(fields[row.id], range, value)
    return unit and item:append_text(" " .. unit)
end

local function show_row(tree, range, row, number, values, summary)
    local value, unit = number, nil
    if row.type ~= "text" and not row.word then
        value, unit = meaning(row, number, values)
    end
    if value == nil then
        tree:add(range, row.name .. ": none")
        return
    end
    show(tree, range, row, value, unit)
    if not row.fixed then
        summary[#summary + 1] = row.name .. "=" .. as_text(value) .. (unit or "")
    end
end

local function begin(tvb, tree, message, dir)
    local top = tree:add(proto, tvb())
    top:add(fields.dir, dir):set_generated()
    top:add(fields.msg, message.name):set_generated()
    return top
end

local function finish(pinfo, message, dir, summary)
    table.insert(summary, 1, (dir == "tx" and "-> " or "<- ") .. message.name)
    pinfo.cols.protocol = tool
    pinfo.cols.info:append(table.concat(summary, " ") .. "  ")
end

local function complain(tvb, tree, text)
    tree:add(proto, tvb()):add_proto_expert_info(malformed, text)
end

-- Direction as the capture has it, or by the ports.
local function direction(pinfo)
    local flag = in_or_out()
    if flag and (flag.value == 1 or flag.value == 2) then
        return flag.value == 2 and "tx" or "rx"
    end
    return ports and pinfo.dst_port == ports[1] and "tx" or "rx"
end

-- The message in this direction, else the one in the other direction.
local function find(code, dir)
    local other
    for _, message in ipairs(messages) do
        if message.code == code then
            if message.dir == dir or message.dir == "both" then
                return message, dir
            end
            other = message
        end
    end
    return other, other and other.dir
end

-- The message of another node with this identifier, and its way.
local function find_other(id, dir)
    local bits = is_extended().value and 29 or 11
    for _, message in ipairs(messages) do
        if message.id == id and message.id_bits == bits then
            local either = message.dir == dir or message.dir == "both"
            return message, either and dir or message.dir
        end
    end
end

-- Is a row in a message with these numbers of its choosers?
local function is_chosen(message, row, values)
    while row.chooser do
        local number, found = values[row.chooser], false
        for _, choice in ipairs(row.choices) do
            found = found or (number >= choice[1] and number <= choice[2])
        end
        if not found then
            return false
        end
        for _, other in ipairs(message) do
            if other.name == row.chooser then
                row = other
                break
            end
        end
    end
    return true
end

-- The part of the message that the row is, and the number there; nothing if it is absent.
local function read_row(tvb, row, values, id)
    if row.in_id then
        return tvb(0, 0), math.floor(id / 2 ^ row.bit) % 2 ^ row.bits
    elseif not row.count or row.repetition < values[row.count] then
        local range = range_of(tvb, row)
        return range, readers[row.type](range, row)
    end
end

-- One message; id is the identifier of its CAN frame. All is read before anything is shown:
-- the unit of a value may depend on a later one.
local function dissect_message(tvb, pinfo, tree, message, dir, id)
    local top, ranges, values, summary = begin(tvb, tree, message, dir), {}, {}, {}
    for _, row in ipairs(message) do
        ranges[row.id], values[row.name] = read_row(tvb, row, values, id)
    end
    for _, row in ipairs(message) do
        if ranges[row.id] and is_chosen(message, row, values) then
            show_row(top, ranges[row.id], row, values[row.name], values, summary)
        end
    end
    finish(pinfo, message, dir, summary)
end

-- Adds a frame that holds one message. Returns false if the frame is not a message.
local function dissect_frame(tvb, pinfo, tree, dir, id)
    local message, code, way
    if id then
        message, way = find_other(id, dir)
        code = math.floor(id / 2 ^ code_at.bit) % 2 ^ code_at.bits
    elseif tvb:len() * 8 >= code_at.bit + code_at.bits then
        code = number_at(tvb, code_at)
    end
    if not message and not (id and is_extended().value) then
        message, way = find(code, dir)
    end
    dir = way
    if not message then
        complain(tvb, tree, "no message has code " .. tostring(code))
    elseif tvb:len() < message.bytes then
        local what = "%s: %d bytes instead of %d"
        complain(tvb, tree, what:format(message.name, tvb:len(), message.bytes))
    else
        dissect_message(tvb, pinfo, tree, message, dir, id)
        return true
    end
    return false
end

-- ---- Lines of text

local function read_word(text, at, row)
    if row.word then
        return text:sub(at, at + #row.word - 1) == row.word and row.word or nil
    elseif row.before and text:sub(at, at) ~= row.before then
        return nil
    end
    local pattern = row.digits == 1 and "^%d" or "^%-?%d%d?%d?%d?"
    local word = text:match(pattern, at + (row.before and 1 or 0))
    local value = tonumber(word)
    return value and value >= (row.least or value) and value <= (row.most or value) and word
end

-- What each row of the message holds: {row, where it starts, how long it is, text}.
local function read_line(text, message)
    local at, found = 1, {}
    for _, row in ipairs(message) do
        if not (row.may_miss and text:sub(at, at) == "\r") then
            local word = read_word(text, at, row)
            if not word then
                return nil
            end
            at = at + (row.before and 1 or 0)
            found[#found + 1] = {row, at - 1, #word, word}
            at = at + #word
        end
    end
    return at == #text + 1 and found or nil
end

local function dissect_line(tvb, pinfo, tree, dir)
    for _, message in ipairs(messages) do
        local found = read_line(tvb:range():string(), message)
        if found then
            local top, summary = begin(tvb, tree, message, dir), {}
            for _, entry in ipairs(found) do
                local row, at, size, word = entry[1], entry[2], entry[3], entry[4]
                show_row(top, tvb(at, size), row, row.word or tonumber(word), {}, summary)
            end
            return finish(pinfo, message, dir, summary)
        end
    end
    complain(tvb, tree, "no line of this protocol")
end

local function dissect_lines(tvb, pinfo, tree, dir)
    local at = 0
    while at < tvb:len() do
        local text = tvb(at):string()
        local size = (text:find("\n", 1, true)) or #text
        dissect_line(tvb(at, size):tvb(), pinfo, tree, dir)
        at = at + size
    end
end

-- ---- Packets of a stream

-- Bytes of the packet that starts here, or nothing.
local function packet_size(tvb, dir)
    if tvb:len() < head_bytes then
        return nil
    elseif length_at then
        return head_bytes + number_at(tvb, length_at)
    end
    local message = find(number_at(tvb, code_at), dir)
    return message and message.bytes
end

local function dissect_packets(tvb, pinfo, tree, dir)
    local at = 0
    for _, row in ipairs(envelope or {}) do
        local range = range_of(tvb, row)
        tree:add(fields[row.id], range, number_at(tvb, row))
        at = at + range:len()
    end
    while at < tvb:len() do
        local rest = tvb(at):tvb()
        local size = packet_size(rest, dir)
        if not size or size > rest:len() then
            return complain(rest, tree, "no whole packet")
        elseif not dissect_frame(rest(0, size):tvb(), pinfo, tree, dir) then
            return
        end
        at = at + size
    end
end

local function dissect_stream(tvb, pinfo, tree, dir)
    local first = head_bytes
    if envelope then
        first = math.floor((envelope[1].bit + envelope[1].bits) / 8)
    end
    local function size_of(buffer, _, offset)
        local rest = buffer(offset):tvb()
        local size = envelope and number_at(rest, envelope[1]) or packet_size(rest, dir)
        return size and size >= first and size or rest:len()
    end
    local function dissect(buffer)
        dissect_packets(buffer, pinfo, tree, dir)
        return buffer:len()
    end
    dissect_tcp_pdus(tvb, tree, first, size_of, dissect)
end

-- ---- Where the frames come from

function proto.dissector(tvb, pinfo, tree)
    if tvb:len() == 0 then return 0 end -- a remark of a recording
    local dir = direction(pinfo)
    pinfo.cols.info = ""
    if medium == "can" then
        dissect_frame(tvb, pinfo, tree, dir, can_id().value)
    elseif medium == "serial" then
        dissect_lines(tvb, pinfo, tree, dir)
    elseif medium == "tcp" then
        dissect_stream(tvb, pinfo, tree, dir)
    else
        dissect_frame(tvb, pinfo, tree, dir)
    end
    return tvb:len()
end

local encapsulations = {serial = wtap.USER0, hid = wtap.USER1}
if encapsulations[medium] then
    DissectorTable.get("wtap_encap"):add(encapsulations[medium], proto)
elseif medium == "can" then
    for _, id in ipairs(can_ids) do
        DissectorTable.get("can.id"):add(id, proto)
    end
    for _, id in ipairs(extended_ids) do
        DissectorTable.get("can.extended_id"):add(id, proto)
    end
    DissectorTable.get("can.subdissector"):add_for_decode_as(proto)
else
    for _, port in ipairs(ports) do
        DissectorTable.get(medium .. ".port"):add(port, proto)
    end
end
