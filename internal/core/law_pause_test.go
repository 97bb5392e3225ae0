package core

import "testing"

// TestAQuestionIsPausedWithItsProject: the answer, also the default one, is kept
// and does not set the run going.
func TestAQuestionIsPausedWithItsProject(t *testing.T) {
	r := &Run{Status: StatusPaused, Pause: &Pause{Code: PauseQuestion, From: StatusActive}, Questions: []Question{{ID: "q"}}}
	if err := lawPause(r, RunPaused{Code: PausePerson}); CodeOf(err) != CodeConflict {
		t.Errorf("paused twice: %v", err)
	}
	with := RunPaused{Code: PauseProject, Reason: "project shop is paused"}
	if err := lawPause(r, with); err != nil {
		t.Fatal(err)
	}
	apply(r, Event{}, with)
	if r.Pause.Code != PauseProject || r.Pause.Stop {
		t.Errorf("%+v", r.Pause)
	}
	if err := lawPause(r, with); CodeOf(err) != CodeConflict {
		t.Errorf("paused twice: %v", err)
	}
	apply(r, Event{}, QuestionAnswered{ID: "q", Text: "yes", Default: true})
	if r.Status != StatusPaused || r.Pause == nil || len(r.Answers) != 1 {
		t.Errorf("%s, %+v, %+v", r.Status, r.Pause, r.Answers)
	}
}

// TestWhatIsMissingIsNotThereByGoingOn: the run would pause again at once.
func TestWhatIsMissingIsNotThereByGoingOn(t *testing.T) {
	r := &Run{Status: StatusPaused, Playbook: &Playbook{}, Pause: &Pause{Code: PauseInput, Reason: "it needs plan.md", Advice: Advice{Hint: "have it made"}, From: StatusActive}}
	if err := Law(r, Person("ada"), RunResumed{}); CodeOf(err) != CodeConflict || err.Error() != "it needs plan.md" {
		t.Errorf("got %v", err)
	}
}
