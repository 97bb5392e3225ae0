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

// CompleteTimeout keeps the shell from hanging on a busy engine.
const CompleteTimeout = 2 * time.Second

type Completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// CompleteRuns offers the runs where a command's first argument names one.
func CompleteRuns(sh *Shell) Completer { return completeKnown(sh, func(knownRun) bool { return true }) }

// CompleteOpenRuns offers those that have not ended.
func CompleteOpenRuns(sh *Shell) Completer {
	return completeKnown(sh, func(k knownRun) bool { return !k.ended })
}

func completeKnown(sh *Shell, offered func(knownRun) bool) Completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var offers []cobra.Completion
		for _, k := range sh.knownRuns(cmd.Context()) {
			if offered(k) {
				offers = append(offers, cobra.CompletionWithDesc(k.alias, k.title))
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteStages offers the stages of the run that the arguments name, or of
// all runs.
func CompleteStages(sh *Shell, cmd *cobra.Command, flag string) {
	Must(cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offers []cobra.Completion
		for _, k := range sh.knownRuns(cmd.Context()) {
			if len(args) > 0 && args[0] != k.alias {
				continue
			}
			for _, stage := range k.stages {
				if !slices.Contains(offers, stage) {
					offers = append(offers, stage)
				}
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}))
}

func CompletePlaybooks(sh *Shell, cmd *cobra.Command) {
	Must(cmd.RegisterFlagCompletionFunc("playbook", Offer(sh.PlaybookNames)))
}

// PlaybookNames are the names that --playbook takes here: the repository's own
// playbooks, then the built-in ones.
func (sh *Shell) PlaybookNames() []string {
	var names []string
	if repo, err := sh.Repository(); err == nil {
		own, _ := repo.Playbooks() // completion has nobody to tell of an error
		for _, file := range own {
			names = append(names, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
		}
	}
	for _, name := range playbook.Builtins() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Offer completes from a list that is made only when it is asked for, besides
// file names.
func Offer(list func() []string) Completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveDefault
	}
}

// Choose completes from a list that names all there is.
func Choose(list func() []string) Completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveNoFileComp
	}
}

// knownRun is a run as completion needs it. It is no api.RunDetail, because a
// run folder, which is read where no engine runs, knows attempts by their
// transcripts alone and not which stage had them.
type knownRun struct {
	alias, title string
	ended        bool
	stages       []string
	attempts     []string
}

// knownRuns lists runs without starting an engine: from the one that runs, or from
// the run folders. Completion has nobody to tell of an error, so there is none.
func (sh *Shell) knownRuns(ctx context.Context) []knownRun {
	opts, err := sh.Options()
	if err != nil {
		return nil
	}
	opts.Existing = true
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, CompleteTimeout)
	defer cancel()
	var found []knownRun
	err = sh.ConnectTo(ctx, opts, func(svc api.Service) error {
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
	if err != nil {
		return fromFolders(filepath.Join(opts.State, "runs"))
	}
	return found
}

// CompleteAttempts offers runs, and then the attempts of the run that was named.
func CompleteAttempts(sh *Shell) Completer {
	runs := CompleteRuns(sh)
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) != 1 {
			return runs(cmd, args, typed)
		}
		for _, k := range sh.knownRuns(cmd.Context()) {
			if k.alias == args[0] {
				return k.attempts, cobra.ShellCompDirectiveNoFileComp
			}
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}
