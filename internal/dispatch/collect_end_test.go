package dispatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

// TestHowAnAttemptEnded: only a program that ended well and says so has finished; the rest is told apart, because some of
// it is counted against the agent and some is not.
func TestHowAnAttemptEnded(t *testing.T) {
	for _, c := range []struct {
		reason shim.Reason
		code   int
		ok     bool
		want   core.ExitKind
	}{
		{shim.ReasonExited, 0, true, core.ExitFinished},
		{shim.ReasonExited, 1, true, core.ExitFailed},
		{shim.ReasonExited, 0, false, core.ExitFailed},
		{shim.ReasonTimeout, 0, true, core.ExitTimeout},
		{shim.ReasonCancelled, 0, true, core.ExitCancelled},
		{shim.ReasonStartFailed, -1, false, core.ExitNoStart},
		{shim.ReasonLost, -1, false, core.ExitLost},
		{shim.ReasonLimit, 0, true, core.ExitFailed},
		{"unheard of", 0, true, core.ExitFailed},
	} {
		if got := exitKind(shim.Exit{Reason: c.reason, ExitCode: c.code, Outcome: agent.Outcome{OK: c.ok}}); got != c.want {
			t.Errorf("%s with %d (%t) is %s, want %s", c.reason, c.code, c.ok, got, c.want)
		}
	}
}

// rewrite changes what the attempt's supervisor wrote at its end.
func (e *ended) rewrite(t *testing.T, change func(*shim.Exit)) {
	t.Helper()
	exit, err := shim.ReadExit(e.folder)
	if err != nil {
		t.Fatal(err)
	}
	change(&exit)
	raw, err := json.Marshal(exit)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(e.folder, "exit.json"), string(raw))
}

func (e *ended) collected(t *testing.T) core.AttemptExited {
	t.Helper()
	if err := e.collect(t.Context(), e.run, theAttempt); err != nil {
		t.Fatal(err)
	}
	return e.engine.await(t).(core.AttemptExited)
}

// TestAnEndIsToldAsItWas: what counts against limits, when to try again, and the last words on standard error of one that
// failed; a transcript is kept, and the folder gets it, too.
func TestAnEndIsToldAsItWas(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	retry := began.Add(time.Hour)
	e := newEnded(t, shim.Exit{
		ExitCode: 3, StartedAt: began, EndedAt: began.Add(90 * time.Second), HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Empty: true}},
		Outcome: agent.Outcome{
			Class: agent.ClassUsageLimit, Message: "over", Summary: strings.Repeat("s", 3000), RetryAt: &retry, Observed: true, Turns: 4,
			CostUSD: 2, Usage: agent.Usage{ModelUsage: agent.ModelUsage{CostUSD: 1, InputTokens: 5, OutputTokens: 6, CacheReadTokens: 7, CacheWriteTokens: 8}},
		},
	}, nil)
	entry := func(n int, kind agent.RecordKind, text string) string {
		raw, err := json.Marshal(shim.Entry{N: int64(n), At: began, Record: agent.Record{Kind: kind, Text: text}})
		if err != nil {
			t.Fatal(err)
		}
		return string(raw) + "\n"
	}
	transcript := entry(1, agent.KindStderr, "first") + entry(2, agent.KindStderr, "no "+hiddenWord) + entry(3, agent.KindStderr, " ") + entry(4, agent.KindText, "text")
	write(t, shim.JournalPath(e.folder), transcript)
	body := e.collected(t)
	if body.Kind != core.ExitFailed || body.Code != 3 || body.Class != string(agent.ClassUsageLimit) || body.RetryAt == nil || !body.RetryAt.Equal(retry) || body.Duration != 90*time.Second || !body.Observed || body.Hopeless {
		t.Errorf("reported is %+v", body)
	}
	if body.Message != "over: no [redacted]" || len(body.Summary) > 2010 || !strings.HasPrefix(body.Summary, "sss") {
		t.Errorf("said is %q, and %d bytes", body.Message, len(body.Summary))
	}
	if want := (core.Usage{CostUSD: 2, InputTokens: 5, OutputTokens: 6, CacheTokens: 15, Turns: 4}); body.Usage != want {
		t.Errorf("used is %+v, want %+v", body.Usage, want)
	}
	if got := stored(t, e.Objects, body.Transcript); got != transcript {
		t.Errorf("the transcript is kept as %q", got)
	}
	e = newEnded(t, shim.Exit{Outcome: agent.Outcome{OK: true, Message: "fine"}}, nil)
	write(t, shim.JournalPath(e.folder), transcript)
	if body := e.collected(t); body.Message != "fine" || body.Kind != core.ExitFinished {
		t.Errorf("of one that ended well is said %q", body.Message)
	}
}

