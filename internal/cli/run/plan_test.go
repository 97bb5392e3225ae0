package run_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestPlan(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Svc.Known.Outline = api.Outline{Run: "alias-1", Kind: "waves", Wave: 1, Open: true, Pieces: []api.Piece{
		{ID: "survey", Title: "See what is there", Role: "researcher", Wave: 1, Status: "done"},
		{ID: "draft", Title: "Write \x1b[2J it", Role: "writer", Wave: 1, Status: "open", After: []string{"survey"}},
	}}
	b.Run(t, shell.ExitOK, "plan")
	b.Said(t, b.Out, "alias-1  2 delegations, wave 1 is open", "[x] survey", "`- [>] draft", `writer: Write \x1b[2J it`)

	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "plan", "alias-1", "--dot")
	b.Said(t, b.Out, `digraph "alias-1" {`, `"survey" -> "draft";`)

	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "plan", "alias-1", "--json")
	if got := clitest.Decode[api.Outline](t, b.Out.String()); len(got.Pieces) != 2 || got.Pieces[1].After[0] != "survey" {
		t.Errorf("%+v", got)
	}

	b.Run(t, shell.ExitUsage, "plan", "--json", "--dot")
	b.Run(t, shell.ExitError, "plan", "nobody-knows")
}

func TestFacts(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", "active")
	b.Run(t, shell.ExitOK, "facts")
	b.Said(t, b.Out, "No facts yet.")

	b.Svc.Known.Facts = []core.Fact{
		{ID: "f1", Key: "users", Content: "a hundred", Origin: core.OriginDelegation, Source: "survey", Confidence: 0.5, Assumption: true, SupersededBy: new("f2")},
		{ID: "f2", Key: "users", Content: "4,000", Origin: core.OriginPerson, Source: "q-1", Confidence: 1},
	}
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "facts", "alias-1")
	b.Said(t, b.Out, "users: 4,000", "answered by a person (q-1)")

	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "facts", "--history")
	b.Said(t, b.Out, "users: a hundred", "f2 took its place")

	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "facts", "--json")
	if got := clitest.Decode[api.FactList](t, b.Out.String()); len(got.Facts) != 1 || got.Facts[0].ID != "f2" {
		t.Errorf("%+v", got)
	}
}
