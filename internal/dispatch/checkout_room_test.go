package dispatch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// offering is a spawner of which only what it offers is asked.
type offering struct {
	spawn.Spawner
	offers spawn.Capabilities
}

func (p offering) Capabilities() spawn.Capabilities { return p.offers }

// on has the checkout's commands run elsewhere.
func (c *checkout) on(offers spawn.Capabilities) {
	options := c.dispatcher.Options
	options.Commands = offering{offers: offers}
	c.dispatcher = &Dispatcher{Options: options}
}

// TestWhatAVerdictDependsOn: two checks share one only where nothing of it differs; a cache, where its key does not.
func TestWhatAVerdictDependsOn(t *testing.T) {
	s := newSurf(t)
	y, err := s.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	room := func(change func(c *checkout)) *checkout {
		run, playbook := *s.run, *s.run.Playbook
		run.Playbook, run.Isolation, playbook.Setup = &playbook, "sandbox", "make deps"
		playbook.Caches = []core.Cache{{Path: "deps", Key: []string{"more.txt"}}}
		c := &checkout{dispatcher: s.Dispatcher, yard: y, run: &run, commit: s.commit, reuse: true, dir: "/checkout"}
		change(c)
		return c
	}
	stored := func(c *checkout) string {
		all := c.caches(t.Context())
		if all.err != nil || len(all.entries) != 1 || all.entries[0].inside != filepath.Join("/checkout", c.run.Playbook.Caches[0].Path) {
			t.Errorf("the caches are %+v", all)
			return ""
		}
		return all.entries[0].stored
	}
	same := room(func(*checkout) {})
	for name, c := range map[string]struct {
		change       func(c *checkout)
		world, cache bool // whether they differ
	}{
		"nothing":           {func(*checkout) {}, false, false},
		"the machine":       {func(c *checkout) { c.on(spawn.Capabilities{Name: "local", Platform: "linux/amd64/another"}) }, true, false},
		"the place":         {func(c *checkout) { c.on(spawn.Capabilities{Name: "pod", Platform: s.Commands.Capabilities().Platform}) }, true, false},
		"the run":           {func(c *checkout) { c.run.ID = "run-2" }, true, true},
		"the isolation":     {func(c *checkout) { c.run.Isolation = "none" }, true, false},
		"the setup":         {func(c *checkout) { c.run.Playbook.Setup = "make all" }, true, true},
		"the key's content": {func(c *checkout) { c.commit = c.run.BaseCommit }, false, true},
		"the key":           {func(c *checkout) { c.run.Playbook.Caches[0].Key = []string{"kept.txt"} }, false, true},
		"the path":          {func(c *checkout) { c.run.Playbook.Caches[0].Path = "other" }, false, true},
	} {
		other := room(c.change)
		if (other.environment() != same.environment()) != c.world || (stored(other) != stored(same)) != c.cache {
			t.Errorf("%s: the world differs: %t, the cache %t", name, other.environment() != same.environment(), stored(other) != stored(same))
		}
	}
	published := room(func(c *checkout) { c.reuse = false })
	if all := published.caches(t.Context()); len(all.entries) > 0 {
		t.Errorf("what is published is made of %+v", all.entries)
	}
	if _, cache := published.home("/folder"); cache != "/checkout.cache" {
		t.Errorf("what is published is built with %s", cache)
	}
	unread := room(func(c *checkout) { c.commit = strings.Repeat("0", 40) }).caches(t.Context())
	if restored, err := unread.restore(t.Context()); restored || err == nil {
		t.Errorf("a key that cannot be read: %t, %v", restored, err)
	}
}

