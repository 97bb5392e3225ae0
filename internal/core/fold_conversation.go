package core

import "slices"

func messageSent(r *Run, e Event, b MessageSent) {
	r.Said++
	r.Talk = keepTalk(r.Talk, Message{Event: e.ID, Conversation: b.Conversation, Voice: b.Voice, By: e.Actor.ID, Text: clipped(b.Text, keptMessage), At: e.At})
	hear(r, e, ToolMessage, b.Call, "")
	did(r, e, Deed{Tool: ToolMessage, Text: b.Text})
	if _, _, a := r.Attempt(e.Actor.ID); e.Actor.Kind == ActorAgent && a != nil {
		a.Said++
	}
	if e.Actor.Kind == ActorPerson {
		wake(r, e, Wake{Kind: WakeMessage, Text: b.Text, Conversation: b.Conversation})
		unpublish(r, e, "a person spoke before it was published")
	}
}

func questionAsked(r *Run, e Event, b QuestionAsked) {
	r.Tell = append(r.Tell, e.ID)
	q := Question{ID: b.ID, Text: clipped(b.Text, keptMessage), Asker: e.Actor.ID, Default: b.Default, At: e.At, From: b.From, Blocking: b.Blocking, About: b.About, Conversation: b.Conversation}
	if b.Default != "" {
		q.Due = e.At.Add(b.After)
	}
	r.Questions = append(r.Questions, q)
	if r.ByWaves() {
		r.weigh()
	}
	hear(r, e, ToolQuestion, b.Call, b.ID)
	did(r, e, Deed{Tool: ToolQuestion, Key: b.ID, Subject: b.ID, Text: b.Text})
}

func questionAnswered(r *Run, e Event, b QuestionAnswered) {
	q := *r.Question(b.ID)
	r.Questions = slices.DeleteFunc(r.Questions, func(o Question) bool { return o.ID == b.ID })
	r.Answers = append(r.Answers, Answer{Question: q, Text: clipped(b.Text, keptMessage), By: e.Actor.ID, Default: b.Default, Planner: b.Planner, At: e.At})
	if n := len(r.Answers) - keptAnswers; n > 0 { // in few words, so that it is never asked again
		old := &r.Answers[n-1]
		*old = Answer{Question: Question{ID: old.Question.ID, Text: clipped(old.Question.Text, keptAnswer), Conversation: old.Question.Conversation}, Text: clipped(old.Text, keptAnswer), Default: old.Default, Planner: old.Planner, At: old.At}
	}
	wake(r, e, Wake{Kind: WakeAnswer, Subject: b.ID, Text: b.Text, Conversation: q.Conversation})
	waveAnswered(r, q, b)
	if r.Pause != nil && r.Pause.Code == PauseQuestion { // for the next question it pauses again
		r.Status = r.Pause.From
		clearTrouble(r)
	}
}
