package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

//go:embed testdata/page.js
var pageScript string

// window is the size of what a person looks at.
type window struct{ width, height int64 }

var (
	desk  = window{1280, 900}
	phone = window{390, 844}
)

// person sits in front of a browser of their own: own cookies, one page. What
// the page complains about to its console fails the test, unless allowed.
type person struct {
	t    *testing.T
	ctx  context.Context
	size window
	room cdp.BrowserContextID // whose pages share cookies

	mu       sync.Mutex
	faults   []string
	tolerate []string // parts of complaints that belong to the test
}

// newPerson opens an empty page in a browser.
func newPerson(browser context.Context, t *testing.T, size window) *person {
	t.Helper()
	room, err := target.CreateBrowserContext().WithDisposeOnDetach(true).Do(cdp.WithExecutor(browser, chromedp.FromContext(browser).Browser))
	if err != nil {
		t.Fatal("open a window:", err)
	}
	return openTab(browser, t, size, room)
}

// tab opens another empty page for the same person.
func (p *person) tab() *person {
	p.t.Helper()
	return openTab(p.ctx, p.t, p.size, p.room)
}

func openTab(browser context.Context, t *testing.T, size window, room cdp.BrowserContextID) *person {
	t.Helper()
	tab, err := target.CreateTarget("about:blank").WithBrowserContextID(room).WithNewWindow(true).Do(cdp.WithExecutor(browser, chromedp.FromContext(browser).Browser))
	if err != nil {
		t.Fatal("open a window:", err)
	}
	ctx, leave := chromedp.NewContext(browser, chromedp.WithTargetID(tab))
	t.Cleanup(leave)
	p := &person{t: t, ctx: ctx, size: size, room: room}
	chromedp.ListenTarget(ctx, p.hear)
	p.do("open a page", scriptFirst(pageScript), log.Enable(), emulation.SetDeviceMetricsOverride(size.width, size.height, 1, size == phone))
	t.Cleanup(p.content)
	return p
}

// scriptFirst runs a script in every page that is opened, before the page's own.
func scriptFirst(script string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	})
}

// hear notes what the page complains about.
func (p *person) hear(event any) {
	fault := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		fault = e.ExceptionDetails.Error()
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError {
			fault = fmt.Sprint("console.error ", string(e.Args[0].Value))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			fault = e.Entry.Text + " " + e.Entry.URL
		}
	}
	if fault != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.faults = append(p.faults, fault)
	}
}

// allow lets the console speak of what the test does on purpose.
func (p *person) allow(parts ...string) { p.tolerate = append(p.tolerate, parts...) }

// content fails the test where a page complained.
func (p *person) content() {
	p.mu.Lock()
	defer p.mu.Unlock()
faults:
	for _, fault := range p.faults {
		for _, part := range p.tolerate {
			if strings.Contains(fault, part) {
				continue faults
			}
		}
		p.t.Errorf("the console says: %s", fault)
	}
}

// do acts in the page, within [waittest.Limit].
func (p *person) do(what string, actions ...chromedp.Action) {
	p.t.Helper()
	if err := p.try(actions...); err != nil {
		p.t.Fatalf("%s: %v\n%s", what, err, died(p.ctx))
	}
}

// The first thing that is done in a context makes its page, which lives as long
// as that context: it must not be one with a deadline.
func (p *person) try(actions ...chromedp.Action) error {
	if chromedp.FromContext(p.ctx).Target == nil {
		return chromedp.Run(p.ctx, actions...)
	}
	ctx, cancel := context.WithTimeout(p.ctx, waittest.Limit)
	defer cancel()
	return chromedp.Run(ctx, actions...)
}

// open goes to an address and waits until its page is there.
func (p *person) open(url string) {
	p.t.Helper()
	p.do("open "+url, chromedp.Navigate(url))
	p.healthy()
}

