#!/usr/bin/env bats
# bats file_tags=long
# A recorder that is lost.
load common.bash

@test "a full disk under --record ends every command of every tool, with 7 and its cause" {
    python3 "$root/tests/cli/full_disk.py" "$D" >said || { cat said && false; }
    printf '# %s\n' "$(tail -n 1 said)"
}
