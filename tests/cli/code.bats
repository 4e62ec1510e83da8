#!/usr/bin/env bats
# bats file_tags=long
# Code from armwire-code in C and Python must pack and unpack as the tool does.
load common.bash

same_bytes() { # TOOL N [OPTION…]: compares N messages
    local tool=$1 n=$2
    shift 2
    ok python3 "$root/tests/cli/other_end.py" "$tool" --frames 8 -- "$@"
    has "$output" ": $n messages, $((n * 8)) frames" ": the same"
}

wrong_code() { # SCRIPT: puts a wrapper into ./bin that edits armwire-code's output with sed
    mkdir -p bin
    printf '#!/bin/bash\n"%s" "$@" | sed "%s"\n' "$BIN/armwire-code" "$1" >bin/armwire-code
    chmod +x bin/armwire-code
}

@test "generated code packs and unpacks every message of every tool and variant exactly" {
    same_bytes armctl 8
    same_bytes hidmotor 15
    same_bytes canpid 13
    same_bytes canpid 13 --sensors-layout fw
    same_bytes unitysim 6
    same_bytes unitysim 6 --wire compat38
    for wire in le32 be32 packed8 name32; do
        same_bytes ezphys 8 --wire "$wire"
    done
}

@test "the comparison detects a wrong scale, place, limit or byte order" {
    for change in 's/0\.045/0.046/' 's/frame, 16, 32/frame, 24, 32/' 's/-100, 100/-1, 1/' 's/, PACK_LITTLE, /, PACK_BIG, /'; do
        wrong_code "$change"
        PATH=$PWD/bin:$PATH run python3 "$root/tests/cli/other_end.py" canpid
        [ "$status" != 0 ]
        [[ $output == *"C: "* || $output == *"python: "* ]]
    done
}

@test "generated code refuses to pack values out of range and to unpack invalid frames" {
    hidmotor describe --as json | armwire-code --language c >packets.h
    cat >try.c <<'END'
#include <stdio.h>
#include "packets.h"
int main(void)
{
    struct hidmotor_gripper in = {181}, out;
    uint8_t frame[HIDMOTOR_GRIPPER_SIZE];
    size_t refused = pack_hidmotor_gripper(&in, frame), packed;
    in.value = 180;
    packed = pack_hidmotor_gripper(&in, frame);
    bool whole = unpack_hidmotor_gripper(&out, frame, sizeof frame);
    bool cut = unpack_hidmotor_gripper(&out, frame, sizeof frame - 1);
    frame[0]++;
    bool other = unpack_hidmotor_gripper(&out, frame, sizeof frame);
    printf("%d %d %d %d %d\n", (int)refused, (int)packed, whole, cut, other);
    return 0;
}
END
    ok gcc -std=c99 -Wall -Wextra -Werror -pedantic -o try try.c
    gives "0 64 1 0 0" ./try
    python3 - <<END
import subprocess
table = subprocess.run(["hidmotor", "describe", "--as", "json"], text=True, capture_output=True).stdout
source = subprocess.run(["armwire-code", "--language", "python"], input=table, text=True, capture_output=True).stdout
space = {}
exec(source, space)
gripper = space["PACKETS"]["gripper"]
assert gripper.unpack(gripper.pack({"value": 180})) == {"value": 180}
for wrong in ({"value": 181}, {}, {"value": "open"}, {"value": 0.5}, {"value": float("nan")}):
    try:
        gripper.pack(wrong)
    except ValueError:
        continue
    raise SystemExit(f"{wrong} was packed")
END
}

@test "generated code handles big-endian fields of packet files beside the tool's own messages" {
    cat >big.packets <<'END'
[packet battery]
id = 1700
endian = big
voltage = u16 V scale=0.5
current = s32 A
charge = u8 %
[packet pack]
id = 1701
first = bits:3
rest = bits:5
warmth = f32 A endian=big
count = u24 endian=big
END
    same_bytes hidmotor 17 --packets big.packets
    sed 's/= 17/= 2/' big.packets >uni.packets
    same_bytes unitysim 8 --packets uni.packets
}

@test "generated C and Python handle DBC messages: both byte orders, multiplexors, doubles, 29 bits" {
    local seed
    for seed in 1 2; do
        ok python3 "$root/tests/cli/dbc_end.py" --seed $seed "$root/tests/dbc/every.dbc"
        has "$output" "11 messages, 220 frames unpacked and"
    done
    # Names that are invalid in C, two names that would collide, and a message without data.
    cat >names.dbc <<'END'
BO_ 1600 A_B: 2 N
 SG_ int : 0|4@1+ (1,0) [0|0] "" X
 SG_ for : 4|4@1+ (2,1) [0|0] "" X
 SG_ Mux M : 8|4@1- (1,0) [0|0] "" X
 SG_ x m0 : 12|4@1+ (1,0) [0|0] "" X
 SG_ y m1 : 12|4@1- (1,0) [0|0] "*/" X
BO_ 1601 B: 1 N_A
 SG_ a : 0|8@1+ (1,0) [0|0] "" X
BO_ 1602 A_B: 1 N
 SG_ a : 0|8@1+ (1,0) [0|0] "" X
BO_ 1603 Empty: 0 N
VAL_ 1600 Mux 0 "a b" 1 "a-b" 2 "2" ;
VAL_ 1600 for 1 "three" ;
END
    prints "4 messages, 80 frames unpacked and" python3 "$root/tests/cli/dbc_end.py" names.dbc
    # The comparison must detect errors.
    local change
    for change in 's/, PACK_BIG, /, PACK_LITTLE, /' 's/if ((pack_in(/if ((!pack_in(/' \
        's/ 0\.001, / 0.002, /' 's/choices=\[(\([0-9]\)/choices=[(1\1/'; do
        wrong_code "$change"
        PATH=$PWD/bin:$PATH run python3 "$root/tests/cli/dbc_end.py" "$root/tests/dbc/every.dbc"
        [ "$status" != 0 ]
        [[ $output == *"C: "* || $output == *"python: "* ]]
    done
    canpid -q --dbc names.dbc describe --as json >names.json
    run --separate-stderr armwire-code --language matlab --packet N_A.B names.json
    [ "$status" = 2 ]
    has "$stderr" "use --language python or c"
}

@test "armwire-code reads a file, selects packets, prints help and rejects invalid input" {
    hidmotor describe --as json >table.json
    ok armwire-code --language c --packet gripper --packet set_setpoints table.json
    [ "$(grep -c '^struct hidmotor_' <<<"$output")" = 2 ]
    ok armwire-code --help
    has "$output" "--language" "--packet" "describe --as json"
    ok armwire-code --version
    same "$output" "armwire-code $(hidmotor --version | cut -d ' ' -f 2)"
    wrong() { # MESSAGE ARGUMENT…
        run --separate-stderr armwire-code "${@:2}"
        same "$status:$output" "2:"
        has "$stderr" "$1"
    }
    wrong "gripper2: packet not found — 'hidmotor describe' lists them" --language c --packet gripper2 table.json
    wrong "gone.json: No such file or directory" --language c gone.json
    wrong "invalid choice: 'rust'" --language rust table.json
    wrong "--language" table.json
    echo '{"protocol": "hidmotor"}' >half.json
    wrong "half.json: no packet table found" --language c half.json
    hidmotor describe >drawing.txt
    wrong "drawing.txt: not JSON" --language c drawing.txt
}
