package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Bounds of the context of every attempt of a wave, in bytes of JSON, so that it does not grow with the waves. What does
// not fit is counted, and can be fetched.
const (
	maxIndex       = 5 << 9
	maxPastAnswers = 1 << 10
	maxAssumptions = 1 << 10
	maxSummary     = 120
	maxPast        = 300
)

// MaxCompact bounds what attempts are given of a wave's compact document, in bytes.
const MaxCompact = 8 << 10

// The files of a run in waves, beside core.PacketFile and those of every attempt. Artifacts have folders of their own, so
// their names cannot clash.
const (
	BriefFile     = "delegation.json"
	FactsFile     = "facts.md"
	EarlierFile   = "earlier_output.json"
	PoolFile      = "pool.json"
	QuestionsFile = "questions.json"
	RefusalsFile  = "refusals.json"
	ConflictsFile = "conflicts.json"
	RequiredDir   = "inputs"  // documents that a delegation was promised
	OutputsDir    = "outputs" // what the delegations of the newest wave answered
)

// CompactFile is the name of the compact document of a wave.
func CompactFile(wave int) string { return fmt.Sprintf("wave_%02d_compact.md", wave) }

// WaveDocuments are the documents that closed the waves, by the names they are fetched by.
func WaveDocuments(w *core.Waves) []core.Artifact {
	var all []core.Artifact
	for _, end := range w.Ends {
		if end.Compact != "" {
			all = append(all, core.Artifact{Name: CompactFile(end.Wave), Digest: end.Compact})
		}
		if end.Detailed != "" {
			all = append(all, core.Artifact{Name: fmt.Sprintf("wave_%02d_detailed.md", end.Wave), Digest: end.Detailed})
		}
	}
	return all
}

// Packet is the context of every attempt of a run in waves. The answers to the attempt's own questions come first.
func Packet(r *core.Run, own ...string) core.ContextPacket {
	var left core.Left
	p := core.ContextPacket{Compact: ""}
	if end := compactOf(r.Waves); end != nil {
		p.Compact = CompactFile(end.Wave)
	}
	p.Details, left.Details = fitting(current(r.Waves.Documents), maxIndex, indexed)
	slices.Reverse(p.Details)
	p.Answers, left.Answers = fitting(answersFor(r, own), maxPastAnswers, past)
	p.Assumptions, left.Assumptions = fitting(assumptions(r.Waves.Pool), maxAssumptions, assumed)
	slices.Reverse(p.Assumptions)
	if left != (core.Left{}) {
		p.Left = &left
	}
	return p
}

// compactOf is the newest wave that has a compact document; nil before the first.
func compactOf(w *core.Waves) *core.WaveEnd {
	for i := range slices.Backward(w.Ends) {
		if w.Ends[i].Compact != "" {
			return &w.Ends[i]
		}
	}
	return nil
}

// fitting takes entries from the front of a list as long as they fit into so many bytes of JSON, and counts the rest. It
// stops at the first that does not fit, so that the rest is all older, or all younger.
func fitting[T, E any](list []T, room int, entry func(T) E) ([]E, int) {
	out := []E{}
	for i, item := range list {
		e := entry(item)
		raw, err := json.MarshalIndent(e, "    ", "  ") // as jsonFile writes it
		if room -= len(raw) + len("    ,\n"); err != nil || room < 0 {
			return out, len(list) - i
		}
		out = append(out, e)
	}
	return out, 0
}

// current are the newest documents of each name, newest first.
func current(all []core.Document) []core.Document {
	var out []core.Document
	seen := map[string]bool{}
	for _, d := range slices.Backward(all) {
		if !seen[d.Name] {
			seen[d.Name] = true
			out = append(out, d)
		}
	}
	return out
}

func indexed(d core.Document) core.Detail {
	tags := d.Tags
	if tags == nil {
		tags = []string{}
	}
	return core.Detail{ID: d.ID, Title: plain.Line(d.Title, maxSummary), Summary: plain.Line(d.Summary, maxSummary), Tags: tags}
}

// answersFor are the answers, newest first, but those to own questions before all others.
func answersFor(r *core.Run, own []string) []core.Answer {
	var mine, others []core.Answer
	for _, a := range slices.Backward(r.Answers) {
		if slices.Contains(own, a.Question.ID) {
			mine = append(mine, a)
		} else {
			others = append(others, a)
		}
	}
	slices.Reverse(mine)
	return append(mine, others...)
}

// PastAnswers are all answers of a run, oldest first.
func PastAnswers(r *core.Run) []core.PastAnswer {
	all := []core.PastAnswer{}
	for _, a := range r.Answers {
		all = append(all, past(a))
	}
	return all
}

func past(a core.Answer) core.PastAnswer {
	return core.PastAnswer{Question: a.Question.ID, Text: plain.Line(a.Question.Text, maxPast), Answer: plain.Head(a.Text, maxPast), By: answeredBy(a)}
}

// answeredBy says who gave an answer.
func answeredBy(a core.Answer) string {
	switch {
	case a.Planner:
		return string(core.OriginPlanner)
	case a.Default:
		return string(core.OriginDefault)
	}
	return string(core.OriginPerson)
}

// assumptions are the valid ones, newest first.
func assumptions(pool []core.Fact) []core.Fact {
	return slices.DeleteFunc(valid(pool), func(f core.Fact) bool { return !f.Assumption })
}

func assumed(f core.Fact) core.Fact {
	f.Content = plain.Line(f.Content, maxPast)
	if f.Sources == nil {
		f.Sources = []string{}
	}
	f.Sources = slices.Clone(f.Sources[:min(len(f.Sources), 4)])
	return f
}

// jsonFile is a value as an indented JSON file.
func jsonFile(name string, v any) File {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil { // values of core's own types always encode
		b.Reset()
	}
	return File{Name: name, Content: []byte(b.String())}
}
