package cockpit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/graph"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// maxLabel bounds a name in a drawing, in characters. It is drawn shorter; a tooltip
// has this much.
const maxLabel = 80

// diagram says how a run is drawn: stages on the run's branch one after the
// other, those with a branch of their own and delegations of waves beside it,
// next to the others of which none waits for another.
func diagram(d api.RunDetail) track.Plan {
	p := track.Plan{From: clip(maxLabel, d.Base), Title: "The run " + clip(maxLabel, d.Title) + " as tracks, blocks and signals"}
	level, wave := levels(d.Stages), waves(d)
	var beside []abreast
	for _, s := range inOrder(d) {
		if s.Branch != "" || wave[s.ID] > 0 {
			beside = append(beside, abreast{s, wave[s.ID], level[s.ID]})
			continue
		}
		p.Sections = append(append(p.Sections, sideBySide(d, beside)...), onMain(d, s))
		beside = nil
	}
	p.Sections = append(p.Sections, sideBySide(d, beside)...)
	return p
}

// abreast is a stage beside the main track. Stages of the same wave and level are
// drawn side by side.
type abreast struct {
	api.Stage
	wave, level int
}

func (a abreast) compare(b abreast) int {
	return cmp.Or(cmp.Compare(a.wave, b.wave), cmp.Compare(a.level, b.level))
}

// sideBySide are sections of stages of which none waits for another.
func sideBySide(d api.RunDetail, stages []abreast) []track.Section {
	slices.SortStableFunc(stages, abreast.compare)
	var sections []track.Section
	for i, s := range stages {
		if i == 0 || s.compare(stages[i-1]) != 0 {
			sections = append(sections, track.Section{State: track.Passed})
			if s.wave > 0 && (i == 0 || s.wave != stages[i-1].wave) {
				sections[len(sections)-1].Title = fmt.Sprintf("Wave %d", s.wave)
			}
		}
		section := &sections[len(sections)-1]
		section.Lines = append(section.Lines, ownLine(d, s.Stage))
		if colour(s.Status) != track.Passed {
			section.State = track.Ahead
		}
	}
	return sections
}

// inOrder are the stages from left to right, each with what it waits for: who
// plans waves comes after what was planned, and who asked stands still until
// there is an answer.
func inOrder(d api.RunDetail) []api.Stage {
	stages := slices.Clone(d.Stages)
	if d.Waves == nil {
		return stages
	}
	blocked := map[string]bool{}
	for _, piece := range d.Waves.Pieces {
		blocked[piece.ID] = piece.Status == api.PieceStatus(core.DelegationBlocked)
	}
	for i, s := range stages {
		if blocked[s.ID] {
			stages[i].Status = core.StageStatus(core.DelegationBlocked)
		}
	}
	slices.SortStableFunc(stages, func(a, b api.Stage) int { return planning(a) - planning(b) })
	return stages
}

func planning(s api.Stage) int {
	if s.ID == core.PlannerStage {
		return 1
	}
	return 0
}

// waves is in which wave a stage is worked on, for those that are in one.
func waves(d api.RunDetail) map[string]int {
	wave := map[string]int{}
	if d.Waves != nil {
		for _, piece := range d.Waves.Pieces {
			wave[piece.ID] = piece.Wave
		}
	}
	return wave
}

// levels is how many stages have to be over before each, at least.
func levels(stages []api.Stage) map[string]int {
	nodes := make([]graph.Node, len(stages))
	for i, s := range stages {
		nodes[i] = graph.Node{ID: s.ID, After: s.After}
	}
	level := map[string]int{}
	for i, depth := range graph.Depths(nodes) {
		level[stages[i].ID] = depth
	}
	return level
}

// onMain is a stage on the run's own branch. Tasks of a team work beside one
// another.
func onMain(d api.RunDetail, s api.Stage) track.Section {
	section := track.Section{Title: stageTitle(s), State: stageColour(s)}
	tasks := s.Tasks
	if len(tasks) == 0 {
		tasks = []api.Task{{ID: s.ID, Status: core.TaskStatus(s.Status)}}
	}
	for _, t := range tasks {
		line := track.Line{State: taskColour(t), Blocks: []track.Block{block(d, s, t)}}
		if len(tasks) > 1 {
			line.Name = clip(maxLabel, t.Role)
		}
		section.Lines = append(section.Lines, line)
	}
	section.Signal = signal(d, s)
	return section
}

// ownLine is a stage with a branch of its own, whose tasks follow one another.
func ownLine(d api.RunDetail, s api.Stage) track.Line {
	line := track.Line{Name: stageTitle(s), State: stageColour(s)}
	for _, t := range s.Tasks {
		line.Blocks = append(line.Blocks, block(d, s, t))
	}
	if len(s.Tasks) == 0 {
		line.Blocks = []track.Block{block(d, s, api.Task{ID: s.ID, Status: core.TaskStatus(s.Status)})}
	}
	return line
}

func stageTitle(s api.Stage) string {
	title := clip(maxLabel, stageName(s))
	if s.Round > 1 {
		title += fmt.Sprintf(" · round %d", s.Round)
	}
	return title
}

func block(d api.RunDetail, s api.Stage, t api.Task) track.Block {
	role := clip(maxLabel, t.Role)
	b := track.Block{Label: clip(maxLabel, taskLabel(s, t)), State: taskColour(t), Href: taskPath(d.Alias, t.ID)}
	switch n := len(t.Attempts); {
	case t.Act != "":
		b.Note = "by the engine"
	case n > 1:
		b.Note = fmt.Sprintf("%s, try %d", role, t.Attempts[n-1].N)
	case b.Label == role:
		b.Note = wording.Status(t.Status)
	default:
		b.Note = role
	}
	if len(s.Tasks) == 0 {
		b.Href, b.Note = runPath(d.Alias), wording.Status(s.Status)
	}
	if colour(s.Status) == track.Waiting && (t.Act != "" || s.Status == core.StageStatus(core.DelegationBlocked)) { // who did it waits as well
		b.State = track.Waiting
	}
	b.Title = strings.Join([]string{stageTitle(s), b.Label, b.Note, taskWord(t)}, ", ")
	return b
}

// taskLabel is what a task is called on its block.
func taskLabel(s api.Stage, t api.Task) string {
	for _, name := range []string{t.Name, string(t.Kind), string(t.Act), t.Role} {
		if name != "" {
			return name
		}
	}
	return s.ID
}

// signal is drawn where a person decides whether work moves on.
func signal(d api.RunDetail, s api.Stage) *track.Signal {
	if s.Gate != core.GateApproval && colour(s.Status) != track.Waiting {
		return nil
	}
	sig := track.Signal{Aspect: track.Dark, Href: runPath(d.Alias) + "#gate", Title: "Signal after " + stageTitle(s)}
	switch colour(s.Status) {
	case track.Waiting:
		sig.Aspect, sig.Title = track.Stop, sig.Title+": red, waiting for you"
	case track.Under:
		sig.Aspect, sig.Title = track.Check, sig.Title+": amber, work under way"
	case track.Passed:
		sig.Aspect, sig.Title = track.Clear, sig.Title+": green, approved"
	case track.Ahead, track.Failed, track.Still:
		sig.Title += ": dark"
	}
	return &sig
}
