package playbook

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

type trustOptions struct {
	look api.Trust
	yes  bool
}

func NewTrust(sh *shell.Shell) *cobra.Command {
	o := &trustOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.ForPeople),
		Use:         "trust [flags]",
		Short:       "Trust a repository's playbook, roles and settings",
		Long: `Shows one playbook of the working directory's repository, with the roles and
settings it uses, as of the base commit, and asks whether runs may use them. You
trust this exact content: if any of it changes, Stellwerk asks again. The
command lists the repository's other playbooks; they stay untrusted.

Without a terminal, repeat the hash from a first call with --confirm, or accept
the current content with --yes.`,
		Example: `  stellwerk trust
  stellwerk trust --playbook .stellwerk/playbooks/release.yaml
  stellwerk trust --json
  stellwerk trust --confirm sha256:4be1…`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	f := cmd.Flags()
	f.StringVar(&o.look.Project, "project", "", "use the project `NAME`, not the working directory's")
	f.StringVarP(&o.look.Playbook, "playbook", "p", "", "playbook `FILE|NAME` (default the project's, or feature)")
	f.StringVar(&o.look.Base, "base", "", "`BRANCH` to read the content from")
	f.StringVar(&o.look.Forge, "forge", "", "local, or a `FORGE` from your settings")
	f.StringVar(&o.look.Remote, "remote", "", "git remote `NAME` to read the branch from")
	f.StringVar(&o.look.Confirm, "confirm", "", "trust the content with this `HASH`")
	f.BoolVarP(&o.yes, "yes", "y", false, "trust the content as it is now, without asking")
	cmd.MarkFlagsMutuallyExclusive("confirm", "yes")
	shell.CompleteFlag(cmd, "playbook", shell.Offer(sh.PlaybookNames))
	return cmd
}

func (o *trustOptions) run(ctx context.Context, sh *shell.Shell) error {
	look := o.look
	look.Dir = sh.Dir
	return sh.Connect(ctx, func(svc api.Service) error {
		found, err := svc.Trust(ctx, look)
		if err != nil {
			return err
		}
		if o.yes && !found.Trusted {
			look.Confirm = found.Hash
			if found, err = svc.Trust(ctx, look); err != nil {
				return err
			}
		}
		return o.report(ctx, sh, svc, look, found)
	}, shell.Anew)
}

func (o *trustOptions) report(ctx context.Context, sh *shell.Shell, svc api.Service, look api.Trust, found api.Trusted) error {
	switch {
	case sh.JSON:
		if err := sh.PrintJSON(found); err != nil {
			return err
		}
	case found.Trusted:
		return o.trusted(ctx, sh, svc, found)
	case sh.Console.Ask:
		if err := askTrust(ctx, sh, svc, look); err != nil {
			return err
		}
		return o.trusted(ctx, sh, svc, found)
	default:
		showContent(sh, found)
		look.Confirm = found.Hash
		sh.Printf("To trust it: %s\n", TrustCommand(look))
	}
	if !found.Trusted {
		return shell.Exit(shell.ExitWaiting)
	}
	return nil
}

// trusted prints what runs may use now, and the repository's other playbooks.
func (o *trustOptions) trusted(ctx context.Context, sh *shell.Shell, svc api.Service, found api.Trusted) error {
	if len(found.Files) == 0 {
		name := cmp.Or(o.look.Playbook, playbook.Feature)
		sh.PrintText("", fmt.Sprintf("Nothing to trust: the playbook %s is built in and uses no files from this repository.", name))
	} else {
		sh.PrintText("Trusted: ", strings.Join(found.Files, ", "))
		sh.Printf("Hash:    %s\n", found.Hash)
	}
	if o.look.Project != "" {
		return nil
	}
	own, err := sh.Repository().Playbooks()
	for _, file := range own {
		if !slices.Contains(found.Files, file) {
			o.printOther(ctx, sh, svc, file)
		}
	}
	return err
}

// printOther prints whether another playbook of the repository is trusted. Why one
// cannot be read, playbook validate says.
func (o *trustOptions) printOther(ctx context.Context, sh *shell.Shell, svc api.Service, file string) {
	look := o.look
	look.Dir, look.Confirm = sh.Dir, ""
	look.Playbook = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	found, err := svc.Trust(ctx, look)
	switch {
	case core.CodeOf(err) == core.CodeNotFound:
		sh.PrintText("Not committed: ", file)
	case err != nil:
		sh.PrintText("Cannot be read: ", file+"; stellwerk playbook validate says why")
	case found.Trusted:
		sh.PrintText("Trusted before: ", file)
	default:
		sh.PrintText("Not trusted: ", fmt.Sprintf("%s; `%s` shows it", file, TrustCommand(look)))
	}
}

// askTrust shows what runs would use, and records the person's yes.
func askTrust(ctx context.Context, sh *shell.Shell, svc api.Service, look api.Trust) error {
	found, err := svc.Trust(ctx, look)
	if err != nil || found.Trusted {
		return err
	}
	showContent(sh, found)
	yes, err := sh.Confirm(ctx, "May runs use this?")
	if err != nil {
		return err
	}
	if !yes {
		return core.Errorf(core.CodeUntrusted, "you did not trust it; nothing was started").WithHint("use a built-in playbook: stellwerk playbook list")
	}
	look.Confirm = found.Hash
	_, err = svc.Trust(ctx, look)
	return err
}

func showContent(sh *shell.Shell, found api.Trusted) {
	sh.Printf("This run will use these files from the repository:\n\n")
	for _, line := range strings.Split(strings.TrimRight(terminal.Text(found.Content), "\n"), "\n") {
		sh.Printf("  %s\n", line)
	}
	sh.Printf("\nFiles: %s\nHash:  %s\n", terminal.Line(strings.Join(found.Files, ", ")), found.Hash)
}

// TrustCommand is the command that trusts the same content.
func TrustCommand(look api.Trust) string {
	command := "stellwerk trust"
	for _, flag := range []struct{ name, value string }{
		{"project", look.Project}, {"playbook", look.Playbook}, {"base", look.Base},
		{"forge", look.Forge}, {"remote", look.Remote}, {"confirm", look.Confirm},
	} {
		if flag.value != "" {
			command += fmt.Sprintf(" --%s %s", flag.name, plain.ShellWord(flag.value))
		}
	}
	return command
}

// AskIfUntrusted asks the person at the terminal whether runs may use files of the
// repository after the engine refused to. It returns nil if they agree.
func AskIfUntrusted(ctx context.Context, sh *shell.Shell, svc api.Service, look api.Trust, command string, refused error) error {
	if !sh.Console.Ask || sh.JSON || sh.Attempt != "" {
		return core.Wrap(core.CodeUntrusted, refused, "this run would use files from the repository that nobody has trusted yet",
			TrustCommand(look)+" (after reading what it shows), or "+command+" --trust")
	}
	return askTrust(ctx, sh, svc, look)
}
