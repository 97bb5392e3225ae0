package crash

import (
	"os"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// call is a call of a tool as its caller tells it.
type call struct {
	attempt, tag, tool, name string
	answer                   string // "" where it was given none
}

// score is what the ledger has of a run that a manager conducts.
type score struct {
	calls []*call
	saw   map[string][]string // ended delegations, and the turns that were told of each
	turns []string            // lines of begins and ends of the manager's attempts, in order
}

func (w *world) score(h history) score {
	w.t.Helper()
	content, err := os.ReadFile(w.ledger)
	if err != nil {
		w.t.Fatal(err)
	}
	s := score{saw: map[string][]string{}}
	for line := range strings.Lines(string(content)) {
		words := strings.SplitN(strings.TrimSpace(line), " ", 6)
		if words[1] != h.row.ID {
			continue
		}
		switch attempt := words[2]; words[0] {
		case "begin", "end":
			if strings.HasPrefix(attempt, core.ManagerStage+".") {
				s.turns = append(s.turns, words[0]+" "+attempt)
			}
		case "saw":
			turn := attempt[:strings.LastIndexByte(attempt, '.')]
			if !slices.Contains(s.saw[words[3]], turn) {
				s.saw[words[3]] = append(s.saw[words[3]], turn)
			}
		case "call":
			s.calls = append(s.calls, &call{attempt: attempt, tag: words[3], tool: words[4], name: words[5]})
		case "did":
			i := slices.IndexFunc(s.calls, func(c *call) bool { return c.tag == words[3] })
			s.calls[i].answer = strings.Join(words[4:], " ")
		default:
			w.t.Fatalf("run %s: an agent was refused something, or met what it did not expect: %s\n%s", h.row.Branch, line, h)
		}
	}
	return s
}

// deedsOf are the events that the calls of tools became, each as its tool, who
// called it and what it is told apart by.
func (h history) deedsOf() map[string][]string {
	found := map[string][]string{}
	for i, body := range h.bodies {
		tool, text := "", ""
		switch b := body.(type) {
		case core.MessageSent:
			tool, text = "send-message", b.Text
		case core.TaskProposed:
			tool, text = "delegate-to-red", b.Proposal.Title
		case core.PlanProposed:
			tool, text = "update-plan", b.Message
		case core.QuestionAsked:
			tool, text = "request-clarification", b.Text
		default:
		}
		if e := h.events[i]; tool != "" && e.Actor.Kind == core.ActorAgent {
			key := tool + " of " + e.Actor.ID + ": " + text
			found[key] = append(found[key], e.ID)
		}
	}
	return found
}

// deed is what a call must have become.
func (c *call) deed() string {
	key := c.tool + " of " + c.attempt + ": " + c.name
	if c.tool == "request-clarification" {
		return key // a question is told apart by its words
	}
	return key + " (" + c.tag + ")"
}

// calledOnce: every call was answered, though engines died, and is there exactly
// once; nothing is there that nobody called for.
func (w *world) calledOnce(h history, s score) {
	w.t.Helper()
	found := h.deedsOf()
	for _, c := range s.calls {
		events := found[c.deed()]
		switch {
		case c.answer == "":
			w.t.Fatalf("run %s: the call %+v got no answer", h.row.Branch, c)
		case len(events) != 1:
			w.t.Fatalf("run %s: the call %+v was answered once, and became %d events: %v", h.row.Branch, c, len(events), events)
		case c.tool == "send-message" && c.answer != "sent ("+events[0]+")":
			w.t.Fatalf("run %s: the call %+v became %s", h.row.Branch, c, events[0])
		}
		delete(found, c.deed())
	}
	if len(found) > 0 {
		w.t.Fatalf("run %s: nobody called for %v", h.row.Branch, found)
	}
}

// playedOnce: what the manager does once in a story was done once, though two of
// its turns had to be repeated.
func (w *world) playedOnce(h history, s score) {
	w.t.Helper()
	times := map[string]int{}
	for _, c := range s.calls {
		times[c.name]++
	}
	for _, name := range []string{
		"the plan", "first", "second", "begun", "Which colour is it to have?", "blue it is", "How loud is it to be?", "softly it is",
		"review", "fix", "merge", "a change", "third",
		"heard " + wordBegun, "heard " + wordGate, "heard " + wordReview,
		"at first.txt", "at second.txt", "at fixed.txt", "at third.txt",
	} {
		if times[name] != 1 {
			w.t.Fatalf("run %s: %q was done %d times:\n%s", h.row.Branch, name, times[name], h)
		}
	}
}

// oneTurn: no attempt of the manager began before the one before it had ended.
func (w *world) oneTurn(h history, s score) {
	w.t.Helper()
	for i := 0; i < len(s.turns); i += 2 {
		_, attempt, _ := strings.Cut(s.turns[i], " ")
		if i+1 == len(s.turns) || s.turns[i] != "begin "+attempt || s.turns[i+1] != "end "+attempt {
			w.t.Fatalf("run %s: two turns of the manager at once: %v", h.row.Branch, s.turns)
		}
	}
}

// nothingMissed: the manager was told of the end of everything that was begun on
// its word, once.
func (w *world) nothingMissed(h history, s score) {
	w.t.Helper()
	for _, b := range bodiesOf[core.TaskAdmitted](h) {
		if b.Delegation != "" && len(s.saw[b.Delegation]) != 1 {
			w.t.Fatalf("run %s: the end of %s was told to the turns %v:\n%s", h.row.Branch, b.Delegation, s.saw[b.Delegation], h)
		}
	}
}
