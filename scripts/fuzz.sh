#!/usr/bin/env bash
# Runs fuzz targets, each for TIME, as many at once as there are processors:
# those of the FOLDERs, otherwise every one there is. What a target finds is kept
# in testdata/fuzz of its package, where the tests play it again from then on.
#
#   scripts/fuzz.sh TIME [FOLDER...]
set -euo pipefail
cd "$(dirname "$0")/.."

export GO=${GO:-go} TIME=$1
shift

# one FILE TARGET
one() {
	local package out
	package=./$(dirname "$1")
	# Shrinking what is merely interesting could take all the time there is.
	if ! out=$("$GO" test -run '^$' -fuzz "^$2\$" -fuzztime "$TIME" -fuzzminimizetime 10x -parallel 1 "$package" 2>&1); then
		echo "fuzz: $package $2 FAILED:" && echo "$out"
		return 1
	fi
	echo "fuzz: $package $2: $(grep -o 'execs: [0-9]*' <<<"$out" | tail -1)"
}
export -f one

targets=$(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' "${@:-.}" | sed 's|^\./||; s/:func / /' | sort || true)
if [ -z "$targets" ]; then
	echo "fuzz: there is no target in ${*:-the repository}"
	exit 1
fi
# Built first, or targets that run at once would each build the same.
cut -d' ' -f1 <<<"$targets" | xargs -n1 dirname | sort -u | xargs -I{} "$GO" test -c -fuzz . -o /dev/null ./{}
xargs -n2 -P "$(getconf _NPROCESSORS_ONLN)" bash -c 'one "$@"' one <<<"$targets"
