package cockpit

import (
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// evidence is what a person decides by: the newest attempt of a task, or what the
// engine has prepared itself.
type evidence struct {
	task      string
	Work      work
	Role      string
	Attempt   api.Attempt
	Prepared  []core.CheckResult // made once more before publishing
	Documents []artifactBody     // that were handed in
}

// How much of each document is shown beside a decision: on a page with several
// decisions, and on a page with one.
const (
	glance = 4 << 10 // bytes of each
	look   = 24 << 10
)

// shownEvidence is how many verified attempts of other stages stand beside an
// approval.
const shownEvidence = 3

// evidenceOf is what the checks said about the waiting stage and what it handed in,
// and about tasks that have no attempt left. If what waits was not checked itself, it
// is what was checked last before it.
func (c *cockpit) evidenceOf(r *http.Request, d api.RunDetail, most int) ([]evidence, error) {
	var list, before []evidence
	for _, s := range d.Stages {
		gated := d.Gate != nil && s.ID == d.Stage
		for _, t := range s.Tasks {
			e := evidence{task: t.ID, Role: t.Role}
			if n := len(t.Attempts); n > 0 {
				e.Attempt = t.Attempts[n-1]
			}
			switch {
			case gated && (e.Attempt.N > 0 || len(t.Prepared) > 0):
				e.Prepared = t.Prepared
				if err := c.handedIn(r, d, &e, most); err != nil {
					return nil, err
				}
				list = append(list, e)
			case stuck(t) && e.Attempt.N > 0:
				list = append(list, e)
			case d.Gate != nil && len(e.Attempt.Results) > 0:
				before = append(before, e)
			}
		}
	}
	if len(list) == 0 {
		list = before[max(0, len(before)-shownEvidence):]
	}
	for i := range list {
		list[i].Work = workOf(d.Stages, list[i].task)
	}
	return list, nil
}

// handedIn reads what an attempt handed in. What is meant for people to read is
// shown, the rest named.
func (c *cockpit) handedIn(r *http.Request, d api.RunDetail, e *evidence, most int) error {
	for i, a := range e.Attempt.Artifacts {
		doc := artifactBody{Artifact: a, Run: d.Alias}
		if i < shownArtifact && slices.Contains([]string{".md", ".markdown", ".txt"}, strings.ToLower(path.Ext(a.Name))) {
			if err := c.render(r.Context(), d.ID, &doc, most); err != nil {
				return err
			}
		}
		e.Documents = append(e.Documents, doc)
	}
	return nil
}
