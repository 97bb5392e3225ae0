package api

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ProjectCommands are what people ask about projects and say to them. A project
// is named by its name or its key.
type ProjectCommands interface {
	// Projects lists the repositories under Stellwerk, the one where something
	// happened last first.
	Projects(ctx context.Context, q ProjectQuery) ([]Project, error)
	// Project looks at one.
	Project(ctx context.Context, id string) (ProjectDetail, error)
	// AddProject puts a repository under Stellwerk, or names one that is there.
	AddProject(ctx context.Context, req AddProject) (ProjectDetail, error)
	// PauseProject stands all its runs and its queue still, ResumeProject undoes
	// that, and takes it out of the archive.
	PauseProject(ctx context.Context, id string, req PauseProject) (ProjectDetail, error)
	ResumeProject(ctx context.Context, id string, req ResumeProject) (ProjectDetail, error)
	// ArchiveProject puts it aside; it fails with CodeConflict while a run is open.
	ArchiveProject(ctx context.Context, id string, req ArchiveProject) (ProjectDetail, error)
	// EraseProject removes the content of a project and all its runs for good, on all machines; it fails with CodeConflict
	// while a run is open. The history stays verifiable.
	EraseProject(ctx context.Context, id string, req EraseProject) (ErasedProject, error)
	// DropEpic takes an epic out of the queue, RequeueEpic lets refused ones wait
	// for their turn again.
	DropEpic(ctx context.Context, id string, req DropEpic) (ProjectDetail, error)
	RequeueEpic(ctx context.Context, id string, req RequeueEpic) (ProjectDetail, error)
}

// ProjectQuery narrows a list of projects.
type ProjectQuery struct {
	Dir string `query:"dir" doc:"Only that of the repository at this path"`
	All bool   `query:"all" doc:"Archived ones, too"`
}

// Project is a repository under Stellwerk, and how far it was brought by the
// runs that drive it.
type Project struct {
	ID             string         `json:"id"`   // the key, for programs
	Name           string         `json:"name"` // unique, by which commands know it
	Repository     string         `json:"repository"`
	Base           string         `json:"base"`
	Branch         string         `json:"branch,omitempty"`
	Playbook       string         `json:"playbook,omitempty"`
	Status         core.RunStatus `json:"status" doc:"active, paused, awaiting_review, completed or failed"`
	Reason         string         `json:"reason,omitempty" doc:"why it is paused, unreadable or stranded"`
	State          ProjectState   `json:"state" doc:"how it stands, in a word, with all its open runs: free, running, waits, awaiting_review, paused, completed, failed, archived, unreadable or stranded"`
	Archived       bool           `json:"archived,omitempty"`
	Epic           string         `json:"epic,omitempty"`
	Queued         int            `json:"queued" doc:"epics that wait for their turn"`
	Refused        int            `json:"refused,omitempty" doc:"epics that could not be started"`
	Tasks          int            `json:"tasks"`
	CompletedTasks int            `json:"completed_tasks"`
	FailedTasks    int            `json:"failed_tasks"`
	core.Cost
	URL          string    `json:"url,omitempty"`
	LastActivity time.Time `json:"last_activity"`
}

// ProjectState is how a project stands: one of these, or the core.RunStatus of its
// last run.
type ProjectState string

const (
	ProjectFree     ProjectState = "free"    // nothing is open in it
	ProjectRunning  ProjectState = "running" // something is done in it
	ProjectWaiting  ProjectState = "waits"   // all that is open in it waits for a person
	ProjectPaused   ProjectState = "paused"  // a person paused it
	ProjectArchived ProjectState = "archived"
	// ProjectUnreadable is left to a newer version of Stellwerk.
	ProjectUnreadable ProjectState = "unreadable"
	// ProjectStranded is one that no engine can work on.
	ProjectStranded ProjectState = "stranded"
)

// ProjectDetail is a project with its run, its queue and its totals.
type ProjectDetail struct {
	Project
	PullRequest int              `json:"pull_request,omitempty" doc:"its number"`
	Run         *Run             `json:"run,omitempty" doc:"the open run that drives it"`
	Open        []Run            `json:"open,omitempty" doc:"its other open runs"`
	Runs        int              `json:"runs" doc:"ever started"`
	Tokens      int64            `json:"tokens"`
	ByStatus    map[string]int   `json:"by_status" doc:"tasks that are pending, running, completed and failed"`
	Queue       []Epic           `json:"queue"`
	Limits      *core.Limits     `json:"limits,omitempty" doc:"of the run that drives it"`
	PausedBy    *core.Standstill `json:"paused_by,omitempty"`
	CreatedAt   time.Time        `json:"created_at"`
	CreatedBy   string           `json:"created_by"`
	Warnings    []string         `json:"warnings,omitempty"`
	Owner       *Owner           `json:"owner,omitempty" doc:"The engine that works on it, if several share the store"`
}

// Epic is a goal in the queue of a project.
type Epic struct {
	ID       string        `json:"id"`
	Project  string        `json:"project"` // its name
	Title    string        `json:"title"`
	Issue    string        `json:"issue,omitempty"`
	Playbook string        `json:"playbook"`
	Base     string        `json:"base"`
	Place    int           `json:"place,omitempty" doc:"among those that wait, from 1"`
	Behind   string        `json:"behind,omitempty" doc:"the run that drives the project"`
	Run      string        `json:"run" doc:"id of the run it becomes"`
	By       string        `json:"by"`
	At       time.Time     `json:"at"`
	Refused  *core.Refusal `json:"refused,omitempty"`
}

// AddProject names a repository: a path on the engine's machine, or a URL.
type AddProject struct {
	Repository string `json:"repository"`
	Name       string `json:"name,omitempty"`
	Playbook   string `json:"playbook,omitempty"`
	Base       string `json:"base,omitempty"`
}

// PauseProject says why.
type PauseProject struct {
	Reason string `json:"reason,omitempty"`
}

// ResumeProject lets a project go on.
type ResumeProject struct{}

// ArchiveProject says why.
type ArchiveProject struct {
	Reason string `json:"reason,omitempty"`
}

// EraseProject repeats the project's name, so that nobody erases another by mistake, and says why. The reason stays on record.
type EraseProject struct {
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"`
}

// ErasedProject is what was erased.
type ErasedProject struct {
	Project string `json:"project"` // its key
	Name    string `json:"name"`
	Runs    int    `json:"runs"`
	Events  int64  `json:"events"`
	Objects int    `json:"objects" doc:"that were removed at once"`
	Bytes   int64  `json:"bytes" doc:"of those"`
	// Pending says what is still to be removed on this machine and is tried again.
	Pending string `json:"pending,omitempty"`
}

// DropEpic names an epic.
type DropEpic struct {
	Epic   string `json:"epic"`
	Reason string `json:"reason,omitempty"`
}

// RequeueEpic names an epic; all that were refused where it names none.
type RequeueEpic struct {
	Epic string `json:"epic,omitempty"`
}

// ProjectList is a list of projects.
type ProjectList struct {
	Projects []Project `json:"projects"`
}
