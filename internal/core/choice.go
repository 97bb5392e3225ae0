package core

// Advice is what a person can do about something that waits or was refused. The
// edge turns it into command lines, buttons or links; nothing here does.
type Advice struct {
	Hint    string   `json:"hint,omitempty"`    // what to know or to do first, in words
	Choices []Choice `json:"choices,omitempty"` // the best one first
}

// Choice is one thing that a person can do. Which fields it has depends on the verb.
type Choice struct {
	Verb     Verb   `json:"verb"`
	Run      string `json:"run,omitempty"`      // alias of the run it is about
	Stage    string `json:"stage,omitempty"`    // to go back to; any earlier one if empty
	Limit    Limit  `json:"limit,omitempty"`    // to raise
	Question string `json:"question,omitempty"` // to answer
	Session  string `json:"session,omitempty"`  // to go on in
	Project  string `json:"project,omitempty"`  // name of the project it is about
	Epic     string `json:"epic,omitempty"`     // in the project's queue; whichever if empty
}

// Verb is what a choice does.
type Verb string

// What a person can tell a run.
const (
	VerbApprove     Verb = "approve"
	VerbApproveLeak Verb = "approve_leak" // although something looks like a secret
	VerbFeedback    Verb = "feedback"
	VerbRollback    Verb = "rollback"
	VerbRetry       Verb = "retry"
	VerbSkip        Verb = "skip"
	VerbPause       Verb = "pause"
	VerbStop        Verb = "stop" // pause, and end what is under way
	VerbResume      Verb = "resume"
	VerbRaise       Verb = "raise"     // a limit, and go on
	VerbTakeOver    Verb = "take_over" // go on in a session
	VerbJoin        Verb = "join"      // the session that has it
	VerbHandBack    Verb = "hand_back" // go on without the session
	VerbCancel      Verb = "cancel"
	VerbMerge       Verb = "merge"
	VerbFastForward Verb = "fast_forward" // merge, and move a base that is checked out
	VerbAnswer      Verb = "answer"
	VerbSay         Verb = "say" // to the manager
)

// What a person can tell a project, or the program.
const (
	VerbStart            Verb = "start"        // a run
	VerbStartBranch      Verb = "start_branch" // a run on another branch
	VerbTrust            Verb = "trust"        // what a repository brings along
	VerbAddProject       Verb = "add_project"
	VerbResumeProject    Verb = "resume_project"
	VerbDropEpic         Verb = "drop_epic"
	VerbRequeueEpic      Verb = "requeue_epic"
	VerbOpenConversation Verb = "open_conversation"
	VerbServe            Verb = "serve"   // an engine that listens
	VerbCockpit          Verb = "cockpit" // in a browser
	VerbAddToken         Verb = "add_token"
	VerbRestore          Verb = "restore" // a backup
	VerbRebuild          Verb = "rebuild" // the database, from the runs' folders
	VerbStateFolder      Verb = "state_folder"
	VerbMoveStore        Verb = "move_store"    // whole, to another place
	VerbGiveUpMove       Verb = "give_up_move"  // of a store, that was cut short
	VerbMigrateStore     Verb = "migrate_store" // to the schema of this program
)

// With what option a person can repeat what was refused.
const (
	VerbWithBase         Verb = "with_base"   // another branch to start from
	VerbWithBranch       Verb = "with_branch" // another branch to work on
	VerbWithName         Verb = "with_name"
	VerbWithPlaybook     Verb = "with_playbook"
	VerbWithProject      Verb = "with_project"
	VerbWithRepository   Verb = "with_repository" // on the forge
	VerbWithLocalForge   Verb = "with_local_forge"
	VerbWithSandbox      Verb = "with_sandbox"
	VerbWithoutIsolation Verb = "without_isolation"
	VerbWithTrust        Verb = "with_trust"
	VerbWithAge          Verb = "with_age"     // of what is removed
	VerbWithoutLost      Verb = "without_lost" // objects, which are missing afterwards
)

// Where a person can look.
const (
	VerbStatus        Verb = "status"
	VerbLog           Verb = "log"
	VerbDiff          Verb = "diff"
	VerbReplay        Verb = "replay"
	VerbRuns          Verb = "runs"
	VerbInbox         Verb = "inbox"
	VerbProjects      Verb = "projects"
	VerbProject       Verb = "project"
	VerbQueue         Verb = "queue"
	VerbConversations Verb = "conversations"
	VerbPlaybooks     Verb = "playbooks"
	VerbTokens        Verb = "tokens"
	VerbPrune         Verb = "prune" // what could be removed
	VerbVerifyHistory Verb = "audit_verify"
	VerbShowPlan      Verb = "show_plan" // with a manager's tool
	VerbCheckStore    Verb = "check_store"
)

// Limit names a limit by its setting.
type Limit string

const (
	LimitCost            Limit = "limits.cost_usd"
	LimitTokens          Limit = "limits.tokens"
	LimitProjectCost     Limit = "limits.project.cost_usd"
	LimitProjectTokens   Limit = "limits.project.tokens"
	LimitProjectTime     Limit = "limits.project.wall_time"
	LimitProjectAttempts Limit = "limits.project.attempts"
	LimitAttemptCost     Limit = "limits.attempt.cost_usd"
	LimitAttemptTokens   Limit = "limits.attempt.tokens"
)

// KnownLimits lists the limits that can be raised while a run is open.
func KnownLimits() []Limit {
	return []Limit{
		LimitCost, LimitTokens, LimitProjectCost, LimitProjectTokens, LimitProjectTime, LimitProjectAttempts, LimitAttemptCost, LimitAttemptTokens,
	}
}

// ResourceLimit is a limit on what an attempt takes of the machine. Only the
// settings raise it, for new runs.
func ResourceLimit(resource string) Limit { return Limit("resources." + resource) }

// OfAttempt reports a limit that each attempt has to itself: it is raised when
// attempts are granted again.
func (l Limit) OfAttempt() bool { return l == LimitAttemptCost || l == LimitAttemptTokens }

// Choices are what a person can do about the run.
func (r *Run) Choices(verbs ...Verb) []Choice {
	choices := make([]Choice, len(verbs))
	for i, verb := range verbs {
		choices[i] = Choice{Verb: verb, Run: r.Alias}
	}
	return choices
}

// raise is the choice to raise a limit.
func (r *Run) raise(l Limit) Advice {
	return Advice{Choices: []Choice{{Verb: VerbRaise, Run: r.Alias, Limit: l}}}
}

// Ask is the choice to answer a question.
func (q Question) Ask() Advice {
	return Advice{Choices: []Choice{{Verb: VerbAnswer, Question: q.ID}}}
}
