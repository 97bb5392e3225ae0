package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

// completeTimeout keeps the shell from hanging on a busy engine.
const completeTimeout = 2 * time.Second

type completer = func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective)

// completeRuns offers the runs where a command's first argument names one.
func completeRuns(sh *shell) completer { return completeKnown(sh, func(knownRun) bool { return true }) }

// completeOpenRuns offers those that have not ended.
func completeOpenRuns(sh *shell) completer {
	return completeKnown(sh, func(k knownRun) bool { return !k.ended })
}

func completeKnown(sh *shell, offered func(knownRun) bool) completer {
	return func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var offers []cobra.Completion
		for _, k := range sh.known(cmd.Context()) {
			if offered(k) {
				offers = append(offers, cobra.CompletionWithDesc(k.alias, k.title))
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeStages offers the stages of the run that the arguments name, or of
// all runs.
func completeStages(sh *shell, cmd *cobra.Command, flag string) {
	must(cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var offers []cobra.Completion
		for _, k := range sh.known(cmd.Context()) {
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

func completeRunFlags(sh *shell, cmd *cobra.Command) {
	completePlaybooks(sh, cmd)
	must(cmd.RegisterFlagCompletionFunc("network", choose(config.NetworkModes)))
	must(cmd.RegisterFlagCompletionFunc("isolation", choose(func() []string { return []string{config.IsolationSandbox, config.IsolationNone} })))
	must(cmd.RegisterFlagCompletionFunc("agent", offer(playbook.Uses)))
	must(cmd.RegisterFlagCompletionFunc("model-tier", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var tiers []cobra.Completion
		for _, t := range core.KnownTiers() {
			tiers = append(tiers, string(t))
		}
		return tiers, cobra.ShellCompDirectiveNoFileComp
	}))
	must(cmd.RegisterFlagCompletionFunc("coverage", cobra.NoFileCompletions))
}

func completePlaybooks(sh *shell, cmd *cobra.Command) {
	must(cmd.RegisterFlagCompletionFunc("playbook", offer(sh.playbookNames)))
}

// playbookNames are the names that --playbook takes here: the repository's own
// playbooks, then the built-in ones.
func (sh *shell) playbookNames() []string {
	var names []string
	if repo, err := sh.repository(); err == nil {
		own, _ := repo.playbooks() // completion has nobody to tell of an error
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

// offer completes from a list that is made only when it is asked for, besides
// file names.
func offer(list func() []string) completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveDefault
	}
}

// choose completes from a list that names all there is.
func choose(list func() []string) completer {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return list(), cobra.ShellCompDirectiveNoFileComp
	}
}

// must holds a registration that can only fail for a misspelt flag.
func must(err error) {
	if err != nil {
		panic(err)
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

// known lists runs without starting an engine: from the one that runs, or from
// the run folders. Completion has nobody to tell of an error, so there is none.
func (sh *shell) known(ctx context.Context) []knownRun {
	opts, err := sh.options()
	if err != nil {
		return nil
	}
	opts.Existing = true
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, cancel := context.WithTimeout(ctx, completeTimeout)
	defer cancel()
	var found []knownRun
	err = sh.connectTo(ctx, opts, func(svc api.Service) error {
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

// fromFolders reads the first event of every run folder.
func fromFolders(runs string) []knownRun {
	manifests, err := filepath.Glob(filepath.Join(runs, "*", "manifest.jsonl"))
	if err != nil {
		return nil
	}
	var found []knownRun
	for _, path := range manifests {
		started, ok := firstEvent(path)
		if !ok {
			continue
		}
		k := knownRun{alias: started.Alias, title: started.Title, ended: endedFolder(filepath.Dir(path))}
		for _, p := range started.Playbook.Phases {
			k.stages = append(k.stages, p.ID)
		}
		k.attempts = transcribed(filepath.Dir(path))
		found = append(found, k)
	}
	return found
}

// transcribed are the attempts that left a transcript in a run's folder.
func transcribed(folder string) []string {
	paths, err := filepath.Glob(filepath.Join(folder, "transcripts", "*.jsonl"))
	if err != nil {
		return nil
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".jsonl")
	}
	return paths
}

// endedFolder reports that the run of a folder has ended, as far as the folder
// says.
func endedFolder(folder string) bool {
	state := readFolder(filepath.Join(folder, "workflow-state.json"))
	return state != nil && state.Status.Terminal()
}

func firstEvent(path string) (core.RunStarted, bool) {
	f, err := os.Open(path)
	if err != nil {
		return core.RunStarted{}, false
	}
	defer func() { _ = f.Close() }()
	line, err := bufio.NewReader(f).ReadBytes('\n')
	if err != nil {
		return core.RunStarted{}, false
	}
	var e core.Event
	if json.Unmarshal(line, &e) != nil {
		return core.RunStarted{}, false
	}
	body, err := core.Decode(e)
	if err != nil {
		return core.RunStarted{}, false
	}
	started, ok := body.(core.RunStarted)
	return started, ok
}
