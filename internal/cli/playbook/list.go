package playbook

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func newList(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the playbooks",
		Long:    `Lists the repository's own playbooks and the built-in ones.`,
		Example: `  stellwerk playbook list --json`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), sh) },
	}
}

// entry is a playbook in a list.
type entry struct {
	Name        string `json:"name"`
	Origin      string `json:"origin"`
	Description string `json:"description,omitempty"`
	Problem     string `json:"problem,omitempty"`
}

func list(ctx context.Context, sh *shell.Shell) error {
	own, err := sh.Repository().Playbooks()
	if err != nil {
		return err
	}
	entries := []entry{}
	for _, file := range own {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		entries = append(entries, describe(ctx, sh, name, file))
	}
	for _, name := range playbook.Builtins() {
		entries = append(entries, describe(ctx, sh, name, playbook.OriginBuiltin))
	}
	var lines []string
	for _, e := range entries {
		about := terminal.Line(e.Description)
		if e.Problem != "" {
			about = sh.Console.Style.Bad("not valid: ") + terminal.Line(firstProblem(e.Problem)) +
				"; `" + sh.Command("playbook validate "+plain.ShellWord(e.Name)) + "` says it all"
		}
		prefix := fmt.Sprintf("%-16s %-9s ", terminal.Line(e.Name), view.Place(e.Origin))
		lines = append(lines, terminal.Hang(prefix, about, sh.Console.Width())...)
	}
	return sh.Print(map[string][]entry{"playbooks": entries}, lines...)
}

// firstProblem is the first of several, and how many more there are.
func firstProblem(problem string) string {
	lines := strings.Split(strings.TrimSpace(problem), "\n")
	if len(lines) == 1 {
		return lines[0]
	}
	return fmt.Sprintf("%s, and %d more", lines[0], len(lines)-1)
}

func describe(ctx context.Context, sh *shell.Shell, name, origin string) entry {
	given := origin
	if origin == playbook.OriginBuiltin {
		given = name
	}
	entry := entry{Name: name, Origin: origin}
	p, _, err := sh.Playbook(ctx, given)
	if err != nil {
		entry.Problem = err.Error()
		return entry
	}
	entry.Description = p.Description
	return entry
}
