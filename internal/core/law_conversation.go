package core

import (
	"errors"
	"strings"
)

func lawMessage(r *Run, actor Actor, b MessageSent) error {
	if err := lawTool(r, actor, ToolMessage, b.Call); err != nil {
		return err
	}
	switch {
	case strings.TrimSpace(b.Text) == "":
		return Errorf(CodeInvalid, "a message needs words")
	case len(b.Text) > MaxMessage:
		return Errorf(CodeInvalid, "the message has %d bytes, at most %d are possible", len(b.Text), MaxMessage).
			WithHint("say it shorter, or put it into a document")
	case actor.Kind == ActorPerson && !r.ByManager():
		return Errorf(CodeUnsupported, "run %s is driven by rules: nobody would read the message", r.Alias).
			WithHint("say what is to change").Offer(r.Choices(VerbFeedback)...)
	}
	if b.Voice == "" {
		return Errorf(CodeInvalid, "a message needs a voice")
	}
	if err := lawSpokenIn(r, b.Conversation); err != nil {
		return err
	}
	return lawVoice(r, actor, b.Voice)
}

// lawQuestion is law 9: a question is asked once.
func lawQuestion(r *Run, actor Actor, b QuestionAsked) error {
	if err := lawTool(r, actor, ToolQuestion, b.Call); err != nil {
		return err
	}
	if err := errors.Join(lawVoice(r, actor, b.Voice), lawSpokenIn(r, b.Conversation)); err != nil {
		return err
	}
	if !r.ByManager() && !r.ByWaves() {
		return Errorf(CodeUnsupported, "run %s is driven by rules: nobody would read the answer", r.Alias)
	}
	if r.ByWaves() != (actor.Kind == ActorDecider) {
		return Errorf(CodeForbidden, "a question is not for %s to say", nameOf(actor)) // in waves it stands in what is handed in
	}
	if r.ByWaves() && !r.MayAsk(b.Blocking, 0) {
		return unlawful("question %s: too many are open", b.ID)
	}
	if strings.TrimSpace(b.Text) == "" || len(b.Text) > MaxMessage {
		return Errorf(CodeInvalid, "a question has between one and %d bytes", MaxMessage)
	}
	if b.ID != QuestionID(r.asking(), b.Text) {
		return unlawful("question %q does not have the identity of its words", b.ID)
	}
	if len(b.Default) > MaxMessage {
		return Errorf(CodeInvalid, "the default answer has %d bytes, at most %d are possible", len(b.Default), MaxMessage)
	}
	if b.Default != "" && strings.TrimSpace(b.Default) == "" { // it could never be given
		return Errorf(CodeInvalid, "a default answer needs words")
	}
	if b.Default != "" && b.After <= 0 {
		return Errorf(CodeInvalid, "a default answer needs a time after which it holds").WithHint("say how long people have to answer, for example 2h")
	}
	if a := r.Answered(b.ID); a != nil {
		return Errorf(CodeConflict, "this was asked before, and the answer was: %s", a.Text).WithHint("go on with that answer")
	}
	if r.Question(b.ID) != nil {
		return Errorf(CodeConflict, "this is asked already and waits for an answer").WithHint("end the turn: the answer wakes you")
	}
	return nil
}

// lawAnswer: a person answers, or the default does once its time has come.
func lawAnswer(r *Run, actor Actor, b QuestionAnswered) error {
	q := r.Question(b.ID)
	if q == nil {
		if a := r.Answered(b.ID); a != nil {
			return Errorf(CodeConflict, "question %s was answered before: %s", b.ID, a.Text).Advise(r.Differently())
		}
		return Errorf(CodeNotFound, "run %s has no question %s", r.Alias, b.ID).Offer(Choice{Verb: VerbInbox})
	}
	switch {
	case strings.TrimSpace(b.Text) == "":
		return Errorf(CodeInvalid, "an answer needs words")
	case len(b.Text) > MaxMessage:
		return Errorf(CodeInvalid, "the answer has %d bytes, at most %d are possible", len(b.Text), MaxMessage)
	case (b.Default || b.Planner) != (actor.Kind == ActorDecider), b.Default && b.Planner:
		return unlawful("question %s: a default or a planner's word is not a person's answer", b.ID)
	case b.Planner && (!r.ByWaves() || q.From == ""):
		return unlawful("question %s is not for a planner to answer", b.ID)
	case b.Default && (q.Default == "" || b.Text != q.Default || r.Now().Before(q.Due)):
		return unlawful("question %s: its default does not hold yet", b.ID)
	}
	return nil
}
