package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// unfitKind has a document for each project and engine that cannot work on it, by which every engine knows. Whoever
// takes the project removes them.
const unfitKind = "unfit"

// lack is why an engine cannot work on a project.
type lack struct {
	Host   string `json:"host"`
	Reason string `json:"reason"`
}

// Stranded is a project that no engine works on: those that tried lack something.
type Stranded struct {
	Reason string // what each of them lacks
	Since  time.Time
}

// Stranded has the projects that should have an owner and have none, because the engines that looked at them cannot
// work on them, by their id.
func (e *Engine) Stranded(ctx context.Context) (map[string]Stranded, error) {
	lacks, err := document.List[lack](ctx, e.store, unfitKind, "")
	if err != nil || len(lacks) == 0 {
		return nil, err
	}
	adrift, err := e.store.Adrift(ctx, "", 0)
	if err != nil {
		return nil, err
	}
	stranded := map[string]Stranded{}
	for _, l := range lacks {
		project, _, _ := strings.Cut(l.Key, "/")
		if !slices.ContainsFunc(adrift, func(o store.Owner) bool { return o.Project == project }) {
			continue // somebody works on it, or nothing is to be done
		}
		s, found := stranded[project]
		if !found {
			s = Stranded{Reason: "no engine can work on this project", Since: l.At}
		}
		s.Reason += fmt.Sprintf("; on %s: %s", l.Value.Host, l.Value.Reason)
		if l.At.Before(s.Since) {
			s.Since = l.At
		}
		stranded[project] = s
	}
	return stranded, nil
}

// tellUnfit has every engine know why this one cannot work on a project.
func (e *Engine) tellUnfit(ctx context.Context, project string, why error) error {
	key, now := project+"/"+e.opts.ID, lack{e.opts.Host, why.Error()}
	was, err := document.Read[lack](ctx, e.store, unfitKind, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) || err == nil && was.Value == now {
		return err
	}
	return document.Put(ctx, e.store, unfitKind, key, was.Version, now)
}

// forgetUnfit removes what engines lacked for projects that have an owner now.
func (e *Engine) forgetUnfit(ctx context.Context, taken []store.Owner) error {
	lacks, err := e.store.Documents(ctx, unfitKind, "", "", 0)
	if err != nil {
		return err
	}
	var errs []error
	for _, l := range lacks {
		project, _, _ := strings.Cut(l.Key, "/")
		if !slices.ContainsFunc(taken, func(o store.Owner) bool { return o.Project == project }) {
			continue
		}
		if err := e.store.DeleteDocument(ctx, unfitKind, l.Key, l.Version); !errors.Is(err, store.ErrStale) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
