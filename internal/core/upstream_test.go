package core

import "testing"

func publishedRun() *Run {
	task := &Task{ID: "publish.r1", Stage: PublishStage, Act: ActPullRequest, Status: TaskRunning, Prepared: &Prepared{Subject: Subject{Commit: "b"}}}
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
		err := lawManaged(r, PullRequestSeen{State: PullRequestMerged, Commit: commit})
		if err != nil && CodeOf(err) != want || err == nil && want != "" {
			t.Errorf("%q: %v", commit, err)
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
