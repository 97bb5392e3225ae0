package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A person brings a repository, gives it an epic and follows it to the merge, at
// a desk and with a phone.
func TestJourney(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]window{"desk": desk, "phone": phone} {
		t.Run(name, func(t *testing.T) {
			e := newEngine(t)
			repository := e.repository("departures")
			p := newPerson(chromium(t), t, size)

			signInByHand(p, e)
			run := giveEpic(p, e, repository)
			answer(p, e, run)
			askForChange(p, e, run)
			approveAndMerge(p, e, run)
			if board := e.run("departures", []int{0}, "git", "show", "main:board.txt"); !strings.Contains(board, "platform 2") {
				t.Errorf("merged was %q", board)
			}
		})
	}
}

// signInByHand types the code, after a wrong one; then signs out and comes back
// by the link.
func signInByHand(p *person, e *engine) {
	p.t.Helper()
	p.allow("/sign-in", "/live", "status of 428") // the wrong code; the stream that ends with the session; what is to be trusted first
	p.open(e.URL)
	p.wait("sent to the door", `location.pathname === "/sign-in"`)
	p.fill("", "One-time code", "AAAA-BBBB-CCCC-DDDD")
	p.press("", "Sign in")
	p.wait("refused", `document.querySelector("[role=alert]")`)
	p.healthy()
	_, code := e.link()
	p.fill("", "One-time code", code)
	p.press("", "Sign in")
	p.sees("No project yet.")
	p.press("", "Sign out")
	p.wait("sent to the door", `location.pathname === "/sign-in"`)
	link, _ := e.link()
	p.do("paste the link into the tab", chromedp.Navigate(link))
	p.wait("the code is filled in", `document.getElementById("code")?.value !== ""`)
	p.press("", "Sign in")
	p.sees("No project yet.")
	if hash := p.text(`location.hash`); hash != "" {
		p.t.Errorf("the code stays in the address: %s", hash)
	}
}

// giveEpic adds the project, reads and trusts what it wants to be obeyed, and
// starts. It returns the run's page.
func giveEpic(p *person, e *engine, repository string) string {
	p.t.Helper()
	p.press("", "Add a project")
	p.fill("", "Repository", repository)
	p.fill("", "Base branch", "main")
	p.fill("", "Playbook", "team")
	p.press("form.card", "Add the project")
	p.wait("added", `location.pathname === "/projects/departures"`)
	p.healthy()
	p.press("", "New goal")
	p.fill("", "Goal", "A departure board\n\nTravellers see when their train leaves.")
	p.healthy()
	p.press("", "Start")
	p.sees("Read before you trust", ".stellwerk/playbooks/team.yaml")
	p.healthy()
	p.press("", "I have read these files and trust them.")
	p.press("", "Trust and start")
	p.wait("begun", `location.pathname.startsWith("/runs/")`)
	p.healthy()
	return e.URL + p.text(`location.pathname`)
}

// answer follows the run until it asks, and answers in the inbox: the page shows
// both by itself.
func answer(p *person, e *engine, run string) {
	p.t.Helper()
	p.live()
	same := p.stays()
	p.sees("Which clock does the board show?")
	p.wait("counted", `document.getElementById("waiting").innerText.startsWith("1")`)
	same()
	p.open(e.URL + "/inbox")
	p.live()
	same = p.stays()
	p.sees("Which clock does the board show?")
	p.fill("", "Your answer", "Show twenty-four hours.")
	p.press("", "Answer")
	p.wait("what follows is here by itself", `person.sees("Approve and publish")`)
	same()
	p.healthy()
	p.open(run)
	p.sees("Write the board", "Approve and publish")
}

// askForChange comments on a line of the diff, which outlives the engine, and sees
// the change made.
func askForChange(p *person, e *engine, run string) {
	p.t.Helper()
	p.open(run + "/changes")
	p.sees("board.txt", "14:05 Lindau")
	p.press("", "Side by side")
	p.wait("side by side", `document.querySelector("table.split")`)
	p.healthy()
	p.press("", "Unified")
	p.wait("unified", `document.querySelector("table.unified")`)
	p.manage("choose the line", `(() => { const a = [...document.querySelectorAll("tr.d-add a")].find((a) => a.closest("tr").innerText.includes("Lindau")); if (!a) return "no line"; setTimeout(() => a.click()); return ""; })()`)
	p.fill("", "Comment on board.txt", "Name the platform, please.")
	p.healthy()
	p.press("", "Save comment")
	p.sees("not sent yet")
	p.healthy()
	p.allow("/live", "ERR_CONNECTION_REFUSED") // the stream that ends, and what a page asks for meanwhile, such as its icon
	e.restart(func() { p.wait("cut off", `document.getElementById("live").innerText !== "live"`) })
	p.open(run + "/changes")
	p.sees("Name the platform, please.", "not sent yet")
	p.press("", "Send 1 comment as one request")
	p.wait("back at the run", `location.pathname.split("/").length === 3`)
	p.live()
	same := p.stays()
	p.sees("Name the platform", "Approve and publish")
	same()
}

// approveAndMerge looks again, approves, and merges.
func approveAndMerge(p *person, e *engine, run string) {
	p.t.Helper()
	p.open(run + "/changes")
	p.sees("Lindau platform 2")
	p.press("#review", "Approve and publish")
	p.wait("back at the run", `location.pathname.split("/").length === 3`)
	p.press("#gate", "Review and merge")
	p.wait("at the changes", `location.pathname.endsWith("/changes")`)
	p.healthy()
	p.live()
	p.press("#review", "Merge into main")
	p.wait("merged", `person.sees("completed") || person.sees("done")`)
	p.open(run)
	p.sees("merged by ")
	p.open(run + "/timeline")
	p.sees("Merge granted")
	p.open(run + "/pull-request")
	p.sees("merged")
	p.open(e.URL + "/")
	p.sees("departures")
}