// TestCachesComeTogetherOrNotAtAll: where one is missing the setup has to run, on a checkout without the others; what an
// interrupted copy left is never found.
func TestCachesComeTogetherOrNotAtAll(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	c := &caches{checkout: &checkout{dir: dir}, entries: []cacheEntry{
		{inside: filepath.Join(dir, "a"), stored: filepath.Join(kept, "a")}, {inside: filepath.Join(dir, "b"), stored: filepath.Join(kept, "b")},
	}}
	write(t, filepath.Join(kept, "a", "made"), "made")
	write(t, filepath.Join(kept, "b.part", "half"), "half")
	if restored, err := c.restore(t.Context()); restored || err != nil || shimtest.Exists(t, filepath.Join(dir, "a")) {
		t.Errorf("restored %t, %v", restored, err)
	}
	write(t, filepath.Join(dir, "b", "whole"), "whole") // the setup made one of them
	if err := c.save(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "b", "later"), "later")
	if err := c.save(t.Context()); err != nil {
		t.Errorf("saved again: %v", err)
	}
	if got := contents(t, filepath.Join(kept, "b")); !slices.Contains(got, "whole") || slices.Contains(got, "half") {
		t.Errorf("kept is %q", got)
	}
	write(t, filepath.Join(dir, "a", "left"), "left") // by an interrupted restore
	if restored, err := c.restore(t.Context()); !restored || err != nil {
		t.Errorf("restored %t, %v", restored, err)
	}
	if got := contents(t, filepath.Join(dir, "a")); !slices.Equal(got, []string{"made"}) {
		t.Errorf("restored is %q", got)
	}
	for _, path := range []string{filepath.Join(dir, "../out"), t.TempDir()} { // beside the checkout, and elsewhere
		c.entries = []cacheEntry{{inside: path, stored: filepath.Join(kept, "a")}}
		if restored, err := c.restore(t.Context()); restored || err == nil {
			t.Errorf("%s: restored %t, %v", path, restored, err)
		}
		if err := c.save(t.Context()); err == nil {
			t.Errorf("%s was saved", path)
		}
	}
}

// TestOnlyACommandThatRanHasAResult: what could not be run says nothing of the delivery.
func TestOnlyACommandThatRanHasAResult(t *testing.T) {
	for reason, c := range map[shim.Reason]struct{ ran, late bool }{
		shim.ReasonExited: {true, false}, shim.ReasonTimeout: {true, true},
		shim.ReasonStartFailed: {}, shim.ReasonLost: {}, shim.ReasonCancelled: {},
	} {
		e := newEnded(t, shim.Exit{ExitCode: 3, Detail: "the detail"}, nil)
		e.rewrite(t, func(x *shim.Exit) { x.Reason = reason })
		long := strings.Repeat("x", 64<<10)
		write(t, shim.JournalPath(e.folder), `{"n":1,"at":"2026-01-02T03:04:05Z","record":{"kind":"text","text":"first"}}`+"\n"+
			`{"n":2,"at":"2026-01-02T03:04:05Z","record":{"kind":"stderr","text":"`+long+`"}}`+"\n")
		room := &checkout{dispatcher: e.Dispatcher, run: e.run}
		got, err := room.result(t.Context(), e.folder, check.Command{Shell: "make"})
		if (err == nil) != c.ran || got.TimedOut != c.late || c.ran && got.ExitCode != 3 {
			t.Errorf("%s: %d (%t), %v", reason, got.ExitCode, got.TimedOut, err)
		}
		if !c.ran {
			if err != nil && !strings.Contains(err.Error(), "the detail") {
				t.Errorf("%s: %v", reason, err)
			}
			continue
		}
		if text := stored(t, e.Objects, got.Digest); text != "first\n"+long+"\n" || got.Output != text[len(text)-64<<10:] {
			t.Errorf("%s: %d bytes are kept, %d shown", reason, len(text), len(got.Output))
		}
	}
}

