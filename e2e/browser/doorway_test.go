package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestABrowserThatWasOpened: --open leads a browser by a file of the person's own.
// To the engine that is a page from elsewhere, so the person says that it was them,
// unless they are known already. A name of the cockpit's own is this machine
// without anybody being asked.
func TestABrowserThatWasOpened(t *testing.T) {
	t.Parallel()
	e := newEngine(t)
	browser := chromium(t)
	opened := e.path("opened")
	if err := os.MkdirAll(e.path("bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(e.path("bin", program), []byte("#!/bin/sh\necho \"$1\" >"+opened+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	e.env = append(e.env, "PATH="+e.path("bin")+":"+os.Getenv("PATH"))
	page := func() string {
		t.Helper()
		e.cli(".", "cockpit", "--open")
		path, err := os.ReadFile(opened)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(path))
	}

	p := newPerson(browser, t, desk)
	path := page()
	p.do("open the file", chromedp.Navigate("file://"+path))
	p.wait("led to the code", `location.pathname === "/sign-in" && location.hash === "" && document.getElementById("code").value !== ""`)
	p.sees("Sign in only if you asked for this code.")
	p.press("", "Sign in")
	p.wait("signed in", `location.pathname === "/" && window.person && person.sees("Projects")`)
	if !waittest.Until(func() bool { _, err := os.Stat(path); return os.IsNotExist(err) }) {
		t.Error("the page that led to the code is still there")
	}
	p.do("open another", chromedp.Navigate("file://"+page()))
	p.wait("known already", `location.pathname === "/" && window.person && person.sees("Projects")`)

	link, _ := e.link()
	p.do("open a link", chromedp.Navigate(strings.Replace(link, "127.0.0.1", "stellwerk.localhost", 1)))
	p.wait("signed in by another name", `location.hostname === "stellwerk.localhost" && location.pathname === "/" && window.person && person.sees("Projects")`)

	// Who has signed in and opens a link is who the link says, and the code stays nowhere.
	p.open(e.URL)
	link, _ = e.link()
	p.do("open a link while signed in", chromedp.Navigate(link))
	p.wait("signed in anew", `location.pathname === "/" && location.hash === "" && window.person && person.sees("Projects")`)
	p.open(e.URL + "/sign-in")
	p.wait("go on without a code", `location.pathname === "/" && window.person && person.sees("Projects")`)
	p.healthy()
}
