// Package plugin installs the Claude Code plugin and answers its hooks.
package plugin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/deploy"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

type pluginOptions struct{ scope, claude string }

func New(sh *shell.Shell) *cobra.Command {
	o := &pluginOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "plugin",
		Short:       "Install the plugin for Claude Code",
		Long: `Installs and removes the plugin that runs playbooks inside your own Claude Code
session. The state folder keeps its files and copies of the programs that its
hooks need; after you upgrade Stellwerk, install the plugin again.`,
		Example: `  stellwerk plugin install
  stellwerk plugin install --scope project
  claude --plugin-dir "$(stellwerk plugin path)"`,
	}
	cmd.AddCommand(
		o.flags(&cobra.Command{
			Annotations: shell.Mark(shell.AtTerminal),
			Use:         "install [flags]",
			Short:       "Install or update the plugin",
			Long: `Writes the plugin into the state folder and installs it with Claude Code's own
commands. To update it, install it again. Open sessions keep the version they
have loaded.`,
			Example: `  stellwerk plugin install
  stellwerk plugin install --scope project --claude ~/bin/claude`,
			Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error { return o.install(cmd.Context(), sh) },
		}),
		o.flags(&cobra.Command{
			Annotations: shell.Mark(shell.AtTerminal),
			Use:         "uninstall [flags]",
			Short:       "Remove the plugin",
			Long:        "Removes the plugin from Claude Code, and from the state folder if no other scope\nhas it. Runs stay as they are.",
			Example:     `  stellwerk plugin uninstall`,
			Args:        cobra.NoArgs,
			RunE:        func(cmd *cobra.Command, _ []string) error { return o.uninstall(cmd.Context(), sh) },
		}),
		&cobra.Command{
			Use:     "path",
			Short:   "Write the plugin and print its folder",
			Long:    "Writes the plugin into the state folder without installing it, and prints that\nfolder for claude --plugin-dir.",
			Example: `  claude --plugin-dir "$(stellwerk plugin path)"`,
			Args:    cobra.NoArgs,
			RunE: func(*cobra.Command, []string) error {
				folder, _, err := writePlugin(sh)
				if err == nil {
					sh.Printf("%s\n", folder)
				}
				return err
			},
		},
	)
	return cmd
}

func (o *pluginOptions) flags(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&o.scope, "scope", "user", "user: for you, everywhere; project: for this repository, in its .claude/settings.json")
	cmd.Flags().StringVar(&o.claude, "claude", "", "`PATH` of Claude Code (default claude on PATH)")
	return cmd
}

// client is the Claude Code to install into.
func (o *pluginOptions) client(sh *shell.Shell) (deploy.Client, error) {
	if o.scope != "user" && o.scope != "project" {
		return deploy.Client{}, shell.Usagef("--scope %s: use user or project", o.scope)
	}
	return deploy.Find(o.claude, sh.Dir)
}

func (o *pluginOptions) install(ctx context.Context, sh *shell.Shell) error {
	client, err := o.client(sh)
	if err != nil {
		return err
	}
	folder, small, err := writePlugin(sh)
	if err != nil {
		return err
	}
	if err := client.Install(ctx, folder, o.scope); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "Claude Code did not install the plugin", "try it yourself: claude --plugin-dir "+plain.ShellWord(string(folder)))
	}
	sh.Printf("Installed for the %s, from %s\n", o.scope, terminal.Line(string(folder)))
	if !small {
		sh.Warn([]string{deploy.HookProgram + " was not found beside " + deploy.Program + ", so stellwerk answers hooks itself: each tool call in a session takes a few milliseconds longer"})
	}
	sh.Printf("  begin: claude, then /stellwerk:feature #42\n  check: stellwerk doctor\n")
	return nil
}

func (o *pluginOptions) uninstall(ctx context.Context, sh *shell.Shell) error {
	client, err := o.client(sh)
	if err != nil {
		return err
	}
	left, err := client.Uninstall(ctx, o.scope)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "Claude Code did not remove the plugin", "try it yourself: claude plugin uninstall stellwerk@stellwerk")
	}
	if left {
		sh.Printf("Removed for the %s; it is still installed elsewhere.\n", o.scope)
		return nil
	}
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	sh.Printf("Removed. Sessions of Claude Code that are open keep it until they end;\nits files stay for them in %s.\n", deploy.In(opts.State))
	return nil
}

// writePlugin writes the plugin into the state folder, and reports whether it found
// the small program for the hooks.
func writePlugin(sh *shell.Shell) (folder deploy.Folder, small bool, err error) {
	opts, err := sh.Options()
	if err != nil {
		return "", false, err
	}
	self, err := os.Executable()
	if err != nil {
		return "", false, fmt.Errorf("find this program's file: %w", err)
	}
	hook, small := hookProgram(self)
	folder = deploy.In(opts.State)
	return folder, small, folder.Write(map[string]string{deploy.Program: self, deploy.HookProgram: hook})
}

// hookProgram is the small program beside this one or on PATH. Without it, this
// program does the same under that name.
func hookProgram(self string) (string, bool) {
	beside := filepath.Join(filepath.Dir(self), deploy.HookProgram)
	if program.Executable(beside) == nil {
		return beside, true
	}
	if path, err := program.Look(os.Getenv("PATH"), deploy.HookProgram); err == nil {
		return path, true
	}
	return self, false
}
