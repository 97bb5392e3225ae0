package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

func newTool(sh *shell) *cobra.Command {
	o := &toolOptions{}
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "Do what a project's manager does",
		Long: `The tools of a project's manager. Its agent calls them by the scripts on its
PATH: delegate-to-red, send-message, update-plan and request-clarification.
Agents of a run in waves read its details by fetch-detail. A person can use them
too, in the manager's place: without --run or --project they speak to the
project of the repository in the working directory.

A refusal says why, and what to do instead; the exit code is then not 0.`,
		Example: `  stellwerk tool delegate "Add GET /health; it answers 200 and ok."
  stellwerk tool message "The API is done."
  stellwerk tool plan "step 2 is done"
  stellwerk tool question "Which database?" --default SQLite --after 2h
  stellwerk tool detail d3 --run calm-fox`,
		Args: onlyCommands,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.run, "run", "", "the `RUN` that is meant")
	f.StringVar(&o.project, "project", "", "the `PROJECT` whose open run is meant")
	cmd.AddCommand(newToolDelegate(sh, o), newToolMessage(sh, o), newToolPlan(sh, o), newToolQuestion(sh, o), newToolDetail(sh, o))
	return cmd
}

// kindWaves is the kind of runs whose work is delegated in waves.
const kindWaves = "waves"

// toolOptions say for which run the tools are.
type toolOptions struct{ run, project string }

// use calls fn with the tools of the attempt that this process belongs to, or
// with those of the person.
func (o *toolOptions) use(ctx context.Context, sh *shell, fn func(tool.Kit) error) error {
	if token := sh.Env(agent.EnvToken); token != "" && !access.LooksLikeToken(token) {
		return o.useAsAttempt(ctx, sh, token, fn)
	}
	if err := sh.personal("a call of a tool without a token"); err != nil {
		return err
	}
	repo, err := sh.repository()
	if err != nil {
		return err
	}
	return sh.connect(ctx, func(svc api.Service) error {
		run, err := o.find(ctx, sh, svc)
		if err != nil {
			return err
		}
		return fn(tool.Kit{Tools: svc, Run: run, Dir: repo.root})
	})
}

func (o *toolOptions) useAsAttempt(ctx context.Context, sh *shell, token string, fn func(tool.Kit) error) error {
	if o.project != "" {
		return usagef("an attempt speaks for its own run: leave out --project")
	}
	run := sh.Env(agent.EnvRun)
	if o.run != "" {
		run = o.run
	}
	dir, err := sh.Dir()
	if err != nil {
		return err
	}
	tools, closeEngine, err := sh.Tools(ctx, sh.Env(agent.EnvSocket), token)
	if err != nil {
		return err
	}
	kit := tool.Kit{Tools: tools, Run: run, Dir: dir, Origin: sh.Env(agent.EnvOrigin)}
	if err = fn(kit); core.CodeOf(err) == core.CodeUnavailable {
		err = errors.Join(err, kit.Unheard())
	}
	if closing := closeEngine(); err == nil {
		err = closing
	}
	return err
}

// find names the run that a person means: the open one of their project.
func (o *toolOptions) find(ctx context.Context, sh *shell, svc api.Service) (string, error) {
	if o.run != "" {
		return o.run, nil
	}
	q := api.RunQuery{Open: true}
	if o.project == "" {
		dir, err := sh.Dir()
		if err != nil {
			return "", err
		}
		q.Dir = dir
	}
	runs, err := svc.Runs(ctx, q)
	if err != nil {
		return "", err
	}
	runs = slices.DeleteFunc(runs, func(r api.Run) bool {
		return r.Kind != playbook.KindManager && r.Kind != playbook.KindRules && r.Kind != kindWaves || o.project != "" && r.Project != o.project
	})
	switch len(runs) {
	case 0:
		return "", core.Errorf(core.CodeNotFound, "no project has an open run here").
			WithHint("name it with --run or --project, or start one: stellwerk run \"…\" --playbook project")
	case 1:
		return runs[0].ID, nil
	}
	return "", ambiguous(runs)
}

// maxWords bounds what is read of a text; the engine has bounds of its own.
const maxWords = 1 << 20

// words is a text that was given, or read from standard input or a file.
func (sh *shell) words(given, file string) (string, error) {
	from := sh.Console.In
	switch {
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", core.Wrap(core.CodeNotFound, err, "the text cannot be read", "name a file that exists, or - for standard input")
		}
		defer func() { _ = f.Close() }() // only read from
		from = f
	case file == "" && given != "-":
		return given, nil
	}
	data, err := io.ReadAll(io.LimitReader(from, maxWords+1))
	if err != nil {
		return "", err
	}
	if len(data) > maxWords {
		return "", usagef("the text has more than %d bytes", maxWords)
	}
	return strings.TrimSpace(string(data)), nil
}
