package cockpit

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
)

func TestStagesAreDrawnInTheOrderTheyWait(t *testing.T) {
	d := api.RunDetail{Stages: []api.Stage{
		{ID: "plan"},
		{ID: "last", Branch: "b", After: []string{"left", "right"}}, // known before those it waits for
		{ID: "left", Branch: "b"}, {ID: "right", Branch: "b"},
		{ID: "round", Branch: "b", After: []string{"trip"}}, {ID: "trip", Branch: "b", After: []string{"round"}},
		{ID: "publish"},
	}}
	p := diagram(d)
	var got [][]string
	for _, s := range p.Sections {
		var names []string
		for _, l := range s.Lines {
			names = append(names, l.Name)
		}
		got = append(got, names)
	}
	if len(got) < 4 || len(got[0]) != 1 || got[1][0] != "left" || got[1][1] != "right" || len(p.Sections[len(got)-1].Lines) != 1 {
		t.Fatalf("drawn as %q", got)
	}
	for i, names := range got {
		for _, name := range names {
			if name == "last" && i < 2 {
				t.Errorf("what waits is drawn beside what it waits for: %q", got)
			}
		}
	}
}

func TestDelegationsAreDrawnByWave(t *testing.T) {
	d := api.RunDetail{
		Stages: []api.Stage{{ID: "planner"}, {ID: "later"}, {ID: "survey"}, {ID: "files"}, {ID: "advice", After: []string{"files"}}},
		Waves: &api.Waves{Pieces: []api.Piece{
			{ID: "survey", Wave: 1}, {ID: "files", Wave: 1}, {ID: "advice", Wave: 1}, {ID: "later", Wave: 2, Status: "blocked"}, {ID: "not-begun", Wave: 2},
		}},
	}
	p := diagram(d)
	if len(p.Sections) != 4 || len(p.Sections[0].Lines) != 2 || p.Sections[0].Title != "Wave 1" || p.Sections[1].Lines[0].Name != "advice" || p.Sections[2].Title != "Wave 2" || p.Sections[3].Title != "planner" {
		t.Errorf("drawn as %+v", p.Sections)
	}
	if p.Sections[2].Lines[0].State != track.Waiting {
		t.Errorf("who waits for an answer is drawn as %s", p.Sections[2].Lines[0].State)
	}
}
