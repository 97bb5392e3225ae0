package shim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
)

// TestWhatIsSaidOfFilesIsBounded: their number, depth and names are the agent's choice.
func TestWhatIsSaidOfFilesIsBounded(t *testing.T) {
	limits := outputLimits{file: 1 << 20, total: 1 << 20}
	dir := t.TempDir()
	for i := range maxOutputFiles + 5 {
		put(t, dir, fmt.Sprintf("f%04d", i), "")
	}
	outputs, refused := collect(dir, limits, masking{})
	if len(outputs) != maxOutputFiles || len(refused) != 1 || !strings.Contains(refused[0].Reason, "more than 1000 files") {
		t.Errorf("%d are taken, refused %+v", len(outputs), refused)
	}
	dir = t.TempDir()
	for i := range maxRefusals + 5 {
		if err := os.Symlink("x", filepath.Join(dir, fmt.Sprintf("%s%02d", strings.Repeat("é", 120), i))); err != nil {
			t.Fatal(err)
		}
	}
	outputs, refused = collect(dir, limits, masking{})
	if len(outputs) != 0 || len(refused) != maxRefusals+1 || refused[maxRefusals].Reason != "5 more were not accepted" || len(refused[0].Name) > maxRefusedName+len("…") || !strings.HasSuffix(refused[0].Name, "é…") {
		t.Errorf("refused are %d: %+v", len(refused), refused[len(refused)-1])
	}
	dir = t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", maxOutputDepth-1))
	if err := os.MkdirAll(filepath.Join(deep, "d"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "SECRET"), 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, deep, "f", "deep enough")
	put(t, filepath.Join(deep, "d"), "f", "too deep")
	put(t, filepath.Join(dir, "SECRET"), "f", "in a folder with a secret's name")
	outputs, refused = collect(dir, limits, masking{})
	if len(outputs) != 1 || outputs[0].Name != strings.Repeat("d/", maxOutputDepth-1)+"f" || len(refused) != 2 || refused[0].Name != "***" {
		t.Errorf("taken are %+v, refused %+v", outputs, refused)
	}
	if outputs, refused = collect(filepath.Join(dir, "none"), limits, masking{}); len(outputs) != 0 || len(refused) != 1 {
		t.Errorf("of no folder are taken %+v, refused %+v", outputs, refused)
	}
}

// TestADocumentIsReplacedAndNotWrittenTo: it may have another name elsewhere. Its digest is that of what is kept.
func TestADocumentIsReplacedAndNotWrittenTo(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "mine")
	put(t, dir, "doc", "a SECRET")
	for path, do := range map[string]func() error{
		elsewhere: func() error { return os.Link(filepath.Join(dir, "doc"), elsewhere) },
		"doc":     func() error { return os.Chmod(filepath.Join(dir, "doc"), 0o640) },
	} {
		if err := do(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	put(t, dir, "clean", "")
	before, err := os.Stat(filepath.Join(dir, "clean"))
	if err != nil {
		t.Fatal(err)
	}
	outputs, refused := collect(dir, outputLimits{file: 100, total: 100}, masking{})
	if after, err := os.Stat(filepath.Join(dir, "clean")); err != nil || !os.SameFile(before, after) {
		t.Errorf("one without a secret was replaced: %v", err)
	}
	sum := sha256.Sum256([]byte("a ***"))
	if len(refused) > 0 || len(outputs) != 2 || outputs[1] != (Output{Name: "doc", Size: 5, SHA256: hex.EncodeToString(sum[:])}) {
		t.Errorf("taken are %+v, refused %+v", outputs, refused)
	}
	info, err := os.Stat(filepath.Join(dir, "doc"))
	if err != nil || info.Mode().Perm() != 0o640 || string(mustRead(t, dir, "doc")) != "a ***" || string(mustRead(t, filepath.Dir(elsewhere), "mine")) != "a SECRET" {
		t.Errorf("it is %v, %v", info, err)
	}
}

// TestATranscriptThatCannotBeWritten says so at its end, and its numbers have no gaps.
func TestATranscriptThatCannotBeWritten(t *testing.T) {
	folder := t.TempDir()
	j, err := openJournal(folder, masking{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if j.limit != journalGrowth*(10+tailBytes) {
		t.Errorf("its limit is %d", j.limit)
	}
	say := func(text string) { j.add(masking{}.Redact, agent.Record{Kind: agent.KindText, Text: text}) }
	say("one SECRET")
	j.flush()
	if err := j.file.Close(); err != nil {
		t.Fatal(err)
	}
	say("two")
	j.flush()
	say("three")
	if err := j.close(); err == nil || !strings.Contains(err.Error(), "incomplete") {
		t.Errorf("closed with %v", err)
	}
	if got, err := Tail(folder, 0); err != nil || len(got) != 1 || got[0].N != 1 || got[0].Record.Text != "one ***" {
		t.Errorf("kept is %+v, %v", got, err)
	}
	folder = t.TempDir()
	if j, err = openJournal(folder, unredacted{}, 10); err != nil {
		t.Fatal(err)
	}
	for range 2*tailBatch + 1 {
		say("x")
	}
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	all, err := Tail(folder, 3)
	if err != nil || len(all) != 2*tailBatch-1 || all[0].N != 3 || all[len(all)-1].N != 2*tailBatch+1 {
		t.Errorf("%d entries, %v", len(all), err)
	}
	tailer := NewTailer(folder, tailBatch)
	if first, err := tailer.Next(); err != nil || len(first) != tailBatch || tailer.From() != 2*tailBatch {
		t.Errorf("%d entries, then from %d, %v", len(first), tailer.From(), err)
	}
}

// TestDoneIsToldOnce: one byte for the agent's end, and the pipe is closed with that of the attempt, nothing that the shim starts holds it, and a number that is
// none of the shim's to close is left alone.
func TestDoneIsToldOnce(t *testing.T) {
	for _, text := range []string{"", "x", "-1", "0", "1", "2"} {
		t.Setenv(VariableDone, text)
		if done := takeDone(); done != nil {
			t.Errorf("%q is taken for a pipe", text)
		}
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	fd, err := syscall.Dup(int(write.Fd()))
	if err != nil || write.Close() != nil {
		t.Fatal(err)
	}
	t.Setenv(VariableDone, fmt.Sprint(fd))
	done := takeDone()
	if done == nil {
		t.Fatal("it was not taken")
	}
	if out, err := exec.Command("/bin/sh", "-c", fmt.Sprintf("ls /proc/$$/fd/%d", fd)).CombinedOutput(); err == nil {
		t.Errorf("a child holds it: %s", out)
	}
	tellIdle(done)
	if n, err := read.Read(make([]byte, 2)); n != 1 || err != nil {
		t.Errorf("the agent's end is told in %d bytes, %v", n, err)
	}
	closeDone(done)
	if n, err := read.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("it is not given: %d, %v", n, err)
	}
	tellIdle(nil)
	closeDone(nil)
}