// TestWhatACheckGets: no secret, but the names of those that its output may hold; its own home, and the walls that the
// attempt had.
func TestWhatACheckGets(t *testing.T) {
	p := newPhased(t)
	y, err := p.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"sandbox", "none"} {
		p.run.Isolation = kind
		c := &checkout{dispatcher: p.Dispatcher, yard: y, run: p.run, commit: p.commit, name: "build.r1.a1", dir: filepath.Join(t.TempDir(), "checkout"), reuse: true}
		folder := filepath.Join(t.TempDir(), "check")
		if err := c.order(folder, "check-1", c.dir, check.Command{Shell: "make", Timeout: 7, OutputCap: 9}, true); err != nil {
			t.Fatal(err)
		}
		spec, err := shim.ReadSpec(folder)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(agent.Job{
			Dir: c.dir, Prompt: filepath.Join(folder, "command"), In: filepath.Join(folder, "in"), Out: filepath.Join(folder, "out"), Home: filepath.Join(folder, "home"), Command: []string{"sh", "-c", "make"},
		}, spec.Job); diff != "" || content(t, spec.Job.Prompt) != "make\n" {
			t.Errorf("%q: %s", content(t, spec.Job.Prompt), diff)
		}
		if len(spec.Secrets) > 0 || !slices.Equal(spec.Redact, []string{"NEEDED"}) || spec.Tools != "" || spec.Writes != core.WritesArtifacts {
			t.Errorf("it gets %+v", spec)
		}
		if string(spec.Isolation) != kind || spec.Timeout != 7 || spec.OutputBytes != 9 || spec.Job.Home != filepath.Join(folder, "home") || !slices.Equal(spec.Job.Command, []string{"sh", "-c", "make"}) {
			t.Errorf("it runs as %+v", spec)
		}
		if walled := kind == "sandbox"; slices.Equal(spec.Masked, []string{p.Layout.State}) != walled || (len(spec.Private) > 0) != walled {
			t.Errorf("%s: hidden are %q and %q", kind, spec.Masked, spec.Private)
		}
		cache := p.Layout.BuildCache(p.run.ID)
		if !slices.Equal(spec.Writable, []string{cache}) || spec.Env["XDG_CACHE_HOME"] != cache || !shimtest.Exists(t, cache) {
			t.Errorf("it caches in %q and %v", spec.Writable, spec.Env)
		}
	}
}

// willing is a place that starts whatever it is told to.
type willing struct{ fated }

func (*willing) Start(context.Context, spawn.Order) error { return nil }

// TestACheckThatIsLost is trouble of the machine: it neither passed nor failed.
func TestACheckThatIsLost(t *testing.T) {
	s := newSurf(t)
	s.Commands = &willing{fated{statuses: []spawn.Status{spawn.Lost}}}
	y, err := s.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	c := &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: theAttempt}
	if _, err := c.Run(t.Context(), check.Command{Shell: "make"}); err == nil || err.Error() != `the check "make" was lost` {
		t.Errorf("%v", err)
	}
}

// TestACheckoutIsMadeOnce: an engine that takes over one without its mark sets that up again, and does not fetch it anew
// under a setup that may run; with the mark nothing is done.
func TestACheckoutIsMadeOnce(t *testing.T) {
	s := newSurf(t)
	s.withWorkers(t)
	setups := filepath.Join(t.TempDir(), "setups")
	s.run.Playbook.Setup = "echo set >>" + setups
	y, err := s.Yards.Yard(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := s.Layout.Checkout(s.run.ID, "e1", theAttempt)
	write(t, filepath.Join(dir, "mine"), "as another engine left it")
	for range 2 {
		c := &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: theAttempt}
		if err := c.prepare(t.Context()); err != nil || c.dir != dir {
			t.Fatalf("%s, %v", c.dir, err)
		}
		if !shimtest.Exists(t, filepath.Join(dir, "mine")) || !shimtest.Exists(t, dir+readySuffix) {
			t.Error("it was made again, or not marked")
		}
	}
	if err := os.RemoveAll(s.Layout.Attempt(s.run.ID, "")); err != nil {
		t.Fatal(err)
	}
	marked := &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: theAttempt}
	if err := marked.prepare(t.Context()); err != nil || content(t, setups) != "set\n" {
		t.Errorf("set up was %q, %v", content(t, setups), err)
	}
}
