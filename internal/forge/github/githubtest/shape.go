package githubtest

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
)

type object map[string]any

// shown is GitHub's state: a pull request that was merged is closed.
func shown(p *forgetest.Pull) string {
	if p.State == forge.Open {
		return "open"
	}
	return "closed"
}

// pull is a pull request in a list or, whole, by itself: only then GitHub says
// whether it was merged in the field "merged".
func (d *Double) pull(p *forgetest.Pull, whole bool) object {
	repo := func(owner string) object {
		return object{"name": d.Name, "full_name": owner + "/" + d.Name, "owner": object{"login": owner}}
	}
	o := object{
		"id": p.Number + 1000, "number": p.Number, "state": shown(p), "title": p.Title, "body": p.Body,
		"html_url":   fmt.Sprintf("https://github.test/%s/%s/pull/%d", d.Owner, d.Name, p.Number),
		"created_at": p.CreatedAt, "merged_at": nil,
		// While it is open, this is the commit of a trial merge.
		"merge_commit_sha": "7e57000000000000000000000000000000007e57",
		"head":             object{"ref": p.Head, "label": d.HeadOwner(p) + ":" + p.Head, "sha": p.Commit, "repo": repo(d.HeadOwner(p))},
		"base":             object{"ref": p.Base, "label": d.Owner + ":" + p.Base, "repo": repo(d.Owner)},
	}
	if p.State == forge.Merged {
		o["merge_commit_sha"], o["merged_at"] = p.Merge, p.CreatedAt
	}
	if whole {
		o["merged"] = p.State == forge.Merged
	}
	return o
}

func association(author string) string {
	if author == forgetest.Stranger {
		return "NONE"
	}
	return "COLLABORATOR"
}

func (d *Double) reviews(w http.ResponseWriter, r *http.Request, p *forgetest.Pull) {
	all := []object{}
	for _, v := range p.Reviews {
		state, known := map[forge.NoteKind]string{forge.NoteChanges: "CHANGES_REQUESTED", forge.NoteApproval: "APPROVED"}[v.Kind]
		if !known {
			state = "COMMENTED"
		}
		if !v.Sent { // seen by who holds the token if they began it
			state = "PENDING"
		}
		all = append(all, object{
			"id": v.ID, "state": state, "body": v.Body, "user": object{"login": v.Author}, "author_association": association(v.Author),
			"submitted_at": v.At, "html_url": fmt.Sprintf("https://github.test/%s/%s/pull/%d#pullrequestreview-%d", d.Owner, d.Name, p.Number, v.ID),
		})
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}

func (d *Double) lines(w http.ResponseWriter, r *http.Request, p *forgetest.Pull) {
	all := []object{}
	for _, c := range p.Lines {
		all = append(all, object{
			"id": c.ID, "pull_request_review_id": c.Review, "body": c.Body, "path": c.File, "line": c.Line, "original_line": c.Line, "side": "RIGHT",
			"user": object{"login": c.Author}, "author_association": association(c.Author), "created_at": c.At, "updated_at": c.At,
		})
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}

func (d *Double) comments(w http.ResponseWriter, r *http.Request, p *forgetest.Pull) {
	all := []object{}
	for _, c := range p.Comments {
		all = append(all, object{
			"id": c.ID, "body": c.Body, "user": object{"login": c.Author}, "author_association": association(c.Author),
			"created_at": c.At, "updated_at": c.At,
		})
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}

// status is the combined status: the newest of each context, and "pending"
// where there is none.
func (d *Double) status(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
	newest := forgetest.Newest(b.Checks(r.PathValue("ref")))
	all, together := []object{}, []forge.CI{}
	for _, c := range newest {
		all = append(all, object{"id": c.ID, "context": c.Name, "state": spoken(c.CI), "target_url": c.Link})
		together = append(together, c.CI)
	}
	forgetest.Reply(w, http.StatusOK, object{
		"state": spoken(forge.Combine(together)), "sha": r.PathValue("ref"), "total_count": len(all), "statuses": page(w, r, all),
	})
}

func spoken(ci forge.CI) string {
	switch ci {
	case forge.CIPassed:
		return "success"
	case forge.CIFailed:
		return "failure"
	default:
		return "pending"
	}
}

func (d *Double) checkRuns(w http.ResponseWriter, r *http.Request, _ *forgetest.Books) {
	all := page(w, r, d.Runs[r.PathValue("ref")])
	forgetest.Reply(w, http.StatusOK, object{"total_count": len(all), "check_runs": all})
}

func (d *Double) deployments(w http.ResponseWriter, r *http.Request, _ *forgetest.Books) {
	all := []object{}
	for i, deployed := range d.Deployments {
		if deployed.Commit == r.URL.Query().Get("sha") {
			all = append(all, object{"id": i + 1, "sha": deployed.Commit, "environment": "Preview"})
		}
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}

func (d *Double) deploymentStatuses(w http.ResponseWriter, r *http.Request, _ *forgetest.Books) {
	id, err := strconv.Atoi(r.PathValue("id"))
	if err != nil || id < 1 || id > len(d.Deployments) {
		notFound(w)
		return
	}
	said := d.Deployments[id-1]
	forgetest.Reply(w, http.StatusOK, page(w, r, []object{
		{"id": 1, "state": "in_progress", "environment_url": ""}, {"id": 3, "state": said.State, "environment_url": said.Link},
		{"id": 2, "state": "success", "environment_url": "https://early.example.test"},
	}))
}
