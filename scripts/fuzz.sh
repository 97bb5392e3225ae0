#!/usr/bin/env bash
# Runs fuzz targets one after the other, each for TIME: those of the FOLDERs,
# otherwise every one there is. What a target finds is kept in testdata/fuzz of
# its package, where the tests play it again from then on.
#
#   scripts/fuzz.sh TIME [FOLDER...]
set -euo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go}
time=$1
shift
found=0 failed=0

while IFS=: read -r file target; do
	found=$((found + 1))
	package=./$(dirname "$file")
	# Shrinking what is merely interesting can take all the time there is.
	if out=$("$GO" test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 10x "$package" 2>&1); then
		echo "fuzz: $package $target: $(grep -o 'execs: [0-9]*' <<<"$out" | tail -1)"
	else
		echo "fuzz: $package $target FAILED:" && echo "$out"
		failed=1
	fi
done < <(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' "${@:-.}" | sed 's|^\./||; s/:func /:/' | sort)

if [ "$found" = 0 ]; then
	echo "fuzz: there is no target in ${*:-the repository}"
	exit 1
fi
exit "$failed"
