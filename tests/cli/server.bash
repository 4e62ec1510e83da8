# Loaded by suites with a server and its clients.
load common

prepare() { export PYTHONPATH=$root/tests/cli; } # has serve_client.py

# serve NAME TOOL [OPTION…]: starts a server with its default socket; $url is its link.
serve() { start "$1" "$2" serve "${@:3}"; }

# place TOOL: prints the path of its server's socket.
place() { echo "$XDG_RUNTIME_DIR/armwire/$1.sock"; }

# holder TOOL: prints the process id of the lease holder, or 0.
holder() { python3 "$root/tests/cli/serve_client.py" who "$(place "$1")"; }

# held TOOL: waits until a process holds the lease.
held() { becomes yes is_held "$1"; }
is_held() { [ "$(holder "$1")" -gt 0 ] && echo yes; }
