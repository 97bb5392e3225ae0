package core_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// talks is a project with two conversations beside its first.
func talks() *core.Project {
	return &core.Project{ID: "p", Name: "shop", Conversations: []core.Conversation{
		{ID: "p-c1", Name: "Deploys"}, {ID: "p-c2", Name: "design"},
	}}
}

// TestTheLawOfConversations: a conversation is opened as the next of its project, and
// whatever it is called by leads to it alone.
func TestTheLawOfConversations(t *testing.T) {
	t.Parallel()
	open := func(name string) core.Body { return core.ConversationOpened{ID: "p-c3", Name: name} }
	name := func(id, name string) core.Body { return core.ConversationNamed{ID: id, Name: name} }
	const bad, id, main = "cannot be the name of a conversation", "looks like the id of a conversation", "is the conversation that every project has"
	longest := strings.Repeat("ä", core.MaxConversationName)
	tests := []struct {
		name string
		body core.Body
		says string
	}{
		{"the next", open("release notes"), ""},
		{"as long as it may be", open(longest), ""},
		{"too long", open(longest + "x"), bad},
		{"without a name", open(""), bad},
		{"a space before", open(" x"), bad},
		{"a space behind", open("x "), bad},
		{"two lines", open("a\nb"), bad},
		{"main", open("Main"), main},
		{"the project's id", open("p"), main},
		{"another's id", open("p-c1"), id},
		{"an id to come", open("p-c7"), id},
		{"the end of an id", open("c7"), id},
		{"nearly an id", open("c07"), ""},
		{"no id, they count from one", open("c0"), ""},
		{"an id of another project", open("q-c1"), ""},
		{"taken", open("deploys"), "a conversation of project shop is called Deploys already"},
		{"taken before", core.ConversationOpened{ID: "p-c2", Name: "x"}, "conversation p-c2 is not the next of project shop"},
		{"beyond the next", core.ConversationOpened{ID: "p-c4", Name: "x"}, "conversation p-c4 is not the next of project shop"},
		{"another name", name("p-c2", "drawing"), ""},
		{"its own name, written differently", name("p-c2", "Design"), ""},
		{"the name of another", name("p-c2", "Deploys"), "is called Deploys already"},
		{"a name that cannot be", name("p-c2", ""), bad},
		{"of one that is not there", name("p-c3", "x"), `project shop has no conversation "p-c3"`},
		{"by the end of its id", name("c2", "x"), `project shop has no conversation "c2"`},
		{"by its name", name("design", "x"), `project shop has no conversation "design"`},
		{"the first", name("p", "x"), `project shop has no conversation "p"`},
	}
	for _, test := range tests {
		wants(t, test.name, core.LawProject(talks(), core.Person("ada"), test.body), test.says)
	}
	archived := talks()
	archived.Archived = &core.Standstill{By: "ada", Reason: "done"}
	wants(t, "in an archived project", core.LawProject(archived, core.Person("ada"), open("x")), "project shop is archived: done")
	wants(t, "named in an archived project", core.LawProject(archived, core.Person("ada"), name("p-c2", "x")), "")
}

// TestHowManyConversationsThereCanBe tries both sides of the bound.
func TestHowManyConversationsThereCanBe(t *testing.T) {
	t.Parallel()
	p := &core.Project{ID: "p", Name: "shop"}
	for n := 1; n < core.MaxConversations; n++ {
		p.Conversations = append(p.Conversations, core.Conversation{ID: core.ConversationID("p", n), Name: fmt.Sprint("talk ", n)})
	}
	last := core.ConversationOpened{ID: core.ConversationID("p", core.MaxConversations), Name: "last"}
	wants(t, "the last", core.LawProject(p, core.Person("ada"), last), "")
	p.Conversations = append(p.Conversations, core.Conversation{ID: last.ID, Name: last.Name})
	further := core.ConversationOpened{ID: core.ConversationID("p", core.MaxConversations+1), Name: "further"}
	wants(t, "one more", core.LawProject(p, core.Person("ada"), further), "project shop has 200 conversations, and no more are possible")
}

