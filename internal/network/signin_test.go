package network_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

func TestSigningIn(t *testing.T) {
	w := serve(t, network.Config{})
	if a := w.ask(http.MethodGet, "/runs/r1?tab=2", "", "Accept", "text/html"); a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/sign-in?next=%2Fruns%2Fr1%3Ftab%3D2" {
		t.Errorf("a stranger: %d to %s", a.StatusCode, a.Header.Get("Location"))
	}
	if a := w.ask(http.MethodGet, "/runs/r1", "", "Accept", "*/*"); a.StatusCode != http.StatusUnauthorized || a.text != "sign in first\n" {
		t.Errorf("a stranger's script: %d %q", a.StatusCode, a.text)
	}
	page := w.ask(http.MethodGet, `/sign-in?next=%2Fruns%2F%22%3E%3Cscript%3E`, "")
	if page.StatusCode != http.StatusOK || !strings.Contains(page.text, `<script src="/sign-in.js" defer>`) || strings.Count(page.text, "<script") != 1 {
		t.Errorf("the page: %d %s", page.StatusCode, page.text)
	}
	code := w.code()
	a := w.ask(http.MethodPost, "/sign-in", "next=%2Fruns%2Fr1&code="+code, "Content-Type", "application/x-www-form-urlencoded", "Origin", w.url)
	if a.StatusCode != http.StatusSeeOther || a.Header.Get("Location") != "/runs/r1" || len(a.Cookies()) != 1 {
		t.Fatalf("signed in: %d %v", a.StatusCode, a.Header)
	}
	if used := w.used.Load(); used == nil || *used != code {
		t.Errorf("the code %s was used, and told was %v", code, used)
	}
	c := a.Cookies()[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" {
		t.Errorf("the cookie is %v", c)
	}
	cookie := c.Name + "=" + c.Value
	if a := w.ask(http.MethodGet, "/runs/r1", "", "Cookie", cookie); a.text != "cockpit /runs/r1 root admin" {
		t.Errorf("the cockpit: %q", a.text)
	}
	if a := w.ask(http.MethodGet, "/sign-in", "", "Cookie", cookie); a.StatusCode != http.StatusSeeOther {
		t.Errorf("the page for who has signed in: %d", a.StatusCode)
	}
	if a := w.signIn(code); a.StatusCode != http.StatusForbidden || len(a.Cookies()) != 0 || !strings.Contains(a.text, "stellwerk cockpit") {
		t.Errorf("the code again: %d %s", a.StatusCode, a.text)
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", cookie+"; "+c.Name+"=planted"); a.StatusCode == http.StatusOK {
		t.Error("a second cookie of the name was let pass")
	}
	if a := w.ask(http.MethodPost, "/sign-out", "", "Cookie", cookie); a.StatusCode != http.StatusSeeOther || a.Cookies()[0].MaxAge >= 0 {
		t.Errorf("signed out: %d %v", a.StatusCode, a.Cookies())
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", cookie); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("after signing out: %d", a.StatusCode)
	}
}

// TestEnginesBehindOneProxy: whoever signed in at one of them has at all, whichever ports they listen at. Engines that browsers
// reach at ports of their own are told apart by them.
func TestEnginesBehindOneProxy(t *testing.T) {
	t.Run("sqlite", func(t *testing.T) {
		testEnginesBehindOneProxy(t, func() func() store.Store {
			path := filepath.Join(t.TempDir(), "stellwerk.db")
			return func() store.Store { return sqlitetest.Open(t, path) }
		})
	})
	t.Run("postgres", func(t *testing.T) {
		testEnginesBehindOneProxy(t, func() func() store.Store {
			address := pgtest.Database(t)
			return func() store.Store {
				db, err := postgres.Open(t.Context(), address, postgres.Options{})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if err := db.Close(); err != nil {
						t.Error(err)
					}
				})
				return db
			}
		})
	})
}