// unshelved cannot keep one of the two.
type unshelved struct {
	shelf
	artifact, transcript error
}

func (u unshelved) Artifact(run, stage string, round int, name string, content []byte) error {
	return errors.Join(u.artifact, u.shelf.Artifact(run, stage, round, name, content))
}
func (u unshelved) Transcript(string, string, string, bool) error { return u.transcript }

func (u unshelved) Connections(string, string) error { return nil }

// TestAnEndThatCannotBeKept is not reported, and nothing is removed: it is collected again.
func TestAnEndThatCannotBeKept(t *testing.T) {
	full := errors.New("no space left")
	for name, fault := range map[string]func(e *ended){
		"a document":   func(e *ended) { e.Folder = unshelved{shelf{t.TempDir()}, full, nil} },
		"a transcript": func(e *ended) { e.Folder = unshelved{shelf{t.TempDir()}, nil, full} },
	} {
		e := newEnded(t, shimExit(), map[string]string{"notes.md": "so"})
		write(t, shim.JournalPath(e.folder), "")
		before := e.Folder
		fault(e)
		if err := e.collect(t.Context(), e.run, theAttempt); !errors.Is(err, full) {
			t.Errorf("%s: %v", name, err)
		}
		if said := e.engine.taken(); len(said) > 0 || !shimtest.Exists(t, filepath.Join(e.folder, "out", "notes.md")) {
			t.Errorf("%s: reported is %+v", name, said)
		}
		e.Folder = before
		if d := e.collected(t).Delivery; len(d.Artifacts) != 1 {
			t.Errorf("%s, mended: %+v", name, d)
		}
	}
}

// TestWhatNeverBeganHandsNothingIn, whatever lies in its folder.
func TestWhatNeverBeganHandsNothingIn(t *testing.T) {
	e := newEnded(t, shim.Exit{Detail: "no such program", Hopeless: true}, map[string]string{"notes.md": "so"})
	e.rewrite(t, func(x *shim.Exit) { x.Reason = shim.ReasonStartFailed })
	if body := e.collected(t); body.Kind != core.ExitNoStart || body.Delivery != nil || body.Message != "no such program" || !body.Hopeless {
		t.Errorf("reported is %+v", body)
	}
}

