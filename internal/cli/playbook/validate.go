package playbook

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

func newValidate(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "validate [NAME|FILE]...",
		Short: "Check playbooks",
		Long: `Checks playbooks and reports every problem with file, line and column. Without
arguments, checks all of the repository's own. For each role it says which text
applies: the built-in one, a file's, or the playbook's. The exit code is 1 if a
playbook is not valid.`,
		Example: `  stellwerk playbook validate
  stellwerk playbook validate .stellwerk/playbooks/feature.yaml`,
		RunE: func(cmd *cobra.Command, args []string) error { return validateAll(cmd.Context(), sh, args) },
	}
}

// verdict is what was found about one playbook.
type verdict struct {
	Playbook string             `json:"playbook"`
	Valid    bool               `json:"valid"`
	Problems []playbook.Problem `json:"problems"`
	Warnings []playbook.Warning `json:"warnings"`
	Roles    []view.RoleSource  `json:"roles"`
}

// roleSources are the roles of a playbook, by name.
func roleSources(p *core.Playbook) []view.RoleSource {
	builtin, sources := role.Builtin(), []view.RoleSource{}
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		r := p.Roles[name]
		_, shadowed := builtin[name]
		sources = append(sources, view.RoleSource{
			Name: name, Origin: r.Origin, Agent: r.Agent, Text: r.Prompt != "", Shadows: shadowed && r.Origin != role.OriginBuiltin,
		})
	}
	return sources
}

func validateAll(ctx context.Context, sh *shell.Shell, given []string) error {
	if len(given) == 0 {
		repo := sh.Repository()
		own, err := repo.Playbooks()
		if err != nil {
			return err
		}
		for _, file := range own {
			given = append(given, repo.Path(file))
		}
	}
	verdicts, bad := []verdict{}, 0
	for _, name := range given {
		v, err := validate(ctx, sh, name)
		if err != nil {
			return err
		}
		if verdicts = append(verdicts, v); !v.Valid {
			bad++
		}
	}
	if !sh.JSON {
		printVerdicts(sh, verdicts)
	} else if err := sh.PrintJSON(map[string][]verdict{"playbooks": verdicts}); err != nil {
		return err
	}
	if bad > 0 {
		return shell.Exit(shell.ExitError)
	}
	return nil
}

func validate(ctx context.Context, sh *shell.Shell, name string) (verdict, error) {
	v := verdict{Playbook: name, Problems: []playbook.Problem{}, Warnings: []playbook.Warning{}, Roles: []view.RoleSource{}}
	p, warnings, err := sh.Playbook(ctx, name)
	var problems playbook.Problems
	switch {
	case errors.As(err, &problems):
		v.Problems = problems
	case err != nil:
		return v, err
	default:
		v.Valid = true
		v.Warnings = append(v.Warnings, warnings...)
		v.Roles = roleSources(p)
	}
	return v, nil
}

func printVerdicts(sh *shell.Shell, verdicts []verdict) {
	style := sh.Console.Style
	if len(verdicts) == 0 {
		sh.Printf("There are no playbooks in %s.\n", playbook.Folder)
	}
	for _, v := range verdicts {
		for _, p := range v.Problems {
			sh.PrintText(style.Bad("error:")+" ", p.String())
		}
		for _, w := range v.Warnings {
			sh.PrintText(style.Asking("note:")+" ", w.String())
		}
		if v.Valid {
			sh.PrintText(style.Good("valid:")+" ", v.Playbook)
		}
		for _, r := range v.Roles {
			sh.PrintText("  role "+terminal.Line(r.Name)+": ", "agent "+terminal.Line(r.Agent)+"; "+terminal.Line(r.String()))
		}
	}
}
