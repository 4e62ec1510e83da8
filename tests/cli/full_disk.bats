#!/usr/bin/env bats
# bats file_tags=long
# A recorder whose disk is full.
load common.bash

@test "every command exits 7 with the cause if the disk is full under --record" {
    python3 "$root/tests/cli/full_disk.py" "$D" >said || { cat said && false; }
    printf '# %s\n' "$(tail -n 1 said)"
}
