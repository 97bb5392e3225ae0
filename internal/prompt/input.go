package prompt

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Input is all that a prompt depends on. Gather takes it from a run; the caller adds Paths.
type Input struct {
	Goal     string
	Title    string // of the run
	Issue    string
	Branch   string // the run's own
	Target   string // branch the work starts from and returns to
	Origin   string // commit of Target when the run started
	Coverage int    // target in percent, 0 for none

	Phase   core.Phase
	Number  int // of the phase, from 1
	Phases  int
	Round   int
	Reason  core.OpenReason
	Hotfix  *core.Hotfix // what the round must fix
	Task    string       // name within a team, empty otherwise
	Role    core.Role
	Part    Part
	Team    []string // the specialists of the team
	Writes  core.Writes
	Inputs  []InputFile
	Outputs []string
	Done    core.Check

	RedBefore []string     // checks of the task that failed before the run began
	Skippable []core.Phase // later phases that the task's plan may propose to skip

	Base    string // commit the workspace starts from
	Since   string // commit the round started from
	Try     int    // attempts of the round that counted, this one included
	Limit   int
	Timeout time.Duration
	Closed  bool          // the attempt reaches only the hosts on its list
	Last    *core.Attempt // the attempt before this one
	Failed  *Failure      // results of the checks when they last failed in this round

	Paths  Paths
	Inline bool // the agent takes no system prompt: the role's text goes into this one
}

// Failure holds the results of checks of which some failed.
type Failure struct {
	Attempt int // whose delivery they looked at; 0 for the branch before anybody worked on the task
	Results []core.CheckResult
}

// Paths are the folders of an attempt as the agent sees them.
type Paths struct {
	Work     string
	Checkout bool // Work is a clone of the branch; otherwise it is an empty folder
	In, Out  string
	Kept     []string // artifacts of the last attempt that were put into Out again
}

// InputFile is an artifact the task reads.
type InputFile struct {
	Name     string
	Stage    string // that handed it in; "" if none did
	Optional bool
	Tree     bool // it is a file of the project, which Stage changed
}

// Part is what a task does in a team.
type Part string

const (
	Alone Part = ""
	Spoke Part = "spoke" // one of several specialists who work at the same time
	Hub   Part = "hub"   // consolidates what the specialists handed in
	Solo  Part = "solo"  // does the work of a team whose specialists could not deliver
)
