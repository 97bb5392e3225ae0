package shim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
)

// TestTheBeginningOfAStreamEnds with the line that fills it, by bytes and by lines, and not before.
func TestTheBeginningOfAStreamEnds(t *testing.T) {
	for text, full := range map[string]bool{"123456789": false, "12345678\n": false, "123456789\n": true, "1234567890\n": true, "1234\n1234\n": true, "12345678901234": false} {
		c := capture{head: 10, line: func([]byte, int64) {}}
		if c.write([]byte(text)); c.full() != full {
			t.Errorf("%q fills ten bytes: %v", text, c.full())
		}
	}
	for lines, full := range map[int]bool{maxLines - 1: false, maxLines: true} {
		c := capture{head: 1 << 40, line: func([]byte, int64) {}}
		if c.write([]byte(strings.Repeat("\n", lines))); c.full() != full || c.lines != lines {
			t.Errorf("%d lines of %d fill it: %v", c.lines, lines, c.full())
		}
	}
	for size, cut := range map[int]string{maxLine: "", maxLine + 1: "", maxLine + overlap: "", maxLine + overlap + 1: "+1"} {
		got, c := collectLines(1<<40, []byte(strings.Repeat("x", size-1)), []byte("x\nnext"))
		want := strings.Repeat("x", size)
		if cut != "" {
			want = fmt.Sprint(maxLine+overlap) + cut
		}
		if len(got) != 2 || got[0] != want || got[1] != "next" || c.dropped != int64(size-maxLine) || c.total != int64(size+5) {
			t.Errorf("a line of %d bytes became %d lines, %d bytes of %d were dropped", size, len(got), c.dropped, c.total)
		}
	}
}

