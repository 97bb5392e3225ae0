package cockpit

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// tab is one of the pages about a run.
type tab struct{ Key, Title, Href string }

type tabs struct {
	Here string
	Tabs []tab
}

// runnav leads from one page about a run to the others. Those that have nothing
// to show for a kind of playbook are left out.
func runnav(alias, kind, here string) tabs {
	path := runPath(alias)
	t := tabs{Here: here, Tabs: []tab{{"run", "Tracks", path}, {"changes", "Changes", path + "/changes"}}}
	switch kind {
	case "manager", "rules":
		t.Tabs = append(t.Tabs, tab{"plan", "Plan", path + "/plan"}, tab{"graph", "Graph", path + "/graph"}, tab{"talk", "Conversation", path + "/talk"})
	case "waves":
		t.Tabs = append(t.Tabs, tab{"waves", "Waves", path + "/waves"}, tab{"facts", "Facts", path + "/facts"})
	}
	return tabs{Here: here, Tabs: append(t.Tabs,
		tab{"effects", "Side effects", path + "/effects"}, tab{"costs", "Costs", path + "/costs"}, tab{"timeline", "Timeline", path + "/timeline"})}
}

// gateForm is what the form of an approval needs.
type gateForm struct {
	Run     api.Run
	Gate    *core.Gate
	Way     wayBack
	Against bool // who reviewed it asks for something else
	Back    string
}

func gate(d api.RunDetail, back string) gateForm {
	return gateForm{d.Run, d.Gate, backFrom(d), against(d), back}
}
