package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/doorway"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func NewCockpit(sh *shell.Shell) *cobra.Command {
	open := false
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.AtTerminal),
		Use:         "cockpit [flags]",
		Short:       "Print a link that signs you in to the cockpit",
		Long: `Prints a link to the running engine's cockpit. If no engine runs, the command
starts one in the background, as ` + "`stellwerk serve --detach`" + ` does. The link signs
one browser in, once, within ten minutes, in your name: here as an admin, with
--server in the role of your token. Browsers never send the part after the #;
the page hands it to the engine and forgets it. You can also type the code in.

--open also opens a browser. Everybody on a machine can read the arguments of
its programs, so the browser gets a file in the state folder that only you can
read, which leads to the link. To the engine that is a page of another site: it
fills in the code, and you press the button. The file goes once the code was
used or has expired. Some sandboxed browsers cannot read it: use the link.`,
		Example: `  stellwerk cockpit
  stellwerk cockpit --open
  stellwerk cockpit --server https://stellwerk.example.com --token-file token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cockpit(cmd.Context(), sh, open) },
	}
	cmd.Flags().BoolVar(&open, "open", false, "also open it in a browser")
	return cmd
}

func cockpit(ctx context.Context, sh *shell.Shell, open bool) error {
	if err := EnsureServing(ctx, sh); err != nil {
		return err
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		code, err := SignIn(ctx, sh, svc)
		if err != nil {
			return err
		}
		if sh.JSON {
			err = sh.PrintJSON(code)
		} else {
			sh.Printf("%s\n", code.URL)
			sh.PrintText("", "Code to type in: "+code.Code+" (works once, until "+code.Until.In(time.Local).Format("15:04")+")")
		}
		if err == nil && open {
			err = browse(ctx, sh, code, code.URL)
		}
		return err
	}, shell.Existing) // one of this command would end with it
}

// EnsureServing starts an engine in the background that serves the cockpit, unless
// one runs already, here or elsewhere.
func EnsureServing(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil || opts.Existing || opts.Server != "" {
		return err
	}
	opts.Network = &network.Config{AnyPort: true}
	return sh.Detach(ctx, opts)
}

// SignIn asks the engine for a link that signs this person's browser in.
func SignIn(ctx context.Context, sh *shell.Shell, svc api.Service) (api.SignInCode, error) {
	code, err := svc.SignIn(ctx, api.SignIn{})
	if err == nil && sh.Server != "" { // that is how it is reached from here
		code.URL = strings.TrimSuffix(sh.Server, "/") + "/sign-in#" + code.Code
	}
	return code, err
}

// ShowCockpit prints a link to the run and opens it if there is a screen. If no
// browser comes up, the command goes on: the link stands there.
func ShowCockpit(ctx context.Context, sh *shell.Shell, code api.SignInCode, run api.Run) {
	page := "/runs/" + url.PathEscape(run.Alias)
	if run.Epic != nil {
		page = "/projects/" + url.PathEscape(run.Epic.Project)
	}
	address, fragment, _ := strings.Cut(code.URL, "#")
	link := address + "?" + url.Values{"next": {page}}.Encode() + "#" + fragment // signs in, then goes on to the page
	fmt.Fprintf(sh.Console.Err, "cockpit: %s\n", terminal.Line(link))            // in one piece, however narrow the screen
	if runtime.GOOS != "darwin" && sh.Env("DISPLAY") == "" && sh.Env("WAYLAND_DISPLAY") == "" {
		return // no browser could appear
	}
	if err := browse(ctx, sh, code, link); err != nil {
		sh.Warn([]string{err.Error() + ": " + wording.Hint(err)})
	}
}

// browseTime bounds the program that hands a page to a browser.
const browseTime = 10 * time.Second

// browse opens a link with a code in the person's browser, through a page that
// only they can read: everybody on the machine sees the arguments of programs.
func browse(ctx context.Context, sh *shell.Shell, code api.SignInCode, link string) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	if err := doorway.Sweep(opts.State, time.Now().Add(-access.CodeLife)); err != nil {
		return err
	}
	name := access.CodeName(code.Code)
	page, err := doorway.Open(opts.State, name, link)
	if err != nil {
		return err
	}
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	ctx, cancel := context.WithTimeout(ctx, browseTime)
	defer cancel()
	if err := exec.CommandContext(ctx, program, page).Run(); err != nil {
		return core.Wrap(core.CodeUnavailable, errors.Join(err, doorway.Close(opts.State, name)), "no browser could be opened", "open the link yourself")
	}
	return nil
}
