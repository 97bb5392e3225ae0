package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Pages that change by themselves say what is true, lose nothing that a person
// has written, and let nobody decide on what they have not looked at.
func TestPagesStayTrue(t *testing.T) {
	t.Parallel()
	s := &showcase{engine: newEngine(t)}
	s.repository("departures")
	s.cli("departures", "run", "A departure board", "--playbook", "team", "--base", "main", "--trust", "--detach")
	s.manager = s.alias("a-departure")
	s.reaches(s.manager, "", "paused")
	browser := chromium(t)
	ada, bob, cleo := newPerson(browser, t, desk), newPerson(browser, t, desk), newPerson(browser, t, desk)
	for _, p := range []*person{ada, bob, cleo} {
		p.do("be there", scriptFirst(presence))
		p.allow("ERR_", "status of 409")
	}
	ada.signIn(s.engine)
	bob.signIn(s.engine)

	catchesUp := silentLine(s, cleo)
	refreshFails(s, ada)
	lateTab(s, ada)
	noAnswer(s, ada)
	disturbsNobody(s, ada)
	changedUnderTheHands(s, ada, bob)
	approveAtOnce(s, ada, bob)
	catchesUp()
	signedOut(s, bob)
}

// presence lets a test say whether a person looks at a page.
const presence = `Object.defineProperty(document, "hidden", { get: () => window.away === true });`

// away leaves the page as it is and looks elsewhere.
func (p *person) away() {
	p.t.Helper()
	p.text(`(() => { window.away = true; document.dispatchEvent(new Event("visibilitychange")); })()`)
}

// silentLine: the connection breaks, and nothing says so. The page notices later,
// and shows what has happened.
func silentLine(s *showcase, cleo *person) (catchesUp func()) {
	s.t.Helper()
	way := newWire(s.t, strings.TrimPrefix(s.URL, "http://"))
	link, _ := s.link()
	cleo.enter(strings.Replace(link, s.URL, "http://"+way.here, 1))
	cleo.open("http://" + way.here + "/runs/" + s.manager)
	cleo.live()
	cleo.sees("Which clock does the board show?")
	same := cleo.stays()
	way.hush()
	return func() {
		s.t.Helper()
		cleo.sees("Published, waiting for a review")
		cleo.live()
		same()
	}
}

// refreshFails: one answer in the middle says that something is wrong. What is
// shown stays, and so do words for what is not asked any more.
func refreshFails(s *showcase, ada *person) {
	s.t.Helper()
	ada.open(s.URL + "/runs/" + s.manager)
	ada.live()
	same := ada.stays()
	ada.fill("", "Your answer", "Half a tho")
	ada.text(`(() => {
		const real = window.fetch;
		window.fetch = (where, how) => {
			if (where !== location.href) return real(where, how);
			window.fetch = real;
			window.failed = true;
			return Promise.resolve(new Response('<div class="page" id="page" data-still data-at="" data-waiting="0" data-title="" data-runs="" data-projects=""><h1>This did not work</h1></div>', { status: 503 }));
		};
	})()`)
	s.cli(".", "answer", s.statuses(s.manager)[0].Manager.Questions[0].ID, "On twenty-four hours.")
	ada.wait("one failed", `window.failed`)
	ada.sees("Approve and publish", "Nobody is asking this any more.")
	ada.wait("words stay", `[...document.querySelectorAll("textarea")].some((t) => t.value === "Half a tho")`)
	if ada.is(`person.sees("This did not work")`) {
		s.t.Error("the page was replaced by a failure")
	}
	same()
}

// lateTab: what moves between the making of a second page and its scripts is not
// missed, and neither is what moves while the page that listens is frozen.
func lateTab(s *showcase, ada *person) {
	s.t.Helper()
	s.reaches(s.manager, "publish", "awaiting_approval")
	ada.open(s.URL + "/runs/" + s.manager)
	ada.live()
	other := ada.tab()
	other.do("be there", scriptFirst(presence))
	asked, opened := make(chan *fetch.EventRequestPaused, 1), make(chan error, 1)
	chromedp.ListenTarget(other.ctx, func(event any) {
		if e, ok := event.(*fetch.EventRequestPaused); ok {
			asked <- e
		}
	})
	other.do("hold a script back", fetch.Enable().WithPatterns([]*fetch.RequestPattern{{URLPattern: "*/assets/live.js"}}))
	go func() { opened <- other.try(chromedp.Navigate(s.URL + "/runs/" + s.manager)) }()
	held := <-asked
	s.cli(".", "pause", s.manager)
	ada.sees("Resume")
	other.do("let it through", chromedp.ActionFunc(func(ctx context.Context) error {
		return fetch.ContinueRequest(held.RequestID).Do(cdp.WithExecutor(ctx, chromedp.FromContext(ctx).Target))
	}))
	if err := <-opened; err != nil {
		s.t.Fatal(err)
	}
	other.live()
	other.sees("Resume")

	same := other.stays()
	ada.do("freeze", page.SetWebLifecycleState(page.SetWebLifecycleStateStateFrozen))
	s.cli(".", "resume", s.manager, "--detach")
	other.sees("Approve and publish")
	same()
	ada.do("thaw", page.SetWebLifecycleState(page.SetWebLifecycleStateStateActive))
	ada.sees("Approve and publish")
	ada.live()
	other.do("leave", page.Close())
}

