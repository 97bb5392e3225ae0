package core_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestGoldenBodiesOfOldVersions reads every golden file, whatever its version.
func TestGoldenBodiesOfOldVersions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "event", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	old := 0
	for _, path := range files {
		name, version, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".json"), ".v")
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		e := core.Event{ID: "x", Type: core.Type(name), V: int(version[0] - '0'), Body: raw}
		if e.V < core.FormOf(e.Type).Reads {
			old++
		}
		if _, err := core.Decode(e); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if old != 10 {
		t.Errorf("%d files are of an old version", old)
	}
}

func run(verbs ...core.Verb) []core.Choice { return (&core.Run{Alias: "calm-fox"}).Choices(verbs...) }

func raise(limit core.Limit) core.Choice {
	return core.Choice{Verb: core.VerbRaise, Run: "calm-fox", Limit: limit}
}

// TestPausesOfVersion1 has each text that a version before wrote into a pause.
func TestPausesOfVersion1(t *testing.T) {
	for text, want := range map[string]core.Advice{
		"":                            {},
		"`stellwerk resume calm-fox`": {Choices: run(core.VerbResume)},
		"`stellwerk resume calm-fox` grants the same time again":                                                                              {Choices: run(core.VerbResume)},
		"`stellwerk resume calm-fox` tries again":                                                                                             {Choices: run(core.VerbResume)},
		"`stellwerk resume calm-fox` tries again, `stellwerk rollback calm-fox --to STAGE` has it fixed":                                      {Choices: run(core.VerbResume, core.VerbRollback)},
		"`stellwerk resume calm-fox` opens another, `stellwerk cancel calm-fox` gives the work up":                                            {Choices: run(core.VerbResume, core.VerbCancel)},
		"look at what keeps failing, then `stellwerk resume calm-fox`":                                                                        {Hint: "look at what keeps failing, then go on", Choices: run(core.VerbResume)},
		"put the folder right, then `stellwerk resume calm-fox`":                                                                              {Hint: "put the folder right, then go on", Choices: run(core.VerbResume)},
		"put it right; it is tried again by itself, then `stellwerk resume calm-fox`":                                                         {Hint: "put it right; it is tried again by itself, then go on", Choices: run(core.VerbResume)},
		"put it right, then `stellwerk retry calm-fox`":                                                                                       {Hint: "put it right, then try again", Choices: run(core.VerbRetry)},
		"put .ai/plan.md right on main and start again; `stellwerk cancel calm-fox` ends this run":                                            {Hint: "put .ai/plan.md right on main and start again", Choices: run(core.VerbCancel)},
		"`stellwerk skip calm-fox` goes on without this stage":                                                                                {Choices: run(core.VerbSkip)},
		"`stellwerk skip calm-fox`, or `stellwerk resume calm-fox` to evaluate it again":                                                      {Choices: run(core.VerbSkip, core.VerbResume)},
		"`stellwerk status calm-fox` shows why; then `stellwerk retry calm-fox` or `stellwerk skip calm-fox`":                                 {Choices: run(core.VerbStatus, core.VerbRetry, core.VerbSkip)},
		"`stellwerk log calm-fox`, then `stellwerk retry calm-fox`, `stellwerk feedback calm-fox \"…\"` or `stellwerk skip calm-fox`":         {Choices: run(core.VerbLog, core.VerbRetry, core.VerbFeedback, core.VerbSkip)},
		"`stellwerk log calm-fox` shows how; then `stellwerk retry calm-fox`":                                                                 {Choices: run(core.VerbLog, core.VerbRetry)},
		"`stellwerk log calm-fox` shows what it decided; `stellwerk resume calm-fox` lets it try again":                                       {Choices: run(core.VerbLog, core.VerbResume)},
		"`stellwerk retry calm-fox` grants as many again; `stellwerk skip calm-fox` gives the line up":                                        {Choices: run(core.VerbRetry, core.VerbSkip)},
		"`stellwerk rollback calm-fox --to plan` has it made, `stellwerk skip calm-fox` goes on without this stage":                           {Choices: append([]core.Choice{{Verb: core.VerbRollback, Run: "calm-fox", Stage: "plan"}}, run(core.VerbSkip)...)},
		"`stellwerk answer q-1f2e \"…\"`":                                                                                                     {Choices: []core.Choice{{Verb: core.VerbAnswer, Question: "q-1f2e"}}},
		"say what it is to do (`stellwerk say`), then `stellwerk resume calm-fox`":                                                            {Hint: "say what it is to do", Choices: append([]core.Choice{{Verb: core.VerbSay}}, run(core.VerbResume)...)},
		"this is a defect of Stellwerk; `stellwerk replay` shows how it came about":                                                           {Hint: "this is a defect of Stellwerk", Choices: []core.Choice{{Verb: core.VerbReplay}}},
		"`stellwerk projects resume shop`":                                                                                                    {Choices: []core.Choice{{Verb: core.VerbResumeProject, Project: "shop"}}},
		"`stellwerk resume calm-fox --max-cost USD --max-tokens N` raises it":                                                                 {Choices: []core.Choice{raise(core.LimitCost), raise(core.LimitTokens)}},
		"`stellwerk resume calm-fox --max-project-time D` raises it for this run, `limits.project.wall_time` in your settings for later ones": {Choices: []core.Choice{raise(core.LimitProjectTime)}},
		"`stellwerk status calm-fox` shows why; then `stellwerk retry calm-fox`, `stellwerk feedback calm-fox \"…\"` or `stellwerk skip calm-fox`; `stellwerk retry calm-fox --max-attempt-cost USD` raises it for this run, `limits.attempt.cost_usd` in your settings for later ones": {
			Choices: append(run(core.VerbStatus, core.VerbRetry, core.VerbFeedback, core.VerbSkip), raise(core.LimitAttemptCost)),
		},
		"`stellwerk status calm-fox` shows why; then `stellwerk retry calm-fox` or `stellwerk cancel calm-fox`; a higher `resources.memory` in your settings is for new runs": {
			Choices: append(run(core.VerbStatus, core.VerbRetry, core.VerbCancel), core.Choice{Verb: core.VerbRaise, Limit: "resources.memory"}),
		},
		// What is not known in every word stays as it was.
		"write the plan, or give the playbook a `plan: {role: …}`":        {Hint: "write the plan, or give the playbook a `plan: {role: …}`"},
		"`stellwerk resume calm-fox` sings":                               {Hint: "`stellwerk resume calm-fox` sings"},
		"`stellwerk frobnicate calm-fox`":                                 {Hint: "`stellwerk frobnicate calm-fox`"},
		"`stellwerk resume calm-fox --max-joy N` raises it":               {Hint: "`stellwerk resume calm-fox --max-joy N` raises it"},
		"`stellwerk retry calm-fox` raises it for this run, `limits.joy`": {Hint: "`stellwerk retry calm-fox` raises it for this run, `limits.joy`"},
		"`stellwerk resume calm-fox":                                      {Hint: "`stellwerk resume calm-fox"},
	} {
		if diff := cmp.Diff(want, pauseOf(t, text).Advice); diff != "" {
			t.Errorf("%s:\n%s", text, diff)
		}
	}
}

