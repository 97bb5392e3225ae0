package postgres

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// op is a write in the form in which the database gets it.
type op interface {
	// encode returns it as JSON, and adds to bodies what goes beside it, by numbers from 1.
	encode(bodies *[][]byte) (json.RawMessage, error)
	// refusal is what the database's answer says, null for done. A write that was sent before may have been carried out then.
	refusal(answer json.RawMessage, again bool) error
}

// attach adds a piece to bodies and returns its number.
func attach(bodies *[][]byte, data []byte) int {
	*bodies = append(*bodies, data)
	return len(*bodies)
}

type fields map[string]any

// small is a write without events: it may be repeated without harm.
type small struct {
	fields
	refused func(code string) error
}

func (s small) encode(*[][]byte) (json.RawMessage, error) { return json.Marshal(s.fields) }

func (s small) refusal(answer json.RawMessage, _ bool) error {
	r, err := readRefusal(answer)
	if err != nil || r == nil {
		return err
	}
	if s.refused != nil {
		return s.refused(r.Code)
	}
	return r.unknown()
}

// commit is a store.Commit.
type commit struct {
	store.Commit
	events []store.EventRow
}

type eventRow struct {
	Seq      int64  `json:"seq"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	V        int    `json:"v"`
	At       string `json:"at"`
	Actor    string `json:"actor"`
	Cause    string `json:"cause"`
	PrevHash string `json:"prev_hash"`
	Hash     string `json:"hash"`
	Body     int    `json:"body"`
}

func (c commit) encode(bodies *[][]byte) (json.RawMessage, error) {
	f := fields{"op": "commit", "stream": c.Stream, "of": c.Of, "fence": c.Fence, "after": c.After}
	if len(c.events) > 0 {
		rows := make([]eventRow, len(c.events))
		for i, row := range c.events {
			rows[i] = eventRow{
				Seq: row.Seq, ID: row.ID, Type: string(row.Type), V: row.V, At: stamp(row.At), Actor: row.Actor, Cause: row.Cause,
				PrevHash: row.PrevHash, Hash: row.Hash, Body: attach(bodies, row.Body),
			}
		}
		f["events"] = rows
	}
	if len(c.Given) > 0 {
		given := make([]fields, len(c.Given))
		for i, g := range c.Given {
			given[i] = fields{"stream": g.Stream, "seq": g.Seq}
		}
		f["given"] = given
	}
	put(f, "idle", c.Idle != "", c.Idle)
	put(f, "acquire", len(c.Acquire) > 0, claims(c.Acquire))
	put(f, "release", len(c.Release) > 0, claims(c.Release))
	put(f, "place", c.Place != "", c.Place)
	put(f, "free", len(c.Free) > 0, c.Free)
	put(f, "take", len(c.Take) > 0, slots(c.Take, c.Place))
	put(f, "queue", len(c.Queue) > 0, slots(c.Queue, c.Place))
	put(f, "spends", c.Spends, true)
	put(f, "attended", c.Attended, true)
	if c.DueAt != nil {
		f["due"] = stamp(*c.DueAt)
	}
	if b := c.Budget; b != nil {
		f["budget"] = budgetFields(b)
	}
	c.project(f, bodies)
	return json.Marshal(f)
}

func put(f fields, name string, when bool, value any) {
	if when {
		f[name] = value
	}
}

func claims(all []core.Claim) []fields {
	out := make([]fields, len(all))
	for i, c := range all {
		out[i] = fields{"kind": c.Kind, "key": c.Key, "holder": c.Holder, "most": c.Limit}
	}
	return out
}

// slots are requests in which the database can exchange the place.
func slots(all []core.Slots, place string) []fields {
	out := make([]fields, len(all))
	for i, s := range all {
		pools := make([]fields, len(s.Pools))
		for j, p := range s.Pools {
			pools[j] = fields{"key": p.Key, "limit": p.Limit}
			if place != "" && (p.Key == core.AttemptSlots(place) || p.Key == core.ManagerSlots(place)) {
				pools[j] = fields{"key": strings.TrimSuffix(p.Key, place), "limit": p.Limit, "at": true}
			}
		}
		out[i] = fields{"holder": s.Holder, "project": s.Project, "pools": pools}
	}
	return out
}

// stamp writes a time as the database reads it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999999Z") }

func optional(t *time.Time) any {
	if t == nil {
		return nil
	}
	return stamp(*t)
}

// project adds the projections.
func (c commit) project(f fields, bodies *[][]byte) {
	if r := c.Run; r != nil {
		f["run"] = runFields(r)
	}
	if p := c.Project; p != nil {
		f["project"] = projectFields(p)
	}
	if len(c.Tasks) > 0 {
		rows := make([]fields, len(c.Tasks))
		for i := range c.Tasks {
			rows[i] = taskFields(&c.Tasks[i], bodies)
		}
		f["tasks"] = rows
	}
	if len(c.Messages) > 0 {
		rows := make([]fields, len(c.Messages))
		for i := range c.Messages {
			rows[i] = messageFields(&c.Messages[i])
		}
		f["messages"] = rows
	}
	if len(c.Conversations) > 0 {
		rows := make([]fields, len(c.Conversations))
		for i, t := range c.Conversations {
			rows[i] = fields{"id": t.ID, "project_id": t.Project, "name": store.Clean(t.Name), "created_by": store.Clean(t.CreatedBy), "created_at": stamp(t.CreatedAt)}
		}
		f["conversations"] = rows
	}
	if p := c.Progress; p != nil {
		f["progress"] = fields{
			"project": p.Project, "epic": store.Clean(p.Epic), "branch": store.Clean(p.Branch), "status": p.Status, "reason": store.Clean(p.Reason), "at": stamp(p.At),
			"pr_url": store.Clean(p.PRURL), "pr_number": p.PRNumber,
		}
	}
	if p := c.Standing; p != nil {
		f["standing"] = fields{
			"project": p.Project, "name": store.Clean(p.Name), "playbook": store.Clean(p.Playbook), "paused": store.Clean(p.Paused), "archived_at": optional(p.ArchivedAt),
			"queued": p.Queued, "refused": p.Refused, "at": stamp(p.At),
		}
	}
	if p := c.Snapshot; p != nil {
		f["snapshot"] = fields{"seq": p.Head.Seq, "hash": p.Head.Hash, "at": stamp(p.Head.At), "format": p.Format, "state": attach(bodies, p.State)}
	}
}

func runFields(r *store.RunRow) fields {
	return fields{
		"id": r.ID, "alias": store.Clean(r.Alias), "project_id": r.Project, "title": store.Clean(r.Title), "goal": store.Clean(r.Goal), "issue": store.Clean(r.Issue),
		"status": r.Status, "reason": store.Clean(r.Reason), "stage": store.Clean(r.Stage), "branch": store.Clean(r.Branch), "base": store.Clean(r.Base), "url": store.Clean(r.URL),
		"isolation": r.Isolation, "attempts": r.Attempts, "cost_usd": r.CostUSD, "unpriced": r.Unpriced, "tokens": r.Tokens,
		"held_usd": r.HeldUSD, "held_tokens": r.HeldTokens, "limited": r.Limited, "worked": r.Worked.Microseconds(),
		"started_at": stamp(r.StartedAt), "updated_at": stamp(r.UpdatedAt), "ended_at": optional(r.EndedAt),
	}
}

func projectFields(p *store.ProjectRow) fields {
	return fields{
		"id": p.ID, "name": store.Clean(p.Name), "repo_url": store.Clean(p.RepoURL), "default_branch": store.Clean(p.DefaultBranch), "integration_branch": store.Clean(p.IntegrationBranch),
		"status": p.Status, "current_epic": store.Clean(p.CurrentEpic), "last_activity": stamp(p.LastActivity), "created_at": stamp(p.CreatedAt), "created_by": store.Clean(p.CreatedBy),
		"pr_url": store.Clean(p.PRURL), "pr_number": p.PRNumber, "playbook": store.Clean(p.Playbook), "paused": store.Clean(p.Paused), "archived_at": optional(p.ArchivedAt),
		"queued": p.Queued, "refused": p.Refused, "run_status": p.Status, "run_reason": store.Clean(p.Reason),
	}
}

func taskFields(t *store.TaskRow, bodies *[][]byte) fields {
	f := fields{
		"run_id": t.Run, "task": t.ID, "addressee": store.Clean(t.Addressee), "project_id": t.Project, "task_type": store.Clean(t.Kind), "status": t.Status,
		"prompt": store.Clean(t.Prompt), "repo_url": store.Clean(t.RepoURL), "branch": store.Clean(t.Branch), "triggered_by": t.TriggeredBy, "created_by": store.Clean(t.CreatedBy),
		"created_at": stamp(t.CreatedAt), "started_at": optional(t.StartedAt), "completed_at": optional(t.CompletedAt), "worker_pod": store.Clean(t.Worker),
	}
	if t.Result != nil {
		f["result"] = attach(bodies, t.Result)
	}
	return f
}

func messageFields(m *store.MessageRow) fields {
	f := fields{
		"run_id": m.Run, "seq": m.Seq, "event": m.Event, "project_id": m.Project, "conversation_id": cmp.Or(m.Conversation, m.Project), "kind": m.Kind,
		"voice": m.Voice, "who": store.Clean(m.By), "text": store.Clean(m.Text), "question_id": store.Clean(m.Question), "default_text": store.Clean(m.Default), "at": stamp(m.At),
	}
	if !m.Due.IsZero() {
		f["due_at"] = stamp(m.Due)
	}
	return f
}
