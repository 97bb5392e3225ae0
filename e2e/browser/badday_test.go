package browser

import (
	"regexp"
	"strings"
	"testing"
)

// One run on which everything goes wrong that can between a person and the engine.
func TestBadDays(t *testing.T) {
	t.Parallel()
	s := &showcase{engine: newEngine(t)}
	s.repository("departures")
	s.cli("departures", "run", "A departure board", "--playbook", "team", "--base", "main", "--trust", "--detach")
	s.manager = s.alias("a-departure")
	s.reaches(s.manager, "", "paused")
	browser := chromium(t)
	ada, bob := newPerson(browser, t, desk), newPerson(browser, t, desk)
	ada.allow("ERR_", "status of 409") // cut off for a while; refused
	bob.allow("ERR_", "status of 409")
	ada.signIn(s.engine)
	bob.signIn(s.engine)

	cutOff(s, ada, bob)
	restarted(s, ada)
	changedMeanwhile(s, bob)
}

// missNews makes a page miss every update from now on, as if they were late.
func (p *person) missNews() {
	p.t.Helper()
	p.live()
	p.text(`document.getElementById("page").dataset.still = ""`)
}

// cutOff: a page loses its connection, shows that, and catches up when it is
// back. An answer that comes second is refused, and says what the first was.
func cutOff(s *showcase, ada, bob *person) {
	s.t.Helper()
	bob.open(s.URL + "/inbox")
	bob.missNews()
	way := newWire(s.t, strings.TrimPrefix(s.URL, "http://"))
	link, _ := s.link()
	ada.enter(strings.Replace(link, s.URL, "http://"+way.here, 1))
	ada.open("http://" + way.here + "/runs/" + s.manager)
	ada.live()
	same := ada.stays()
	way.cut()
	ada.wait("cut off", `document.getElementById("live").innerText !== "live"`)
	s.cli(".", "answer", s.statuses(s.manager)[0].Manager.Questions[0].ID, "On twenty-four hours.")
	s.reaches(s.manager, "publish", "awaiting_approval")
	way.join()
	ada.live()
	ada.sees("Approve and publish")
	same()

	bob.fill("", "Your answer", "Show sunrise instead.")
	bob.press("", "Answer")
	bob.sees("was answered before", "On twenty-four hours.")
	if log := s.cli(".", "log", s.manager); strings.Contains(log, "sunrise") {
		s.t.Errorf("the second answer was taken:\n%s", log)
	}
}

// restarted: the engine ends and begins again while a page is open.
func restarted(s *showcase, ada *person) {
	s.t.Helper()
	ada.signIn(s.engine)
	ada.open(s.URL + "/runs/" + s.manager)
	ada.live()
	same := ada.stays()
	s.restart(func() { ada.wait("cut off", `document.getElementById("live").innerText !== "live"`) })
	ada.live()
	ada.sees("Approve and publish")
	same()
}

// changedMeanwhile: what is approved is not what would be published any more. It
// is refused, and what there is now is shown.
func changedMeanwhile(s *showcase, bob *person) {
	s.t.Helper()
	bob.open(s.URL + "/runs/" + s.manager)
	bob.missNews()
	s.cli(".", "feedback", s.manager, "Name the platform.")
	s.reaches(s.manager, "publish", "awaiting_approval")
	bob.press("#gate", "Approve and publish")
	bob.wait("refused", `document.querySelector("[role=alert].problem")`)
	bob.sees("Name the platform")
	bob.wait("the refusal stays", `document.querySelector("[role=alert].problem")`)
	if s.times("ApprovalGranted") != 0 {
		s.t.Error("what nobody saw was approved")
	}
}

// times is how often something has happened in the manager's run.
func (s *showcase) times(event string) int {
	s.t.Helper()
	return len(regexp.MustCompile(`"type":\s*"`+event+`"`).FindAllString(s.cli(".", "log", s.manager, "--json"), -1))
}