func pauseOf(t *testing.T, next string) core.RunPaused {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"code": "attempts", "reason": "why", "next": next})
	if err != nil {
		t.Fatal(err)
	}
	body, err := core.Decode(core.Event{ID: "x", Type: core.TypeRunPaused, V: 1, Body: raw})
	if err != nil {
		t.Fatal(err)
	}
	return body.(core.RunPaused)
}

// TestAMergeGrantedInVersion1 is not carried out by an engine of today: the request
// that brought it moved the base, or told the person that it did not.
func TestAMergeGrantedInVersion1(t *testing.T) {
	raw := json.RawMessage(`{"commit":"c1","base":"main","tip":"c0","merge":"m"}`)
	for v, byHand := range map[int]bool{1: true, 2: false} {
		body, err := core.Decode(core.Event{ID: "x", Type: core.TypeMergeGranted, V: v, Body: raw})
		if want := (core.MergeGranted{Commit: "c1", Base: "main", Tip: "c0", Merge: "m", ByHand: byHand}); err != nil || body != core.Body(want) {
			t.Errorf("version %d: %+v, %v", v, body, err)
		}
	}
}

func TestOthersOfVersion1(t *testing.T) {
	next := "`stellwerk resume calm-fox --max-tokens N` raises it for this run, `limits.tokens` in your settings for later ones"
	for _, c := range []struct {
		e    core.Event
		want core.Body
	}{
		{
			core.Event{Type: core.TypeAllowanceReserved, Body: json.RawMessage(`{"attempt":"a","seq":1,"tokens":7,"short":{"tokens":9,"reason":"why","next":"` + next + `","own":true}}`)},
			core.AllowanceReserved{Attempt: "a", Seq: 1, Amount: core.Amount{Tokens: 7}, Short: &core.Shortage{
				Amount: core.Amount{Tokens: 9}, Reason: "why", Own: true, Advice: core.Advice{Choices: []core.Choice{raise(core.LimitTokens)}},
			}},
		},
		{
			core.Event{Type: core.TypeAllowanceReserved, Body: json.RawMessage(`{"attempt":"a","seq":1,"usd":0.25}`)},
			core.AllowanceReserved{Attempt: "a", Seq: 1, Amount: core.Amount{USD: 0.25}},
		},
		{
			core.Event{Type: core.TypeEpicRefused, Body: json.RawMessage(`{"epic":"epic-1","reason":"why","hint":"read it, then ` + "`stellwerk trust`" + `"}`)},
			core.EpicRefused{Epic: "epic-1", Reason: "why", Advice: core.Advice{Hint: "read it, then `stellwerk trust`"}},
		},
		{
			core.Event{Type: core.TypeEpicRefused, Body: json.RawMessage(`{"epic":"epic-1","reason":"why","hint":"raise it: ` + "`stellwerk resume calm-fox --max-cost USD`" + `"}`)},
			core.EpicRefused{Epic: "epic-1", Reason: "why", Advice: core.Advice{Hint: "raise it", Choices: []core.Choice{raise(core.LimitCost)}}},
		},
	} {
		c.e.ID, c.e.V = "x", 1
		body, err := core.Decode(c.e)
		if diff := cmp.Diff(c.want, body); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", c.e.Body, err, diff)
		}
	}
}