// TestWhatAConversationIsCalledBy: its id, the end of that, and its name.
func TestWhatAConversationIsCalledBy(t *testing.T) {
	t.Parallel()
	p := talks()
	for called, want := range map[string]string{
		"p-c1": "p-c1", "c1": "p-c1", "deploys": "p-c1", "p-c2": "p-c2", "c2": "p-c2", "DESIGN": "p-c2",
		"": "", "p": "", "main": "", "1": "", "p-": "", "deploy": "", "p-c3": "", "q-c1": "",
	} {
		got := ""
		if c := p.Conversation(called); c != nil {
			got = c.ID
		}
		if got != want {
			t.Errorf("%q is %q, want %q", called, got, want)
		}
	}
	for called, want := range map[string]bool{"": true, "p": true, "main": true, "MAIN": true, "p-c1": false, "Deploys": false, "q": false} {
		if got := p.IsMain(called); got != want {
			t.Errorf("%q is the first: %v", called, got)
		}
	}
}

// TestWhereAManagerAnswers: in the conversation that woke its turn last.
func TestWhereAManagerAnswers(t *testing.T) {
	t.Parallel()
	turn := func(wakes ...core.Wake) *core.Turn { return &core.Turn{Wakes: wakes} }
	message := func(in string) core.Wake { return core.Wake{Kind: core.WakeMessage, Conversation: in} }
	answer := func(in string) core.Wake { return core.Wake{Kind: core.WakeAnswer, Conversation: in} }
	work := core.Wake{Kind: core.WakeTask, Conversation: "p-c9"}
	tests := []struct {
		name   string
		turn   *core.Turn
		status core.StageStatus
		spoke  []string
		in     string
	}{
		{"nobody spoke", turn(work), core.StageOpen, nil, "p-c1"},
		{"somebody spoke", turn(message("p-c2"), work), core.StageOpen, []string{"p-c2"}, "p-c2"},
		{"in the first", turn(message("p-c2"), message("")), core.StageOpen, []string{"p-c2", ""}, ""},
		{"an answer", turn(message("p-c2"), answer("p-c3")), core.StageOpen, []string{"p-c2", "p-c3"}, "p-c3"},
		{"again where it began", turn(message("p-c2"), answer("p-c3"), message("p-c2")), core.StageOpen, []string{"p-c3", "p-c2"}, "p-c2"},
		{"after the turn", turn(message("p-c2")), core.StageDone, []string{"p-c2"}, "p-c1"},
		{"before the first wake", nil, core.StageOpen, nil, "p-c1"},
	}
	for _, test := range tests {
		r := &core.Run{Conversation: "p-c1", Stages: []*core.Stage{{ID: core.ManagerStage, Status: test.status, Turn: test.turn}}}
		if got := r.Addressed(); got != test.in {
			t.Errorf("%s: it answers in %q, want %q", test.name, got, test.in)
		}
		if test.turn != nil && !slices.Equal(test.turn.Spoke(), test.spoke) {
			t.Errorf("%s: they spoke in %q, want %q", test.name, test.turn.Spoke(), test.spoke)
		}
	}
	if got := (&core.Run{Conversation: "p-c1"}).Addressed(); got != "p-c1" {
		t.Errorf("without a manager: %q", got)
	}
}

// TestOnlyConversationsOfTheProjectAreSpokenIn: a run cannot look up which there are,
// only which there could be.
func TestOnlyConversationsOfTheProjectAreSpokenIn(t *testing.T) {
	t.Parallel()
	for in, says := range map[string]string{
		"": "", "p-c1": "", "p-c20": "",
		"p": `"p" is no conversation of project p`, "p-c0": "is no conversation", "p-c01": "is no conversation", "q-c1": `"q-c1" is no conversation of project p`, "c1": "is no conversation", "1": "is no conversation", "p-c1x": "is no conversation",
	} {
		r := managed()
		r.Project = "p"
		wants(t, fmt.Sprintf("in %q", in), core.Law(r, core.Person("ada"), core.MessageSent{Voice: core.VoiceUser, Text: "hello", Conversation: in}), says)
	}
}
