# What is one verb is one thing in every tool: the same words, columns and keys, also where they come
# from different devices.
load common

@test "ping: one head and one set of keys in every tool" {
    local keys='n lost min_ms mean_ms p50_ms p95_ms p99_ms max_ms'
    local -A fast_of=([ezphys]=sim:)
    for tool in $tools; do
        ok "$tool" -q -l "${fast_of[$tool]:-$fast}" ping -n 6
        matches "${lines[0]}" " *n * lost * min/ms * mean/ms * p50/ms * p95/ms * p99/ms * max/ms"
        ok "$tool" -q -j -l "${fast_of[$tool]:-$fast}" ping -n 6
        same "$tool: $(json 'to_entries | map(.key) | .[index("n"):][:8] | join(" ")')" "$tool: \"$keys\""
    done
}
