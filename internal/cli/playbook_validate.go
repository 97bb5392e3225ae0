package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

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