// TestNothingOfAnAttemptIsLeft but its files: what it handed in is kept elsewhere.
func TestNothingOfAnAttemptIsLeft(t *testing.T) {
	e := newEnded(t, shimExit(), map[string]string{"notes.md": "so"})
	write(t, filepath.Join(e.folder, "handin", "log"), "")
	write(t, filepath.Join(e.folder, "out.bundle"), "")
	write(t, filepath.Join(e.folder, "out.jsonl"), "")
	e.collected(t)
	entries, err := os.ReadDir(e.folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if want := []string{"exit.json", "in", "out.jsonl", "prompt.md", "spec.json"}; !slices.Equal(left, want) {
		t.Errorf("left are %q, want %q", left, want)
	}
}

// TestASessionsFolderStays: the agent may still stand in it. What it wrote there goes.
func TestASessionsFolderStays(t *testing.T) {
	e := newEnded(t, shimExit(), nil)
	theirs := t.TempDir()
	write(t, filepath.Join(theirs, "deep", "code.go"), "work")
	write(t, filepath.Join(theirs, ".git", "config"), "")
	spec, err := shim.ReadSpec(e.folder)
	if err != nil {
		t.Fatal(err)
	}
	spec.Workspace = theirs
	if err := shim.WriteSpec(e.folder, spec); err != nil {
		t.Fatal(err)
	}
	e.collected(t)
	if entries, err := os.ReadDir(theirs); err != nil || len(entries) > 0 {
		t.Errorf("left are %v, %v", entries, err)
	}
}

// TestReportsAreBounded: what is wrong with one is named, and its context is not taken.
func TestReportsAreBounded(t *testing.T) {
	fill := func(n int) string { return strings.Repeat("x", n) }
	most := maxContext - len(`{"a":""}`)
	for name, c := range map[string]struct{ text, rejected string }{
		"as large as can be":  {`{"context": {"a": "` + fill(most) + `"}}`, ""},
		"a byte more":         {`{"context": {"a": "` + fill(most+1) + `"}}`, "its context has"},
		"too large a report":  {`{"context": {"a": "b"}}` + strings.Repeat(" ", maxReport), "larger than"},
		"no report":           {`{"context": `, "report.json: "},
		"the same twice":      {`{"context": {}, "context": {"a": 1}}`, "report.json: "},
		"of something else":   {`{"context": "a"}`, "report.json: "},
		"one without context": {`{"status": "done"}`, ""},
	} {
		var d core.Delivery
		takeReport(&d, []byte(c.text))
		if c.rejected == "" && len(d.Rejected) > 0 || c.rejected != "" && (len(d.Rejected) != 1 || !strings.Contains(d.Rejected[0], c.rejected) || d.Context != nil) {
			t.Errorf("%s: %.80q, %.80s", name, d.Rejected, d.Context)
		}
		if (d.Context != nil) != (name == "as large as can be") {
			t.Errorf("%s: its context is %.80s", name, d.Context)
		}
	}
}

// TestDocumentsAreBounded in number and in how they are called, and one that went since is named.
func TestDocumentsAreBounded(t *testing.T) {
	outputs := map[string]string{}
	for i := range maxDocuments + 3 {
		outputs[fmt.Sprintf("doc-%03d.md", i)] = "so"
	}
	e := newEnded(t, shimExit(), outputs)
	e.rewrite(t, func(x *shim.Exit) { x.Outputs = append([]shim.Output{{Name: "gone.md"}}, x.Outputs...) })
	d := e.collected(t).Delivery
	if len(d.Artifacts) != maxDocuments || len(d.Rejected) != 2 || !strings.HasPrefix(d.Rejected[0], "gone.md: ") || !strings.Contains(d.Rejected[1], "200 documents are taken at most") {
		t.Errorf("%d are taken, rejected %q", len(d.Artifacts), d.Rejected)
	}
	for name, plain := range map[string]bool{
		"a.md": true, strings.Repeat("a", 200): true, strings.Repeat("a", 201): false, "": false, ".a": false, "a/b": false, `a\b`: false, "a\nb": false,
	} {
		if plainName(name) != plain {
			t.Errorf("%q is plain: %t", name, !plain)
		}
	}
	e = newEnded(t, shimExit(), map[string]string{"notes.md": "so"})
	if err := os.RemoveAll(filepath.Join(e.folder, "out")); err != nil {
		t.Fatal(err)
	}
	if d := e.collected(t).Delivery; len(d.Artifacts) > 0 || !slices.Equal(d.Rejected, []string{"the output folder is gone"}) {
		t.Errorf("taken are %+v, rejected %q", d.Artifacts, d.Rejected)
	}
}

// TestACallThatFoundNoEngine makes a turn one that was lost, and no other attempt.
func TestACallThatFoundNoEngine(t *testing.T) {
	for name, c := range map[string]struct {
		kind core.TaskKind
		note string
		want core.ExitKind
	}{
		"a turn":          {core.KindManage, `{"unheard":true}`, core.ExitFailed},
		"a turn as usual": {core.KindManage, `{}`, core.ExitFinished},
		"work":            {core.KindWork, `{"unheard":true}`, core.ExitFinished},
	} {
		e := newEnded(t, shim.Exit{Outcome: agent.Outcome{OK: true}, HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Empty: true}}}, nil)
		_, task, _ := e.run.Attempt(theAttempt)
		task.Kind = c.kind
		write(t, originPath(e.folder), c.note)
		if body := e.collected(t); body.Kind != c.want || (c.want == core.ExitFailed) != (body.Class == string(agent.ClassNetwork)) {
			t.Errorf("%s: reported is %+v", name, body)
		}
	}
}
