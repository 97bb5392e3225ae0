package api

import (
	"context"
)

// Library is what runs are made of: the playbooks and roles that come with the
// program, and those that a project's repository has committed on its base. It
// is read here and never written: what a repository is to be worked by belongs
// to the repository.
type Library interface {
	// Playbooks lists the repository's own first. One that is not valid is listed
	// with what is wrong with it.
	Playbooks(ctx context.Context, q LibraryQuery) ([]PlaybookEntry, error)
	// Playbook is one of them with its text.
	Playbook(ctx context.Context, name string, q LibraryQuery) (PlaybookSource, error)
	// CheckPlaybook says everything that is wrong with a text, as a run in the
	// project would find it. Only where it could not be looked at is that an error.
	CheckPlaybook(ctx context.Context, req CheckPlaybook) (PlaybookVerdict, error)
	// Roles lists the roles that playbooks can name.
	Roles(ctx context.Context, q LibraryQuery) ([]RoleEntry, error)
}

// LibraryQuery says whose playbooks and roles are meant.
type LibraryQuery struct {
	Project string `query:"project" doc:"Name or key; without one, what comes with the program"`
}

// PlaybookEntry is a playbook in a list.
type PlaybookEntry struct {
	Name        string `json:"name"`
	Origin      string `json:"origin" doc:"builtin, or its file in the repository"`
	Kind        string `json:"kind,omitempty" doc:"phases, rules, manager or waves"`
	Description string `json:"description,omitempty"`
	Drives      bool   `json:"drives,omitempty" doc:"Its runs drive the project, one after the other"`
	Chosen      bool   `json:"chosen,omitempty" doc:"It is taken where none is named"`
	Problem     string `json:"problem,omitempty" doc:"Why it cannot be used"`
	Lacks       string `json:"lacks,omitempty" doc:"Why a run by it cannot start on the engine's machine as it is"`
}

// Builtin reports a playbook that comes with the program.
func (e PlaybookEntry) Builtin() bool { return e.Origin == "builtin" }

// PlaybookSource is a playbook with its text.
type PlaybookSource struct {
	PlaybookEntry
	Text string `json:"text"`
}

// CheckPlaybook is a text to be looked at.
type CheckPlaybook struct {
	Project string `json:"project,omitempty"`
	Text    string `json:"text"`
}

// PlaybookVerdict is what was found about a text.
type PlaybookVerdict struct {
	Valid    bool             `json:"valid"`
	Name     string           `json:"name,omitempty"`
	Kind     string           `json:"kind,omitempty"`
	Problems []PlaybookRemark `json:"problems"`
	Warnings []PlaybookRemark `json:"warnings"`
}

// PlaybookRemark is one thing about a text, at a place in it.
type PlaybookRemark struct {
	Line    int    `json:"line" doc:"From 1"`
	Column  int    `json:"column" doc:"From 1"`
	Path    string `json:"path,omitempty" doc:"Of keys, as in phases[2].role"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// RoleEntry is a role.
type RoleEntry struct {
	Name        string   `json:"name"`
	Origin      string   `json:"origin" doc:"builtin, or its file in the repository"`
	Description string   `json:"description,omitempty"`
	Agent       string   `json:"agent,omitempty"`
	Model       string   `json:"model,omitempty"`
	Tools       []string `json:"tools,omitempty" doc:"All where there are none"`
	Prompt      string   `json:"prompt,omitempty"`
	Notes       []string `json:"notes,omitempty" doc:"What its file says that is not followed"`
}

// PlaybookList is a list of playbooks.
type PlaybookList struct {
	Playbooks []PlaybookEntry `json:"playbooks"`
}

// RoleList is a list of roles.
type RoleList struct {
	Roles []RoleEntry `json:"roles"`
}
