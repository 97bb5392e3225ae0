package core

import "time"

// Management is how a playbook of kind rules or manager drives a project:
// steps on branches of their own, each merged into the run's branch.
type Management struct {
	Roles    map[TaskKind]string `json:"roles,omitempty"` // who does which kind of task
	Done     Check               `json:"done"`            // holds of every step's branch and of every merge
	Review   ReviewRule          `json:"review"`
	PlanGate GateKind            `json:"plan_gate,omitempty"` // who lets a plan pass
	Push     PushRule            `json:"push,omitempty"`      // who lets the run's own branch be pushed
	Base     string              `json:"base,omitempty"`      // target branch of the pull request
	Attempts int                 `json:"attempts"`
	Rounds   int                 `json:"rounds"` // how often a step is begun, with a branch of its own each time
	Timeout  time.Duration       `json:"timeout"`
	Watch    *Watch              `json:"watch,omitempty"`   // of kind manager
	Reviews  int                 `json:"reviews,omitempty"` // of kind manager: how often a line is reviewed, and how often fixed, before a person is asked
	Waves    *WaveRules          `json:"waves,omitempty"`   // of kind waves
}

// Watch says when a manager is woken although nothing has happened: looked for
// every so often, once nothing happened for so long and nothing is under way.
type Watch struct {
	Every  time.Duration `json:"every"`
	Silent time.Duration `json:"silent"`
}

// ReviewRule says which branches are reviewed before they are merged.
type ReviewRule struct {
	When  ReviewWhen `json:"when"`
	Paths []string   `json:"paths,omitempty"` // globs, if it depends on what was changed
}

// ReviewWhen says whether a branch is reviewed.
type ReviewWhen string

const (
	ReviewAlways ReviewWhen = "always"
	ReviewNever  ReviewWhen = "never"
	ReviewPaths  ReviewWhen = "paths"
)

// PushRule says who lets the run's own branch be pushed to the real remote.
type PushRule string

const (
	PushAsk      PushRule = "ask"
	PushStanding PushRule = "standing" // approved by the playbook, which a person trusted
)

// TaskKind says what a task of a project is for. The empty kind is work as its
// prompt says.
type TaskKind string

const (
	KindWork     TaskKind = ""
	KindPlan     TaskKind = "plan"
	KindCode     TaskKind = "code"
	KindReview   TaskKind = "review"
	KindFix      TaskKind = "fix"     // continues the branch that was reviewed
	KindResolve  TaskKind = "resolve" // puts a merge right that git or the checks refused
	KindMerge    TaskKind = "merge"
	KindValidate TaskKind = "validate"
	KindPR       TaskKind = "pr"
	KindDiscard  TaskKind = "discard" // gives a branch up
	KindManage   TaskKind = "manage"  // a manager's turn
	KindWave     TaskKind = "wave"    // a planner closes a wave and proposes the next
)

// ChangesSomething is the check that something differs from a commit, or from
// the round's base if none is named.
func ChangesSomething(commit string) Check {
	return Check{Kind: CheckNot, Of: []Check{{Kind: CheckAlone, Globs: []string{"**"}, Into: commit}}}
}

// LeavesPlan is the check that nothing of the project's plan differs from that
// of a commit, or of the round's base if none is named.
func LeavesPlan(commit string) Check {
	return Check{Kind: CheckAlone, Globs: []string{".ai", ".ai/**"}, Into: commit}
}

// The stages of a managed run that are not steps of its plan.
const (
	PlanStage    = "plan"
	PublishStage = "publish"
	ManagerStage = "manager" // each round is a turn of the manager
)

// Managed reports a run that drives a project: its stages are opened as the
// work asks for them, and several may be open at once.
func (r *Run) Managed() bool { return r.Playbook != nil && r.Playbook.Project != nil }

// Merging is the merge that is under way; nil if none is. There is one at a
// time: each is verified against what the one before it left.
func (r *Run) Merging() *Task {
	for _, t := range r.tasks() {
		if t.Act == ActMerge && t.Status == TaskVerifying {
			return t
		}
	}
	return nil
}
