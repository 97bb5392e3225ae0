package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func newPlaybook(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "playbook",
		Short: "List, show, check and import playbooks",
		Long: `A playbook says how a run is driven: its phases, who works on them, what must
hold before each passes, and where you are asked. A repository keeps its own
in ` + playbook.Folder + `/; some come with the program.`,
		Example: `  stellwerk playbook list
  stellwerk playbook validate .stellwerk/playbooks/feature.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPlaybookList(sh), newPlaybookShow(sh), newPlaybookValidate(sh), newPlaybookImport(sh))
	return cmd
}

func newPlaybookList(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the playbooks",
		Long:    `Lists the repository's own playbooks and those that come with the program.`,
		Example: `  stellwerk playbook list --json`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return playbookList(cmd.Context(), sh) },
	}
}

// playbookEntry is a playbook in a list.
type playbookEntry struct {
	Name        string `json:"name"`
	Origin      string `json:"origin"`
	Description string `json:"description,omitempty"`
	Problem     string `json:"problem,omitempty"`
}

func playbookList(ctx context.Context, sh *shell) error {
	repo, err := sh.repository()
	if err != nil {
		return err
	}
	own, err := repo.playbooks()
	if err != nil {
		return err
	}
	entries := []playbookEntry{}
	for _, file := range own {
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		entries = append(entries, sh.playbookEntry(ctx, name, file))
	}
	for _, name := range playbook.Builtins() {
		entries = append(entries, sh.playbookEntry(ctx, name, playbook.OriginBuiltin))
	}
	if sh.json {
		return sh.printJSON(struct {
			Playbooks []playbookEntry `json:"playbooks"`
		}{entries})
	}
	for _, e := range entries {
		about := e.Description
		if e.Problem != "" {
			about = sh.Console.Style.Bad("not valid: ") + e.Problem
		}
		sh.printf("%-16s %-9s %s\n", terminal.Line(e.Name), place(e.Origin), terminal.Line(about))
	}
	return nil
}

// place says where something comes from in a word.
func place(origin string) string {
	if origin == playbook.OriginBuiltin {
		return "built in"
	}
	return "yours"
}

func (sh *shell) playbookEntry(ctx context.Context, name, origin string) playbookEntry {
	given := origin
	if origin == playbook.OriginBuiltin {
		given = name
	}
	entry := playbookEntry{Name: name, Origin: origin}
	p, _, err := sh.playbook(ctx, given)
	if err != nil {
		entry.Problem = err.Error()
		return entry
	}
	entry.Description = p.Description
	return entry
}

func newPlaybookShow(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Show a playbook with everything that is in force",
		Long: `Shows a playbook as a run would obey it here: with defaults, roles, agents,
detected commands and implied checks filled in.`,
		Example: `  stellwerk playbook show feature
  stellwerk playbook show .stellwerk/playbooks/release.yaml`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: offer(playbook.Builtins),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, _, err := sh.playbook(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if sh.json {
				return sh.printJSON(p)
			}
			text, err := playbook.Render(*p)
			if err != nil {
				return err
			}
			sh.printf("%s", terminal.Text(string(text)))
			return nil
		},
	}
}

func newPlaybookValidate(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "validate [NAME|FILE]...",
		Short: "Check playbooks",
		Long: `Checks playbooks and reports everything that is wrong with them, each problem
with file, line and column. Without arguments, checks all of the repository's
own. Ends with exit code 1 where one is not valid.`,
		Example: `  stellwerk playbook validate
  stellwerk playbook validate .stellwerk/playbooks/feature.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error { return playbookValidate(cmd.Context(), sh, args) },
	}
}

// verdict is what was found about one playbook.
type verdict struct {
	Playbook string             `json:"playbook"`
	Valid    bool               `json:"valid"`
	Problems []playbook.Problem `json:"problems"`
	Warnings []playbook.Warning `json:"warnings"`
}

func playbookValidate(ctx context.Context, sh *shell, given []string) error {
	if len(given) == 0 {
		repo, err := sh.repository()
		if err != nil {
			return err
		}
		own, err := repo.playbooks()
		if err != nil {
			return err
		}
		for _, file := range own {
			given = append(given, repo.path(file))
		}
	}
	verdicts, bad := []verdict{}, 0
	for _, name := range given {
		v, err := sh.validate(ctx, name)
		if err != nil {
			return err
		}
		if verdicts = append(verdicts, v); !v.Valid {
			bad++
		}
	}
	if sh.json {
		if err := sh.printJSON(struct {
			Playbooks []verdict `json:"playbooks"`
		}{verdicts}); err != nil {
			return err
		}
	} else {
		sh.printVerdicts(verdicts)
	}
	if bad > 0 {
		return exitWith(ExitError)
	}
	return nil
}

func (sh *shell) validate(ctx context.Context, name string) (verdict, error) {
	v := verdict{Playbook: name, Problems: []playbook.Problem{}, Warnings: []playbook.Warning{}}
	_, warnings, err := sh.playbook(ctx, name)
	var problems playbook.Problems
	switch {
	case errors.As(err, &problems):
		v.Problems = problems
	case err != nil:
		return v, err
	default:
		v.Valid = true
		v.Warnings = append(v.Warnings, warnings...)
	}
	return v, nil
}

func (sh *shell) printVerdicts(verdicts []verdict) {
	style := sh.Console.Style
	if len(verdicts) == 0 {
		sh.printf("There are no playbooks in %s.\n", playbook.Folder)
	}
	for _, v := range verdicts {
		for _, p := range v.Problems {
			sh.printf("%s %s\n", style.Bad("error:"), terminal.Line(p.String()))
		}
		for _, w := range v.Warnings {
			sh.printf("%s %s\n", style.Asking("note:"), terminal.Line(w.String()))
		}
		if v.Valid {
			sh.printf("%s %s\n", style.Good("valid:"), terminal.Line(v.Playbook))
		}
	}
}

func newPlaybookImport(sh *shell) *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "import FILE [flags]",
		Short: "Turn a phases.conf into a playbook",
		Long: `Reads bytA's phases.conf and prints the same workflow as a playbook. What means
something else now than it did there is noted on standard error.`,
		Example: `  stellwerk playbook import phases.conf
  stellwerk playbook import phases.conf -o .stellwerk/playbooks/byta.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return playbookImport(sh, args[0], out) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE`, which must not exist yet")
	return cmd
}

func playbookImport(sh *shell, file, out string) error {
	path, err := sh.absolute(file)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return core.Wrap(core.CodeNotFound, err, "the phases cannot be read", "name the file: stellwerk playbook import phases.conf")
	}
	text, notes, err := playbook.Import(file, data)
	if err != nil {
		return err
	}
	sh.warn(notes)
	if out != "" {
		if out, err = sh.absolute(out); err != nil {
			return err
		}
		if err := writeNew(out, text); err != nil {
			return err
		}
	}
	switch {
	case sh.json:
		return sh.printJSON(struct {
			Playbook string   `json:"playbook"`
			Notes    []string `json:"notes"`
		}{string(text), append([]string{}, notes...)})
	case out != "":
		sh.printf("Written to %s\n", out)
	default:
		sh.printf("%s", terminal.Text(string(text)))
	}
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return core.Errorf(core.CodeConflict, "%s exists already", path).WithHint("move it away, or choose another name")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
