package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// advised types every command that a run's status suggests, each in the state that
// it was suggested in: the state folder and the repository, which is the folder the
// scenario is in, are put back after each. None may be refused or not understood.
// No engine may be at work. The verbs, in order, are what is to be suggested.
func advised(ts *testscript.TestScript, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: advised RUN VERB…")
	}
	out, err := command(ts, []string{"stellwerk", "status", args[0], "--json"}).Output()
	ts.Check(err)
	var seen struct {
		Runs []api.RunDetail `json:"runs"`
	}
	ts.Check(json.Unmarshal(out, &seen))
	run := seen.Runs[0]
	var verbs []string
	for _, choice := range run.Advice.Choices {
		verbs = append(verbs, string(choice.Verb))
		if choice.Verb == core.VerbRollback && choice.Stage == "" {
			choice.Stage = run.Stages[0].ID
		}
		line := strings.Fields(wording.Command(choice))
		for i, word := range line {
			line[i] = strings.NewReplacer(`"…"`, "make it better", "USD", "1000").Replace(word)
		}
		aside(ts, func() { accepted(ts, line) })
	}
	if !slices.Equal(verbs, args[1:]) {
		ts.Fatalf("suggested are %v, not %v: %s", verbs, args[1:], run.Next)
	}
}

// accepted runs a command that may end in whatever state, but not be refused.
func accepted(ts *testscript.TestScript, line []string) {
	out, err := command(ts, line).CombinedOutput()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		ts.Fatalf("%v", err)
	}
	if ended != nil && ended.ExitCode() < 3 {
		ts.Fatalf("%s was suggested, and ends with %d:\n%s", strings.Join(line, " "), ended.ExitCode(), out)
	}
}

// aside calls fn, and then puts the state folder and the repository back.
func aside(ts *testscript.TestScript, fn func()) {
	copies, err := os.MkdirTemp("", "aside-")
	ts.Check(err)
	defer func() { ts.Check(os.RemoveAll(copies)) }()
	folders := map[string]string{ts.Getenv("STELLWERK_STATE"): filepath.Join(copies, "state"), ts.MkAbs("."): filepath.Join(copies, "repository")}
	for folder, kept := range folders {
		ts.Check(command(ts, []string{"cp", "-a", folder, kept}).Run())
	}
	fn()
	for folder, kept := range folders {
		ts.Check(exec.Command("chmod", "-R", "u+w", folder).Run()) // what is kept is read-only
		ts.Check(os.RemoveAll(folder))
		ts.Check(exec.Command("cp", "-a", kept, folder).Run())
	}
}
