package core

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// What people decide about the conversations of a project.
const (
	TypeConversationOpened Type = "ConversationOpened"
	TypeConversationNamed  Type = "ConversationNamed"
)

// ConversationOpened begins a conversation beside the one that every project has.
type ConversationOpened struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ConversationNamed gives a conversation another name.
type ConversationNamed struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (ConversationOpened) event() Type { return TypeConversationOpened }
func (ConversationNamed) event() Type  { return TypeConversationNamed }

// Conversation is one of a project's conversations. The first, which every project
// has, is known by the project's own id; events of runs name it by nothing.
type Conversation struct {
	ID   string    `json:"id"`
	Name string    `json:"name"`
	By   string    `json:"by"`
	At   time.Time `json:"at"`
}

// MainConversation is the name of the conversation that every project has.
const MainConversation = "main"

// Bounds of conversations that people keep an overview of.
const (
	MaxConversations    = 200
	MaxConversationName = 64
)

// ConversationID names the n-th conversation that was opened in a project.
func ConversationID(project string, n int) string { return fmt.Sprintf("%s-c%d", project, n) }

// ofProject reports an id that a conversation of the project can have.
func ofProject(project, id string) bool {
	n, err := strconv.Atoi(strings.TrimPrefix(id, project+"-c"))
	return err == nil && n >= 1 && id == ConversationID(project, n)
}

// Conversation finds an opened conversation by its id, by the end of it (c2) or by
// its name; nil if there is none.
func (p *Project) Conversation(called string) *Conversation {
	return find(p.Conversations, func(c *Conversation) bool {
		return c.ID == called || strings.TrimPrefix(c.ID, p.ID+"-") == called || strings.EqualFold(c.Name, called)
	})
}

// IsMain reports what the conversation is called by that every project has.
func (p *Project) IsMain(called string) bool {
	return called == "" || called == p.ID || strings.EqualFold(called, MainConversation)
}

// lawConversation: a conversation has a name that no other of the project has, and
// that cannot be taken for an id.
func lawConversation(p *Project, id, name string) error {
	switch {
	case strings.TrimSpace(name) != name || name == "" || utf8.RuneCountInString(name) > MaxConversationName ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return Errorf(CodeInvalid, "%.80q cannot be the name of a conversation", name).
			WithHint("use one line of at most %d characters, without a space at either end", MaxConversationName)
	case p.IsMain(name):
		return Errorf(CodeConflict, "%s is the conversation that every project has", name).WithHint("choose another name")
	case ofProject(p.ID, name) || ofProject(p.ID, p.ID+"-"+name):
		return Errorf(CodeInvalid, "%.80q looks like the id of a conversation", name).WithHint("choose another name")
	}
	if other := p.Conversation(name); other != nil && other.ID != id {
		return Errorf(CodeConflict, "a conversation of project %s is called %s already", p.Name, other.Name).WithHint("speak in that one, or choose another name")
	}
	return nil
}

func lawConverse(p *Project, b ConversationOpened) error {
	switch {
	case p.Archived != nil:
		return p.Still()
	case b.ID != ConversationID(p.ID, len(p.Conversations)+1):
		return unlawful("conversation %s is not the next of project %s", b.ID, p.Name)
	case len(p.Conversations) >= MaxConversations:
		return Errorf(CodeConflict, "project %s has %d conversations, and no more are possible", p.Name, len(p.Conversations))
	}
	return lawConversation(p, b.ID, b.Name)
}

func lawRename(p *Project, b ConversationNamed) error {
	if c := p.Conversation(b.ID); c == nil || c.ID != b.ID {
		return Errorf(CodeNotFound, "project %s has no conversation %.80q", p.Name, b.ID).Offer(Choice{Verb: VerbConversations})
	}
	return lawConversation(p, b.ID, b.Name)
}

// lawSpokenIn: what is said in a run is said in a conversation of its project.
func lawSpokenIn(r *Run, conversation string) error {
	if conversation == "" || ofProject(r.Project, conversation) {
		return nil
	}
	return unlawful("%.80q is no conversation of project %s", conversation, r.Project)
}

// Addressed is the conversation that a turn of the manager answers in: the one
// that woke it last, or else the one that the run was begun in.
func (r *Run) Addressed() string {
	if r.InTurn() && r.Manager().Turn != nil {
		if spoke := r.Manager().Turn.Spoke(); len(spoke) > 0 {
			return spoke[len(spoke)-1]
		}
	}
	return r.Conversation
}

// Spoke lists the conversations in which people said what woke the turn, the
// newest last.
func (t *Turn) Spoke() []string {
	var all []string
	for _, w := range t.Wakes {
		if w.Kind == WakeMessage || w.Kind == WakeAnswer {
			all = append(slices.DeleteFunc(all, func(c string) bool { return c == w.Conversation }), w.Conversation)
		}
	}
	return all
}

// keepTalk adds a message to what the state holds: the newest of each conversation,
// and of all not more than of a few.
func keepTalk(talk []Message, m Message) []Message {
	talk = append(talk, m)
	same := 0
	for _, o := range talk {
		if o.Conversation == m.Conversation {
			same++
		}
	}
	if same > keptTalk {
		first := slices.IndexFunc(talk, func(o Message) bool { return o.Conversation == m.Conversation })
		talk = slices.Delete(talk, first, first+1)
	}
	return slices.Delete(talk, 0, max(len(talk)-keptTalks, 0))
}
