package app_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

// TestASecretIsKeptOfNoCall: an agent that spells its token out in names, commands
// and roles is refused, and the refusal does not keep it either.
func TestASecretIsKeptOfNoCall(t *testing.T) {
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	tokens, err := api.OpenAttemptTokens(t.Context(), sqlitetest.Open(t, filepath.Join(b.state, "stellwerk.db")))
	if err != nil {
		t.Fatal(err)
	}
	token := tokens.Issue(b.run.ID, "manager.r1.a1")
	seal := token[strings.LastIndexByte(token, '.')+1:]
	for what, p := range map[string]core.Proposal{
		"check": {Checks: []string{"curl -H 'x: " + token + "' localhost"}}, "role": {Role: token}, "line": {Line: token}, "kind": {Kind: core.TaskKind(token)},
		"after": {After: []string{token}}, "input": {Inputs: []string{token}}, "output": {Outputs: []string{seal}},
	} {
		p.Prompt = "Do it."
		if _, err := b.app.Service.Delegate(boss, b.run.ID, p); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "looks like a secret") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := b.app.Service.Tell(boss, b.run.ID, api.Tell{Text: "x", Voice: core.Voice(token)}); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("voice: %v", err)
	}
	if _, err := b.app.Service.UpdatePlan(boss, b.run.ID, api.UpdatePlan{Files: map[string]string{seal + ".md": "x"}, Message: "m"}); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("document: %v", err)
	}
	refused := 0
	b.until(0, "the refusals", func(body core.Body) bool {
		if _, ok := body.(core.ToolRefused); ok {
			refused++
		}
		return refused == 9
	})
	err = filepath.WalkDir(filepath.Join(b.state, "runs"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), seal) {
			t.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestARefusalIsKeptInFewWords: what an agent makes up is not made part of the
// log by being refused.
func TestARefusalIsKeptInFewWords(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	if _, err := b.app.Service.Tell(boss, b.run.ID, api.Tell{Text: "x", Voice: core.Voice(strings.Repeat("ab ", 300_000))}); err == nil {
		t.Error("said with a voice nobody has")
	}
	b.until(0, "the refusal", func(body core.Body) bool {
		refused, ok := body.(core.ToolRefused)
		if ok && len(refused.Reason) > 8<<10 {
			t.Errorf("a reason of %d bytes is kept", len(refused.Reason))
		}
		return ok
	})
}

// TestARefusedPlanIsNotKept: neither a worker nor an attempt that is over fills
// the store of documents.
func TestARefusedPlanIsNotKept(t *testing.T) {
	b := newBooth(t)
	b.say("greet the world")
	boss, _ := b.turns(1)
	stored := b.blobs()
	for _, c := range []struct {
		as         context.Context
		name, base string
		want       core.Code
	}{
		{b.agent("manager.r9.a1"), "context.md", "", core.CodeForbidden},
		{b.agent("t1.r1.a1"), "context.md", "", core.CodeForbidden},
		{boss, "context.md", "another", core.CodeConflict},
		{boss, "../x.md", "", core.CodeInvalid},
	} {
		_, err := b.app.Service.UpdatePlan(c.as, b.run.ID, api.UpdatePlan{Files: map[string]string{c.name: "unwanted"}, Base: c.base, Message: "m"})
		if core.CodeOf(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if now := b.blobs(); now != stored {
		t.Errorf("%d documents are stored, before there were %d", now, stored)
	}
}

func (b *booth) blobs() (n int) {
	b.t.Helper()
	err := filepath.WalkDir(filepath.Join(b.state, "blobs"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// TestAPlanThatHasNoPlace: a repository where something else is called .ai, or
// has a document's name, makes the change refused and not tried for ever.
func TestAPlanThatHasNoPlace(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for what, lay := range map[string]func(dir string) error{
		"a link":   func(dir string) error { return os.Symlink(outside, filepath.Join(dir, ".ai")) },
		"a file":   func(dir string) error { return os.WriteFile(filepath.Join(dir, ".ai"), []byte("x"), 0o644) },
		"a folder": func(dir string) error { return plant(dir, ".ai/context.md/x") },
	} {
		t.Run(what, func(t *testing.T) {
			b := newBooth(t)
			if err := lay(b.dir); err != nil {
				t.Fatal(err)
			}
			git(t, b.dir, "add", "-A")
			git(t, b.dir, "commit", "-q", "-m", "hostile")
			b.say("greet the world")
			boss, _ := b.turns(1)
			if _, err := b.app.Service.UpdatePlan(boss, b.run.ID, api.UpdatePlan{Files: map[string]string{"context.md": "x"}, Message: "m"}); core.CodeOf(err) != core.CodeInvalid {
				t.Errorf("%v", err)
			}
			if _, err := b.app.Service.Tell(boss, b.run.ID, api.Tell{Text: "I go on."}); err != nil {
				t.Errorf("after that: %v", err)
			}
		})
	}
}

func plant(dir, name string) error {
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte("x"), 0o644)
}