// testEnginesBehindOneProxy is given how an engine opens a new store.
func testEnginesBehindOneProxy(t *testing.T, anew func() (open func() store.Store)) {
	for behind, want := range map[bool]int{true: http.StatusOK, false: http.StatusUnauthorized} {
		open := anew()
		c, host := network.Config{}, "localhost"
		if behind {
			c, host = network.Config{BehindProxy: true, Hosts: []string{"stellwerk.example.com"}}, "stellwerk.example.com"
		}
		one, other := serveAs(t, c, "one", open()), serveAs(t, c, "other", open())
		in := one.ask(http.MethodPost, "/sign-in", "code="+one.code(), "Content-Type", "application/x-www-form-urlencoded", "Host", host)
		if len(in.Cookies()) != 1 {
			t.Fatalf("signed in: %d %s", in.StatusCode, in.text)
		}
		cookie := in.Cookies()[0].Name + "=" + in.Cookies()[0].Value
		for engine, want := range map[*world]int{one: http.StatusOK, other: want} {
			if a := engine.ask(http.MethodGet, "/runs/r1", "", "Cookie", cookie, "Host", host); a.StatusCode != want {
				t.Errorf("behind a proxy %v, engine %s: %d, not %d", behind, engine.engine, a.StatusCode, want)
			}
		}
	}
}

// TestAViewersBrowser has the viewer's role, and ends with the viewer's token.
func TestAViewersBrowser(t *testing.T) {
	w := serve(t, network.Config{})
	token, _, err := w.access.Add(t.Context(), "eve", api.RoleViewer, "root")
	if err != nil {
		t.Fatal(err)
	}
	code, _, err := w.access.Code(t.Context(), api.Caller{Actor: core.Person("eve"), Role: api.RoleViewer, Token: token.ID})
	if err != nil {
		t.Fatal(err)
	}
	c := w.signIn(code).Cookies()[0]
	cookie := c.Name + "=" + c.Value
	if a := w.ask(http.MethodPost, "/approve", "", "Cookie", cookie, "Origin", w.url); a.StatusCode != http.StatusForbidden || len(w.svc.Calls()) != 0 {
		t.Errorf("approved: %d", a.StatusCode)
	}
	if _, err := w.access.Revoke(t.Context(), token.ID, "root"); err != nil {
		t.Fatal(err)
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", cookie); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the token: %d", a.StatusCode)
	}
}

// A browser sends the cookies of a host to whatever listens there: an agent that
// serves a page at another port of this machine is sent the session's.
func TestACookieAloneSaysNothing(t *testing.T) {
	w := serve(t, network.Config{})
	const form = "application/x-www-form-urlencoded"
	a := w.ask(http.MethodPost, "/sign-in", "code="+w.code()+"&proof=kept-by-the-browser", "Content-Type", form)
	if a.StatusCode != http.StatusSeeOther || len(a.Cookies()) != 1 {
		t.Fatalf("signed in: %d %s", a.StatusCode, a.text)
	}
	cookie := a.Cookies()[0].Name + "=" + a.Cookies()[0].Value
	for _, body := range []string{"", "proof=", "proof=guessed", "subject=%7B%7D"} {
		a := w.ask(http.MethodPost, "/runs/r1/approve?proof=kept-by-the-browser", body, "Cookie", cookie, "Content-Type", form)
		if a.StatusCode != http.StatusForbidden || !strings.Contains(a.text, `class="problem"`) {
			t.Errorf("a word with %q: %d %s", body, a.StatusCode, a.text)
		}
	}
	if a := w.ask(http.MethodPost, "/runs/r1/approve", `{"proof":"kept-by-the-browser"}`, "Cookie", cookie, "Content-Type", "application/json"); a.StatusCode != http.StatusForbidden {
		t.Errorf("a word in JSON: %d", a.StatusCode)
	}
	if calls := w.svc.Calls(); len(calls) != 0 {
		t.Errorf("the engine was told %v", calls)
	}
	if a := w.ask(http.MethodPost, "/runs/r1/approve", "proof=kept-by-the-browser", "Cookie", cookie, "Content-Type", form); a.StatusCode != http.StatusOK {
		t.Errorf("the browser itself: %d %s", a.StatusCode, a.text)
	}
}

