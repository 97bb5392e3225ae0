package cockpit_test

import (
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// A form that is sent twice, by a double press or because its answer never came,
// starts one thing. Shown again or with other words it is another wish, and what
// failed can be tried again.
func TestADoublePressStartsOnce(t *testing.T) {
	svc := &apitest.Service{}
	svc.ProjectAnswer.Name = "shop"
	svc.StartAnswer = &api.Run{Alias: "r9"}
	started, fail := 0, false
	var mu sync.Mutex
	svc.On = func(c apitest.Call) error {
		mu.Lock()
		defer mu.Unlock()
		if c.Verb == "start" {
			if fail {
				return core.Errorf(core.CodeUnavailable, "not now")
			}
			started++
		}
		return nil
	}
	h := serve(t, svc, api.RoleApprover)
	fresh := func() string {
		_, body := get(t, h, "/projects/shop/new")
		found := regexp.MustCompile(`name="once" value="([^"]{20,})"`).FindStringSubmatch(body)
		if found == nil {
			t.Fatalf("no key: %s", body)
		}
		return found[1]
	}
	first := url.Values{"goal": {"Sell tea"}, "once": {fresh()}}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if w := post(h, "/projects/shop/new", first); w.Code != http.StatusSeeOther {
				t.Errorf("pressed: %d %s", w.Code, w.Body)
			}
		})
	}
	both.Wait()
	if started != 1 {
		t.Errorf("a double press started %d", started)
	}
	other := url.Values{"goal": {"Sell coffee"}, "once": first["once"]}
	fail = true
	if w := post(h, "/projects/shop/new", other); w.Code != http.StatusServiceUnavailable {
		t.Errorf("while the engine cannot: %d", w.Code)
	}
	fail = false
	post(h, "/projects/shop/new", other)
	post(h, "/projects/shop/new", url.Values{"goal": {"Sell tea"}, "once": {fresh()}})
	if started != 3 {
		t.Errorf("with another goal, and shown again: %d", started)
	}
}

// What breaks off while it acts has not happened: a repeat does not wait for it,
// and tries.
func TestARepeatDoesNotWaitForWhatBroke(t *testing.T) {
	svc := &apitest.Service{}
	svc.ProjectAnswer.Name = "shop"
	svc.StartAnswer = &api.Run{Alias: "r9"}
	breaks := true
	svc.On = func(c apitest.Call) error {
		if c.Verb == "start" && breaks {
			breaks = false
			panic("a defect")
		}
		return nil
	}
	h := serve(t, svc, api.RoleApprover)
	form := url.Values{"goal": {"Sell tea"}, "once": {"0123456789abcdefghij"}}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("nothing broke")
			}
		}()
		post(h, "/projects/shop/new", form)
	}()
	if w := post(h, "/projects/shop/new", form); w.Code != http.StatusSeeOther {
		t.Errorf("sent again: %d %s", w.Code, w.Body)
	}
}

// What failed over and over takes nobody's place: a form that was sent before is
// still known.
func TestFailuresAreNotRemembered(t *testing.T) {
	svc := &apitest.Service{}
	svc.ProjectAnswer.Name = "shop"
	svc.StartAnswer = &api.Run{Alias: "r9"}
	started, fail := 0, false
	svc.On = func(c apitest.Call) error {
		if c.Verb == "start" && fail {
			return core.Errorf(core.CodeUnavailable, "not now")
		}
		if c.Verb == "start" {
			started++
		}
		return nil
	}
	h := serve(t, svc, api.RoleApprover)
	first := url.Values{"goal": {"Sell tea"}, "once": {"0123456789abcdefghij"}}
	post(h, "/projects/shop/new", first)
	fail = true
	for range 1100 { // more than are remembered
		post(h, "/projects/shop/new", url.Values{"goal": {"Sell coffee"}, "once": {"0123456789abcdefghij"}})
	}
	fail = false
	if post(h, "/projects/shop/new", first); started != 1 {
		t.Errorf("the first form started %d runs", started)
	}
}
