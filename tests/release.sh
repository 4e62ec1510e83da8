#!/bin/bash
# Checks that the tree is ready for a release: the same version everywhere, archives and packages built and
# tested. Ends with the table of sizes and times and "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
version=$(sed -n 's/^VERSION  *:= *//p' Makefile)
out=$(mktemp)
trap 'rm -f "$out"' EXIT

says() { if grep -q "$2" "$3"; then echo "ok - $1"; else echo "not ok - $1: no $2 in $3"; fi; }
{
    says "the changelog of the packages is of this version" "^armwire ($version-" docs/packaging/debian/changelog
    says "CHANGES is of this version" "^## $version " docs/CHANGES.md
    says "the install page names this archive" "armwire-$version-linux-amd64" docs/install.md
    says "README names this archive" "armwire-$version-linux-amd64" README.md
    tests/dist.sh "$@" || echo "# archives: exit status $?"
    tests/deb.sh || echo "# packages: exit status $?"
} | tee "$out"
echo
cat build/dist/table.*
stat -c '%n %s bytes' build/deb/*.deb | sed 's|.*/||'
grep -rl 'armwire\.invalid' docs/packaging/debian | sed 's/^/before you publish: replace armwire.invalid in /'
passed=$(grep -c '^ok ' "$out") failed=$(grep -c '^not ok ' "$out")
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 20 ]