// TestSigningInAnew: who has signed in and opens a link is shown who they are by
// then, and the code takes the place of their session.
func TestSigningInAnew(t *testing.T) {
	w := serve(t, network.Config{})
	token, _, err := w.access.Add(t.Context(), "eve", api.RoleViewer, "root")
	if err != nil {
		t.Fatal(err)
	}
	code, _, err := w.access.Code(t.Context(), api.Caller{Actor: core.Person("eve"), Role: api.RoleViewer, Token: token.ID})
	if err != nil {
		t.Fatal(err)
	}
	c := w.signIn(code).Cookies()[0]
	viewer := c.Name + "=" + c.Value
	a := w.ask(http.MethodGet, "/sign-in?next=%2Fruns%2Fr1", "", "Cookie", viewer, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "none")
	if a.StatusCode != http.StatusOK || !strings.Contains(a.text, "signed in as eve, viewer") || !strings.Contains(a.text, "data-signed") || !strings.Contains(a.text, `href="/runs/r1"`) {
		t.Errorf("a link opened by who has signed in: %d %s", a.StatusCode, a.text)
	}
	wrong := w.ask(http.MethodPost, "/sign-in", "code=AAAA-BBBB-CCCC-DDDD", "Content-Type", "application/x-www-form-urlencoded", "Cookie", viewer)
	if a := w.ask(http.MethodGet, "/", "", "Cookie", viewer); wrong.StatusCode != http.StatusForbidden || a.StatusCode != http.StatusOK {
		t.Errorf("after a wrong code: %d, then %d", wrong.StatusCode, a.StatusCode)
	}
	mine := w.code()
	asked := w.ask(http.MethodPost, "/sign-in", "code="+mine, "Content-Type", "application/x-www-form-urlencoded", "Cookie", viewer)
	if asked.StatusCode != http.StatusConflict || len(asked.Cookies()) != 0 || !strings.Contains(asked.text, "This code belongs to root, admin") || !strings.Contains(asked.text, `name="sure" value="`+mine+`"`) {
		t.Errorf("to be somebody else without being asked: %d %s", asked.StatusCode, asked.text)
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", viewer); !strings.Contains(a.text, "eve") {
		t.Errorf("while they are asked: %d %s", a.StatusCode, a.text)
	}
	anew := w.ask(http.MethodPost, "/sign-in", "code="+mine+"&sure="+mine, "Content-Type", "application/x-www-form-urlencoded", "Cookie", viewer)
	if anew.StatusCode != http.StatusSeeOther || len(anew.Cookies()) != 1 {
		t.Fatalf("anew: %d %s", anew.StatusCode, anew.text)
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", viewer); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("the session before goes on: %d %s", a.StatusCode, a.text)
	}
	cookie := anew.Cookies()[0].Name + "=" + anew.Cookies()[0].Value
	if a := w.ask(http.MethodGet, "/", "", "Cookie", cookie); !strings.Contains(a.text, "root") {
		t.Errorf("anew is %s", a.text)
	}
	if a := w.ask(http.MethodPost, "/sign-in", "code="+w.code(), "Content-Type", "application/x-www-form-urlencoded", "Cookie", cookie); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a code of their own: %d %s", a.StatusCode, a.text)
	}
}

func TestACodeOfAnotherSiteIsAskedAbout(t *testing.T) {
	w := serve(t, network.Config{})
	for from, asks := range map[string]bool{"": false, "none": false, "same-origin": false, "same-site": true, "cross-site": true} {
		if a := w.ask(http.MethodGet, "/sign-in", "", "Sec-Fetch-Site", from); strings.Contains(a.text, " data-ask>") != asks {
			t.Errorf("from %q: %s", from, a.text)
		}
	}
}

// TestAPersonReadsWhatIsWrong: what a browser shows is a page, and a program still
// gets a problem.
func TestAPersonReadsWhatIsWrong(t *testing.T) {
	w := serve(t, network.Config{})
	cookie := w.cookie()
	const form, html = "application/x-www-form-urlencoded", "text/html,*/*;q=0.8"
	large := "text=" + strings.Repeat("x", 1<<20)
	for range 11 {
		w.signIn("WRONG")
	}
	for name, c := range map[string]struct {
		answer answer
		status int
		says   string
	}{
		"guessed too often": {w.signIn("WRONG", "Accept", html), http.StatusTooManyRequests, "too many failed attempts"},
		"a long form":       {w.ask(http.MethodPost, "/runs/r1/feedback", large, "Cookie", cookie, "Content-Type", form, "Accept", html), http.StatusRequestEntityTooLarge, "send less"},
		"sent by a script":  {w.ask(http.MethodPost, "/runs/r1/feedback", large, "Cookie", cookie, "Content-Type", form), http.StatusRequestEntityTooLarge, "send less"},
		"a long code":       {w.signIn(strings.Repeat("x", 9<<10), "Accept", html), http.StatusRequestEntityTooLarge, "send less"},
		"from another site": {w.ask(http.MethodPost, "/runs/r1/approve", "", "Cookie", cookie, "Content-Type", form, "Accept", html, "Origin", "https://evil.example"), http.StatusForbidden, "another site"},
		"by another name":   {w.ask(http.MethodGet, "/", "", "Host", "other.example", "Accept", html), http.StatusMisdirectedRequest, "not called other.example"},
	} {
		if c.answer.StatusCode != c.status || !strings.HasPrefix(c.answer.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(c.answer.text, `class="problem"`) || !strings.Contains(c.answer.text, c.says) {
			t.Errorf("%s: %d %s", name, c.answer.StatusCode, c.answer.text)
		}
	}
	for name, a := range map[string]answer{
		"from another site": w.ask(http.MethodPost, "/v1/runs/r1/approve", "{}", "Origin", "https://evil.example"),
		"a long body":       w.ask(http.MethodPost, "/v1/runs/r1/approve", large, "Authorization", bearer(w.token(api.RoleAdmin)), "Content-Type", isJSON, "Accept", html),
	} {
		if a.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("a program, %s: %d %s", name, a.StatusCode, a.text)
		}
	}
	if calls := w.svc.Calls(); len(calls) != 0 {
		t.Errorf("the engine was told %v", calls)
	}
}

