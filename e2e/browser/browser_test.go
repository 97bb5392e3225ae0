// Package browser plays what a person does in the cockpit, in a real Chromium
// against the real program: an engine as a process of its own with a home and a
// state folder per test, real git and scripted agents. It sees what a person
// sees, the page; nothing here may reach into the program or wait for anything
// but what a page or a command shows.
package browser

import (
	"context"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/patience"
	"github.com/stellwerk-dev/stellwerk/internal/toolbox"
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
	path := toolbox.Need(t, toolbox.Chromium)
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.WSURLReadTimeout(patience.Limit), chromedp.Env("HOME="+t.TempDir(), "TZ=UTC"))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx, chromedp.WithErrorf(func(string, ...any) {})) // it complains about events it does not know
	t.Cleanup(end)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatal("start chromium:", err)
	}
	return ctx
}
