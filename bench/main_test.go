package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain makes this binary the program itself where a test asks for it.
func TestMain(m *testing.M) {
	if os.Getenv("BENCH_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestTheTableStandsAlone: what engines say meanwhile is not in between.
func TestTheTableStandsAlone(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-quick", "-report", "-only", "steps")
	cmd.Env = append(os.Environ(), "BENCH_PROGRAM=1")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "what ") || !strings.HasPrefix(lines[2], "steps per second") || errs.Len() > 0 {
		t.Errorf("%s%s", &out, &errs)
	}
}