// TestATranscriptIsFull when more is in it than it may hold, not when it holds just that; what says how it went is always
// taken, and how many were not is counted.
func TestATranscriptIsFull(t *testing.T) {
	folder := t.TempDir()
	j, err := openJournal(folder, unredacted{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	say := func(kind agent.RecordKind, text string) {
		j.add(unredacted{}.Redact, agent.Record{Kind: kind, Text: text})
	}
	say(agent.KindText, "one")
	j.limit = j.written
	say(agent.KindText, "two")
	for range 3 {
		say(agent.KindText, "dropped")
	}
	say(agent.KindStderr, "dropped")
	say(agent.KindNotice, "notice")
	say(agent.KindResult, "result")
	if err := j.close(); err != nil {
		t.Fatal(err)
	}
	all, err := Tail(folder, 1)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for i, e := range all {
		if e.N != int64(i+1) || e.At.IsZero() || e.At.Location() != time.UTC {
			t.Errorf("entry %d is %+v", i, e)
		}
		said = append(said, string(e.Record.Kind)+": "+e.Record.Text)
	}
	if want := []string{"text: one", "text: two", "notice: notice", "result: result", "notice: 4 records were dropped: the transcript is full"}; !reflect.DeepEqual(said, want) {
		t.Errorf("it says %q, want %q", said, want)
	}
	data := mustRead(t, folder, journalFile)
	if info, err := os.Stat(JournalPath(folder)); err != nil || info.Mode().Perm() != 0o600 || int64(len(data)) != j.written {
		t.Errorf("%v, %v; it has %d bytes, and %d were counted", info.Mode(), err, len(data), j.written)
	}
	if _, err := openJournal(filepath.Join(folder, "none"), unredacted{}, 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}

// TestHowMuchIsSaidOfFiles, to the file and to the byte.
func TestHowMuchIsSaidOfFiles(t *testing.T) {
	dir := t.TempDir()
	for i := range maxOutputFiles {
		put(t, dir, fmt.Sprintf("f%04d", i), "")
	}
	if outputs, refused := collect(dir, outputLimits{1, 1}, masking{}); len(outputs) != maxOutputFiles || refused != nil {
		t.Errorf("%d are taken, refused %+v", len(outputs), refused)
	}
	for _, c := range []struct{ name, reason, want string }{
		{"a/../b SECRET\xff", "it is a SECRET", "b ***\uFFFD"},
		{strings.Repeat("x", maxRefusedName), "", strings.Repeat("x", maxRefusedName)},
		{strings.Repeat("x", maxRefusedName+1), "", strings.Repeat("x", maxRefusedName-3) + "…"},
		{strings.Repeat("x", maxRefusedName-1) + "é", "", strings.Repeat("x", maxRefusedName-3) + "…"},
	} {
		c2 := collector{redactor: masking{}}
		c2.refuse(c.name, c.reason)
		if want := []Refusal{{Name: c.want, Reason: masking{}.Redact(c.reason)}}; !reflect.DeepEqual(c2.refused, want) {
			t.Errorf("refused are %+v, want %+v", c2.refused, want)
		}
	}
	c := collector{redactor: masking{}}
	for range maxRefusals {
		c.refuse("x", "")
	}
	if last := c.refused[len(c.refused)-1]; len(c.refused) != maxRefusals || last.Name != "x" {
		t.Errorf("of %d the last is %+v", len(c.refused), last)
	}
	for i := range 2 {
		c.refuse("x", "")
		if last := c.refused[len(c.refused)-1]; len(c.refused) != maxRefusals+1 || last != (Refusal{"further files", fmt.Sprintf("%d more were not accepted", i+1)}) {
			t.Errorf("of %d the last is %+v", len(c.refused), last)
		}
	}
	for name, plain := range map[string]bool{"a b/ü.md": true, "a\nb": false, "a\x7f": false, "a\u0085": false, "\xff": false, "a\x00": false,
		strings.Repeat("x", 255): true, "a/" + strings.Repeat("x", 256): false, strings.Repeat("x/", 512): true, strings.Repeat("x/", 512) + "x": false,
	} {
		if OutputName(name) != plain {
			t.Errorf("%q is plain: %v", name, !plain)
		}
	}
}

// TestAnOutputFolderThatLeadsElsewhere is not read, nor is one that is gone or a file.
func TestAnOutputFolderThatLeadsElsewhere(t *testing.T) {
	top, elsewhere := t.TempDir(), t.TempDir()
	put(t, elsewhere, "file", "")
	mkdir(t, top, "inside")
	put(t, top, "plain", "")
	for name, target := range map[string]string{"out": elsewhere, "up": "..", "beside": "inside", "none": "missing"} {
		if err := os.Symlink(target, filepath.Join(top, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, ok := range map[string]bool{"out": false, "up": false, "none": false, "plain": false, "inside": true, "beside": true} {
		outputs, refused := collect(filepath.Join(top, name), outputLimits{1, 1}, masking{})
		if outputs != nil || (refused == nil) != ok || !ok && (refused[0].Name != "." || !strings.HasPrefix(refused[0].Reason, "the output folder cannot be read: ")) {
			t.Errorf("of %s are taken %+v, refused %+v", name, outputs, refused)
		}
	}
	if _, err := OpenOutput(filepath.Join(top, "nowhere", "out")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder in none: %v", err)
	}
}

// TestTheLastWordsOfAHandIn are the end of its log, as text.
func TestTheLastWordsOfAHandIn(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "\nit broke\n": "it broke", "a\xffb": "a\uFFFDb",
		strings.Repeat("x", 2000):                    strings.Repeat("x", 2000),
		"first" + strings.Repeat("x", 1996) + "last": strings.Repeat("x", 1996) + "last",
	} {
		log, err := os.CreateTemp(t.TempDir(), "log")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if got := lastWords(log); got != want {
			t.Errorf("of %q they are %q", text, got)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		if got := lastWords(log); got != "" {
			t.Errorf("of a log that cannot be read they are %q", got)
		}
	}
}

// TestAResultMayBeSoLong, and no byte longer.
func TestAResultMayBeSoLong(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for size, ok := range map[int64]bool{0: true, 9: true, 10: true, 11: false} {
		put(t, root.Name(), "result", strings.Repeat("x", int(size)))
		if data, err := readRegular(root, "result", 10); (err == nil) != ok || ok && int64(len(data)) != size {
			t.Errorf("of %d bytes are read %d, %v", size, len(data), err)
		}
	}
	if _, err := readRegular(root, "none", 10); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestAFullDiskIsWaitedFor, once it was seen, and a disk with room is not.
func TestAFullDiskIsWaitedFor(t *testing.T) {
	for full, want := range map[bool]time.Duration{true: fullDiskPause, false: 0} {
		synctest.Test(t, func(t *testing.T) {
			folder := t.TempDir()
			if full { // for as long as the first look takes
				if err := os.Symlink("/dev/full", filepath.Join(folder, ".space")); err != nil {
					t.Fatal(err)
				}
			}
			begin := time.Now()
			got := handIn(t.Context(), folder, goodSpec(t), Options{})
			if waited := time.Since(begin); waited != want || got.Error != "no hand-in command is set" {
				t.Errorf("full is %v: it took %s, %+v", full, waited, got)
			}
			if entries(t, folder) != handInDir {
				t.Errorf("left are %q", entries(t, folder))
			}
		})
	}
	synctest.Test(t, func(t *testing.T) {
		folder := t.TempDir()
		if err := os.Symlink("/dev/full", filepath.Join(folder, ".space")); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		begin := time.Now()
		if got := handIn(ctx, folder, goodSpec(t), Options{}); got.Error == "" || time.Since(begin) != 0 {
			t.Errorf("cancelled, it took %s, %+v", time.Since(begin), got)
		}
	})
	for err, want := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false, &os.PathError{Err: syscall.ENOSPC}: true} {
		if noSpace(err) != want || noSpace(nil) {
			t.Errorf("%v is for want of space: %v", err, !want)
		}
	}
}

// TestWhoStarted is told with what identifies a process for ever, and only to its owner.
func TestWhoStarted(t *testing.T) {
	folder := prepared(t)
	held, err := claim(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	defer release(held)
	var got Started
	if err := json.Unmarshal(mustRead(t, folder, startedFile), &got); err != nil {
		t.Fatal(err)
	}
	if got.At.IsZero() || got.At.Location() != time.UTC || time.Since(got.At) < 0 {
		t.Errorf("it started at %s", got.At)
	}
	self, _ := resource.ReadProcess(os.Getpid())
	want := Started{Proto: Proto, PID: os.Getpid(), StartTime: self.Start, BootID: bootID(), At: got.At}
	if got != want {
		t.Errorf("it was %+v, want %+v", got, want)
	}
	if isLinux {
		boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		if stat := strings.Fields(string(mustRead(t, "/proc/self", "stat"))); err != nil || got.StartTime != stat[21] || got.BootID+"\n" != string(boot) {
			t.Errorf("it was %+v", got)
		}
	}
	if err := errors.Join(Cancel(folder), writeExit(folder, Exit{})); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{lockFile, startedFile, cancelFile, exitFile} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
	if !Cancelled(folder) {
		t.Error("it is not cancelled")
	}
}

// TestAStreamThatSomebodyHolds is read for a while after everybody has ended, and given up then, with all that came. If only the
// sandbox holds it, nothing is waited for.
func TestAStreamThatSomebodyHolds(t *testing.T) {
	for _, stays := range []bool{false, true} {
		t.Run(fmt.Sprintf("a sandbox stays: %v", stays), func(t *testing.T) {
			t.Parallel()
			j, err := openJournal(t.TempDir(), strict{}, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			s, err := newStream("standard output", j, 100, true, func(line []byte) []agent.Record { lines = append(lines, string(line)); return nil })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(s.write, "whole\ntorn"); err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			if err := s.finish(stays); err != nil || (time.Since(begin) < drainTime) != stays {
				t.Errorf("after %s: %v", time.Since(begin), err)
			}
			s.started()
			if err := j.close(); err != nil || !reflect.DeepEqual(lines, []string{"whole", "torn"}) || s.total != 10 {
				t.Errorf("read are %q, %d bytes, %v", lines, s.total, err)
			}
		})
	}
}

// TestACopyThatIsThereIsNotMadeAgain, although nothing remembers that it was; a stamp cannot lead out of its folder.
func TestACopyThatIsThereIsNotMadeAgain(t *testing.T) {
	dir, source := filepath.Join(t.TempDir(), "bin"), t.TempDir()
	put(t, source, "program", "content")
	file, err := os.Open(filepath.Join(source, "program"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	path, err := install(file, dir, programName)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil || before.Mode().Perm() != 0o755 || len(filepath.Base(filepath.Dir(path))) != digestLength {
		t.Errorf("%s is %v, %v", path, before, err)
	}
	identity, err := identify(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(mustRead(t, dir, stampOf(programName))); got != identity+" "+filepath.Base(filepath.Dir(path))+"\n" {
		t.Errorf("the stamp is %q", got)
	}
	if err := os.Remove(filepath.Join(dir, stampOf(programName))); err != nil {
		t.Fatal(err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	again, err := install(file, dir, programName)
	if after, statErr := os.Stat(again); err != nil || statErr != nil || again != path || !os.SameFile(before, after) {
		t.Errorf("the copy is made twice: %s, %v, %v", again, err, statErr)
	}
	for stamp, known := range map[string]bool{
		identity + " " + filepath.Base(filepath.Dir(path)): true, identity + " ../" + filepath.Base(filepath.Dir(path)): true,
		identity + "1 " + filepath.Base(filepath.Dir(path)): false, identity: false, identity + " none": false, "": false,
	} {
		put(t, dir, stampOf(programName), stamp+"\n")
		if got, ok := installed(dir, programName, identity); ok != known || known && got != path {
			t.Errorf("by %q it is %q, %v", stamp, got, ok)
		}
	}
	if _, err := InstallSelf(filepath.Join(source, "program", "bin")); err == nil || !strings.Contains(err.Error(), "keep a copy of this program: ") {
		t.Errorf("below a file: %v", err)
	}
}
