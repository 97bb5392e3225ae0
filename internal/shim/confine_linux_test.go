package shim_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/usertest"
)

// bounded gives an attempt limits, in a folder of its own.
func bounded(t *testing.T, l resource.Limits) func(*shim.Spec) {
	shared := t.TempDir()
	return func(s *shim.Spec) {
		s.Resources = shim.Resources{Limits: l, Owner: fmt.Sprintf("stellwerk-test-%d-%s", os.Getpid(), s.Isolation), Shared: shared}
	}
}

// TestAttemptRunsIntoALimit has scripts that take too much, and that stop by themselves where nothing holds them. The one
// with too many processes stays for some looks: without a control group nobody counts what was refused.
func TestAttemptRunsIntoALimit(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		for name, c := range map[string]struct {
			script, want string
			limits       resource.Limits
		}{
			"memory":    {`head -c 1073741824 /dev/zero | tail | wc -c | grep -q 1073741824 || exit 9; sleep 60`, "killed at ", resource.Limits{Memory: 128 << 20}},
			"processes": {`sleep 3 & hold=$!; sh -c 'i=0; while [ $i -lt 3000 ]; do sleep 60 & i=$((i+1)); done'; wait $hold; exit 9`, " 100 processes, the limit of an attempt", resource.Limits{Processes: 100}},
			"disk":      {`i=0; while [ $i -lt 200 ]; do head -c 10485760 /dev/zero > $i; i=$((i+1)); done; sleep 60`, " on disk; the limit of an attempt is 100.0 MiB", resource.Limits{Disk: 100 << 20}},
		} {
			t.Run(string(kind)+"/"+name, func(t *testing.T) {
				t.Parallel()
				a := shimtest.New(t, kind, c.script, bounded(t, c.limits))
				exit := a.Run(t)
				took := exit.Resources
				if took == nil || took.Breach == nil || !strings.Contains(took.Breach.String(), c.want) {
					t.Fatalf("it ended by %s with %d: %s, %+v", exit.Reason, exit.ExitCode, exit.Detail, took)
				}
				if exit.ExitCode == 0 || took.PeakMemory == 0 || took.Held.Disk != resource.Watched {
					t.Errorf("it ended by %s with %d: %+v", exit.Reason, exit.ExitCode, took)
				}
				if ended := exit.Reason == shim.ReasonLimit; name == "disk" && !ended || ended != took.Breach.Final {
					t.Errorf("it was ended for %+v", took.Breach)
				}
			})
		}
	}
}

// TestHonestAttemptTakesLittle sees that limits are not in the way, and that what was used is on record.
func TestHonestAttemptTakesLittle(t *testing.T) {
	t.Run("behind a bridge", func(t *testing.T) { honestAttempt(t, false) })
	t.Run("with the machine's network", func(t *testing.T) { honestAttempt(t, true) })
}

func honestAttempt(t *testing.T, open bool) {
	for _, kind := range shimtest.Kinds(t) {
		a := shimtest.New(t, kind, `echo hello > new; echo core $(ulimit -c) file $(ulimit -Hf); ls / > /dev/null`,
			bounded(t, resource.Limits{Memory: 1 << 30, Processes: 200, CPU: 1, Disk: 1 << 30}), func(s *shim.Spec) { s.Network.Open = open })
		exit := a.Run(t)
		if exit.Reason != shim.ReasonExited || exit.ExitCode != 0 || exit.HandIn == nil || exit.HandIn.Bundle == "" || exit.Resources.Breach != nil {
			t.Errorf("%s: %+v, %+v", kind, exit, exit.HandIn)
		}
		if took := exit.Resources; took.CPUSeconds <= 0 || took.PeakMemory <= 0 || took.Held.Memory == "" {
			t.Errorf("%s: %+v", kind, took)
		}
		if said := a.Said(t, "text"); !strings.Contains(fmt.Sprint(said), "core 0 file 2097152") {
			t.Errorf("%s: it may leave more: %s", kind, said)
		}
	}
}

// TestWhatABriefAgentTook is on record, although it ended before anybody looked at it: the system counts it at its end, for
// the sandbox that stays as well.
func TestWhatABriefAgentTook(t *testing.T) {
	const size = 100 << 20
	for _, kind := range shimtest.Kinds(t) {
		a := shimtest.New(t, kind, fmt.Sprintf(`head -c %[1]d /dev/zero | tail -c %[1]d | wc -c`, size), bounded(t, resource.Limits{Memory: 2 << 30}))
		exit := a.Run(t)
		took := exit.Resources
		if exit.ExitCode != 0 || took == nil || took.PeakMemory < size || took.CPUSeconds < 0.01 {
			t.Errorf("%s: it ended with %d and took %+v", kind, exit.ExitCode, took)
		}
		if kind == sandbox.Sandbox && apart(t, a) {
			t.Error("the sandbox did not stay")
		}
	}
}

// TestLimitsOfAPlainUser are held by other means than root's.
func TestLimitsOfAPlainUser(t *testing.T) {
	onlySandbox(t)
	usertest.Again(t, nil, "TestAttemptRunsIntoALimit/sandbox/memory", "TestAttemptRunsIntoALimit/sandbox/processes",
		"TestAttemptRunsIntoALimit/sandbox/disk", "TestHonestAttemptTakesLittle", "TestWhatABriefAgentTook")
}