// healthy is what has to hold on every page: nothing was kept from running by the
// content security policy, nothing foreign ran, nothing sticks out of the window.
func (p *person) healthy() {
	p.t.Helper()
	p.wait("the page is whole", `document.readyState === "complete"`)
	if broken := p.text(`person.broken.join("\n")`); broken != "" {
		p.t.Errorf("%s: the content security policy was broken: %s", p.where(), broken)
	}
	if p.is(`"hacked" in window`) {
		p.t.Errorf("%s: what an agent or a repository wrote was executed", p.where())
	}
	if overflow := p.text(`person.overflow()`); overflow != "" {
		p.t.Errorf("%s sticks out of the window: %s", p.where(), overflow)
	}
}

// eval evaluates an expression in the page. It fails while the page changes to
// another one.
func (p *person) eval(expression string, into any) error {
	return p.try(chromedp.Evaluate(expression, into, func(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }))
}

func (p *person) is(expression string) bool {
	held := false
	err := p.eval("!!("+expression+")", &held)
	return err == nil && held
}

func (p *person) text(expression string) string {
	p.t.Helper()
	value := ""
	if err := p.eval("Promise.resolve("+expression+").then(String)", &value); err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return value
}

func (p *person) where() string { return p.text(`location.pathname + location.search`) }

// until waits as [waittest.Until] does, for as long as there is a browser.
func (p *person) until(holds func() bool) bool {
	p.t.Helper()
	held := waittest.Until(func() bool { return p.ctx.Err() != nil || holds() })
	if gone := died(p.ctx); gone != "" {
		p.t.Fatal(gone)
	}
	return held
}

// wait waits until an expression holds.
func (p *person) wait(what, expression string) {
	p.t.Helper()
	if !p.until(func() bool { return p.is(expression) }) {
		p.t.Fatalf("%s: not so in time: %s (%s)\n%s", p.where(), what, expression, p.text(`document.body.innerText`))
	}
}

// sees waits until the page shows each of the texts.
func (p *person) sees(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		p.wait("shows "+text, "window.person && person.sees("+quoted(text)+")")
	}
}

// press presses the button, link, label or heading of something folded that says
// the text; within is a selector of where, or "".
func (p *person) press(within, text string) {
	p.t.Helper()
	p.manage("press "+text, fmt.Sprintf("person.press(%s, %s)", quoted(text), quoted(within)))
}

// manage repeats what says why it cannot be done, or nothing.
func (p *person) manage(what, expression string) {
	p.t.Helper()
	why := ""
	if !p.until(func() bool { return p.eval(expression, &why) == nil && why == "" }) {
		p.t.Fatalf("%s: %s: %s\n%s", p.where(), what, why, p.text(`document.body.innerText`))
	}
}

// fill writes into the field of a label, in place of what is there.
func (p *person) fill(within, label, text string) {
	p.t.Helper()
	p.manage("write into "+label, fmt.Sprintf("person.into(%s, %s)", quoted(label), quoted(within)))
	p.do("write "+text, input.InsertText(text))
	p.wait("it is written", "document.activeElement.value === "+quoted(text))
}

// stays marks the page as it is, and the result reports that it is the same
// still: nobody reloaded it.
func (p *person) stays() func() {
	p.t.Helper()
	p.text(`window.marked = "here"`)
	return func() {
		p.t.Helper()
		if p.text(`window.marked`) != "here" {
			p.t.Error("the page was loaded again to show what is new")
		}
	}
}

// signIn comes in by a one-time link.
func (p *person) signIn(e *engine) {
	p.t.Helper()
	link, _ := e.link()
	p.enter(link)
}

// enter opens a one-time link in a tab that shows nothing of the cockpit: there
// the code is sent at once.
func (p *person) enter(link string) {
	p.t.Helper()
	p.do("leave what is shown", chromedp.Navigate("about:blank"))
	p.open(link)
	p.wait("signed in", `location.pathname === "/" && window.person && person.sees("Projects")`)
	p.healthy()
}

// live waits until the page hears what moves.
func (p *person) live() {
	p.t.Helper()
	p.wait("live", `document.getElementById("live").dataset.state === "on"`)
}

func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return string(data)
}
