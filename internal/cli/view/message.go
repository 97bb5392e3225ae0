package view

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Message is a message of a conversation: when, who, and all of the text.
func (v View) Message(m api.Message) []string {
	who, paint := v.speaker(m.Said)
	if m.Conversation != "" { // its id ends in what tells it from the project's others
		who += " in " + terminal.Line(m.Conversation[strings.LastIndexByte(m.Conversation, '-')+1:])
	}
	return v.utter(m, paint(who+":"))
}

// utter is a message with the speaker's name.
func (v View) utter(m api.Message, who string) []string {
	prefix := v.Style.Faint(v.clock(m.At)) + "  "
	indent := strings.Repeat(" ", terminal.Width(prefix))
	var lines []string
	text := strings.ReplaceAll(strings.TrimRight(terminal.Text(m.Text), "\n"), "\t", "    ")
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			lines = terminal.Hang(prefix, who+" "+line, v.Width)
			continue
		}
		lines = append(lines, terminal.Hang(indent, line, v.Width)...)
	}
	if m.Kind == core.SaidQuestion && m.Default != "" {
		lines = append(lines, v.hang(indent, v.Style.Faint, "without an answer by "+v.clock(m.Due)+" it is: "+m.Default)...)
	}
	return lines
}

// speaker is who said something, for a person.
func (v View) speaker(s core.Said) (string, func(string) string) {
	name := terminal.Line(cmp.Or(s.By, "you"))
	switch {
	case s.Kind == core.SaidGoal:
		return name + " wants", v.Style.Strong
	case s.Kind == core.SaidQuestion && s.Voice == core.VoiceUser:
		return name + " asks (" + terminal.Line(s.Question) + ")", v.Style.Asking
	case s.Kind == core.SaidQuestion && s.Voice == core.VoiceRed:
		return "delegation " + name + " asks (" + terminal.Line(s.Question) + ")", v.Style.Asking
	case s.Kind == core.SaidQuestion && s.By == core.PlannerStage:
		return "planner asks (" + terminal.Line(s.Question) + ")", v.Style.Asking
	case s.Kind == core.SaidQuestion:
		return "manager asks (" + terminal.Line(s.Question) + ")", v.Style.Asking
	case s.Kind == core.SaidAnswer && s.Voice == "":
		return "nobody answered " + terminal.Line(s.Question) + " in time, so it is", v.Style.Faint
	case s.Kind == core.SaidAnswer:
		return name + " answers " + terminal.Line(s.Question), v.Style.Strong
	case s.Voice == core.VoiceGreen:
		return "manager", v.Style.Good
	case s.Voice == core.VoiceRed:
		return "worker " + name, v.Style.Busy
	case s.Voice == core.VoiceBlue:
		return name + " (blue)", v.Style.Strong
	}
	return name, v.Style.Strong
}

// Talk is a conversation in a line.
func (v View) Talk(t api.ConversationView) []string {
	text := fmt.Sprintf("%s (%s): %s", v.Style.Strong(terminal.Line(t.Name)), terminal.Line(t.ID), wording.Count(t.Messages, "message"))
	if !t.LastAt.IsZero() {
		text += ", the last at " + v.clock(t.LastAt)
	}
	return v.hang("", nil, text)
}

// Question is something that waits for an answer, with what to type.
func (v View) Question(q api.Question) []string {
	who := fmt.Sprintf("%s asks (%s)", terminal.Line(cmp.Or(strings.TrimPrefix(q.Asker, "the "), "manager")), terminal.Line(q.ID))
	text := q.Text
	if q.From != "" && !q.Blocking {
		text += " (it goes on without an answer)"
	}
	m := api.Message{At: q.At, Said: core.Said{Kind: core.SaidQuestion, Text: text, Question: q.ID, Default: q.Default, Due: q.Due}}
	return append(v.utter(m, v.Style.Asking(who+":")), v.hang("  answer: ", nil, v.typed("`stellwerk answer "+q.ID+" \"…\"`"))...)
}
