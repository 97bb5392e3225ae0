package shim

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

type unredacted struct{}

func (unredacted) Redact(text string) string            { return text }
func (unredacted) Stream(io.Writer) io.WriteCloser      { return nil }
func (unredacted) PlainStream(io.Writer) io.WriteCloser { return nil }
func (unredacted) Thread() func(string) string          { return func(text string) string { return text } }

func TestTailerFollowsAndLeavesATornLine(t *testing.T) {
	folder := t.TempDir()
	tailer := NewTailer(folder, 2)
	if got, err := tailer.Next(); err != nil || got != nil {
		t.Fatalf("before the transcript exists: %v, %v", got, err)
	}
	j, err := openJournal(folder, unredacted{}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"one", "two", "three"} {
		j.add(unredacted{}.Redact, agent.Record{Kind: agent.KindText, Text: text})
	}
	j.flush()
	got, err := tailer.Next()
	if err != nil || len(got) != 2 || got[0].N != 2 || got[1].Record.Text != "three" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if _, err := j.file.WriteString(`{"n":4,"at":"2026-01-02T03:04:05Z","rec`); err != nil {
		t.Fatal(err)
	}
	if got, err := tailer.Next(); err != nil || len(got) != 0 {
		t.Fatalf("a torn line was read: %+v, %v", got, err)
	}
	if _, err := j.file.WriteString(`ord":{"kind":"text","text":"four"}}` + "\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := tailer.Next(); err != nil || len(got) != 1 || got[0].Record.Text != "four" {
		t.Fatalf("got %+v, %v", got, err)
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	if all, err := Tail(folder, 1); err != nil || len(all) != 4 {
		t.Fatalf("got %+v, %v", all, err)
	}
}

func TestTailNamesTheDamage(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, journalFile), []byte("\x00\x00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Tail(folder, 1); err == nil || !strings.Contains(err.Error(), "at byte 0") {
		t.Errorf("got %v", err)
	}
}

func TestJournalHasALimitAndSaysSo(t *testing.T) {
	folder := t.TempDir()
	j, err := openJournal(folder, unredacted{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	j.limit = 5000
	long := strings.Repeat("x", 1000)
	for range 10 {
		j.add(unredacted{}.Redact, agent.Record{Kind: agent.KindText, Text: long})
	}
	j.add(unredacted{}.Redact, agent.Record{Kind: agent.KindResult, Text: "result"})
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	all, err := Tail(folder, 1)
	if err != nil || len(all) > 7 {
		t.Fatalf("%d entries, %v", len(all), err)
	}
	last, before := all[len(all)-1].Record, all[len(all)-2].Record
	if before.Text != "result" || !strings.Contains(last.Text, "records were dropped") {
		t.Errorf("the end is %q, %q", before.Text, last.Text)
	}
}

func TestRecordsAreRedactedEverywhere(t *testing.T) {
	raw, err := encodeRecord(agent.Record{
		Kind: agent.KindToolCall, Tool: "bash", Input: json.RawMessage(`{"cmd":["echo SECRET"],"SECRET":1.50,"u":"\u0053ECRET"}`),
	}, replacing("SECRET").Redact, replacing("SECRET").Redact)
	if err != nil || strings.Contains(string(raw), "SECRET") || !strings.Contains(string(raw), "1.50") {
		t.Errorf("%s, %v", raw, err)
	}
	raw, err = encodeRecord(agent.Record{Kind: agent.KindToolCall, Input: json.RawMessage(`{"SECRET`)}, replacing("SECRET").Redact, replacing("SECRET").Redact)
	if err != nil || strings.Contains(string(raw), "SECRET") {
		t.Errorf("%s, %v", raw, err)
	}
}

// TestWhatTheAgentWroteIsAThread: only that is read as the continuation of what it wrote before, and all of it is read.
func TestWhatTheAgentWroteIsAThread(t *testing.T) {
	raw, err := encodeRecord(agent.Record{
		Kind: agent.KindToolCall, Text: "X text", Tool: "X tool", ToolID: "X id", Input: json.RawMessage(`{"Xa":["X","X",{"X":"X"}],"Xb":"X","c":[1.50,null,true]}`),
	}, replacing("X").Redact, func(text string) string { return strings.ReplaceAll(text, "X", "+") })
	want := `{"input":{"+a":["+","+",{"+":"+"}],"+b":"+","c":[1.50,null,true]},"kind":"` + string(agent.KindToolCall) + `","text":"+ text","tool":"*** tool","tool_id":"*** id"}`
	if err != nil || string(raw) != want {
		t.Errorf("%v: kept as %s, want %s", err, raw, want)
	}
}

type replacing string

func (r replacing) Redact(text string) string { return strings.ReplaceAll(text, string(r), "***") }

func TestInstallSelf(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bin")
	programs, err := InstallSelf(dir)
	if err != nil {
		t.Fatal(err)
	}
	path := programs.Self
	if programs.Worker != path { // nothing lies beside a test
		t.Errorf("the worker is %s", programs.Worker)
	}
	first, err := os.Stat(path)
	if err != nil || first.Mode().Perm() != 0o755 || filepath.Base(path) != "stellwerk" {
		t.Fatalf("%s: %v, %v", path, first, err)
	}
	again, err := InstallSelf(dir)
	if err != nil || again != programs {
		t.Fatalf("%s, %v", again, err)
	}
	if second, err := os.Stat(path); err != nil || !os.SameFile(first, second) {
		t.Errorf("the copy was made twice: %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("leftovers beside the copy: %v, %v", entries, err)
	}
}
