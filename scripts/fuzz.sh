#!/usr/bin/env bash
# Runs fuzz targets, each for TIME, four at once for each processor (JOBS in all):
# those of the FOLDERs, otherwise every one there is. What a target finds is kept in
# testdata/fuzz of its package, where the tests play it again from then on.
#
#   scripts/fuzz.sh TIME [FOLDER...]
set -euo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go} TIME=$1
JOBS=${JOBS:-$((4 * $(getconf _NPROCESSORS_ONLN)))}
shift
export GO TIME BIN CORPUS
BIN=$(mktemp -d)
trap 'rm -rf "$BIN"' EXIT
CORPUS=$("$GO" env GOCACHE)/fuzz

# build FOLDER
build() { "$GO" test -c -vet off -fuzz . -o "$BIN/${1//\//.}.test" "./$1"; }
export -f build

# one FILE TARGET
one() {
	local folder out
	folder=$(dirname "$1")
	# Shrinking what is merely interesting could take all the time there is.
	if ! out=$(cd "$folder" && "$BIN/${folder//\//.}.test" -test.run '^$' -test.fuzz "^$2\$" -test.fuzztime "$TIME" \
		-test.fuzzminimizetime 10x -test.parallel 1 -test.fuzzcachedir "$CORPUS/$folder" 2>&1); then
		echo "fuzz: ./$folder $2 FAILED:" && echo "$out"
		return 1
	fi
	echo "fuzz: ./$folder $2: $(grep -o 'execs: [0-9]*' <<<"$out" | tail -1)"
}
export -f one

targets=$(grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' "${@:-.}" | sed 's|^\./||; s/:func / /' | sort || true)
if [ -z "$targets" ]; then
	echo "fuzz: there is no target in ${*:-the repository}"
	exit 1
fi
# Each package is built once: its targets would each build and link the same. The
# first is built alone, for most of it is what the others are made of, too.
began=$SECONDS
packages=$(cut -d' ' -f1 <<<"$targets" | xargs -n1 dirname | sort -u)
head -1 <<<"$packages" | xargs -n1 bash -c 'build "$@"' build
tail -n +2 <<<"$packages" | xargs -r -n1 -P "$(getconf _NPROCESSORS_ONLN)" bash -c 'build "$@"' build
echo "fuzz: built in $((SECONDS - began)) s"
xargs -n2 -P "$JOBS" bash -c 'one "$@"' one <<<"$targets"
