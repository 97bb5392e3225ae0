package dispatch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/prompt"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// optionYard tells the shim's hand-in where the yard is.
const optionYard = "yard"

// inputs lays out what the attempt reads: the artifacts it was promised, what
// Stellwerk itself has to say, and the prompt, which it returns.
func (r attemptRoom) inputs(ctx context.Context) ([]byte, error) {
	for _, in := range r.task.Inputs {
		artifact := r.run.Artifact(in.Name)
		if artifact == nil {
			continue
		}
		if err := r.d.copyObject(ctx, artifact.Digest, filepath.Join(r.in(), filepath.FromSlash(in.Name)), 0o400); err != nil {
			return nil, err
		}
	}
	if r.task.Kind == core.KindManage {
		return r.turn(ctx)
	}
	if r.ofWave() {
		return r.waveInputs(ctx)
	}
	input, err := prompt.Gather(r.run, r.attempt.ID)
	if err != nil {
		return nil, err
	}
	kept, err := r.keep(ctx)
	if err != nil {
		return nil, err
	}
	input.Paths = prompt.Paths{Work: r.dir(), Checkout: true, In: r.in(), Out: r.out(), Kept: kept}
	input.Inline = !r.told()
	if err := r.lay(prompt.Files(input)); err != nil {
		return nil, err
	}
	return r.writePrompt(prompt.Build(input))
}

// lay writes the files in which Stellwerk itself has something to say.
func (r attemptRoom) lay(files []prompt.File) error {
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(r.in(), f.Name), r.d.redactor(r.run).Bytes(f.Content), 0o400); err != nil {
			return fmt.Errorf("lay out %s: %w", f.Name, err)
		}
	}
	return nil
}

// turn lays out what a manager reads.
func (r attemptRoom) turn(ctx context.Context) ([]byte, error) {
	desk := prompt.Desk{Paths: prompt.Paths{Work: r.dir(), In: r.in(), Out: r.out()}, Inline: !r.told()}
	plan, err := r.yard.ReadFile(ctx, r.attempt.Base, planPath, maxPlan)
	if err != nil && !errors.Is(err, yard.ErrNotFound) {
		return nil, err
	}
	desk.Plan = plan
	if err := r.lay(prompt.ManagerFiles(r.run)); err != nil {
		return nil, err
	}
	return r.writePrompt(prompt.BuildManager(r.run, r.attempt.ID, desk))
}

// writePrompt writes a prompt that was built, without secrets, and returns it.
func (r attemptRoom) writePrompt(text []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	text = r.d.redactor(r.run).Bytes(text)
	if err := os.WriteFile(r.promptPath(), text, 0o600); err != nil {
		return nil, fmt.Errorf("write the prompt: %w", err)
	}
	if !r.takesSystemPrompt() {
		return text, nil
	}
	if err := os.WriteFile(r.rolePath(), []byte(r.role().Prompt), 0o600); err != nil {
		return nil, fmt.Errorf("write the role: %w", err)
	}
	return text, nil
}

// promptFile is the prompt in an attempt folder.
const promptFile = "prompt.md"

func (r attemptRoom) promptPath() string { return filepath.Join(r.folder, promptFile) }
func (r attemptRoom) rolePath() string   { return filepath.Join(r.folder, "role.md") }
func (r attemptRoom) role() core.Role    { return r.run.Playbook.Roles[r.task.Role] }

// takesSystemPrompt says whether the role's text goes beside the prompt.
func (r attemptRoom) takesSystemPrompt() bool {
	return r.taken.Session == "" && r.def.Use == "claude" && r.role().Prompt != ""
}

// told says whether the agent knows its role's text without the prompt.
func (r attemptRoom) told() bool {
	if r.taken.Session == "" {
		return r.takesSystemPrompt()
	}
	_, told := r.d.Sessions.AgentType(r.role())
	return told
}

// keep puts the documents of the last attempt of this round into the output
// folder again: work is completed, not repeated. Its report is not kept: each
// attempt speaks for itself.
func (r attemptRoom) keep(ctx context.Context) ([]string, error) {
	var kept []string
	delivered := r.task.Delivered()
	if delivered == nil {
		return nil, nil
	}
	for _, a := range delivered.Artifacts {
		if a.Name == reportFile {
			continue
		}
		if err := r.d.copyObject(ctx, a.Digest, filepath.Join(r.out(), filepath.FromSlash(a.Name)), 0o600); err != nil {
			return nil, err
		}
		kept = append(kept, a.Name)
	}
	return kept, nil
}

