package playbook

import (
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
	playbook, base, forge, remote, confirm string
	project                                string
	yes                                    bool
}

func NewTrust(sh *shell.Shell) *cobra.Command {
	o := &trustOptions{}
	cmd := &cobra.Command{
		Use:   "trust [flags]",
		Short: "Trust a repository's playbook, roles and settings",
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
	f.StringVar(&o.project, "project", "", "use the project `NAME`, not the working directory's")
	f.StringVarP(&o.playbook, "playbook", "p", "", "playbook `FILE|NAME` (default the project's, or feature)")
	f.StringVar(&o.base, "base", "", "`BRANCH` to read the content from")
	f.StringVar(&o.forge, "forge", "", "local, or a `FORGE` from your settings")
	f.StringVar(&o.remote, "remote", "", "git remote `NAME` to read the branch from")
	f.StringVar(&o.confirm, "confirm", "", "trust the content with this `HASH`")
	f.BoolVarP(&o.yes, "yes", "y", false, "trust the content as it is now, without asking")
	cmd.MarkFlagsMutuallyExclusive("confirm", "yes")
	shell.CompletePlaybooks(sh, cmd)
	return cmd
}

func (o *trustOptions) run(ctx context.Context, sh *shell.Shell) error {
	if err := sh.ForPeople("trust"); err != nil {
		return err
	}
	dir, err := sh.Dir()
	if err != nil {
		return err
	}
	look := api.Trust{
		Dir: dir, Project: o.project, Playbook: o.playbook, Base: o.base, Forge: o.forge, Remote: o.remote, Confirm: o.confirm,
	}
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
	})
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
		sh.Printf("To trust it: %s\n", TrustCommand(api.Trust{
			Project: look.Project, Playbook: look.Playbook, Base: look.Base, Forge: look.Forge, Remote: look.Remote, Confirm: found.Hash,
		}))
	}
	if !found.Trusted {
		return shell.Exit(shell.ExitWaiting)
	}
	return nil
}

// trusted says what runs may obey now, and what of the repository that does not
// cover.
func (o *trustOptions) trusted(ctx context.Context, sh *shell.Shell, svc api.Service, found api.Trusted) error {
	name := o.playbook
	if name == "" {
		name = playbook.Feature
	}
	if len(found.Files) == 0 {
		sh.PrintText("", fmt.Sprintf("Nothing to trust: the playbook %s is built in and uses no files from this repository.", name))
	} else {
		sh.PrintText("Trusted: ", strings.Join(found.Files, ", "))
		sh.Printf("Hash:    %s\n", found.Hash)
	}
	if o.project != "" {
		return nil
	}
	repo, err := sh.Repository()
	if err != nil {
		return err
	}
	own, err := repo.Playbooks()
	if err != nil {
		return err
	}
	for _, file := range own {
		if slices.Contains(found.Files, file) {
			continue
		}
		other := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		o.alsoThere(ctx, sh, svc, file, api.Trust{Playbook: other, Base: o.base, Forge: o.forge, Remote: o.remote})
	}
	return nil
}

// alsoThere says how another playbook of the repository stands. One that cannot
// be read is the business of playbook validate.
func (o *trustOptions) alsoThere(ctx context.Context, sh *shell.Shell, svc api.Service, file string, look api.Trust) {
	dir, err := sh.Dir()
	if err != nil {
		return
	}
	asked := look
	asked.Dir = dir
	found, err := svc.Trust(ctx, asked)
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

// askTrust shows what would be obeyed and records the person's yes.
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

// TrustCommand is what to type to trust the same content.
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

// AskIfUntrusted asks the person whether content of the repository may be obeyed that
// was refused for want of trust. It returns nil where they agree.
func AskIfUntrusted(ctx context.Context, sh *shell.Shell, svc api.Service, look api.Trust, command string, refused error) error {
	if !sh.Console.Ask || sh.JSON || sh.ForPeople("") != nil {
		return core.Wrap(core.CodeUntrusted, refused, "this run would use files from the repository that nobody has trusted yet",
			TrustCommand(look)+" (after reading what it shows), or "+command+" --trust")
	}
	return askTrust(ctx, sh, svc, look)
}
