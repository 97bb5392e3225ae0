package giteatest

import (
	"encoding/base64"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/forgetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// The people of a Gitea in tests. Bot is who the engine's token belongs to, OtherBot who that of another engine does.
const (
	Bot      = "stella"
	OtherBot = "stuart"
	reviewer = forgetest.Reviewer
	drafter  = "dora"
	stranger = forgetest.Stranger
)

// Repository is an empty repository of a real Gitea, with its people.
type Repository struct {
	Owner, Name       string
	Token, OtherToken string // of Bot and OtherBot

	gitea *Real
	files map[string]int
}

// Repository makes a repository and a token that may do what the forge needs,
// and no more.
func (g *Real) Repository(t testing.TB, name string) *Repository {
	t.Helper()
	_, _, err := g.admin.CreateRepo(api.CreateRepoOption{Name: name, AutoInit: true, DefaultBranch: forgetest.Base})
	must(t, err)
	write := api.AccessModeWrite
	for _, user := range []string{Bot, OtherBot, reviewer, drafter} {
		_, err := g.admin.AddCollaborator(admin, name, user, api.AddCollaboratorOption{Permission: &write})
		must(t, err)
	}
	r := &Repository{Owner: admin, Name: name, gitea: g, files: map[string]int{}}
	r.Token, r.OtherToken = r.newToken(t, Bot), r.newToken(t, OtherBot)
	return r
}

func (r *Repository) newToken(t testing.TB, user string) string {
	t.Helper()
	bot := r.gitea.client(t, api.SetBasicAuth(user, password))
	token, _, err := bot.CreateAccessToken(api.CreateAccessTokenOption{
		Name: r.Name, Scopes: []api.AccessTokenScope{"write:repository", "read:issue"},
	})
	must(t, err)
	return token.Token
}

// Path leads to the repository from where the Gitea is served.
func (r *Repository) Path() string { return fmt.Sprintf("/%s/%s.git", r.Owner, r.Name) }

// Fill replaces what is on the base branch with what is committed in a folder. The Gitea is served at address.
func (r *Repository) Fill(t testing.TB, address, dir string) {
	t.Helper()
	to := strings.Replace(address, "://", "://"+Bot+":"+r.Token+"@", 1) + r.Path()
	out, err := exec.CommandContext(t.Context(), "git", "-C", dir, "push", "--quiet", "--force", to, "HEAD:refs/heads/"+forgetest.Base).CombinedOutput()
	if err != nil {
		t.Fatalf("push to the Gitea: %v\n%s", err, out)
	}
}

// Hook makes the repository tell an address of what happens to pull requests.
func (r *Repository) Hook(t testing.TB, address, secret string) {
	t.Helper()
	_, _, err := r.gitea.admin.CreateRepoHook(r.Owner, r.Name, api.CreateHookOption{
		Type: "gitea", Active: true, Config: map[string]string{"url": address, "content_type": "json", "secret": secret},
		Events: []string{"pull_request", "pull_request_comment", "pull_request_review_rejected", "status"},
	})
	must(t, err)
}

// Push implements forgetest.Other.
func (r *Repository) Push(t testing.TB, branch string) string {
	t.Helper()
	name := strings.ReplaceAll(branch, "/", "-")
	options := api.FileOptions{Message: "more", BranchName: branch}
	if r.files[branch] == 0 {
		options.BranchName, options.NewBranchName = forgetest.Base, branch
	} else {
		name += fmt.Sprint("-", r.files[branch])
	}
	r.files[branch]++
	made, _, err := r.gitea.admin.CreateFile(r.Owner, r.Name, name+".txt", api.CreateFileOptions{
		FileOptions: options, Content: base64.StdEncoding.EncodeToString([]byte("a line\n")),
	})
	must(t, err)
	return made.Commit.SHA
}

// Count implements forgetest.Other.
func (r *Repository) Count(t testing.TB) int {
	t.Helper()
	all, _, err := r.gitea.admin.ListRepoPullRequests(r.Owner, r.Name, api.ListPullRequestsOptions{
		State: api.StateAll, ListOptions: api.ListOptions{Page: 1, PageSize: 50},
	})
	must(t, err)
	return len(all)
}

func (r *Repository) pull(t testing.TB, number int) *api.PullRequest {
	t.Helper()
	pull, _, err := r.gitea.admin.GetPullRequest(r.Owner, r.Name, int64(number))
	must(t, err)
	return pull
}

// Author is whose token opened a pull request.
func (r *Repository) Author(t testing.TB, number int) string {
	t.Helper()
	return r.pull(t, number).Poster.UserName
}

// Text implements forgetest.Other.
func (r *Repository) Text(t testing.TB, number int) (title, body string) {
	t.Helper()
	pull := r.pull(t, number)
	return pull.Title, pull.Body
}

// Merge implements forgetest.Other. A Gitea merges once it has found out, after
// it has answered, that it can.
func (r *Repository) Merge(t testing.TB, number int) string {
	t.Helper()
	deadline := waittest.Over()
	for {
		if ok, _, err := r.gitea.admin.MergePullRequest(r.Owner, r.Name, int64(number), api.MergePullRequestOption{Style: api.MergeStyleMerge}); err == nil && ok {
			return *r.pull(t, number).MergedCommitID
		}
		select {
		case <-deadline:
			t.Fatalf("pull request %d is not merged in time: %+v", number, r.pull(t, number))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Close implements forgetest.Other.
func (r *Repository) Close(t testing.TB, number int) {
	t.Helper()
	closed := api.StateClosed
	_, _, err := r.gitea.admin.EditPullRequest(r.Owner, r.Name, int64(number), api.EditPullRequestOption{State: &closed})
	must(t, err)
}

// Review implements forgetest.Other.
func (r *Repository) Review(t testing.TB, number int, kind forge.NoteKind, body string, lines ...forge.Note) {
	t.Helper()
	state, known := map[forge.NoteKind]api.ReviewStateType{
		forge.NoteChanges: api.ReviewStateRequestChanges, forge.NoteApproval: api.ReviewStateApproved,
	}[kind]
	if !known {
		state = api.ReviewStateComment
	}
	options := api.CreatePullReviewOptions{State: state, Body: body}
	for _, n := range lines {
		options.Comments = append(options.Comments, api.CreatePullReviewComment{Path: n.File, NewLineNum: int64(n.Line), Body: n.Body})
	}
	_, _, err := r.gitea.sudo[reviewer].CreatePullReview(r.Owner, r.Name, int64(number), options)
	must(t, err)
}

// Draft implements forgetest.Drafter.
func (r *Repository) Draft(t testing.TB, number int, body string, line forge.Note) (send func()) {
	t.Helper()
	as := r.gitea.sudo[drafter]
	review, _, err := as.CreatePullReview(r.Owner, r.Name, int64(number), api.CreatePullReviewOptions{
		State: api.ReviewStatePending, Body: body, Comments: []api.CreatePullReviewComment{{Path: line.File, NewLineNum: int64(line.Line), Body: line.Body}},
	})
	must(t, err)
	return func() {
		t.Helper()
		_, _, err := as.SubmitPullReview(r.Owner, r.Name, int64(number), review.ID,
			api.SubmitPullReviewOptions{State: api.ReviewStateRequestChanges, Body: body})
		must(t, err)
	}
}

// Comment implements forgetest.Other.
func (r *Repository) Comment(t testing.TB, number int, body string) {
	t.Helper()
	_, _, err := r.gitea.sudo[reviewer].CreateIssueComment(r.Owner, r.Name, int64(number), api.CreateIssueCommentOption{Body: body})
	must(t, err)
}

// CommentAsStranger implements forgetest.Public.
func (r *Repository) CommentAsStranger(t testing.TB, number int, body string) {
	t.Helper()
	_, _, err := r.gitea.sudo[stranger].CreateIssueComment(r.Owner, r.Name, int64(number), api.CreateIssueCommentOption{Body: body})
	must(t, err)
}

// Check implements forgetest.Other.
func (r *Repository) Check(t testing.TB, number int, name string, ci forge.CI, link string) {
	t.Helper()
	state := map[forge.CI]api.StatusState{
		forge.CIPending: api.StatusPending, forge.CIPassed: api.StatusSuccess, forge.CIFailed: api.StatusFailure,
	}[ci]
	_, _, err := r.gitea.admin.CreateStatus(r.Owner, r.Name, r.pull(t, number).Head.Sha, api.CreateStatusOption{State: state, Context: name, TargetURL: link})
	must(t, err)
}
