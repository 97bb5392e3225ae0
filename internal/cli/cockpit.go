package cli

import (
	"context"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func newCockpit(sh *shell) *cobra.Command {
	open := false
	cmd := &cobra.Command{
		Use:   "cockpit [flags]",
		Short: "Print a link that signs you in to the cockpit",
		Long: `Prints a link to the cockpit of the engine that runs. It signs one browser in,
once, within ten minutes, in your name: here as an admin, with --server in the
role of your token. Browsers send what is behind the # to nobody; the page there
shows it to the engine and forgets it. The code can also be typed in.`,
		Example: `  stellwerk cockpit
  stellwerk cockpit --open
  stellwerk cockpit --server https://stellwerk.example.com --token-file token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cockpit(cmd.Context(), sh, open) },
	}
	cmd.Flags().BoolVar(&open, "open", false, "open it in a browser, too")
	return cmd
}

func cockpit(ctx context.Context, sh *shell, open bool) error {
	if err := sh.personsOwn("cockpit"); err != nil {
		return err
	}
	opts, err := sh.options()
	if err != nil {
		return err
	}
	opts.Existing = true // one of this command would end with it
	return sh.connectTo(ctx, opts, func(svc api.Service) error {
		code, err := svc.SignIn(ctx, api.SignIn{})
		if err != nil {
			return err
		}
		if server := sh.server(); server != "" { // that is how it is reached from here
			code.URL = strings.TrimSuffix(server, "/") + "/sign-in#" + code.Code
		}
		if sh.json {
			err = sh.printJSON(code)
		} else {
			sh.printf("%s\n", code.URL)
			sh.printText("", "It works once, until "+code.Until.In(time.Local).Format("15:04")+".")
		}
		if err == nil && open {
			err = browse(ctx, code.URL)
		}
		return err
	})
}

// browse opens a page in the person's browser.
func browse(ctx context.Context, url string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	if err := exec.CommandContext(ctx, program, url).Run(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "no browser could be opened", "open the link yourself")
	}
	return nil
}
