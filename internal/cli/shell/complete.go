package shell

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

// completeTimeout keeps the person's shell from hanging on a busy engine.
const completeTimeout = 2 * time.Second

// AskEngine asks the running engine for completions. Completion starts no engine,
// and has nobody to tell of an error.
func (sh *Shell) AskEngine(cmd *cobra.Command, fn func(context.Context, api.Service) error) error {
	if err := sh.Begin(cmd); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(cmd.Context()), completeTimeout)
	defer cancel()
	return sh.Connect(ctx, func(svc api.Service) error { return fn(ctx, svc) }, Existing)
}

// Complete completes from a list that is made only when it is asked for.
func Complete(list func(cmd *cobra.Command, args []string) []cobra.Completion) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(cmd, args), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteFlag completes a flag.
func CompleteFlag(cmd *cobra.Command, flag string, completion cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, completion); err != nil {
		panic(err) // the flag is misspelt
	}
}

// Choices completes from all that there is.
func Choices(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// Offer completes from a list that is made only when it is asked for, and from
// file names.
func Offer(list func() []string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveDefault
	}
}

// CompleteRuns offers the runs if a command's first argument names one.
func CompleteRuns(sh *Shell) cobra.CompletionFunc {
	return completeRuns(sh, func(knownRun) bool { return true })
}

// CompleteOpenRuns offers those that have not ended.
func CompleteOpenRuns(sh *Shell) cobra.CompletionFunc {
	return completeRuns(sh, func(k knownRun) bool { return !k.ended })
}

func completeRuns(sh *Shell, offered func(knownRun) bool) cobra.CompletionFunc {
	return Complete(func(cmd *cobra.Command, args []string) []cobra.Completion {
		if len(args) > 0 {
			return nil
		}
		var offers []cobra.Completion
		for _, k := range sh.knownRuns(cmd) {
			if offered(k) {
				offers = append(offers, cobra.CompletionWithDesc(k.alias, k.title))
			}
		}
		return offers
	})
}

// CompleteStages offers the stages of the run that the arguments name, or of all
// runs.
func CompleteStages(sh *Shell, cmd *cobra.Command, flag string) {
	CompleteFlag(cmd, flag, Complete(func(cmd *cobra.Command, args []string) []cobra.Completion {
		var offers []cobra.Completion
		for _, k := range sh.knownRuns(cmd) {
			if len(args) == 0 || args[0] == k.alias {
				offers = append(offers, k.stages...)
			}
		}
		slices.Sort(offers)
		return slices.Compact(offers)
	}))
}

// CompleteAttempts offers runs, and then the attempts of the run that was named.
func CompleteAttempts(sh *Shell) cobra.CompletionFunc {
	runs := CompleteRuns(sh)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return runs(cmd, args, typed)
		}
		for _, k := range sh.knownRuns(cmd) {
			if k.alias == args[0] {
				return k.attempts, cobra.ShellCompDirectiveNoFileComp
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteProjects offers the projects if a command's first argument names one.
func CompleteProjects(sh *Shell) cobra.CompletionFunc {
	return Complete(func(cmd *cobra.Command, args []string) []cobra.Completion {
		if len(args) > 0 {
			return nil
		}
		var offers []cobra.Completion
		_ = sh.AskEngine(cmd, func(ctx context.Context, svc api.Service) error {
			list, err := svc.Projects(ctx, api.ProjectQuery{All: true})
			for _, p := range list {
				offers = append(offers, cobra.CompletionWithDesc(p.Name, p.Repository))
			}
			return err
		})
		return offers
	})
}

// CompleteEpics offers the projects, and behind one the epics of its queue.
func CompleteEpics(sh *Shell) cobra.CompletionFunc {
	projects := CompleteProjects(sh)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return projects(cmd, args, typed)
		}
		var offers []cobra.Completion
		_ = sh.AskEngine(cmd, func(ctx context.Context, svc api.Service) error {
			d, err := svc.Project(ctx, args[0])
			for _, e := range d.Queue {
				offers = append(offers, cobra.CompletionWithDesc(e.ID, e.Title))
			}
			return err
		})
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteAddressees offers the projects and the open runs: either names a
// conversation.
func CompleteAddressees(sh *Shell) cobra.CompletionFunc {
	projects, runs := CompleteProjects(sh), CompleteOpenRuns(sh)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		offers, directive := projects(cmd, args, typed)
		more, _ := runs(cmd, args, typed)
		return append(offers, more...), directive
	}
}

// PlaybookNames are the names that --playbook takes here: the repository's own
// playbooks, then the built-in ones.
func (sh *Shell) PlaybookNames() []string {
	var names []string
	own, _ := sh.Repository().Playbooks() // completion has nobody to tell of an error
	for _, file := range own {
		names = append(names, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
	}
	for _, name := range playbook.Builtins() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// knownRun is a run as completion needs it. It is no api.RunDetail, because a run
// folder, which is read if no engine runs, knows attempts by their transcripts
// alone and not which stage had them.
type knownRun struct {
	alias, title string
	ended        bool
	stages       []string
	attempts     []string
}

// knownRuns lists runs without starting an engine: from the one that runs, or from
// the run folders.
func (sh *Shell) knownRuns(cmd *cobra.Command) []knownRun {
	var found []knownRun
	err := sh.AskEngine(cmd, func(ctx context.Context, svc api.Service) error {
		runs, err := svc.Runs(ctx, api.RunQuery{})
		for _, r := range runs {
			detail, err := svc.Run(ctx, r.ID)
			if err != nil {
				return err
			}
			k := knownRun{alias: r.Alias, title: r.Title, ended: r.Status.Terminal()}
			for _, s := range detail.Stages {
				k.stages = append(k.stages, s.ID)
				for _, t := range s.Tasks {
					for _, a := range t.Attempts {
						k.attempts = append(k.attempts, a.ID)
					}
				}
			}
			found = append(found, k)
		}
		return err
	})
	opts, unknown := sh.Options()
	if err == nil || unknown != nil {
		return found
	}
	return fromFolders(filepath.Join(opts.State, "runs"))
}
