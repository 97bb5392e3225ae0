package retention

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestAllOfSeveralGo: attempts, transcripts and refs.
func TestAllOfSeveralGo(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	want := e.everything()
	for i := range 3 {
		name := fmt.Sprintf("build.r2.a%d", i)
		e.more = append(e.more, core.AttemptExited{Attempt: name, Transcript: e.exited.Transcript, Delivery: &core.Delivery{Commit: e.first, Ref: yard.Attempts + theRun + "/" + name}})
		e.file(filepath.Join(e.State, "attempts", theRun, name, "out.jsonl"), "said")
		e.file(filepath.Join(e.State, "runs", theRun, "transcripts", name+".jsonl"), "said")
		must(t, e.yard.Keep(t.Context(), yard.Attempts+theRun+"/"+name, e.first))
		want = append(want, "attempt "+name, "transcript "+name, "ref "+yard.Attempts+theRun+"/"+name)
	}
	slices.Sort(want)
	if gone, kept := e.prune(e.request()); !slices.Equal(gone, want) || len(kept) > 0 || len(e.there()) > 0 {
		t.Errorf("%q went and %q stayed, not %q", gone, kept, want)
	}
}

// TestWorkStaysForOneOfManyAttempts whose delivery is not kept.
func TestWorkStaysForOneOfManyAttempts(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	for i := range 9 {
		e.more = append(e.more, core.AttemptExited{Attempt: fmt.Sprintf("build.r2.a%d", i), Delivery: &core.Delivery{}})
	}
	e.more = append(e.more, core.AttemptExited{Attempt: "build.r3.a1", Delivery: &core.Delivery{Commit: e.other, Ref: yard.Attempts + theRun + "/none"}})
	if _, kept := e.prune(e.request()); !slices.Equal(kept, []string{"work " + theRun}) || !slices.Equal(e.there(), kept) {
		t.Errorf("%q are said to stay, and there are %q", kept, e.there())
	}
}

// TestAskingChangesNothing, not even a folder with nothing in it.
func TestAskingChangesNothing(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	root := filepath.Join(e.State, "attempts", theRun)
	must(t, os.RemoveAll(filepath.Join(root, theAttempt)))
	req := e.request()
	req.Remove = false
	e.prune(req)
	if _, err := os.Stat(root); err != nil {
		t.Error(err)
	}
}

// TestWhatElseHappenedNeedNotBeUnderstood: only what says what a run left is read in full.
func TestWhatElseHappenedNeedNotBeUnderstood(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	e.more = []core.Body{strange{}}
	if gone, kept := e.prune(e.request()); !slices.Equal(gone, e.everything()) || len(kept) > 0 {
		t.Errorf("%q went and %q stayed", gone, kept)
	}
}

type strange struct{ core.ContentTrusted }

func (strange) MarshalJSON() ([]byte, error) { return []byte(`{"hash":7}`), nil }

// TestPlacesThatCannotBeLookedAt: that is said, no object goes, and what the report says went is what went.
func TestPlacesThatCannotBeLookedAt(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]string{
		"attempts": "attempts/" + theRun, "transcripts": "runs/" + theRun + "/transcripts", "runs": "runs", "blobs": "blobs",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t)
			path := filepath.Join(e.State, place)
			must(t, os.Rename(path, path+".away"))
			if name != "blobs" { // the others may be missing
				e.file(path, "a file")
			}
			req := e.request()
			req.Transcripts = name == "transcripts"
			report, err := Run(t.Context(), e.Options, req)
			if err == nil {
				t.Error("nothing is said")
			}
			must(t, os.RemoveAll(path))
			must(t, os.Rename(path+".away", path))
			e.consistent(report)
		})
	}
	if size := sizeOf(filepath.Join(t.TempDir(), "none")); size != 0 {
		t.Errorf("nothing has %d bytes", size)
	}
}

// consistent compares what a report that was cut short says with what there is.
func (e *estate) consistent(report Report) {
	e.t.Helper()
	gone, _ := e.listed(report)
	left := slices.DeleteFunc(e.everything(), func(name string) bool { return slices.Contains(gone, name) })
	if there := e.there(); !slices.Equal(left, there) || !slices.Contains(there, "object "+e.orphan) {
		e.t.Errorf("%q are said to have gone, and there are %q", gone, there)
	}
}

// TestWhereGitFails: a ref that cannot be removed stays and the rest goes; where it cannot be looked at, that is said.
func TestWhereGitFails(t *testing.T) {
	real, err := exec.LookPath("git")
	must(t, err)
	for command, fatal := range map[string]bool{"update-ref": false, "for-each-ref": true, "merge-base": true} {
		t.Run(command, func(t *testing.T) {
			e := newEstate(t)
			if command == "merge-base" { // git is asked about what is neither the commit itself nor its parent
				must(t, e.yard.Move(t.Context(), "refs/heads/feature/x", e.first, e.later))
			}
			bin := t.TempDir()
			script := fmt.Sprintf("#!/bin/sh\ncase \" $* \" in *' %s '*) echo 'fatal: no' >&2; exit 128;; esac\nexec %s \"$@\"\n", command, real)
			must(t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700))
			t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			report, err := Run(t.Context(), e.Options, e.request())
			if fatal != (err != nil) {
				t.Fatalf("got %v", err)
			}
			if fatal {
				e.consistent(report)
				return
			}
			if _, kept := e.listed(report); !slices.Equal(kept, []string{"ref " + theRef}) || !slices.Equal(e.there(), kept) {
				t.Errorf("%q are said to stay, and there are %q", kept, e.there())
			}
		})
	}
}

// taking is a context in which something is taken away by the nth look of retention, or of the objects, whether the context ended.
// Others, such as the database, look as often as it happens.
type taking struct {
	context.Context
	looks *int
	take  func()
}

func (c taking) Err() error {
	if _, file, _, _ := runtime.Caller(1); !strings.Contains(file, "/internal/retention/") && !strings.Contains(file, "/internal/object/") {
		return nil
	}
	if *c.looks--; *c.looks == 0 {
		c.take()
	}
	return nil
}

// TestWhatSomebodyElseRemovesMeanwhileIsNotSaidToHaveGone: it was there when its proof was sought.
func TestWhatSomebodyElseRemovesMeanwhileIsNotSaidToHaveGone(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{KindAttempt, KindWork, KindTranscript} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for look := 1; ; look++ {
				e := newEstate(t)
				path := map[string]string{KindAttempt: filepath.Dir(e.transcript), KindWork: e.work, KindTranscript: e.copied}[kind]
				looks, taken := look, false
				report, err := Run(taking{t.Context(), &looks, func() { taken = true; must(t, os.RemoveAll(path)) }}, e.Options, e.request())
				must(t, err)
				if !taken {
					t.Fatalf("after %d looks it was never told apart", look)
				}
				gone, kept := e.listed(report)
				mine := func(name string) bool { return strings.HasPrefix(name, kind+" ") }
				if slices.ContainsFunc(gone, mine) && slices.ContainsFunc(kept, mine) {
					t.Errorf("look %d: %q went and %q stayed", look, gone, kept)
				}
				if slices.ContainsFunc(kept, mine) {
					return // it was taken between its proof and its removal
				}
			}
		})
	}
}