// spec describes the attempt completely for the shim.
func (r attemptRoom) spec(ctx context.Context) (shim.Spec, error) {
	options, err := r.options(ctx)
	if err != nil {
		return shim.Spec{}, err
	}
	visible, err := r.d.shown(r.run, r.yard)
	if err != nil {
		return shim.Spec{}, err
	}
	role := r.role()
	broker, secrets := r.model(r.secretNames())
	if broker != nil {
		delete(options, agent.OptionBaseURL) // the broker's is the agent's
	}
	job := agent.Job{
		Dir: r.dir(), Prompt: r.promptPath(), In: r.in(), Out: r.out(), Home: filepath.Join(r.folder, "home"),
		Role:    agent.Role{Name: role.Name, Tools: role.Tools, Model: r.run.Playbook.Model(r.task.Role)},
		Command: r.def.Run, Options: options, MaxUSD: r.budget(),
	}
	if r.takesSystemPrompt() {
		job.Role.SystemPrompt = r.rolePath()
	}
	spec := shim.Spec{
		Project: r.run.Project, Run: r.run.ID, Task: r.task.ID, Attempt: r.attempt.ID, Trigger: string(r.stage.Reason),
		Agent: r.def.Use, Job: job, Workspace: r.dir(), Base: r.attempt.Base,
		Branch: branchOf(r.run, r.stage), IntegrationBranch: r.run.Branch, Writes: r.task.Writes,
		CommitMessage: r.message(), Mark: r.marks(), Identity: r.run.Identity, Isolation: isolation(r.run),
		Timeout: shim.Duration(r.task.Timeout), Env: r.def.Env, Secrets: secrets, Model: broker,
		ReadOnly: append(visible, r.d.Self), Masked: masked(r.run, r.d.Layout), Private: r.d.private(r.run), Bubblewrap: r.d.bubblewrap(r.run),
		Network: r.reach(), Settings: settings(r.run),
	}
	spec.Resources = Resources(r.run, r.d.Layout)
	r.equip(&spec)
	if r.taken.Session != "" {
		spec.Session, spec.Agent, spec.Secrets = r.taken.Session, agent.Session, nil
		spec.Job.Options[agent.OptionTurn] = session.TurnDir(r.folder)
	}
	return spec, nil
}

// options are what only one agent understands.
func (r attemptRoom) options(ctx context.Context) (map[string]string, error) {
	options := map[string]string{}
	maps.Copy(options, r.def.Options)
	for _, own := range []string{agent.OptionBaseURL, agent.OptionBinary, "permission_mode"} {
		delete(options, own) // where a credential goes is the person's to say, not a repository's
	}
	if r.d.Listed && r.def.Use == "claude" {
		options["permission_mode"] = "dontAsk"
	}
	options[agent.OptionSelf], options[optionYard] = r.d.Self, r.yard.Dir()
	options[agent.OptionTask] = strings.Trim(r.stage.ID+"/"+r.task.Name, "/")
	options[agent.OptionRound] = strconv.Itoa(r.stage.Round)
	options[agent.OptionAttempt] = strconv.Itoa(r.attempt.N)
	if url, ok := r.d.Environ("ANTHROPIC_BASE_URL"); ok && r.def.Use == "claude" && options[agent.OptionBaseURL] == "" {
		options[agent.OptionBaseURL] = url
	}
	return options, errors.Join(r.servers(options), r.scenario(ctx, options))
}

// scenario lays out the scenario of a scripted agent. One inside the
// repository is read from the base commit, where no agent can edit it.
func (r attemptRoom) scenario(ctx context.Context, options map[string]string) error {
	path := options[agent.OptionScenario]
	if path == "" {
		return nil
	}
	target := filepath.Join(r.folder, "scenario.yaml")
	var content []byte
	var err error
	if filepath.IsAbs(path) {
		content, err = os.ReadFile(path)
	} else {
		content, err = r.yard.Show(ctx, r.run.BaseCommit, path, maxReport)
	}
	if err != nil {
		return fmt.Errorf("read the scenario %s: %w", path, err)
	}
	if err := os.WriteFile(target, content, 0o600); err != nil {
		return fmt.Errorf("lay out the scenario: %w", err)
	}
	options[agent.OptionScenario] = target
	return nil
}

// budget is what is left of the run's and its project's money, and no more than the
// attempt may spend, for agents that can keep to it; 0 if there is no limit.
func (r attemptRoom) budget() float64 {
	left := func(limit, used float64) float64 {
		if limit == 0 {
			return 0
		}
		return max(core.SumUSD(limit, -used), 0.01)
	}
	used := r.run.Usage.CostUSD
	shared := lower(left(r.run.Limits.CostUSD, used), left(r.run.Limits.Project.CostUSD, core.SumUSD(r.run.Others.CostUSD, used)))
	return lower(shared, r.run.Limits.Attempt.CostUSD)
}

// secretNames are the variables handed to the agent: those its definition
// names, which must be there, and those its program knows, where they are.
func (r attemptRoom) secretNames() []string {
	names := append([]string{}, r.def.Secrets...)
	for _, name := range r.d.SecretNames(r.def.Use) {
		if _, ok := r.d.Environ(name); ok {
			names = append(names, name)
		}
	}
	return names
}
