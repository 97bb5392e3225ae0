package cockpit_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
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

// What failed is tried again, and what was done is not.
func TestFailuresAreNotRemembered(t *testing.T) {
	svc := &apitest.Service{}
	svc.ProjectAnswer.Name = "shop"
	svc.StartAnswer = &api.Run{Alias: "r9"}
	fail := true
	tried := 0
	svc.On = func(c apitest.Call) error {
		if c.Verb == "start" {
			if tried++; fail {
				return core.Errorf(core.CodeUnavailable, "not now")
			}
		}
		return nil
	}
	h := serveWith(t, svc, api.RoleApprover, sqlitetest.New(t))
	form := url.Values{"goal": {"Sell tea"}, "once": {"0123456789abcdefghij"}}
	for i, want := range []int{1, 2, 3, 3} {
		fail = i < 2
		if post(h, "/projects/shop/new", form); tried != want {
			t.Errorf("after it was sent %d times, it was tried %d times, not %d", i+1, tried, want)
		}
	}
}

// TestEnginesStartOnce: a balancer may give each press of a button to another engine.
func TestEnginesStartOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stellwerk.db")
	svc := &apitest.Service{}
	svc.ProjectAnswer.Name = "shop"
	svc.StartAnswer = &api.Run{Alias: "r9"}
	var started atomic.Int32
	acting, others := make(chan struct{}), make(chan struct{})
	svc.On = func(c apitest.Call) error {
		if c.Verb == "start" && started.Add(1) == 1 {
			close(acting)
			<-others
		}
		return nil
	}
	form := url.Values{"goal": {"Sell tea"}, "once": {"0123456789abcdefghij"}}
	engines := []http.Handler{
		serveWith(t, svc, api.RoleApprover, sqlitetest.Open(t, path)), serveWith(t, svc, api.RoleApprover, sqlitetest.Open(t, path)),
	}
	var presses sync.WaitGroup
	press := func(i int) {
		presses.Go(func() {
			if w := post(engines[i%2], "/projects/shop/new", form); w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/runs/r9" {
				t.Errorf("press %d: %d to %s", i, w.Code, w.Header().Get("Location"))
			}
		})
	}
	press(0)
	<-acting
	for i := range 5 {
		press(i + 1)
	}
	close(others)
	presses.Wait()
	if n := started.Load(); n != 1 {
		t.Errorf("it started %d times", n)
	}
	next := serveWith(t, svc, api.RoleApprover, sqlitetest.Open(t, path))
	if w := post(next, "/projects/shop/new", form); w.Header().Get("Location") != "/runs/r9" || started.Load() != 1 {
		t.Errorf("sent again to another engine: %d to %s, %d started", w.Code, w.Header().Get("Location"), started.Load())
	}
}
