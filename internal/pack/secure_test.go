package pack_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// unpacked makes the events of a history those of the version before, which named no packs.
func (h *history) unpacked() {
	events := h.events
	h.events = nil
	for _, e := range events {
		body, err := core.Decode(e)
		if err != nil {
			h.t.Fatal(err)
		}
		switch b := body.(type) {
		case core.RunStarted:
			b.BaseAt, b.BasePack, b.Home = "", "", h.person
			body = b
		case core.AttemptExited:
			b.Delivery.Pack = ""
			body = b
		case core.MergeConcluded:
			b.Pack = ""
			body = b
		default:
		}
		h.say(body)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, "blobs")); err != nil {
		h.t.Fatal(err)
	}
	h.put()
}

// TestWhatTheVersionBeforeLeftIsPacked: its events name no packs, so what is in the yard is packed once.
func TestWhatTheVersionBeforeLeftIsPacked(t *testing.T) {
	h := worked(t, standIn)
	h.unpacked()
	ctx := t.Context()
	for range 2 {
		if err := h.code().Secure(ctx, h.yard, "p1", false); err != nil {
			t.Fatal(err)
		}
	}
	if n := h.late(); n != 1 {
		t.Errorf("%d packs were made, not one", n)
	}
	y, err := h.restore("again.git")
	if err != nil {
		t.Fatal(err)
	}
	h.same(y)
}

// TestABaseThatIsGoneIsInAPack: a repository stood for it, was rewritten and cleaned up. The yard has it still, and once it was
// secured, objects have it, too. Others are asked for no more than what is new.
func TestABaseThatIsGoneIsInAPack(t *testing.T) {
	h := worked(t, standIn)
	h.git(h.person, "checkout -q --orphan other")
	h.commit("rewritten")
	h.git(h.person, "branch -q -D main")
	h.git(h.person, "update-ref -d refs/handin/head")
	h.git(h.person, "reflog expire --expire=now --all")
	h.git(h.person, "gc -q --prune=now")
	ctx := t.Context()
	if err := h.code().Secure(ctx, h.yard, "p1", false); err != nil || h.late() != 0 {
		t.Errorf("%d packs for a repository that is there, %v", h.late(), err)
	}
	if _, err := h.restore("early.git"); err == nil {
		t.Error("it came back from nowhere")
	}
	for range 2 {
		if err := h.code().Secure(ctx, h.yard, "p1", true); err != nil {
			t.Fatal(err)
		}
	}
	if n := h.late(); n != 1 {
		t.Errorf("%d packs were made, not one", n)
	}
	if err := os.RemoveAll(h.person); err != nil {
		t.Fatal(err)
	}
	y, err := h.restore("again.git")
	if err != nil {
		t.Fatal(err)
	}
	h.same(y)
}

// late counts the packs that documents name, all of which must be there.
func (h *history) late() (n int) {
	h.t.Helper()
	all, err := h.Documents(h.t.Context(), pack.Kind, "", "", 0)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, d := range all {
		if err := h.objects.Verify(h.t.Context(), path.Base(d.Key)); err != nil {
			h.t.Error(err)
		}
	}
	return len(all)
}

// TestAYardThatIsBehindFollows: another engine had the project meanwhile. This one's yard gets what it lacks, its branches go
// where the events say, and a move of its own that no event tells of is kept.
func TestAYardThatIsBehindFollows(t *testing.T) {
	h := worked(t, packed)
	ctx := t.Context()
	other, err := h.restore("other.git")
	if err != nil {
		t.Fatal(err)
	}
	// What the other engine's yard had when it lost the project: two branches moved, and no event says so.
	four := h.git(h.yard.Dir(), "rev-parse "+yard.AttemptRef(theRun, "build.r1.a4"))
	tree := h.git(other.Dir(), "rev-parse "+four+"^{tree}")
	lost := h.git(other.Dir(), "-c user.name=A -c user.email=a@example.org commit-tree -m lost -p "+four+" "+tree)
	tip := h.git(other.Dir(), "rev-parse refs/heads/feature/x")
	err = errors.Join(other.Move(ctx, "refs/heads/feature/x", tip, lost), other.Move(ctx, "refs/heads/feature/gone", "", four))
	if err != nil {
		t.Fatal(err)
	}
	// Meanwhile the run goes on elsewhere.
	five := h.deliver(5, four, "all new\n")
	if err := h.yard.Move(ctx, "refs/heads/feature/x", tip, five); err != nil {
		t.Fatal(err)
	}
	h.say(core.BranchMoved{Ref: "refs/heads/feature/x", Old: tip, New: five})
	if err := h.code().Restore(ctx, other, "p1"); err != nil {
		t.Fatal(err)
	}
	if kept, err := other.Resolve(ctx, pack.Unrecorded+lost); err != nil || kept != lost {
		t.Errorf("the commit that no event names is at %s, %v", kept, err)
	}
	if err := h.yard.Keep(ctx, pack.Unrecorded+lost, four); err != nil { // so that the two can be compared
		t.Fatal(err)
	}
	h.git(other.Dir(), "update-ref "+pack.Unrecorded+lost+" "+four)
	h.same(other)
	if !strings.Contains(h.logged.String(), lost) {
		t.Error("nothing was said about it")
	}
}
