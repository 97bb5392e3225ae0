package client

import (
	"context"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// unknownFolder says that something has to be named.
func (r Remote) unknownFolder(what, hint string) error {
	return core.Errorf(core.CodeInvalid, "the engine at %s does not know the folders of this machine: name the %s", r.where, what).WithHint("%s", hint)
}

// isPath reports a project that is named by where it lies.
func isPath(project string) bool {
	return strings.ContainsRune(project, '/') || strings.HasPrefix(project, ".")
}

// named refuses a project that is not named, or named by a path from here.
func (r Remote) named(project, hint string) error {
	if project == "" || isPath(project) {
		return r.unknownFolder("project", hint)
	}
	return nil
}

// Runs implements [api.Service].
func (r Remote) Runs(ctx context.Context, q api.RunQuery) ([]api.Run, error) {
	if q.Dir != "" {
		return nil, r.unknownFolder("run", "`stellwerk status` lists them")
	}
	return r.Client.Runs(ctx, q)
}

// Projects implements [api.Service].
func (r Remote) Projects(ctx context.Context, q api.ProjectQuery) ([]api.Project, error) {
	if q.Dir != "" {
		return nil, r.unknownFolder("project", "`stellwerk projects` lists them")
	}
	return r.Client.Projects(ctx, q)
}

// Limits implements [api.Service].
func (r Remote) Limits(ctx context.Context, q api.LimitsQuery) ([]api.Account, error) {
	q.Dir = ""
	return r.Client.Limits(ctx, q)
}

// Messages implements [api.Service].
func (r Remote) Messages(ctx context.Context, q api.MessageQuery) ([]api.Message, error) {
	if err := r.named(q.Project, "`stellwerk projects` lists them"); err != nil {
		return nil, err
	}
	q.Dir = ""
	return r.Client.Messages(ctx, q)
}

// Speak implements [api.Service].
func (r Remote) Speak(ctx context.Context, req api.Speak) (api.Spoken, error) {
	if err := r.named(req.Project, `stellwerk say PROJECT "…"`); err != nil {
		return api.Spoken{}, err
	}
	req.Dir = ""
	if req.Start != nil {
		start := *req.Start
		start.Dir = ""
		req.Start = &start
	}
	return r.Client.Speak(ctx, req)
}

// StartRun implements [api.Service].
func (r Remote) StartRun(ctx context.Context, req api.StartRun) (api.Run, error) {
	if err := r.named(req.Project, `stellwerk run "…" --project NAME`); err != nil {
		return api.Run{}, err
	}
	req.Dir = ""
	return r.Client.StartRun(ctx, req)
}

// Trust implements [api.Service].
func (r Remote) Trust(ctx context.Context, req api.Trust) (api.Trusted, error) {
	if err := r.named(req.Project, "stellwerk trust --project NAME"); err != nil {
		return api.Trusted{}, err
	}
	req.Dir = ""
	return r.Client.Trust(ctx, req)
}

// Swap implements [api.Service].
func (r Remote) Swap(ctx context.Context, id string, req api.Swap) (api.Run, error) {
	if strings.ContainsAny(req.Playbook, "/.") {
		return api.Run{}, r.unknownFolder("playbook", "one of the project's own, or a built-in one: `stellwerk playbook list`")
	}
	req.Dir = ""
	return r.Client.Swap(ctx, id, req)
}
