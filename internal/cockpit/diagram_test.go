package cockpit

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
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
