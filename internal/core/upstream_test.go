package core

import "testing"

func publishedRun() *Run {
	task := &Task{ID: "publish.r1", Stage: PublishStage, Act: ActPullRequest, Status: TaskRunning, Prepared: &PublishPrepared{Subject: Subject{Commit: "b"}}}
	return &Run{
		Playbook: &Playbook{Project: &Management{}}, Stages: []*Stage{{ID: PublishStage, Status: StageGated, Tasks: []*Task{task}}},
		PullRequest: &PullRequest{Number: 7, Commit: "a", State: PullRequestOpen, Cursor: "read"},
	}
}

// TestWhatWasReadStaysRead when a pull request gets another commit, and not when
// it is another pull request.
func TestWhatWasReadStaysRead(t *testing.T) {
	for number, want := range map[int]string{7: "read", 8: ""} {
		r := publishedRun()
		published(r, Event{}, PublishConcluded{Task: "publish.r1", OK: true, Number: number})
		if pr := r.PullRequest; pr.Cursor != want || pr.Commit != "b" || pr.State != PullRequestOpen {
			t.Errorf("pull request %d: %+v", number, pr)
		}
	}
	r := publishedRun()
	seen(r.PullRequest, PullRequestSeen{State: PullRequestMerged})
	if r.PullRequest.Cursor != "read" {
		t.Errorf("forgotten by who says nothing of it: %+v", r.PullRequest)
	}
}

// TestALateLookCountsForItsCommit only: the merge of what was published before
// is not that of what is published now.
func TestALateLookCountsForItsCommit(t *testing.T) {
	r := publishedRun()
	for commit, want := range map[string]Code{"": "", "a": "", "b": CodeConflict} {
		err := lawSeen(r, PullRequestSeen{State: PullRequestMerged, Commit: commit})
		if err != nil && CodeOf(err) != want || err == nil && want != "" {
			t.Errorf("%q: %v", commit, err)
		}
	}
}

// TestWhatARunByPhasesPublished is merged after its end, and nothing else happens
// to it then.
func TestWhatARunByPhasesPublished(t *testing.T) {
	grant, taken := MergeGranted{Commit: "a", Base: "main", Tip: "t", Merge: "m"}, PullRequestSeen{State: PullRequestMerged, Commit: "a"}
	r := publishedRun()
	r.Status = StatusCompleted
	for _, b := range []Body{grant, taken} {
		if err := Law(r, actorOf(b), b); CodeOf(err) != CodeConflict {
			t.Errorf("%s of a project that is done: %v", TypeOf(b), err)
		}
	}
	r.Playbook.Project = nil
	for _, b := range []Body{grant, taken} {
		if err := Law(r, actorOf(b), b); err != nil {
			t.Errorf("%s of a run that is over: %v", TypeOf(b), err)
		}
	}
	for what, b := range map[string]Body{"closed": PullRequestSeen{State: PullRequestClosed, Commit: "a"}, "approved": ApprovalGranted{}, "resumed": RunResumed{}} {
		if Law(r, actorOf(b), b) == nil {
			t.Errorf("a run that is over was %s", what)
		}
	}
	seen(r.PullRequest, taken)
	for _, b := range []Body{grant, taken} {
		if Law(r, actorOf(b), b) == nil {
			t.Errorf("%s of what was merged", TypeOf(b))
		}
	}
	r = publishedRun()
	r.Playbook.Project, r.Status = nil, StatusActive
	if Law(r, Engine(), taken) == nil {
		t.Error("a run by phases sees what it does not wait for")
	}
}

// actorOf is who says it.
func actorOf(b Body) Actor {
	if TypeOf(b) == TypePullRequestSeen {
		return Engine()
	}
	return Person("ada")
}

// TestOnlyWhatWasPublishedIsGranted, by a person, and it is theirs once the base
// holds that merge and no other.
func TestOnlyWhatWasPublishedIsGranted(t *testing.T) {
	grant := MergeGranted{Commit: "a", Base: "main", Tip: "t", Merge: "m"}
	for name, spoil := range map[string]func(*Run, *MergeGranted){
		"of another commit":      func(_ *Run, b *MergeGranted) { b.Commit = "b" },
		"into nothing":           func(_ *Run, b *MergeGranted) { b.Base = "" },
		"of what is merged":      func(r *Run, _ *MergeGranted) { r.PullRequest.State = PullRequestMerged },
		"on a forge":             func(r *Run, _ *MergeGranted) { r.ForgeURL = "https://git.example.org" },
		"before it is shown":     func(r *Run, _ *MergeGranted) { r.Status = StatusActive },
		"without a pull request": func(r *Run, _ *MergeGranted) { r.PullRequest = nil },
	} {
		r, b := publishedRun(), grant
		r.Status = StatusReview
		spoil(r, &b)
		if Law(r, Person("ada"), b) == nil {
			t.Errorf("granted: %s", name)
		}
	}
	for actor, may := range map[Actor]bool{Person("ada"): true, Engine(): false, Policy("--yes"): false, {Kind: ActorAgent, ID: "a1"}: false} {
		r := publishedRun()
		r.Status = StatusReview
		if err := Law(r, actor, grant); (err == nil) != may {
			t.Errorf("%+v: %v", actor, err)
		}
	}
	for merge, want := range map[string]string{"m": "m", "": "", "other": ""} {
		r := publishedRun()
		apply(r, Event{Actor: Person("ada")}, grant)
		apply(r, Event{}, PullRequestSeen{State: PullRequestMerged, Merge: merge})
		if pr := r.PullRequest; pr.Merged != want || pr.Grant.By != "ada" {
			t.Errorf("seen %q: %+v", merge, pr)
		}
	}
}

func TestFolder(t *testing.T) {
	if server := (&Run{Remote: "https://git.example.org/acme/rocket.git"}); !server.Distant() || server.Folder() != server.Remote {
		t.Errorf("%+v", server)
	}
	near, far := &Run{Remote: "/home/ada/rocket/.git"}, &Run{Remote: "https://git.example.org/acme/rocket.git", Home: "/home/ada/rocket/.git"}
	if near.Distant() || !far.Distant() || near.Folder() != far.Folder() {
		t.Errorf("%+v, %+v", near, far)
	}
}
