package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// played is what a report prints of events.
func played(t *testing.T, events ...event) (*report, string) {
	t.Helper()
	var out strings.Builder
	r := newReport(&out)
	for _, e := range events {
		line, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		r.read(append(line, '\n'))
	}
	r.sum()
	return r, out.String()
}

func TestPassedTestsAreQuiet(t *testing.T) {
	_, got := played(t,
		event{"run", "a", "TestX", ""}, event{"output", "a", "TestX", "chatter\n"}, event{"output", "a", "TestX", "--- PASS: TestX (0.00s)\n"},
		event{"pass", "a", "TestX", ""}, event{"output", "a", "", "PASS\n"}, event{"output", "a", "", "ok  \ta\t0.1s\n"}, event{"pass", "a", "", ""},
		event{"output", "b", "", "?   \tb\t[no test files]\n"}, event{"skip", "b", "", ""},
	)
	if diff := cmp.Diff("ok  \ta\t0.1s\n\n1 passed, 0 failed, 0 skipped\n", got); diff != "" {
		t.Error(diff)
	}
}

func TestFailuresAreShownInFull(t *testing.T) {
	r, got := played(t,
		event{"output", "a", "TestX", "    x_test.go:3: one\n"}, event{"output", "a", "TestY", "    y_test.go:3: hidden\n"}, event{"pass", "a", "TestY", ""},
		event{"output", "a", "TestX", "--- FAIL: TestX (0.00s)\n"}, event{"fail", "a", "TestX", ""},
		event{"output", "a", "", "FAIL\ta\t0.1s\n"}, event{"fail", "a", "", ""},
	)
	want := "    x_test.go:3: one\n--- FAIL: TestX (0.00s)\nFAIL\ta\t0.1s\n\nfailed: a TestX\n1 passed, 1 failed, 0 skipped\n"
	if diff := cmp.Diff(want, got); diff != "" || r.failed != 1 {
		t.Error(diff)
	}
}

// A package that is stopped in the middle of a test, does not compile or fails
// without a test is a failure.
func TestAPackageThatIsStopped(t *testing.T) {
	for what, events := range map[string][]event{
		"in a test": {
			{"output", "a", "TestX", "said before\n"}, {"output", "a", "", "panic: test timed out\n"},
			{"output", "a", "", "FAIL\ta\t9s\n"}, {"fail", "a", "", ""},
		},
		"before any": {{"output", "a", "", "panic: in TestMain\n"}, {"fail", "a", "", ""}},
		"by the compiler": {
			{"build-output", "", "", "a.go:1: panic is undefined\n"}, {"output", "a", "", "FAIL\ta [build failed]\n"}, {"fail", "a", "", ""},
		},
	} {
		r, got := played(t, events...)
		if r.failed != 1 || !strings.Contains(got, "panic") || !strings.Contains(got, "failed: a ") || !strings.HasSuffix(got, "\n0 passed, 1 failed, 0 skipped\n") {
			t.Errorf("%s: %s", what, got)
		}
	}
}

// The stacks of a program that is ended come as words of the test whose line was the last, although that has passed.
func TestStacksAfterATestThatPassed(t *testing.T) {
	for _, verdict := range []string{"--- PASS: TestY (0.01s)\n", "    --- SKIP: TestY (0.01s)\n"} {
		r, got := played(t,
			event{"output", "a", "TestX", "said before\n"}, event{"output", "a", "TestY", "    y_test.go:3: hidden\n"}, event{"output", "a", "TestY", verdict},
			event{"output", "a", "TestY", "panic: test timed out after 1s\n"}, event{"output", "a", "TestY", "goroutine 5 [running]:\n"}, event{"pass", "a", "TestY", ""},
			event{"output", "a", "", "FAIL\ta\t9s\n"}, event{"fail", "a", "", ""},
		)
		want := "FAIL\ta\t9s\npanic: test timed out after 1s\ngoroutine 5 [running]:\nsaid before\n\nfailed: a TestX (not ended)\n1 passed, 1 failed, 0 skipped\n"
		if diff := cmp.Diff(want, got); diff != "" || r.failed != 1 {
			t.Error(diff)
		}
	}
}

// Stacks are cut off after a while; what was said before them never is.
func TestStacksAreBounded(t *testing.T) {
	for _, first := range []string{"SIGQUIT: quit\n", "panic: test timed out\n", "fatal error: all goroutines are asleep\n"} {
		events := slices.Repeat([]event{{"output", "a", "TestX", "said\n"}}, 2*mostStacks)
		events = append(events, event{"output", "a", "TestX", first})
		events = append(events, slices.Repeat([]event{{"output", "a", "TestX", "stack\n"}}, mostStacks+6)...)
		_, got := played(t, append(events, event{"fail", "a", "", ""})...)
		if said, stack := strings.Count(got, "said\n"), strings.Count(got, "stack\n"); said != 2*mostStacks || stack != mostStacks-1 || !strings.Contains(got, "… and 7 more lines\n") {
			t.Errorf("%d lines of it and %d of its stacks", said, stack)
		}
	}
}

func TestSkipsAreListedByReason(t *testing.T) {
	_, got := played(t,
		event{"output", "a", "TestX", "=== RUN   TestX\n"}, event{"output", "a", "TestX", "    x_test.go:3: no Gitea: build one\n"},
		event{"output", "a", "TestX", "--- SKIP: TestX (0.00s)\n"}, event{"skip", "a", "TestX", ""},
		event{"output", "b", "TestY/z", "    y_test.go:8: no Gitea: build one\n"}, event{"skip", "b", "TestY/z", ""},
		event{"skip", "b", "TestZ", ""},
	)
	want := "\nskipped: no Gitea: build one\n    a TestX\n    b TestY/z\nskipped: no reason given\n    b TestZ\n0 passed, 0 failed, 3 skipped\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoEventIsPrinted(t *testing.T) {
	var out strings.Builder
	newReport(&out).read([]byte("go: no such module\n"))
	if out.String() != "go: no such module\n" {
		t.Errorf("%q", out.String())
	}
}
