package api

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Starts is what there is to know about a run before it begins.
type Starts interface {
	// Rehearse shows what StartRun would begin with, the preflight among it, and
	// begins nothing. What the preflight found in the way is part of the answer.
	Rehearse(ctx context.Context, req StartRun) (Rehearsal, error)
	// Looking says what the preflight of a start is at that is under way.
	Looking(ctx context.Context, ticket string) (Looking, error)
}

// Looking is what a preflight is at.
type Looking struct {
	At string `json:"at" doc:"What is being looked at; empty where the start is not under way"`
}

// Rehearsal is a run as it would begin.
type Rehearsal struct {
	Goal       string           `json:"goal"`
	Title      string           `json:"title"`
	Base       string           `json:"base"`
	BaseCommit string           `json:"base_commit"`
	Branch     string           `json:"branch"`
	Remote     string           `json:"remote"`
	Forge      string           `json:"forge"`
	Isolation  string           `json:"isolation"`
	Network    Reachable        `json:"network"`
	Playbook   string           `json:"playbook"`
	Kind       string           `json:"kind"`
	Origin     string           `json:"origin" doc:"builtin, or the playbook's file"`
	Setup      string           `json:"setup,omitempty"`
	Caches     []core.Cache     `json:"caches,omitempty"`
	Stages     []RehearsedStage `json:"stages"`
	Roles      []RehearsedRole  `json:"roles"`
	Limits     core.Limits      `json:"limits"`
	Resources  core.Resources   `json:"resources,omitzero"`
	Preflight  *core.Preflight  `json:"preflight,omitempty"`
	Problem    *core.Refusal    `json:"problem,omitempty" doc:"Why the run would not begin"`
	Untrusted  []string         `json:"untrusted,omitempty" doc:"Content of the repository that nobody has trusted yet"`
	Warnings   []string         `json:"warnings,omitempty"`
}

// Reachable is what a run's processes can connect to, besides the model.
type Reachable struct {
	Mode     string            `json:"mode" doc:"open, listed or none"`
	Attempts []string          `json:"attempts,omitempty" doc:"Of roles and stages that name nothing themselves"`
	Setup    []string          `json:"setup,omitempty"`
	Checks   []string          `json:"checks,omitempty"`
	Deny     []string          `json:"deny,omitempty"`
	Settings core.ToolSettings `json:"settings,omitzero" doc:"What package managers are told, so that they use the registries they use outside"`
}

// RehearsedStage is a stage as it would be worked on. Of work that a plan, a
// manager or a planner brings about, it stands for every piece: step/code is the
// code of each step.
type RehearsedStage struct {
	ID       string        `json:"id"`
	Title    string        `json:"title,omitempty"`
	When     string        `json:"when,omitempty" doc:"What brings the stage about; empty for one that always comes"`
	Does     string        `json:"does,omitempty" doc:"What the stage is for, where no prompt of the playbook says so"`
	Role     string        `json:"role,omitempty"`
	Roles    []string      `json:"roles,omitempty" doc:"Roles that a plan, a manager or a planner can name for it, in place of role where there is one"`
	Team     []string      `json:"team,omitempty"`
	Act      core.Act      `json:"act,omitempty" doc:"What the engine does itself"`
	Prompt   string        `json:"prompt,omitempty"`
	Inputs   []string      `json:"inputs,omitempty"`
	Checks   []string      `json:"checks,omitempty"`
	Reach    []string      `json:"reach,omitempty" doc:"Hosts that its attempts can connect to, besides the model"`
	Gate     core.GateKind `json:"gate,omitempty"`
	Attempts int           `json:"attempts,omitempty"`
	Timeout  time.Duration `json:"timeout,omitempty"`
}

// RehearsedRole is a role and whose text it has.
type RehearsedRole struct {
	Name    string `json:"name"`
	Origin  string `json:"origin" doc:"builtin, the role's file, or the playbook's"`
	Agent   string `json:"agent"`
	Program string `json:"program" doc:"What plays it"`
	Model   string `json:"model,omitempty"`
	Text    string `json:"text,omitempty"`
	Shadows bool   `json:"shadows,omitempty" doc:"A built-in role has its name, and does not apply"`
}
