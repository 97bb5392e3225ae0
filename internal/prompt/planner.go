package prompt

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Bounds of a planner's prompt and of the files that it may look things up in.
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

// BuildPlanner writes the prompt of a planner that closes a wave, or looks at the
// goal for the first time.
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
		Example:  exampleDecision(someRole(r), w.N == 0), HasOutputs: len(outputs(r)) > 0, CompactLimit: MaxCompact >> 10,
	}
	v.Works, v.MoreWorks = shown(told(r), maxWorks, func(d *core.Delegated) string { return workBlock(r, d) })
	v.Conflicts, v.MoreConflicts = shown(room.Conflicts, maxConflicts, conflictLine)
	v.Open, v.MoreOpen = shown(urgent(r.Questions), maxAskedText, questionLine)
	v.Refused, _ = shown(w.Refused, maxRefusals, refusalLine)
	v.Roles, _ = shown(registry(r), maxRegistry, func(s string) string { return s })
	return execute("planner", in, v)
}

// PlannerFiles are what lies in a planner's input folder, beside the documents of
// WaveBlobs.
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

// told are the delegations that a planner hears of: those of the wave it closes,
// and of earlier ones what is not over or has something left to do.
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

// shown takes what has room, and counts the rest.
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

// workBlock is what became of a delegation, in a few lines.
func workBlock(r *core.Run, d *core.Delegated) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s: **%s**", plain.Code(d.Brief.ID, maxInline), plain.Code(d.Brief.Agent, maxInline), d.Status)
	switch {
	case d.Reason != "":
		b.WriteString(" — " + plain.Code(d.Reason, maxInline))
	case d.Status == core.DelegationBlocked:
		b.WriteString(", waits for " + plain.Line(strings.Join(d.Waits, ", "), maxInline))
	case d.Status == core.DelegationWaiting:
		b.WriteString(", begins with the next wave")
	}
	if a := d.Answer; a != nil {
		fmt.Fprintf(&b, "; %d of %d criteria met", len(a.Coverage.Met), len(d.Brief.Criteria))
	}
	if d.Stale != "" {
		b.WriteString("; **stale**: it relies on " + plain.Code(d.Stale, maxInline) + ", which is no longer valid")
	}
	for i, text := range d.Unmet {
		if i == 3 {
			fmt.Fprintf(&b, "\n  - and %d more unmet", len(d.Unmet)-i)
			break
		}
		b.WriteString("\n  - unmet: " + plain.Code(text, maxInline))
	}
	if doc := r.Waves.Whole(d); doc != nil && d.Answer != nil {
		fmt.Fprintf(&b, "\n  - it says (%s): %s", doc.ID, plain.Code(d.Answer.Compact, maxWork))
	}
	return b.String()
}

func conflictLine(c core.Conflict) string {
	text := plain.Code(c.ID, maxInline) + " (" + plain.Line(string(c.Kind), maxInline) + ") about " + plain.Code(c.Subject, maxInline)
	for _, side := range first(c.Sides, 4) {
		text += "\n  - " + plain.Code(side.Source, maxInline) + ": " + plain.Code(side.Text, maxInline*2)
	}
	return text
}

func questionLine(q core.Question) string {
	text := plain.Code(q.ID, maxInline)
	if q.From != "" {
		text += " from " + plain.Code(q.From, maxInline)
	}
	if q.Blocking {
		text += ", **blocking**"
	}
	if q.About != "" {
		text += ", about " + plain.Code(q.About, maxInline)
	}
	text += ": " + plain.Code(q.Text, maxPast)
	if q.Default != "" {
		text += " (default: " + plain.Code(q.Default, maxInline) + ", at " + q.Due.UTC().Format("2 Jan 15:04") + ")"
	}
	return text
}

func refusalLine(n core.BriefRefusal) string {
	return fmt.Sprintf("%s, %s: %s", plain.Code(n.ID, maxInline), plain.Code(n.Code, maxInline), plain.Line(n.Reason, 2*maxInline))
}

// registry are the roles that work can be given to, each with what it can do.
func registry(r *core.Run) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(r.Playbook.Roles)) {
		if name == r.Playbook.Project.Roles[core.KindWave] {
			continue
		}
		role := r.Playbook.Roles[name]
		text := plain.Code(name, maxInline)
		if role.Description != "" {
			text += ": " + plain.Line(role.Description, maxInline)
		}
		if len(role.Capabilities) > 0 {
			text += " Capabilities: " + plain.Line(strings.Join(role.Capabilities, ", "), maxInline) + "."
		}
		out = append(out, text)
	}
	return out
}

// someRole is a role for the example.
func someRole(r *core.Run) string {
	for _, name := range slices.Sorted(maps.Keys(r.Playbook.Roles)) {
		if name != r.Playbook.Project.Roles[core.KindWave] {
			return name
		}
	}
	return ""
}

// listFile is a list as a file, as far as it has room, with how many had none.
func listFile[T, E any](name, key string, list []T, entry func(T) E) File {
	out, left := fitting(list, maxFile, entry)
	doc := map[string]any{key: out}
	if left > 0 {
		doc["left_out"] = left
	}
	return jsonFile(name, doc)
}

// valid are the facts that hold, newest first.
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

// urgent are the open questions, those first that somebody waits for.
func urgent(questions []core.Question) []core.Question {
	return slices.SortedStableFunc(slices.Values(questions), func(a, b core.Question) int {
		return cmp.Compare(rank(a), rank(b))
	})
}

func rank(q core.Question) int {
	if q.Blocking {
		return 0
	}
	return 1
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

// The names that the template speaks of.
func (v plannerView) PacketName() string    { return core.PacketFile }
func (v plannerView) PoolName() string      { return PoolFile }
func (v plannerView) QuestionsName() string { return QuestionsFile }
func (v plannerView) RefusalsName() string  { return RefusalsFile }
func (v plannerView) ConflictsName() string { return ConflictsFile }
func (v plannerView) OutputsName() string   { return path.Join(OutputsDir, "ID.json") }
func (v plannerView) DecisionName() string  { return core.DecisionArtifact }
func (v plannerView) SchemaName() string    { return schemaName(core.DecisionArtifact) }
func (v plannerView) CompactName() string   { return core.CompactArtifact }
func (v plannerView) DetailedName() string  { return core.DetailedArtifact }
func (v plannerView) ExampleAsked() string  { return exampleAsked }
