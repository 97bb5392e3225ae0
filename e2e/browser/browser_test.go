// Package browser plays what a person does in the cockpit, in a real Chromium
// against the real program: an engine as a process of its own with a home and a
// state folder per test, real git and scripted agents. It sees what a person
// sees, the page; nothing here may reach into the program or wait for anything
// but what a page or a command shows.
package browser

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestMain makes this binary two programs: the tests, and under the name
// stellwerk the program itself.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"stellwerk": func() { os.Exit(cli.Main()) }})
}

// chromium starts a browser that ends with the test. What people do in it is
// apart from one another, see [engine.person].
func chromium(t *testing.T) context.Context {
	t.Helper()
	path := tooltest.Need(t, tooltest.Chromium)
	said := &lastWords{}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("force-prefers-reduced-motion", true), // drawing what moves is dear without a graphics card
		chromedp.WSURLReadTimeout(waittest.Limit), chromedp.CombinedOutput(said), chromedp.Env("HOME="+t.TempDir(), "TZ=UTC"))
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	ctx, stop := chromedp.NewExecAllocator(context.WithValue(context.Background(), wordsKey{}, said), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithErrorf(func(format string, args ...any) { fmt.Fprintf(said, "chromedp: "+format+"\n", args...) }))
	t.Cleanup(end)
	started := make(chan error)
	go func() {
		// The system kills the browser with the thread that started it, not with the process: that thread stays as long as it does.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- chromedp.Run(ctx)
		<-release
	}()
	if err := <-started; err != nil {
		t.Fatal("start chromium:", err)
	}
	return ctx
}

// wordsKey is where the context of a browser has its lastWords.
type wordsKey struct{}

// lastWords keeps the end of what a browser, and who speaks with it, complain
// about: what there is to see of one that died. They complain all the time.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *lastWords) Write(text []byte) (int, error) {
	const most = 4 << 10
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text...)
	w.text = w.text[max(0, len(w.text)-most):]
	return len(text), nil
}

// died says what there is to see of a browser that is gone; "" of one that lives.
func died(browser context.Context) string {
	if browser.Err() == nil {
		return ""
	}
	said := browser.Value(wordsKey{}).(*lastWords)
	said.mu.Lock()
	defer said.mu.Unlock()
	return "the browser has gone; the last it said:\n" + string(said.text)
}
