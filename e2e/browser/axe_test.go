package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// No page can only be used by those who see well, have a mouse or a large
// screen: axe finds nothing, in both themes, at a desk and with a phone. Everything
// that is folded is unfolded first.
func TestEverybodyCanUseIt(t *testing.T) {
	t.Parallel()
	axe := axeScript(t)
	s := newShowcase(t)
	p := newPerson(chromium(t), t, desk)
	p.do("bring axe", scriptFirst(axe))
	p.open(s.URL + "/sign-in")
	p.judged()
	p.text(`document.documentElement.removeAttribute("lang")`)
	if found := p.violations(everyRule); len(found) != 1 {
		t.Errorf("of a page without a language axe says %q", found)
	}
	p.signIn(s.engine)
	pages := s.pages()
	covers(t, pages)
	p.open(s.URL)
	p.press("", "Keys")
	p.wait("the keys are shown", `document.getElementById("help").open`)
	p.judged()
	for n := range judges {
		t.Run(fmt.Sprint("judge ", n), func(t *testing.T) {
			t.Parallel()
			p := openTab(p.ctx, t, desk, p.room)
			p.allow("status of 404") // the page that is not there
			p.do("bring axe", scriptFirst(axe))
			for i := n; i < len(pages); i += judges {
				p.open(s.URL + pages[i])
				p.judged()
			}
		})
	}
}

// judges share the pages. Axe computes for minutes: on a busy machine, one that asked
// alone would still compute when everybody else is done.
const judges = 3

// judged asks axe about the page as each of the people would have it: the page
// stays, and is dressed anew.
func (p *person) judged() {
	p.t.Helper()
	p.text(`[...document.querySelectorAll("details")].slice(0, 40).forEach((d) => { d.open = true; })`) // the page of the API has hundreds, all alike
	// A theme changes colours and nothing else, so what is not about them is asked once.
	rules := map[string]string{"light": everyRule, "dark": colourRules}
	for _, size := range []window{desk, phone} {
		for _, theme := range []string{"light", "dark"} {
			p.dress(size, theme)
			if overflow := p.text(`person.overflow()`); overflow != "" {
				p.t.Errorf("%s sticks out at %d: %s", p.where(), size.width, overflow)
			}
			for _, violation := range p.violations(rules[theme]) {
				p.t.Errorf("%s, %s, %d px: %s", p.where(), theme, size.width, violation)
			}
		}
	}
	p.dress(p.size, "light")
}

// What axe is to look for, as it wants to be told.
const (
	everyRule   = `{resultTypes: ["violations"]}`
	colourRules = `{resultTypes: ["violations"], runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}}`
)

// violations are what axe finds on the page by the given rules.
func (p *person) violations(rules string) []string {
	p.t.Helper()
	found := p.text(`axe.run(document, ` + rules + `).then((r) => JSON.stringify(r.violations.map((v) =>
		v.id + ": " + v.nodes.slice(0, 4).map((n) => n.html.slice(0, 160) + " " + n.failureSummary).join(" | "))))`)
	var list []string
	if err := json.Unmarshal([]byte(found), &list); err != nil {
		p.t.Fatalf("axe says %s: %v", found, err)
	}
	return list
}

// dress gives the window another size and the system another theme.
func (p *person) dress(size window, theme string) {
	p.t.Helper()
	p.do("change the window", emulation.SetDeviceMetricsOverride(size.width, size.height, 1, size == phone),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
}

// axeScript is what scripts/fetch-axe.sh has fetched.
func axeScript(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(tooltest.Need(t, tooltest.Axe))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}
