//go:build screenshots

package browser

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestScreenshots writes a picture of every page in both themes, and with a phone,
// into the folder that STELLWERK_SCREENSHOTS names.
func TestScreenshots(t *testing.T) {
	folder := os.Getenv("STELLWERK_SCREENSHOTS")
	if folder == "" {
		t.Fatal("STELLWERK_SCREENSHOTS does not say where the pictures go")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	s := newShowcase(t)
	p := newPerson(chromium(t), t, desk)
	p.open(s.URL + "/sign-in")
	p.picture(folder, "sign-in")
	p.enter(s.operator())
	rules, manager, waves := "/runs/"+s.rules, "/runs/"+s.manager, "/runs/"+s.waves
	shots := []struct{ name, address string }{
		{"run", rules}, {"run-gate", manager}, {"run-waves", waves},
		{"projects", "/"}, {"project", "/projects/timetable"}, {"project-add", "/add"}, {"epic", "/projects/timetable/new"},
		{"inbox", "/inbox"}, {"runs", "/runs"}, {"changes", rules + "/changes?stage=step-1"}, {"changes-split", rules + "/changes?stage=step-1&view=split"},
		{"review", manager + "/changes"}, {"plan", rules + "/plan"}, {"graph", rules + "/graph"},
		{"task", rules + "/tasks/step-3.r2.code"}, {"task-live", rules + "/tasks/step-2.r1.code"},
		{"transcript", rules + "/attempts/step-1.r1.code.a1/transcript"}, {"document", rules + "/documents/" + s.document() + "/view?name=plan.md"},
		{"timeline", rules + "/timeline?at=58"}, {"effects", rules + "/effects"}, {"run-costs", rules + "/costs"}, {"costs", "/costs"},
		{"talk", manager + "/talk"}, {"waves", waves + "/waves"}, {"facts", waves + "/facts"},
		{"settings", "/settings"}, {"roles", "/settings/roles"}, {"people", "/settings/people"}, {"engines", "/settings/engines"},
		{"playbooks", "/settings/playbooks"}, {"playbook", "/settings/playbooks/feature"}, {"docs", "/docs"}, {"nowhere", "/nowhere"},
	}
	for _, shot := range shots {
		p.open(s.URL + shot.address)
		p.picture(folder, shot.name)
	}
	p.dress(phone, "light")
	for _, shot := range shots {
		p.open(s.URL + shot.address)
		p.shoot(filepath.Join(folder, "phone-"+shot.name+".png"))
	}
	p.allow("status of 404")
}

// operator is a link for somebody with a name that fits a picture.
func (s *showcase) operator() string {
	s.t.Helper()
	token := s.path("token")
	made := regexp.MustCompile(`stw_[0-9a-f]+`).FindString(s.cli(".", "tokens", "add", "operator", "--role", "admin"))
	if err := os.WriteFile(token, []byte(made), 0o600); err != nil {
		s.t.Fatal(err)
	}
	link, _, _ := strings.Cut(s.cli(".", "cockpit", "--server", s.URL, "--token-file", token), "\n")
	return link
}

// picture writes the page as it is shown in both themes.
func (p *person) picture(folder, name string) {
	p.t.Helper()
	for _, theme := range []string{"light", "dark"} {
		p.dress(desk, theme)
		p.shoot(filepath.Join(folder, name+"-"+theme+".png"))
	}
	p.dress(desk, "light")
}

func (p *person) shoot(path string) {
	p.t.Helper()
	if p.is(`document.getElementById("live")`) {
		p.live()
	}
	var png []byte
	p.do("take a picture", chromedp.CaptureScreenshot(&png))
	if err := os.WriteFile(path, png, 0o644); err != nil {
		p.t.Fatal(err)
	}
}
