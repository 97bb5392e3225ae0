package core

import (
	"encoding/json"
	"iter"
	"slices"
	"time"
)

// Playbook says how a run is driven. It is pinned into the run's first event
// after validation, so an agent cannot edit the gates it must pass.
type Playbook struct {
	Name        string           `json:"name"`
	Kind        string           `json:"kind"`
	Description string           `json:"description,omitempty"`
	Hash        string           `json:"hash"`             // of the content a person trusted
	Origin      string           `json:"origin,omitempty"` // "builtin", or the path it was read from
	Agents      map[string]Agent `json:"agents,omitempty"`
	Roles       map[string]Role  `json:"roles,omitempty"`
	Tiers       Tiers            `json:"tiers,omitempty"`
	Setup       string           `json:"setup,omitempty"`
	Caches      []Cache          `json:"caches,omitempty"`
	Network     Reaches          `json:"network,omitzero"`
	Phases      []Phase          `json:"phases,omitempty"`
	Project     *Management      `json:"project,omitempty"` // of kind rules or manager
}

// Agent names the program that does an attempt and how it is started.
type Agent struct {
	Use     string            `json:"use"`           // claude, command, scripted
	Run     []string          `json:"run,omitempty"` // argv of a command agent
	Model   string            `json:"model,omitempty"`
	Options map[string]string `json:"options,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Secrets []string          `json:"secrets,omitempty"` // names of variables handed on from the engine's environment
}

// Role is what an agent is told to be.
type Role struct {
	Name         string   `json:"name"`
	Description  string   `json:"description,omitempty"`
	Agent        string   `json:"agent,omitempty"` // key of Playbook.Agents
	Model        string   `json:"model,omitempty"`
	Tiers        Tiers    `json:"tiers,omitempty"` // in place of Model, if the run chose a tier
	Color        string   `json:"color,omitempty"`
	Tools        []string `json:"tools,omitempty"`
	Capabilities []string `json:"capabilities,omitempty"`
	Network      Reach    `json:"network,omitzero"`
	Prompt       string   `json:"prompt,omitempty"` // system prompt, Markdown
	// Origin is whose role it is: "builtin", the role's file, or the playbook's if that defines it.
	Origin string `json:"origin,omitempty"`
}

// Tiers are models by the tier that a run can choose.
type Tiers map[Tier]string

// Cache is a folder kept between checkouts while its key files are unchanged.
type Cache struct {
	Key  []string `json:"key"`
	Path string   `json:"path"`
}

// Writes says what a task may write; only code claims a branch.
type Writes string

const (
	WritesCode      Writes = "code"
	WritesArtifacts Writes = "artifacts"
	WritesPlan      Writes = "plan"
)

// GateKind says who lets a stage pass once its checks hold.
type GateKind string

const (
	GateAuto     GateKind = "auto"
	GateApproval GateKind = "approval"
)

// FindingsMode says what happens when a review requests changes.
type FindingsMode string

const (
	FindingsAsk  FindingsMode = "ask"
	FindingsAuto FindingsMode = "auto"
)

// Act is work the engine does itself.
type Act string

// The acts.
const (
	ActPullRequest Act = "pull-request" // pushes the run's branch and opens a pull request
	ActMerge       Act = "merge"        // merges a stage's branch into the run's
	ActValidate    Act = "validate"     // looks at the run's branch once more
)

// Phase is one entry of a playbook of kind phases.
type Phase struct {
	ID             string        `json:"id"`
	Title          string        `json:"title,omitempty"`
	Role           string        `json:"role,omitempty"`
	Prompt         string        `json:"prompt,omitempty"`
	Team           *Team         `json:"team,omitempty"`
	Act            Act           `json:"act,omitempty"`
	Skip           bool          `json:"skip,omitempty"`
	Skippable      bool          `json:"skippable,omitempty"`    // an approved plan may leave it out
	VerifyFirst    bool          `json:"verify_first,omitempty"` // if its checks hold already, nobody is started
	When           string        `json:"when,omitempty"`         // jq on the run's context
	Needs          []string      `json:"needs,omitempty"`        // capabilities the role must have
	Writes         Writes        `json:"writes"`
	Inputs         []Input       `json:"inputs,omitempty"`
	Outputs        []string      `json:"outputs,omitempty"`
	Done           Check         `json:"done"`
	Gate           GateKind      `json:"gate"`
	Findings       FindingsMode  `json:"findings,omitempty"`
	FindingsRounds int           `json:"findings_rounds,omitempty"`
	Rollback       *Rollback     `json:"rollback,omitempty"`
	Attempts       int           `json:"attempts"`
	Timeout        time.Duration `json:"timeout"`
	Base           string        `json:"base,omitempty"` // target branch of a pull request
	Network        Reach         `json:"network,omitzero"`
}

// Input is an artifact a task reads.
type Input struct {
	Name     string `json:"name"`
	Optional bool   `json:"optional,omitempty"`
	// Files names an earlier phase instead: the files that it was to change are
	// named to the task, which has them in its working directory. Always optional.
	Files string `json:"files,omitempty"`
}

// Team is a stage worked on by specialists in parallel and a hub that
// consolidates what they hand in.
type Team struct {
	Spokes   []string          `json:"spokes"`
	Optional map[string]Option `json:"optional,omitempty"` // further spokes, each with the option that calls it in
	Hub      string            `json:"hub"`
	Fallback string            `json:"fallback,omitempty"` // role that does the work alone if a spoke cannot deliver
}

// The names of a team's tasks that are not named after a spoke.
const (
	HubTask  = "hub"   // consolidates
	SoloTask = "alone" // does the work if a spoke could not deliver
)

// Rollback maps findings of a review to the stage that must fix them.
type Rollback struct {
	Types   []RollbackRule `json:"types,omitempty"`
	Paths   []RollbackRule `json:"paths,omitempty"`
	Default string         `json:"default,omitempty"`
}

// RollbackRule sends findings of a type, or in files matching a glob, to a stage.
type RollbackRule struct {
	Match string `json:"match"`
	Stage string `json:"stage"`
}

// CheckKind names a kind of outside test.
type CheckKind string

const (
	CheckAll      CheckKind = "all"
	CheckAny      CheckKind = "any"
	CheckNot      CheckKind = "not"
	CheckChanged  CheckKind = "changed"
	CheckFiles    CheckKind = "files"
	CheckCommand  CheckKind = "command"
	CheckArtifact CheckKind = "artifact"
	CheckState    CheckKind = "state"
	CheckGit      CheckKind = "git"
	CheckPlan     CheckKind = "plan"     // an artifact is a plan
	CheckMerge    CheckKind = "merge"    // a delivery takes in both sides of a merge
	CheckAlone    CheckKind = "alone"    // nothing that matches was changed, in whatever way
	CheckOutput   CheckKind = "output"   // a worker's answer is one, and what it says it met is met
	CheckDecision CheckKind = "decision" // a planner's decision is one
)

// Check is one outside test of "done", or a compound of them. It is data; the
// check package evaluates it.
type Check struct {
	Kind     CheckKind       `json:"kind"`
	Of       []Check         `json:"of,omitempty"`       // all, any, not
	Globs    []string        `json:"globs,omitempty"`    // changed, files, alone
	Run      string          `json:"run,omitempty"`      // command
	Name     string          `json:"name,omitempty"`     // artifact
	Schema   json.RawMessage `json:"schema,omitempty"`   // artifact, optional JSON Schema
	Expr     string          `json:"expr,omitempty"`     // state
	Git      *GitCheck       `json:"git,omitempty"`      // git
	Names    []string        `json:"names,omitempty"`    // plan: roles that it may name; output: documents that come with it
	Criteria []Criterion     `json:"criteria,omitempty"` // output
	Into     string          `json:"into,omitempty"`     // merge: the commit that must have been taken in; alone: compared with
	From     string          `json:"from,omitempty"`     // merge: the commit that it was to be merged with
	Timeout  time.Duration   `json:"timeout,omitempty"`  // command
}

// Commands are the commands of a check that are to succeed, in its order; either is said of one that another check may
// stand in for. What must fail is none of them.
func (c Check) Commands() iter.Seq2[Check, bool] {
	return func(yield func(Check, bool) bool) { c.commands(false, yield) }
}

func (c Check) commands(either bool, yield func(Check, bool) bool) bool {
	switch c.Kind {
	case CheckNot:
		return true
	case CheckCommand:
		return yield(c, either)
	default:
		for _, of := range c.Of {
			if !of.commands(either || c.Kind == CheckAny, yield) {
				return false
			}
		}
		return true
	}
}

// GitCheck tests the shape of a delivery's history.
type GitCheck struct {
	Commits  int    `json:"commits,omitempty"`   // at least so many commits in the round
	Linear   bool   `json:"linear,omitempty"`    // no merge commits
	Message  string `json:"message,omitempty"`   // regular expression every subject matches
	MaxFiles int    `json:"max_files,omitempty"` // at most so many files changed
	MaxLines int    `json:"max_lines,omitempty"` // at most so many lines changed
}

// Limits bound a run. Zero means no limit for money and tokens; attempts, wall
// time and parallelism always have one.
type Limits struct {
	Attempts   int           `json:"attempts"`
	Infra      int           `json:"infra"`   // infrastructure losses a round survives
	Sterile    int           `json:"sterile"` // decisions without progress
	WallTime   time.Duration `json:"wall_time"`
	Parallel   int           `json:"parallel"` // attempts at once over the whole engine
	CostUSD    float64       `json:"cost_usd,omitempty"`
	Tokens     int64         `json:"tokens,omitempty"`
	AutoRounds int           `json:"auto_rounds"` // rounds opened without asking a person
	Attempt    AttemptLimits `json:"attempt,omitzero"`
	Project    ProjectLimits `json:"project,omitzero"`
}

// DefaultLimits are in force if nothing else is set.
func DefaultLimits() Limits {
	return Limits{
		Attempts: 3, Infra: 5, Sterile: 15, WallTime: 24 * time.Hour, Parallel: 4, AutoRounds: 3,
	}
}

// Model is what an attempt of a role asks for: the role's model, then its agent's; "" or
// "inherit" leave the choice to the agent's program.
func (p *Playbook) Model(role string) string {
	for _, m := range []string{p.Roles[role].Model, p.Agents[p.Roles[role].Agent].Model} {
		if m != "" && m != "inherit" {
			return m
		}
	}
	return ""
}

// Phase finds a phase by its id; nil if there is none.
func (p *Playbook) Phase(id string) *Phase {
	return find(p.Phases, func(phase *Phase) bool { return phase.ID == id })
}

// Skippable are the phases after the given one that may be left out by a plan
// it hands in; none if it hands in no plan.
func (p *Playbook) Skippable(planner string) []Phase {
	phase := p.Phase(planner)
	if phase == nil || !slices.Contains(phase.Outputs, PlanArtifact) {
		return nil
	}
	var later []Phase
	for _, other := range slices.Backward(p.Phases) {
		if other.ID == planner {
			break
		}
		if other.Skippable {
			later = append(later, other)
		}
	}
	slices.Reverse(later)
	return later
}

// Secrets are the names of the variables handed to any of its agents, sorted.
func (p *Playbook) Secrets() []string {
	var names []string
	for _, a := range p.Agents {
		names = append(names, a.Secrets...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// MakesBranch reports a playbook whose runs change the project or publish; others
// hand in documents and nothing else.
func (p *Playbook) MakesBranch() bool {
	if p.Project != nil {
		return p.Project.Waves == nil || p.Project.Waves.Writes == WritesCode
	}
	return slices.ContainsFunc(p.Phases, func(phase Phase) bool { return phase.Act != "" || phase.Writes == WritesCode })
}
