package core

// What people decide about a project, and what becomes of its epics.
const (
	TypeProjectNamed    Type = "ProjectNamed"
	TypePlaybookChosen  Type = "PlaybookChosen"
	TypeProjectPaused   Type = "ProjectPaused"
	TypeProjectResumed  Type = "ProjectResumed"
	TypeProjectArchived Type = "ProjectArchived"
	TypeProjectErased   Type = "ProjectErased"
	TypeEpicQueued      Type = "EpicQueued"
	TypeEpicTaken       Type = "EpicTaken"
	TypeEpicPostponed   Type = "EpicPostponed"
	TypeEpicRefused     Type = "EpicRefused"
	TypeEpicRequeued    Type = "EpicRequeued"
	TypeEpicDropped     Type = "EpicDropped"
)

// ProjectNamed gives a project the name that commands know it by.
type ProjectNamed struct {
	Name string `json:"name"`
}

// PlaybookChosen says which playbook drives a project if none is named.
type PlaybookChosen struct {
	Playbook string `json:"playbook"`
}

// ProjectPaused keeps all runs of a project from beginning anything.
type ProjectPaused struct {
	Reason string `json:"reason,omitempty"`
}

// ProjectResumed lets a project go on that was paused or archived.
type ProjectResumed struct{}

// ProjectArchived puts a project aside: no run starts in it.
type ProjectArchived struct {
	Reason string `json:"reason,omitempty"`
}

// ProjectErased says that the content of a project and all its runs was erased, with what a person said about it. It
// is the only event of them that stays whole. Its repository may be registered anew.
type ProjectErased struct {
	Reason  string         `json:"reason,omitempty"`
	Events  int64          `json:"events"` // whose content was erased
	Streams []ErasedStream `json:"streams"`
}

// EpicQueued puts a goal at the end of the project's queue.
type EpicQueued struct {
	Epic Epic `json:"epic"`
}

// EpicTaken records that an epic has become a run.
type EpicTaken struct {
	Epic string `json:"epic"`
	Run  string `json:"run"`
}

// EpicPostponed records that an epic's run could not be started for a reason
// that may pass. It keeps its place, and is tried again a little later.
type EpicPostponed struct {
	Epic   string `json:"epic"`
	Reason string `json:"reason"`
}

// EpicRefused records that an epic's run could not be started. It stays, and
// those behind it go on.
type EpicRefused struct {
	Epic   string `json:"epic"`
	Reason string `json:"reason"`
	Advice
}

// EpicRequeued lets an epic that was refused wait for its turn again, at the
// end of the queue.
type EpicRequeued struct {
	Epic string `json:"epic"`
}

// EpicDropped takes an epic out of the queue.
type EpicDropped struct {
	Epic   string `json:"epic"`
	Reason string `json:"reason,omitempty"`
}

func (ProjectNamed) event() Type    { return TypeProjectNamed }
func (PlaybookChosen) event() Type  { return TypePlaybookChosen }
func (ProjectPaused) event() Type   { return TypeProjectPaused }
func (ProjectResumed) event() Type  { return TypeProjectResumed }
func (ProjectArchived) event() Type { return TypeProjectArchived }
func (ProjectErased) event() Type   { return TypeProjectErased }
func (EpicQueued) event() Type      { return TypeEpicQueued }
func (EpicTaken) event() Type       { return TypeEpicTaken }
func (EpicPostponed) event() Type   { return TypeEpicPostponed }
func (EpicRefused) event() Type     { return TypeEpicRefused }
func (EpicRequeued) event() Type    { return TypeEpicRequeued }
func (EpicDropped) event() Type     { return TypeEpicDropped }
