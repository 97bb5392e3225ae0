package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Bounds of a planner's prompt and of its files.
const (
	maxWorks     = 8 << 10
	maxWork      = 700
	maxConflicts = 4 << 10
	maxRefusals  = 3 << 10
	maxRegistry  = 4 << 10
	maxAskedText = 3 << 10
	maxFile      = 64 << 10 // of JSON
)

// plannerView is what the template of a planner's prompt sees.
type plannerView struct {
	view
	Tools                                     bool
	First                                     bool // nothing was delegated yet
	Wave, WavesLeft, Delegations              int
	Limits, Spent, Compact, Example           string
	Works, Conflicts, Open, Refused, Objected []string
	MoreWorks, MoreConflicts, MoreOpen        int
	Roles                                     []string
	HasOutputs, Builds                        bool
	CompactLimit                              int
}

// BuildPlanner writes the prompt of a planner that closes a wave, or splits the goal.
func BuildPlanner(r *core.Run, attempt string, room Room) ([]byte, error) {
	_, task, a := r.Attempt(attempt)
	if a == nil || !r.ByWaves() || task.Kind != core.KindWave {
		return nil, core.Errorf(core.CodeNotFound, "run %s has no planner's attempt %s", r.Alias, attempt)
	}
	in, err := Gather(r, attempt)
	if err != nil {
		return nil, err
	}
	in.Paths, in.Inline = room.Paths, room.Inline
	w, rules := r.Waves, r.Playbook.Project.Waves
	v := plannerView{
		view: view{in}, Tools: room.Tools, First: w.N == 0, Wave: w.N, WavesLeft: max(rules.Waves-w.N, 0), Delegations: rules.Delegations,
		Limits: limits(r), Spent: spent(r), Compact: Packet(r).Compact, Builds: rules.Writes == core.WritesCode,
		Objected: lines(w.Objections, maxOpen, func(s string) string { return plain.Line(s, maxInline*2) }),
		Example:  exampleDecision(workers(r)[0], w.N == 0), HasOutputs: len(outputs(r)) > 0, CompactLimit: MaxCompact >> 10,
	}
	v.Works, v.MoreWorks = shown(told(r), maxWorks, func(d *core.Delegated) string { return workBlock(r, d) })
	v.Conflicts, v.MoreConflicts = shown(room.Conflicts, maxConflicts, conflictLine)
	v.Open, v.MoreOpen = shown(urgent(r.Questions), maxAskedText, questionLine)
	v.Refused, _ = shown(w.Refused, maxRefusals, refusalLine)
	v.Roles, _ = shown(workers(r), maxRegistry, func(name string) string { return roleLine(name, r.Playbook.Roles[name]) })
	return newPage(in.Paths).whole("planner", v)
}

// PlannerFiles are the files in a planner's input folder, beside the documents of WaveBlobs.
func PlannerFiles(r *core.Run, attempt string, conflicts []core.Conflict) ([]File, error) {
	in, err := Gather(r, attempt)
	if err != nil {
		return nil, err
	}
	files := append(Files(in), jsonFile(core.PacketFile, Packet(r)), listFile(PoolFile, "facts", valid(r.Waves.Pool), aFact), listFile(QuestionsFile, "questions", urgent(r.Questions), open))
	if len(r.Waves.Refused) > 0 {
		files = append(files, listFile(RefusalsFile, "refusals", r.Waves.Refused, func(n core.BriefRefusal) core.BriefRefusal { return n }))
	}
	if len(conflicts) > 0 {
		files = append(files, listFile(ConflictsFile, "conflicts", conflicts, func(c core.Conflict) core.Conflict { return c }))
	}
	return files, nil
}

// told are the delegations that a planner is told of: those of the wave it closes, and earlier ones that are not over or
// have something left to do.
func told(r *core.Run) []*core.Delegated {
	w := r.Waves
	var out []*core.Delegated
	for _, d := range w.Works {
		doc := w.Whole(d)
		if d.Wave == w.N || !d.Status.Over() || len(d.Unmet) > 0 || d.Stale != "" || doc != nil && doc.Wave == w.N {
			out = append(out, d)
		}
	}
	return out
}

// shown takes lines as long as they have room, and counts the rest.
func shown[T any](list []T, room int, line func(T) string) ([]string, int) {
	var out []string
	for i, item := range list {
		text := line(item)
		if room -= len(text); room < 0 {
			return out, len(list) - i
		}
		out = append(out, text)
	}
	return out, 0
}

