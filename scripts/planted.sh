#!/usr/bin/env bash
# Fifteen bugs are kept in the code behind the build tag `planted`; the linker says which of them
# a program has. Each must be caught by the test that is there to catch it: it fails with the
# bug, with the words that name it. A test that fails for another reason, or does not compile,
# does not count. That it passes without the tag is seen when all tests run.
set -euo pipefail
cd "$(dirname "$0")/.."

GO=${GO:-go}
missed=0

# planted NAME PACKAGE TEST WORDS [ARGUMENT...]: WORDS are a regular expression.
planted() {
	local name=$1 package=$2 test=$3 words=$4 out begun=$SECONDS
	if out=$("$GO" test -vet=off -tags planted -ldflags="-s -w -X github.com/stellwerk-dev/stellwerk/internal/planted.bug=$name" \
		-count=1 -timeout 30m -run "^($test)\$" "$package" "${@:5}" 2>&1); then
		echo "planted: $name NOT caught: $test in $package passes with it"
		missed=1
		return
	fi
	if ! grep -qF -- "--- FAIL: $test" <<<"$out" || ! grep -qE -- "$words" <<<"$out"; then
		echo "planted: $name NOT caught: $test in $package fails for another reason:" && echo "$out"
		missed=1
		return
	fi
	echo "planted: $name caught by $test in $package after $((SECONDS - begun)) s: $(grep -oE -m 1 -- "$words" <<<"$out")"
}

# simulated NAME WORDS: the simulation finds it, and says by which seed. It ends with that one, and may go on for long: a bug that few
# seeds meet is met by another after a change of the story.
simulated() { planted "$1" ./internal/simulate TestSeeds "seed [0-9]+: [^ ]+ ($2)" -seeds 2000; }

# unplugged NAME WORDS: power cuts find it.
unplugged() { STELLWERK_CUTS=80 planted "$1" ./internal/powercut TestCuts "$2"; }

planted nofsync ./internal/object/folder TestPutIsDurableWhenItReturns "a crash of the machine takes its name"
if "$GO" test -vet=off -count=1 -v -run '^TestPrograms' ./internal/lossyfs | grep -F 'cannot be mounted here'; then
	echo "planted: no power is cut here, so nolinesync and staylazy are not tried"
else
	unplugged nofsync "the object [0-9a-f]+ was put, and is missing"
	unplugged staylazy "[0-9]+ were acknowledged"
	unplugged nolinesync "the manifest of [^ ]+ has [0-9]+ events, [0-9]+ were acknowledged"
fi
planted effectfirst ./internal/engine TestEffectsWaitForTheCommit "effect before commit"
planted unclaimed ./internal/crash TestAnAttemptStartedTwiceRunsOnce "ran twice"
planted packlate ./internal/crash TestKilledOnceAnAttemptIsOnRecord "object [0-9a-f]+ is missing"
simulated effectfirst "effect before commit|fence"
simulated nofence "fence|twice"
simulated ownclock "renewal|stuck|twice"
simulated losthint "stuck"
simulated early "lost"
simulated slotleak "slots|stuck"
simulated norenew "renewal|stuck"
simulated cursor "cursor"
simulated upcast "advice"
simulated unproved "object"
exit "$missed"
