package audit_test

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// keyFile writes a private key, and its public half beside it.
func keyFile(t *testing.T) string {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	must(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	must(t, err)
	shown, err := ssh.NewPublicKey(public)
	must(t, err)
	path := filepath.Join(t.TempDir(), "key")
	must(t, errors.Join(os.WriteFile(path, pem.EncodeToMemory(block), 0o600), os.WriteFile(path+".pub", ssh.MarshalAuthorizedKey(shown), 0o644)))
	return path
}

// exported is the export of a run of so many events, all but the last of which are signed.
func exported(t *testing.T, key string, events int) string {
	t.Helper()
	s := sqlitetest.New(t)
	head, now := core.Head{}, clitest.Noon
	commit := func(n int) {
		t.Helper()
		c := store.Commit{Stream: "run/a", After: head.Seq}
		for range n {
			e, next, err := core.Seal("run/a", head, now, core.Person("ada"), "", core.TimerFired{Timer: "x\u202ey"})
			must(t, err)
			c.Events, head = append(c.Events, e), next
		}
		must(t, s.Commit(t.Context(), c))
	}
	commit(events - 1)
	private, err := audit.ReadKey(key)
	must(t, err)
	_, err = audit.NewSigner(s, "engine").Sign(t.Context(), private)
	must(t, err)
	commit(1)
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	x := audit.Exporter{Store: s, Place: func(context.Context, string) (audit.Place, error) {
		return audit.Place{Project: "p", Run: "a", Alias: "brisk"}, nil
	}}
	must(t, x.Export(context.Background(), audit.Query{}, func(r audit.Record) error { return encoder.Encode(r) }))
	return out.String()
}

func TestSign(t *testing.T) {
	b := clitest.New(t)
	b.Run(t, shell.ExitOK, "audit", "sign")
	b.Said(t, b.Out, "There is no history to sign yet.\n")
	b.Svc.Operated.Signed = api.SignedHistory{Made: 1, Streams: 3, Key: "SHA256:x", Newest: &api.Checkpoint{Number: 7, Hash: "abc"}}
	b.Run(t, shell.ExitOK, "audit", "sign")
	b.Said(t, b.Out, "Checkpoint 7 signs where 3 streams stand, with SHA256:x. Its hash is abc\n")
	b.Svc.Operated.Signed.Made = 0
	b.Run(t, shell.ExitOK, "audit", "sign")
	b.Said(t, b.Out, "Nothing has happened since checkpoint 7, whose hash is abc\n")
	b.Env["STELLWERK_ATTEMPT"] = "build.r1.a1"
	b.Run(t, shell.ExitError, "audit", "sign")
	b.Said(t, b.Err, "for people only")
}

func TestVerify(t *testing.T) {
	key := keyFile(t)
	b := clitest.New(t)
	b.Svc.Operated.Lines = exported(t, key, 3)
	b.Run(t, shell.ExitError, "audit", "verify")
	b.Said(t, b.Out, "signed: nothing", "fault: the checkpoints are signed, 1 with SHA256:", "but no public key was named that counts")
	b.Said(t, b.Err, "the history does not hold: 1 fault", "--signers FILE")

	b.Env["STELLWERK_AUDIT_KEY"] = key
	b.Run(t, shell.ExitOK, "audit", "verify")
	b.Said(t, b.Out, "3 events, 1 stream, 1 checkpoint\nsigned: 2 events, by SHA256:", " your key\nnewest: checkpoint 1 of ", "\nafter it: 1 event in 1 stream\n")
	b.Env["STELLWERK_AUDIT_SIGNERS"] = keyFile(t) + ".pub"
	b.Run(t, shell.ExitError, "audit", "verify")
	b.Said(t, b.Out, "which is none of the keys that count")
	b.Out.B.Reset()
	b.Run(t, shell.ExitOK, "audit", "verify", "--signers", key+".pub", "--json")
	if r := clitest.Decode[audit.Report](t, b.Out.String()); r.Signed != 2 || r.Open != 1 || len(r.Faults) != 0 {
		t.Errorf("%+v", r)
	}

	b.Svc.Operated.Lines = strings.Replace(b.Svc.Operated.Lines, `"kind":"person"`, `"kind":"policy"`, 1)
	b.Run(t, shell.ExitError, "audit", "verify", "--signers", key+".pub")
	b.Said(t, b.Err, "keep the database and its backups as they are")
	b.Svc.Operated.Lines = b.Svc.Operated.Lines[:len(b.Svc.Operated.Lines)-1]
	b.Run(t, shell.ExitError, "audit", "verify")
	b.Said(t, b.Err, "cut short in the middle of a line")
	b.Svc.Operated.Lines = "{}\n"
	b.Run(t, shell.ExitError, "audit", "verify")
	b.Said(t, b.Err, "this is no export of a history")
	b.Svc.Operated.Lines = ""
	b.Run(t, shell.ExitError, "audit", "verify")
	b.Said(t, b.Err, "the export was cut short: its last line is missing")
}

// TestVerifyWithoutAnEngine reads a file that is larger than what is read at once, and shows on a screen how far it is.
func TestVerifyWithoutAnEngine(t *testing.T) {
	const events = 4500
	key := keyFile(t)
	b := clitest.New(t)
	clitest.WriteFile(t, filepath.Join(b.Dir, "history.jsonl"), exported(t, key, events))
	b.Console.ErrWidth = func() int { return 80 }
	b.Run(t, shell.ExitOK, "audit", "verify", "--from", "history.jsonl", "--signers", key+".pub")
	b.Said(t, b.Out, fmt.Sprint(events, " events, 1 stream, 1 checkpoint\n"))
	b.Said(t, b.Err, fmt.Sprintf("\r2000 of %d events\r4000 of %d events\r\x1b[K", events, events))
	b.Asked(t)
	b.Run(t, shell.ExitError, "audit", "verify", "--from", "elsewhere.jsonl")
	b.Said(t, b.Err, "the export cannot be read")
}

// TestExport hands on what the engine says; a screen gets nothing that could do harm there.
func TestExport(t *testing.T) {
	b := clitest.New(t)
	b.Svc.Operated.Lines = exported(t, keyFile(t), 3)
	b.Run(t, shell.ExitOK, "audit", "export", "--since", "41", "--signed", "--project", "shop")
	if b.Out.String() != b.Svc.Operated.Lines || !strings.Contains(b.Out.String(), "\u202e") {
		t.Errorf("printed was %s", b.Out)
	}
	if got := b.Svc.Calls()[0].Req; got != (api.HistoryQuery{Since: "41", Signed: true, Project: "shop"}) {
		t.Errorf("%+v", got)
	}
	b.Out.B.Reset()
	b.Console.Width = func() int { return 80 }
	b.Run(t, shell.ExitOK, "audit", "export")
	if got := b.Out.String(); strings.Contains(got, "\u202e") || strings.Count(got, "\n") != strings.Count(b.Svc.Operated.Lines, "\n") {
		t.Errorf("a screen shows %q", got)
	}
	b.Run(t, shell.ExitUsage, "audit", "export", "--run", "a", "--project", "b")
}
