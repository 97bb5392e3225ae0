#!/usr/bin/env bash
# Three bugs are kept in the code behind build tags. Each must be caught by the test
# that is there to catch it: it fails with the tag, with the words that name the bug.
# A test that fails for another reason, or does not compile, does not count. That it
# passes without the tag is seen when all tests run.
set -euo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go}
missed=0

# planted NAME PACKAGE TEST WORDS
planted() {
	local name=$1 package=$2 test=$3 words=$4 out
	if out=$("$GO" test -vet=off -ldflags='-s -w' -count=1 -timeout 30m -tags "planted_$name" -run "^($test)\$" "$package" 2>&1); then
		echo "planted: $name NOT caught: $test in $package passes with it"
		missed=1
		return
	fi
	if ! grep -qF -- "--- FAIL: $test" <<<"$out" || ! grep -qF -- "$words" <<<"$out"; then
		echo "planted: $name NOT caught: $test in $package fails for another reason:" && echo "$out"
		missed=1
		return
	fi
	echo "planted: $name caught by $test in $package"
}

planted nofsync ./internal/object/folder TestPutIsDurableWhenItReturns "a crash of the machine takes its name"
planted effectfirst ./internal/engine TestEffectsWaitForTheCommit "effect before commit"
planted unclaimed ./internal/crash TestAnAttemptStartedTwiceRunsOnce "ran twice"
exit "$missed"
