package api

import "github.com/stellwerk-dev/stellwerk/internal/core"

// LimitsQuery says of what the limits are asked for.
type LimitsQuery struct {
	Of  string `query:"of" doc:"A run or a project"`        // id, alias or name
	Dir string `query:"dir" doc:"A folder of a repository"` // otherwise the project of the repository here; all if it is none
}

// Who has limits.
const (
	ScopeEngine  = "engine"
	ScopeProject = "project"
	ScopeRun     = "run"
)

// Account is what one of them may use.
type Account struct {
	Scope      string         `json:"scope" doc:"engine, project or run"`
	ID         string         `json:"id,omitempty"`
	Name       string         `json:"name,omitempty"`
	Status     core.RunStatus `json:"status,omitempty"`
	Allowances []Allowance    `json:"allowances"`
	// Opaque are agents of a run that do not say what they use.
	Opaque []string `json:"opaque,omitempty"`
}

// What is limited.
const (
	LimitCost     = "cost_usd"
	LimitTokens   = "tokens"
	LimitWallTime = "wall_time"
	LimitAttempts = "attempts"
	LimitParallel = "parallel"

	// Of a run, where each of its attempts has a limit. What is used is that of the
	// attempt under way that has used most.
	LimitAttemptCost   = "attempt_cost_usd"
	LimitAttemptTokens = "attempt_tokens"
)

// Allowance is what was used of something, and what is left.
type Allowance struct {
	Kind string   `json:"kind" doc:"cost_usd, tokens, wall_time (in seconds), attempts, parallel, attempt_cost_usd or attempt_tokens"`
	Used *float64 `json:"used" doc:"Null where agents have worked and none said what it cost"`
	// Unpriced are the attempts that did not say what they cost: with any, what was
	// used of cost_usd is the least that it can be.
	Unpriced int      `json:"unpriced,omitempty"`
	Limit    *float64 `json:"limit,omitempty" doc:"Absent where there is no limit"`
	Left     *float64 `json:"left,omitempty"`
	Reserved float64  `json:"reserved,omitempty" doc:"For attempts under way and not spent; not among what is left"`
}

// Cost is what was used, if that is money.
func (a Allowance) Cost() core.Cost { return core.Cost{CostUSD: a.Used, Unpriced: a.Unpriced} }

// Amount is what is known to be used.
func (a Allowance) Amount() float64 { return a.Cost().Known() }

// AccountList is a list of accounts.
type AccountList struct {
	Accounts []Account `json:"accounts"`
}