// noAnswer: nobody knows whether a word was heard, and the page says so.
func noAnswer(s *showcase, ada *person) {
	s.t.Helper()
	ada.press("", "Stop or end this run")
	ada.text(`(() => {
		const real = window.fetch;
		window.fetch = (where, how) => {
			if (how?.method !== "POST") return real(where, how);
			window.fetch = real;
			return Promise.reject(new TypeError("the line is cut"));
		};
	})()`)
	ada.press("#end", "Pause")
	ada.sees("It may have acted anyway: look first")
	ada.wait("it can be sent again", `[...document.querySelectorAll("#end button")].every((b) => !b.disabled)`)
}

// disturbsNobody: a page that was told to stay does, over a reload as well, and
// shows what it missed when it may; keys that were turned off do nothing.
func disturbsNobody(s *showcase, ada *person) {
	s.t.Helper()
	ada.open(s.URL + "/runs/" + s.manager)
	ada.live()
	ada.press("", "Keys")
	ada.press("#help", "Enable these keys")
	ada.press("#help", "Close")
	ada.text(`document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true }))`)
	if ada.is(`document.getElementById("help").open`) {
		s.t.Error("a key acts that was turned off")
	}
	ada.manage("pause", `(() => { document.getElementById("pause").click(); return ""; })()`)
	ada.open(s.URL + "/runs/" + s.manager)
	ada.wait("paused", `document.getElementById("live").innerText.includes("paused") && document.getElementById("live").dataset.state === "on"`)
	ada.text(`(() => { window.news = 0; document.addEventListener("stellwerk:moved", () => window.news++); })()`)
	s.cli(".", "pause", s.manager)
	ada.wait("it heard", `window.news > 0`)
	if ada.is(`person.sees("Resume")`) {
		s.t.Error("the page changed by itself")
	}
	ada.manage("go on", `(() => { document.getElementById("pause").click(); return ""; })()`)
	ada.sees("Resume")
	s.cli(".", "resume", s.manager, "--detach")
	ada.sees("Approve and publish")
}

// changedUnderTheHands: what would be approved becomes something else on a page
// that shows it by itself. It cannot be approved before the person has looked. Who
// looks elsewhere is told that something waits again.
func changedUnderTheHands(s *showcase, ada, bob *person) {
	s.t.Helper()
	ada.open(s.URL + "/settings")
	ada.live()
	ada.text(`(() => { window.Notification = class { static permission = "granted"; constructor(title, more) { window.told = more.body; } }; })()`)
	ada.away()
	bob.open(s.URL + "/runs/" + s.manager + "/changes")
	bob.live()
	bob.sees("14:05 Lindau")
	same := bob.stays()
	s.cli(".", "feedback", s.manager, "Name the platform.")
	s.reaches(s.manager, "publish", "awaiting_approval")
	const form = `form[action$="/approve"]`
	bob.wait("held", fmt.Sprintf(`document.querySelector('%s .changed')?.innerText.includes("This has changed since you looked.")`, form))
	bob.wait("shown", `person.sees("Lindau platform 2")`)
	bob.text(fmt.Sprintf(`document.querySelector('%s').requestSubmit()`, form))
	if !bob.is(fmt.Sprintf(`document.querySelector('%s .go').disabled`, form)) || s.times("ApprovalGranted") != 0 {
		s.t.Error("what nobody looked at can be approved")
	}
	bob.press(form, "I have looked again")
	bob.wait("free", fmt.Sprintf(`!document.querySelector('%s .go').disabled && !document.querySelector('%s .changed')`, form, form))
	same()
	ada.wait("told", `window.told === "One thing is waiting for you."`)
}

// approveAtOnce: two people press in the same moment, on pages that hear everything.
// One is heard, the other is told.
func approveAtOnce(s *showcase, ada, bob *person) {
	s.t.Helper()
	both := []*person{ada, bob}
	for _, p := range both {
		p.open(s.URL + "/runs/" + s.manager)
		p.live()
		p.sees("Approve and publish")
	}
	moment := time.Now().Add(time.Second).UnixMilli()
	for _, p := range both {
		p.text(fmt.Sprintf(`(() => { const button = document.querySelector('#gate form[action$="/approve"] .go'); setTimeout(() => button.click(), %d - Date.now()); })()`, moment))
	}
	for _, p := range both {
		p.sees("Published, waiting for a review")
	}
	refused := 0
	for _, p := range both {
		if p.is(`document.querySelector("#refused")`) {
			refused++
		}
	}
	if approved, published := s.times("ApprovalGranted"), s.times("PublishRequested"); approved != 1 || published != 1 || refused != 1 {
		s.t.Errorf("approved %d times, published %d times, %d were told", approved, published, refused)
	}
}

// signedOut: the session ends while somebody writes. Their words stay, and can be
// sent after they have signed in in another tab.
func signedOut(s *showcase, bob *person) {
	s.t.Helper()
	bob.allow("status of 401")
	same := bob.stays()
	bob.press("", "Stop or end this run")
	bob.fill("#end", "Why?", "Half a reason")
	other := bob.tab()
	other.allow("/live")
	other.open(s.URL)
	other.press("", "Sign out")
	other.wait("sent to the door", `location.pathname === "/sign-in"`)
	bob.press("#end", "Cancel the run")
	bob.sees("You are signed out, and nothing was sent.")
	link, _ := s.link()
	other.enter(link)
	bob.wait("in again", `!person.sees("You are signed out")`)
	bob.wait("the words are there", `document.querySelector("#end input[name=reason]").value === "Half a reason"`)
	same()
	bob.press("#end", "Cancel the run")
	bob.sees("cancelled")
	other.do("leave", page.Close())
}