// Whose session is over when they send a form gets back what they wrote, and comes
// back to the page after signing in.
func TestWordsOutliveASession(t *testing.T) {
	w := serve(t, network.Config{})
	const kind = "application/x-www-form-urlencoded"
	a := w.ask(http.MethodPost, "/runs/r1/feedback", "text=Name+the+%3Cb%3Eplatform&subject=%7B%7D", "Content-Type", kind, "Accept", "text/html", "Referer", w.url+"/runs/r1/changes?view=split")
	for _, want := range []string{`name="code"`, "Name the &lt;b&gt;platform</textarea>", `name="next" value="/runs/r1/changes?view=split"`, "nothing was done"} {
		if a.StatusCode != http.StatusUnauthorized || !strings.Contains(a.text, want) {
			t.Errorf("%d, without %s: %s", a.StatusCode, want, a.text)
		}
	}
	a = w.ask(http.MethodPost, "/runs/r1/feedback", "text="+strings.Repeat("x", 100_000), "Content-Type", kind, "Accept", "text/html", "Referer", "https://elsewhere.example/runs/r1")
	if a.StatusCode != http.StatusUnauthorized || strings.Contains(a.text, "<textarea") || !strings.Contains(a.text, `name="next" value="/"`) {
		t.Errorf("too much, from elsewhere: %d %.300s", a.StatusCode, a.text)
	}
	if calls := w.svc.Calls(); len(calls) != 0 {
		t.Errorf("the engine was told %v", calls)
	}
}

// TestWhoHasTheOldPort: an engine that was given another one, because somebody else
// listens at its own, does not take the cookie that browsers bring to that one.
func TestWhoHasTheOldPort(t *testing.T) {
	w := serve(t, network.Config{})
	_, value, _ := strings.Cut(w.cookie(), "=")
	l, err := network.Listen(t.Context(), network.Config{Listen: strings.TrimPrefix(w.url, "http://"), AnyPort: true})
	if err != nil || l.Missed() == "" {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- network.Serve(ctx, l, w.site()) }()
	w.url = l.URL()
	if a := w.ask(http.MethodGet, "/", "", "Cookie", "stellwerk-"+l.URL()[strings.LastIndex(l.URL(), ":")+1:]+"="+value); a.StatusCode != http.StatusUnauthorized {
		t.Errorf("the cookie of the old port: %d %s", a.StatusCode, a.text)
	}
	w.http.CloseIdleConnections()
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestNobodyIsAStrangerWhileTheDatabaseIsAway: who cannot be known is told to come
// again, and keeps what they are known by.
func TestNobodyIsAStrangerWhileTheDatabaseIsAway(t *testing.T) {
	w := serve(t, network.Config{})
	token, cookie, code := w.token(api.RoleViewer), w.cookie(), w.code()
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answer{
		"with a token":  w.ask(http.MethodGet, "/v1/runs", "", "Authorization", bearer(token)),
		"signed in":     w.ask(http.MethodGet, "/", "", "Cookie", cookie, "Accept", "text/html"),
		"signing in":    w.signIn(code),
		"at the page":   w.ask(http.MethodGet, "/sign-in", "", "Cookie", cookie),
		"another's now": w.signIn(code, "Cookie", cookie),
	} {
		if a.StatusCode != http.StatusServiceUnavailable || len(a.Cookies()) != 0 {
			t.Errorf("%s: %d %s", name, a.StatusCode, a.text)
		}
	}
}
