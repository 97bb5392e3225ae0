package giteatest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
)

type object map[string]any

func user(name string) object { return object{"id": 1, "login": name, "username": name} }

func (d *Double) pull(p *forgetest.Pull) object {
	repo := func(owner string) object {
		return object{"name": d.Name, "full_name": owner + "/" + d.Name, "owner": user(owner)}
	}
	o := object{
		"id": p.Number + 1000, "number": p.Number, "state": shown(p), "title": p.Title, "body": p.Body, "user": user(Bot),
		"html_url": fmt.Sprintf("http://gitea.test/%s/%s/pulls/%d", d.Owner, d.Name, p.Number),
		"merged":   p.State == forge.Merged, "merge_commit_sha": nil, "created_at": p.CreatedAt, "updated_at": p.CreatedAt,
		"head": object{"label": p.Head, "ref": p.Head, "sha": p.Commit, "repo": repo(d.HeadOwner(p))},
		"base": object{"label": p.Base, "ref": p.Base, "repo": repo(d.Owner)},
	}
	if p.State == forge.Merged {
		o["merge_commit_sha"] = p.Merge
	}
	return o
}

// reviews have the time at which they were begun, and how many comments on
// lines belong to them.
func (d *Double) reviews(w http.ResponseWriter, r *http.Request, p *forgetest.Pull) {
	all := []object{{
		"id": 1, "state": "REQUEST_REVIEW", "body": "", "user": user(forgetest.Reviewer), "submitted_at": p.CreatedAt, "comments_count": 0,
	}}
	for _, v := range p.Reviews {
		state, known := map[forge.NoteKind]string{forge.NoteChanges: "REQUEST_CHANGES", forge.NoteApproval: "APPROVED"}[v.Kind]
		if !known {
			state = "COMMENT"
		}
		if !v.Sent {
			state = "PENDING"
		}
		count := len(slices.DeleteFunc(slices.Clone(p.Lines), func(c forgetest.Written) bool { return c.Review != v.ID }))
		all = append(all, object{
			"id": v.ID, "state": state, "body": v.Body, "user": user(v.Author), "submitted_at": v.At, "comments_count": count, "dismissed": false,
		})
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}

func (d *Double) lines(w http.ResponseWriter, r *http.Request, p *forgetest.Pull) {
	all := []object{}
	for _, c := range p.Lines {
		if strconv.FormatInt(c.Review, 10) == r.PathValue("review") {
			all = append(all, object{
				"id": c.ID, "pull_request_review_id": c.Review, "body": c.Body, "user": user(c.Author), "path": c.File,
				"position": c.Line, "original_position": 0, "created_at": c.At, "updated_at": c.At,
			})
		}
	}
	forgetest.Reply(w, http.StatusOK, all)
}

// comments come whole, whatever page is asked for.
func (d *Double) comments(w http.ResponseWriter, _ *http.Request, p *forgetest.Pull) {
	all := []object{}
	for _, c := range p.Comments {
		all = append(all, object{"id": c.ID, "body": c.Body, "user": user(c.Author), "created_at": c.At, "updated_at": c.At})
	}
	w.Header().Set("X-Total-Count", strconv.Itoa(len(all)))
	forgetest.Reply(w, http.StatusOK, all)
}

// statuses are all that were ever posted, the newest first.
func (d *Double) statuses(w http.ResponseWriter, r *http.Request, b *forgetest.Books) {
	all := []object{}
	for _, c := range slices.Backward(b.Checks(r.PathValue("ref"))) {
		state := map[forge.CI]string{forge.CIPassed: "success", forge.CIFailed: "failure", forge.CIPending: "pending"}[c.CI]
		all = append(all, object{"id": c.ID, "context": c.Name, "status": state, "target_url": c.Link, "created_at": c.At, "updated_at": c.At})
	}
	forgetest.Reply(w, http.StatusOK, page(w, r, all))
}
