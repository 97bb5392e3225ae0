package dispatch

import (
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
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestWhatGitRefuses is named and kept, and the delivery has no commit: whatever holds of the base says nothing about it. Of
// an attempt elsewhere there is only the bundle.
func TestWhatGitRefuses(t *testing.T) {
	for name, make := range map[string]string{
		"garbage":                  "echo nonsense > $1",
		"a bundle without its end": "git bundle create -q whole HEAD ^$2; head -c 100 whole > $1",
	} {
		for _, shared := range []bool{true, false} {
			e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Checkpoint: true, Commit: "c1"}, Bundle: "out.bundle"}}, nil)
			bundle, kept := filepath.Join(e.folder, "out.bundle"), filepath.Join(e.folder, "workspace")
			sh(t, filepath.Join(e.Layout.State, "person"), fmt.Sprintf("set -- %s %s; %s", bundle, e.run.BaseCommit, make))
			refused := content(t, bundle)
			if !shared {
				e.Exchange = afar{e.Exchange}
			}
			d := e.collected(t).Delivery
			if d.Sound(core.WritesCode) || d.Commit != "" || !d.Empty || d.Ref != "" || d.Tree != "" || len(d.Rejected) != 1 || !strings.Contains(d.Rejected[0], "git refused") {
				t.Errorf("%s: taken over was %+v", name, d)
			}
			if got := stored(t, e.Objects, d.Workspace); shared && !strings.Contains(got, "code.go") || !shared && (got != refused || !strings.Contains(d.Rejected[0], d.Workspace)) {
				t.Errorf("%s: among the objects is %q; said is %q", name, got, d.Rejected)
			}
			if shared && (content(t, filepath.Join(kept, "code.go")) != "work" || !strings.Contains(d.Rejected[0], "kept in "+kept)) {
				t.Errorf("%s: said is %q", name, d.Rejected)
			}
		}
	}
	gone := newEnded(t, shim.Exit{HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Empty: true, Gone: "it was deleted"}}}, nil)
	if d := gone.collected(t).Delivery; d.Sound(core.WritesCode) || !slices.Equal(d.Rejected, []string{"there is no work to take over: it was deleted"}) {
		t.Errorf("a workspace that is gone: %+v", d)
	}
	var big error = &yard.TooBigError{}
	for err, refused := range map[error]bool{yard.ErrCorrupt: true, yard.ErrPrerequisites: true, big: true, errors.New("no space"): false, nil: false} {
		if refusedBundle(err) != refused {
			t.Errorf("%v is refused: %t", err, !refused)
		}
	}
}

// TestAnOldSupervisorDoesNotSayThatAWorkspaceIsGone: it hands it in as one without changes. The engine looks, unless the
// workspace is elsewhere.
func TestAnOldSupervisorDoesNotSayThatAWorkspaceIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		remove, afar, session, sound bool
	}{
		"there":        {sound: true},
		"gone":         {remove: true},
		"elsewhere":    {remove: true, afar: true, sound: true},
		"of a session": {remove: true, session: true, sound: true},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Empty: true, Notes: []string{"the workspace was deleted"}}}}, nil)
			_, _, a := e.run.Attempt(theAttempt)
			if c.session {
				a.Session = "s1"
			}
			if c.afar {
				e.Exchange = afar{e.Exchange}
			}
			if c.remove {
				if err := os.RemoveAll(e.Layout.Workspace(e.run.ID, theAttempt)); err != nil {
					t.Fatal(err)
				}
			}
			d := e.collected(t).Delivery
			if d.Sound(core.WritesCode) != c.sound || (len(d.Rejected) == 0) != c.sound {
				t.Errorf("taken over was %+v", d)
			}
		})
	}
}

// TestAnAttemptWhoseYardWasRemoved is lost and not counted, if git failed over it or nothing could be handed in.
func TestAnAttemptWhoseYardWasRemoved(t *testing.T) {
	before, after := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), time.Now().Add(time.Hour) // the yard is made in between
	failed, done := agent.Outcome{Message: "git failed"}, agent.Outcome{OK: true}
	for name, c := range map[string]struct {
		exit shim.Exit
		afar bool
		want core.ExitKind
		says string
	}{
		"nothing handed in":            {exit: shim.Exit{StartedAt: before, Outcome: done, HandIn: &shim.HandIn{Error: "no HEAD"}}, want: core.ExitLost, says: removed},
		"failed":                       {exit: shim.Exit{StartedAt: before, Outcome: failed, HandIn: shimExit().HandIn}, want: core.ExitLost, says: removed + ": git failed"},
		"done":                         {exit: shim.Exit{StartedAt: before, Outcome: done, HandIn: shimExit().HandIn}, want: core.ExitFinished},
		"the yard is older":            {exit: shim.Exit{StartedAt: after, Outcome: failed, HandIn: &shim.HandIn{Error: "no HEAD"}}, want: core.ExitFailed, says: "git failed"},
		"it is not said when it began": {exit: shim.Exit{Outcome: failed, HandIn: shimExit().HandIn}, want: core.ExitFailed, says: "git failed"},
		"elsewhere":                    {exit: shim.Exit{StartedAt: before, Outcome: failed, HandIn: shimExit().HandIn}, afar: true, want: core.ExitFailed, says: "git failed"},
		"not counted anyway":           {exit: shim.Exit{StartedAt: before, Outcome: agent.Outcome{Class: agent.ClassNetwork, Message: "no route"}, HandIn: shimExit().HandIn}, want: core.ExitFailed, says: "no route"},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEnded(t, c.exit, nil)
			if c.afar {
				e.Exchange = afar{e.Exchange}
			}
			if got := e.collected(t); got.Kind != c.want || got.Message != c.says {
				t.Errorf("it is %s: %q", got.Kind, got.Message)
			}
		})
	}
}

const removed = "the yard was removed while the agent was at work"

// TestCommitsBesideTheHeadAreKept: an agent may have left them, and nothing else holds them.
func TestCommitsBesideTheHeadAreKept(t *testing.T) {
	e := newEnded(t, shim.Exit{HandIn: &shim.HandIn{HandInResult: shim.HandInResult{Mark: true}, Bundle: "out.bundle"}}, nil)
	commits := strings.Fields(sh(t, filepath.Join(e.Layout.State, "person"), `head=$(git commit-tree -m head -p `+e.commit+` HEAD^{tree}); left=$(git commit-tree -m left -p `+e.run.BaseCommit+` HEAD^{tree})
		git update-ref refs/handin/head $head; git update-ref refs/handin/left/0 $left
		git bundle create -q `+filepath.Join(e.folder, "out.bundle")+` refs/handin/head refs/handin/left/0 ^`+e.run.BaseCommit+`; echo $head $left`))
	d := e.collected(t).Delivery
	if d.Commit != commits[0] || !d.Mark || d.Checkpoint {
		t.Errorf("taken over was %+v", d)
	}
	y, err := e.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	kept, err := y.Refs(t.Context(), yard.Kept+e.run.ID+"/"+theAttempt+"-left")
	if err != nil || !slices.ContainsFunc(kept, func(r yard.Ref) bool { return r.Commit == commits[1] }) {
		t.Errorf("kept are %v, %v", kept, err)
	}
}