// workBlock says in a few lines what became of a delegation.
func workBlock(r *core.Run, d *core.Delegated) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: **%s**", code(d.Brief.ID), code(d.Brief.Agent), d.Status)
	switch {
	case d.Reason != "":
		b.WriteString(" — " + code(d.Reason))
	case d.Status == core.DelegationBlocked:
		b.WriteString(", waits for " + plain.Line(strings.Join(d.Waits, ", "), maxInline))
	case d.Status == core.DelegationWaiting:
		b.WriteString(", begins with the next wave")
	}
	if a := d.Answer; a != nil {
		fmt.Fprintf(&b, "; %d of %d criteria met", len(a.Coverage.Met), len(d.Brief.Criteria))
	}
	if d.Stale != "" {
		b.WriteString("; **stale**: it relies on " + code(d.Stale) + ", which is no longer valid")
	}
	for i, text := range d.Unmet {
		if i == 3 {
			fmt.Fprintf(&b, "\n  - and %d more unmet", len(d.Unmet)-i)
			break
		}
		b.WriteString("\n  - unmet: " + code(text))
	}
	if doc := r.Waves.Whole(d); doc != nil && d.Answer != nil {
		fmt.Fprintf(&b, "\n  - it says (%s): %s", doc.ID, plain.Code(d.Answer.Compact, maxWork))
	}
	return b.String()
}

func conflictLine(c core.Conflict) string {
	text := code(c.ID) + " (" + plain.Line(string(c.Kind), maxInline) + ") about " + code(c.Subject)
	for _, side := range c.Sides[:min(len(c.Sides), 4)] {
		text += "\n  - " + code(side.Source) + ": " + plain.Code(side.Text, maxInline*2)
	}
	return text
}

func questionLine(q core.Question) string {
	text := code(q.ID)
	if q.From != "" {
		text += " from " + code(q.From)
	}
	if q.Blocking {
		text += ", **blocking**"
	}
	if q.About != "" {
		text += ", about " + code(q.About)
	}
	text += ": " + plain.Code(q.Text, maxPast)
	if q.Default != "" {
		text += " (default: " + code(q.Default) + ", at " + q.Due.UTC().Format("2 Jan 15:04") + ")"
	}
	return text
}

func refusalLine(n core.BriefRefusal) string {
	return fmt.Sprintf("%s, %s: %s", code(n.ID), code(n.Code), plain.Line(n.Reason, 2*maxInline))
}

// workers are the roles that the planner can delegate to.
func workers(r *core.Run) []string {
	return roleNames(r, r.Playbook.Project.Roles[core.KindWave])
}

// roleLine says what a role can do.
func roleLine(name string, role core.Role) string {
	text := code(name)
	if role.Description != "" {
		text += ": " + plain.Line(role.Description, maxInline)
	}
	if len(role.Capabilities) > 0 {
		text += " Capabilities: " + plain.Line(strings.Join(role.Capabilities, ", "), maxInline) + "."
	}
	return text
}

// listFile is a list as a file, with a count of the entries that have no room.
func listFile[T, E any](name, key string, list []T, entry func(T) E) File {
	out, left := fitting(list, maxFile, entry)
	doc := map[string]any{key: out}
	if left > 0 {
		doc["left_out"] = left
	}
	return jsonFile(name, doc)
}

// valid are the valid facts, newest first.
func valid(pool []core.Fact) []core.Fact {
	var out []core.Fact
	for _, f := range slices.Backward(pool) {
		if f.SupersededBy == nil {
			out = append(out, f)
		}
	}
	return out
}

func aFact(f core.Fact) core.Fact {
	f.Content = plain.Head(f.Content, maxTold)
	if f.Sources == nil {
		f.Sources = []string{}
	}
	return f
}

// urgent are the open questions, blocking ones first.
func urgent(questions []core.Question) []core.Question {
	blocking := slices.DeleteFunc(slices.Clone(questions), func(q core.Question) bool { return !q.Blocking })
	others := slices.DeleteFunc(slices.Clone(questions), func(q core.Question) bool { return q.Blocking })
	return append(blocking, others...)
}

// openQuestion is a question as a planner finds it in a file.
type openQuestion struct {
	ID       string `json:"question_id"`
	Text     string `json:"text"`
	From     string `json:"from,omitempty"`
	Blocking bool   `json:"blocking"`
	About    string `json:"about,omitempty"`
	Default  string `json:"default,omitempty"`
}

func open(q core.Question) openQuestion {
	return openQuestion{ID: q.ID, Text: q.Text, From: q.From, Blocking: q.Blocking, About: q.About, Default: q.Default}
}
