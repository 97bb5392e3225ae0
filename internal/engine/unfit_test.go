package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// TestEveryEngineKnowsWhoCannotWorkOnAProject: until one takes it. An engine that finds out too late that it could not have
// taken it makes nobody believe that it is stranded.
func TestEveryEngineKnowsWhoCannotWorkOnAProject(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.stop()
	if err := b.engine.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := func(host, lacks string) *engine.Engine {
		e := b.with(engine.Options{ID: host + "'s", Host: host, Deciders: []core.Decider{phases.Decider{}}, Able: func(context.Context, string) error {
			if lacks == "" {
				return nil
			}
			return errors.New(lacks)
		}})
		if err := e.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		return e
	}
	stranded := func(e *engine.Engine) string {
		all, err := e.Stranded(t.Context())
		if err != nil || len(all) > 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all["p"].Reason
	}
	attic := begin("attic", "no robot")
	begin("cellar", "no secret")
	if why := stranded(attic); !strings.Contains(why, "attic: no robot") || !strings.Contains(why, "cellar: no secret") {
		t.Errorf("nobody can work on it because %q", why)
	}
	able := begin("kitchen", "")
	if why := stranded(attic) + stranded(able); why != "" || able.Fence("p") == 0 {
		t.Errorf("it has an owner, and %q is said", why)
	}
	left, err := b.store.Documents(t.Context(), "unfit", "", "", 0)
	if err != nil || len(left) > 0 {
		t.Errorf("%d documents are left, %v", len(left), err)
	}
	late, err := b.store.PutDocument(t.Context(), engine.Lacks("p", "attic's"))
	if why := stranded(able); err != nil || why != "" {
		t.Errorf("%+v, %v: %q is said", late, err, why)
	}
}
