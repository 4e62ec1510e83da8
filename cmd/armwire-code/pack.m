    % Packs and unpacks packets by their tables.
    %
    %   frame = TOOL_packets.pack('NAME', values)     a row of uint8
    %   values = TOOL_packets.unpack('NAME', frame)
    %
    % Values are as in the records that decode --json prints: in units, named ones as their names,
    % NaN where there is no data; groups are structures (values.m1.setpoint). pack takes numbers for
    % names, too. On a CAN bus a frame is its identifier in two bytes, the low one first, and the
    % data. Values that cannot be sent, and other frames, are errors.
    methods (Static)
        function frame = pack(name, values)
            p = find_packet(name);
            numbers = struct();
            for late = 0:1
                for k = 1:numel(p.rows)
                    row = p.rows{k};
                    if ~isfield(row, 'fixed') && is_value(row) && isfield(row, 'by') == late
                        numbers = put_path(numbers, row.name, number_of(p, row, values, numbers));
                    end
                end
            end
            if p.text
                frame = pack_line(p, numbers);
            else
                frame = pack_frame(p, numbers);
            end
        end

        function values = unpack(name, frame)
            p = find_packet(name);
            frame = uint8(frame(:)');
            if p.text
                wires = unpack_line(p, frame);
            else
                wires = unpack_frame(p, frame);
            end
            values = struct();
            for late = 0:1
                for k = 1:numel(p.rows)
                    row = p.rows{k};
                    if is_connected(wires, row.name) && isfield(row, 'by') == late && is_counted(row, wires)
                        values = put_path(values, row.name, value_of(p, row, wires));
                    end
                end
            end
        end
    end
end

function p = find_packet(name)
    all = packets();
    for k = 1:numel(all)
        if strcmp(all{k}.name, name)
            p = all{k};
            return
        end
    end
    error('packets:name', 'packet %s not found', name);
end

function wrong(p, row)
    error('packets:value', '%s: invalid %s', p.name, row.name);
end

function parts = path_of(name)
    parts = strsplit(name, '.');
end

function there = is_connected(values, name)
    parts = path_of(name);
    there = true;
    for k = 1:numel(parts)
        there = there && isstruct(values) && isfield(values, parts{k});
        if there
            values = values.(parts{k});
        end
    end
end

function value = get_path(values, name)
    parts = path_of(name);
    value = values;
    for k = 1:numel(parts)
        value = value.(parts{k});
    end
end

function values = put_path(values, name, value)
    parts = path_of(name);
    if numel(parts) == 1
        values.(parts{1}) = value;
    else
        if ~isfield(values, parts{1})
            values.(parts{1}) = struct();
        end
        values.(parts{1}).(parts{2}) = value;
    end
end

function yes = is_value(row)
    yes = ~any(strcmp(row.type, {'pad', 'checksum'}));
end

function yes = is_counted(row, numbers)
    yes = ~isfield(row, 'count') || row.repetition < numbers.(row.count);
end

% Returns scale, offset, minimum, maximum.
function s = scale_of(row, chosen)
    s = [row.scale, row.offset, row.least, row.most];
    if isfield(row, 'by')
        k = find(cellfun(@(c) c(1), row.scales) == chosen, 1);
        if ~isempty(k)
            s = [row.scales{k}(2), 0, row.scales{k}(3:4)];
        end
    end
end

function s = find_scale(row, numbers)
    chosen = 0;
    if isfield(row, 'by')
        chosen = numbers.(row.by);
    end
    s = scale_of(row, chosen);
end

% Returns [] if the value is missing.
function number = number_of(p, row, values, numbers)
    number = [];
    if ~is_connected(values, row.name)
        if isfield(row, 'default')
            number = row.default;
        elseif is_counted(row, numbers) && ~isfield(row, 'may_miss')
            error('packets:value', '%s: %s is missing', p.name, row.name);
        end
        return
    end
    number = get_path(values, row.name);
    if strcmp(row.type, 'text')
        return
    end
    if ischar(number)
        k = [];
        if isfield(row, 'names')
            k = find(strcmp(row.names(:, 1), number), 1);
        end
        if isempty(k)
            wrong(p, row);
        end
        number = row.names{k, 2};
    end
    number = double(number);
    if isempty(number)
        number = NaN;
    end
    if isnan(number) && isfield(row, 'none')
        return
    end
    if isfield(row, 'names') && ~isfield(row, 'open_names') && ~any([row.names{:, 2}] == number)
        wrong(p, row);
    end
    s = find_scale(row, numbers);
    slack = abs(s(1)) * 0.49 * (s(1) ~= 1);
    inside = number >= s(3) - slack && number <= s(4) + slack;
    if strcmp(row.type, 'float')
        inside = single(number) >= single(s(3)) && single(number) <= single(s(4));
    end
    if ~isfinite(number) || ~inside
        wrong(p, row);
    end
end

function frame = pack_frame(p, numbers)
    frame = zeros(1, p.size, 'uint8');
    for k = 1:numel(p.rows)
        row = p.rows{k};
        if isfield(row, 'fixed')
            frame = put_bits(frame, row, row.bits, uint64(row.fixed));
        elseif strcmp(row.type, 'checksum')
            frame(row.bit / 8 + 1) = checksum(frame, p.checksum_from, row.bit / 8);
        elseif is_value(row) && row.bits > 0 && is_counted(row, numbers)
            number = get_path(numbers, row.name);
            if ~isempty(number) || strcmp(row.type, 'text')
                frame = put_value(p, frame, row, number, numbers);
            end
        end
    end
end

function sum_ = checksum(frame, from, to)
    sum_ = uint8(255 - mod(sum(double(frame(from + 1:to))), 256));
end

function frame = put_value(p, frame, row, number, numbers)
    byte = floor(row.bit / 8);
    if strcmp(row.type, 'text')
        if numel(number) > row.bits / 8
            wrong(p, row);
        end
        frame(byte + 1:byte + numel(number)) = uint8(number);
        return
    end
    s = find_scale(row, numbers);
    wire = (number - s(2)) / s(1);
    if isnan(number)
        wire = row.none;
    end
    if strcmp(row.type, 'float')
        if ~isfinite(single(wire))
            wrong(p, row);
        end
        frame = put_bits(frame, row, 32, uint64(typecast(single(wire), 'uint32')));
        return
    end
    if s(1) == floor(s(1)) && wire ~= floor(wire)
        wrong(p, row);
    end
    wire = floor(wire + 0.5);
    if strcmp(row.type, 'magnitude')
        frame = put_bits(frame, row, 16, uint64(abs(wire)));
        frame(byte + 3) = wire >= 0;
    elseif wire < 0
        whole = typecast(int64(wire), 'uint64');
        frame = put_bits(frame, row, row.bits, whole);
    else
        frame = put_bits(frame, row, row.bits, uint64(wire));
    end
end

% Returns byte and bit (from 1) of each bit of a row, the lowest first.
function [bytes, places] = places_of(row, bits)
    if isfield(row, 'big')
        at = row.bit + (bits - 1:-1:0);
        places = 8 - mod(at, 8);
    else
        at = row.bit + (0:bits - 1);
        places = mod(at, 8) + 1;
    end
    bytes = floor(at / 8) + 1;
end

function frame = put_bits(frame, row, bits, number)
    [bytes, places] = places_of(row, bits);
    for k = 1:bits
        frame(bytes(k)) = bitset(frame(bytes(k)), places(k), bitget(number, k));
    end
end

function number = get_bits(frame, row, bits)
    [bytes, places] = places_of(row, bits);
    number = uint64(0);
    for k = 1:bits
        number = bitset(number, k, bitget(frame(bytes(k)), places(k)));
    end
end

function wires = unpack_frame(p, frame)
    wires = struct();
    if numel(frame) ~= p.size
        error('packets:frame', '%s: %d bytes instead of %d', p.name, numel(frame), p.size);
    end
    for k = 1:numel(p.rows)
        row = p.rows{k};
        if row.bits == 0 || strcmp(row.type, 'pad')
            continue
        end
        if strcmp(row.type, 'checksum')
            row.fixed = checksum(frame, p.checksum_from, row.bit / 8);
        end
        if isfield(row, 'fixed')
            if ~isfield(row, 'lenient') && get_bits(frame, row, row.bits) ~= row.fixed
                error('packets:frame', '%s: unexpected %s', p.name, row.name);
            end
            continue
        end
        wires = put_path(wires, row.name, wire_of(p, row, frame));
    end
end

function wire = wire_of(p, row, frame)
    byte = floor(row.bit / 8);
    switch row.type
        case 'text'
            wire = char(frame(byte + 1:byte + row.bits / 8));
            wire = wire(1:find([wire char(0)] == char(0), 1) - 1);
        case 'float'
            bits = get_bits(frame, row, 32);
            wire = double(typecast(uint32(bits), 'single'));
            if ~isfinite(wire)
                error('packets:frame', '%s: %s is not a finite number', p.name, row.name);
            end
        case 'magnitude'
            wire = double(get_bits(frame, row, 16));
            wire = wire * (1 - 2 * (frame(byte + 3) == 0));
        otherwise
            bits = get_bits(frame, row, row.bits);
            wire = double(bits);
            if strcmp(row.type, 'signed') && bitget(bits, row.bits)
                left = bitshift(bits, 64 - row.bits);
                wire = double(typecast(left, 'int64')) / 2 ^ (64 - row.bits);
            end
    end
end

function value = value_of(p, row, wires)
    value = get_path(wires, row.name);
    if strcmp(row.type, 'text')
        return
    end
    if isfield(row, 'none')
        key = row;
        if isfield(row, 'none_with')
            key = p.rows{cellfun(@(r) strcmp(r.name, row.none_with), p.rows)};
        end
        if get_path(wires, key.name) == key.none
            value = NaN;
            return
        end
    end
    s = find_scale(row, wires);
    value = value * s(1) + s(2);
    if isfield(row, 'names')
        k = find([row.names{:, 2}] == value, 1);
        if ~isempty(k)
            value = row.names{k, 1};
        end
    end
end

function frame = pack_line(p, numbers)
    line = '';
    for k = 1:numel(p.rows)
        row = p.rows{k};
        if isfield(row, 'fixed')
            line = [line row.fixed];
            continue
        end
        number = numbers.(row.name);
        if isempty(number)
            continue
        end
        if number ~= floor(number)
            wrong(p, row);
        end
        signs = '-';
        line = [line row.before signs(number < 0) sprintf(sprintf('%%0%dd', row.digits), abs(number))];
    end
    frame = uint8(line);
end

function wires = unpack_line(p, frame)
    wires = struct();
    text = char(frame);
    for k = 1:numel(p.rows)
        row = p.rows{k};
        if isfield(row, 'fixed')
            if ~strncmp(text, row.fixed, numel(row.fixed))
                error('packets:frame', '%s: expected %s', p.name, row.name);
            end
            text = text(numel(row.fixed) + 1:end);
            continue
        end
        if isfield(row, 'may_miss') && ~isempty(text) && text(1) == char(13)
            continue
        end
        form = '-?\d{1,4}';
        if row.digits == 1
            form = '\d';
        end
        found = regexp(text, ['^' row.before form], 'match', 'once');
        if isempty(found)
            error('packets:frame', '%s: expected %s', p.name, row.name);
        end
        number = str2double(found(numel(row.before) + 1:end));
        if isfield(row, 'always') && (number < row.least || number > row.most)
            error('packets:frame', '%s: invalid %s: %d', p.name, row.name, number);
        end
        wires.(row.name) = number;
        text = text(numel(found) + 1:end);
    end
    if ~isempty(text)
        error('packets:frame', '%s: extra bytes at the end (%d)', p.name, numel(text));
    end
end

function all = packets()
