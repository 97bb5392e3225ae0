package api

import (
	"context"
	"time"
)

// Engines are those that work on one store.
type Engines interface {
	// Engines lists the engines that work on this engine's store, and the projects that
	// none of them can work on.
	Engines(ctx context.Context) (EngineList, error)
	// Drain has this engine give its projects to the others at once and take none any
	// more. It goes on answering, and ends when the attempts on its machine have ended.
	// If it is alone on its store, it does so only if the request says that it may.
	Drain(ctx context.Context, req Drain) (Drained, error)
}

// Drain asks an engine to end when its work is with others.
type Drain struct {
	Within time.Duration `json:"within,omitempty" doc:"In nanoseconds: how long to wait for attempts at most; 0 for as long as they take"`
	Alone  bool          `json:"alone,omitempty" doc:"Also if no other engine is there to take over"`
}

// Drained is what became of it.
type Drained struct {
	Begun    bool `json:"begun" doc:"The engine drains; false if it is alone and may not"`
	Alone    bool `json:"alone" doc:"No other engine takes over"`
	PID      int  `json:"pid"`
	Projects int  `json:"projects" doc:"That it gave back, or would"`
	Attempts int  `json:"attempts" doc:"At work on its machine, for which it waits"`
}

// EngineState is how an engine stands, in a word.
type EngineState string

const (
	// EngineWorking is one that is there.
	EngineWorking EngineState = "working"
	// EngineDraining is one that gives its work to others and then ends.
	EngineDraining EngineState = "draining"
	// EngineGone is one that is not heard of any more and did not say that it ended.
	EngineGone EngineState = "gone"
	// EngineRetired is one that works on nothing any more because another has its identity.
	EngineRetired EngineState = "retired"
)

// EngineList is who works on a store.
type EngineList struct {
	Shared   bool              `json:"shared" doc:"Several engines can work on the store"`
	Engines  []Engine          `json:"engines"`
	Stranded []StrandedProject `json:"stranded" doc:"Projects that no engine can work on"`
}

// Engine is an engine as those who share its store see it.
type Engine struct {
	ID       string      `json:"id"`
	Host     string      `json:"host"`
	State    EngineState `json:"state" doc:"working, draining, gone or retired"`
	Here     bool        `json:"here,omitempty" doc:"It gives this answer"`
	Version  string      `json:"version,omitempty"`
	Since    *time.Time  `json:"since,omitempty" doc:"When it started"`
	Drains   *time.Time  `json:"draining_since,omitempty"`
	Lease    *time.Time  `json:"lease_until,omitempty" doc:"Until when, by the database's clock, others take it for alive; then they take its projects"`
	URL      string      `json:"url,omitempty" doc:"Where the network reaches it"`
	Attempts int         `json:"attempts" doc:"Attempts that have a slot of its machine"`
	Uses
	Projects []Named `json:"projects" doc:"What it owns, or owned when it was gone and nobody has taken yet"`
}

// Uses is whose credentials an engine works with, whichever projects it owns.
type Uses struct {
	Person string `json:"person,omitempty" doc:"The account that it runs as"`
	Forge  string `json:"forge,omitempty" doc:"The forge that it publishes to, and where the token comes from"`
	Model  string `json:"model,omitempty" doc:"Where the credential comes from that pays for model calls"`
}

// Owner is the engine that works on a project.
type Owner struct {
	Host string `json:"host"`
	Uses
}

// Named is something with a name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// StrandedProject is one that no engine can work on.
type StrandedProject struct {
	Named
	Reason string    `json:"reason" doc:"What the machine of each engine lacks"`
	Next   string    `json:"next" doc:"What a person can do"`
	Since  time.Time `json:"since"`
}
