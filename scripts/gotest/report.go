package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// event is a line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
}

// name is a test of a package; the package itself has no test.
type name struct{ pkg, test string }

// report prints what a person wants to see of events, and counts.
type report struct {
	out                     io.Writer
	said                    map[name][]string // lines of tests that have not ended
	passed, failed, skipped int
	why                     map[string][]string // names of skipped tests by reason
	lost                    []string            // names of failed tests
}

func newReport(out io.Writer) *report {
	return &report{out: out, said: map[name][]string{}, why: map[string][]string{}}
}

// read takes a line in. One that is no event, such as a compiler's, is printed.
func (r *report) read(line []byte) {
	if len(line) == 0 {
		return
	}
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		fmt.Fprint(r.out, string(line))
		return
	}
	n := name{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.out, e.Output)
	case "output":
		r.output(n, e.Output)
	case "pass", "fail", "skip":
		r.end(n, e.Action)
	}
}

// output keeps a line of a test or of its package. What follows a test's last line is the package's: `go test` attributes
// the stacks of a program that ends by a signal or a time-out to the test whose line came last.
func (r *report) output(n name, line string) {
	said := r.said[n]
	switch {
	case n.test == "":
		r.packageLine(n, line)
	case len(said) > 0 && isVerdict(said[len(said)-1], n.test):
		r.packageLine(name{pkg: n.pkg}, line)
	default:
		r.said[n] = append(said, line)
	}
}

// isVerdict reports the line with which a test ends: "    --- PASS: TestX/y (0.01s)".
func isVerdict(line, test string) bool {
	verdict, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
	return (verdict == "--- PASS" || verdict == "--- SKIP" || verdict == "--- FAIL") && strings.HasPrefix(rest, test+" (")
}

// packageLine prints a package's closing line. Before it, only one that fails has
// something to say that belongs to no test, such as a panic.
func (r *report) packageLine(n name, line string) {
	switch {
	case strings.HasPrefix(line, "ok  \t"), strings.HasPrefix(line, "FAIL\t"):
		fmt.Fprint(r.out, line)
	case line == "PASS\n", strings.HasPrefix(line, "?   \t"), strings.HasPrefix(line, "coverage: "):
	default:
		r.said[n] = append(r.said[n], line)
	}
}

// end counts a test and prints what one that failed has said.
func (r *report) end(n name, action string) {
	said := r.said[n]
	delete(r.said, n)
	if n.test == "" {
		if action == "fail" {
			r.stopped(n.pkg, said)
		}
		return
	}
	switch action {
	case "pass":
		r.passed++
	case "fail":
		r.failed++
		r.lost = append(r.lost, n.pkg+" "+n.test)
		fmt.Fprint(r.out, strings.Join(said, ""))
	case "skip":
		r.skipped++
		why := reason(said)
		r.why[why] = append(r.why[why], n.pkg+" "+n.test)
	}
}

// stopped prints what a package that failed says besides its tests, and the words
// of tests that never came to their end: those it was stopped in.
func (r *report) stopped(pkg string, said []string) {
	said = bounded(said)
	for n, words := range r.said {
		if n.pkg == pkg {
			r.failed++
			r.lost = append(r.lost, pkg+" "+n.test+" (not ended)")
			said = append(said, bounded(words)...)
			delete(r.said, n)
		}
	}
	fmt.Fprint(r.out, strings.Join(said, ""))
	if !slices.ContainsFunc(r.lost, func(lost string) bool { return strings.HasPrefix(lost, pkg+" ") }) {
		r.failed++
		r.lost = append(r.lost, pkg+" (no test of it)")
	}
}

// mostStacks is how many lines of stacks are shown: those of a hundred goroutines, beginning with the one that ended the program.
const mostStacks = 1500

// bounded shortens the stacks at the end of what was said.
func bounded(said []string) []string {
	begin := slices.IndexFunc(said, func(line string) bool {
		return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "SIGQUIT: ")
	})
	if begin < 0 || len(said)-begin <= mostStacks {
		return said
	}
	left := len(said) - begin - mostStacks
	return append(slices.Clone(said[:begin+mostStacks]), fmt.Sprintf("… and %d more lines\n", left))
}

// reason is the last thing a skipped test said before its closing line, without
// the place in the source: "    file_test.go:12: no chromium".
func reason(said []string) string {
	for _, line := range slices.Backward(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "--- SKIP") || strings.HasPrefix(line, "===") {
			continue
		}
		if place, rest, found := strings.Cut(line, ": "); found && strings.Contains(place, ".go:") {
			return rest
		}
		return line
	}
	return "no reason given"
}

// sum prints who failed, who was skipped and why, and the figures alone on the
// last line.
func (r *report) sum() {
	fmt.Fprintln(r.out)
	for _, lost := range r.lost {
		fmt.Fprintln(r.out, "failed:", lost)
	}
	var reasons []string
	for why := range r.why {
		reasons = append(reasons, why)
	}
	slices.Sort(reasons)
	for _, why := range reasons {
		fmt.Fprintf(r.out, "skipped: %s\n", why)
		for _, test := range r.why[why] {
			fmt.Fprintf(r.out, "    %s\n", test)
		}
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, r.skipped)
}