// TestUpcastIsPureAndTotal reads texts made of what texts were made of, in any
// order, and things that are no texts: each is read, twice alike, the bytes that
// were stored stay as they are, and no text is lost.
func TestUpcastIsPureAndTotal(t *testing.T) {
	pieces := []string{
		"`", "``", "stellwerk ", "resume calm-fox", "retry calm-fox", "rollback calm-fox --to", " STAGE", "answer q", "--max-cost", " USD", "projects resume", "limits.tokens",
		"resources.", " tries again", ", then ", "; ", "put it right", "…", "\"", "\\", "\x00", "<b>", " ",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var text strings.Builder
		for range random.IntN(9) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		first, second := pauseOf(t, text.String()), pauseOf(t, text.String())
		if diff := cmp.Diff(first, second); diff != "" {
			t.Fatalf("%q is read in two ways:\n%s", text.String(), diff)
		}
		if first.Hint == "" && len(first.Choices) == 0 && text.Len() > 0 {
			t.Fatalf("%q is lost", text.String())
		}
	}
	for _, raw := range []string{``, `null`, `7`, `[]`, `{`, `"text"`, `{"next":7}`, `{"short":7}`, `{"short":{"next":[]}}`, `{"short":null}`, `{"hint":{}}`} {
		for _, typ := range []core.Type{core.TypeRunPaused, core.TypeAllowanceReserved, core.TypeEpicRefused} {
			stored := json.RawMessage(raw)
			_, first := core.Decode(core.Event{ID: "x", Type: typ, V: 1, Body: stored})
			_, second := core.Decode(core.Event{ID: "x", Type: typ, V: 1, Body: stored})
			if (first == nil) != (second == nil) || string(stored) != raw {
				t.Errorf("%s of %q: %v, then %v, and %s is stored", typ, raw, first, second, stored)
			}
		}
	}
}
