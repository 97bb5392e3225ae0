package client_test

import (
	"context"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The methods of echo: each notes what it was called with, see [echo.hear].

func (e *echo) AddProject(ctx context.Context, a1 api.AddProject) (out api.ProjectDetail, err error) {
	err = e.hear(ctx, "AddProject", &out, a1)
	return out, err
}

func (e *echo) AddToken(ctx context.Context, a1 api.AddToken) (out api.NewToken, err error) {
	err = e.hear(ctx, "AddToken", &out, a1)
	return out, err
}

func (e *echo) Answer(ctx context.Context, a1 string, a2 api.Answer) (out api.Spoken, err error) {
	err = e.hear(ctx, "Answer", &out, a1, a2)
	return out, err
}

func (e *echo) Approve(ctx context.Context, a1 string, a2 api.Approve) (out api.Run, err error) {
	err = e.hear(ctx, "Approve", &out, a1, a2)
	return out, err
}

func (e *echo) ArchiveProject(ctx context.Context, a1 string, a2 api.ArchiveProject) (out api.ProjectDetail, err error) {
	err = e.hear(ctx, "ArchiveProject", &out, a1, a2)
	return out, err
}

func (e *echo) Artifact(ctx context.Context, a1, a2 string, a3 io.Writer) (err error) {
	return e.hear(ctx, "Artifact", nil, a1, a2, a3)
}

func (e *echo) Ask(ctx context.Context, a1 string, a2 api.Ask) (out api.Asked, err error) {
	err = e.hear(ctx, "Ask", &out, a1, a2)
	return out, err
}

func (e *echo) Backup(ctx context.Context, a1 string) (err error) {
	return e.hear(ctx, "Backup", nil, a1)
}

func (e *echo) Begin(ctx context.Context, a1 string, a2 api.Begin) (out api.Turn, err error) {
	err = e.hear(ctx, "Begin", &out, a1, a2)
	return out, err
}

func (e *echo) Cancel(ctx context.Context, a1 string, a2 api.Cancel) (out api.Run, err error) {
	err = e.hear(ctx, "Cancel", &out, a1, a2)
	return out, err
}

func (e *echo) CheckPlaybook(ctx context.Context, a1 api.CheckPlaybook) (out api.PlaybookVerdict, err error) {
	err = e.hear(ctx, "CheckPlaybook", &out, a1)
	return out, err
}

func (e *echo) Conflicts(ctx context.Context, a1 string) (out []core.Conflict, err error) {
	err = e.hear(ctx, "Conflicts", &out, a1)
	return out, err
}

func (e *echo) Conversations(ctx context.Context, a1 api.ConversationQuery) (out []api.ConversationView, err error) {
	err = e.hear(ctx, "Conversations", &out, a1)
	return out, err
}

func (e *echo) Delegate(ctx context.Context, a1 string, a2 core.Proposal) (out api.Delegated, err error) {
	err = e.hear(ctx, "Delegate", &out, a1, a2)
	return out, err
}

func (e *echo) Detail(ctx context.Context, a1 string, a2 api.FetchDetail) (out api.FetchedDetail, err error) {
	err = e.hear(ctx, "Detail", &out, a1, a2)
	return out, err
}

func (e *echo) Details(ctx context.Context, a1 string) (out api.DetailIndex, err error) {
	err = e.hear(ctx, "Details", &out, a1)
	return out, err
}

func (e *echo) Diff(ctx context.Context, a1 string, a2 api.DiffQuery, a3 io.Writer) (err error) {
	return e.hear(ctx, "Diff", nil, a1, a2, a3)
}

func (e *echo) Document(ctx context.Context, a1, a2 string, a3 io.Writer) (err error) {
	return e.hear(ctx, "Document", nil, a1, a2, a3)
}

func (e *echo) DropEpic(ctx context.Context, a1 string, a2 api.DropEpic) (out api.ProjectDetail, err error) {
	err = e.hear(ctx, "DropEpic", &out, a1, a2)
	return out, err
}

func (e *echo) Effects(ctx context.Context, a1 string, a2 api.EffectQuery) (out api.Effects, err error) {
	err = e.hear(ctx, "Effects", &out, a1, a2)
	return out, err
}

func (e *echo) End(ctx context.Context, a1 string) (err error) {
	return e.hear(ctx, "End", nil, a1)
}

func (e *echo) Events(ctx context.Context, a1 string, a2 int64, a3 int) (out []core.Event, err error) {
	err = e.hear(ctx, "Events", &out, a1, a2, a3)
	return out, err
}

func (e *echo) Examine(ctx context.Context) (out []api.Examined, err error) {
	err = e.hear(ctx, "Examine", &out)
	return out, err
}

func (e *echo) Facts(ctx context.Context, a1 string, a2 bool) (out []core.Fact, err error) {
	err = e.hear(ctx, "Facts", &out, a1, a2)
	return out, err
}

func (e *echo) Feedback(ctx context.Context, a1 string, a2 api.Feedback) (out api.Run, err error) {
	err = e.hear(ctx, "Feedback", &out, a1, a2)
	return out, err
}

func (e *echo) Follow(ctx context.Context, a1 string, a2 int64, a3 func(core.Event) error) (err error) {
	return e.hear(ctx, "Follow", nil, a1, a2, a3)
}

func (e *echo) HandIn(ctx context.Context, a1 string, a2 api.HandIn) (err error) {
	return e.hear(ctx, "HandIn", nil, a1, a2)
}

func (e *echo) Import(ctx context.Context, a1 api.Import) (out api.Imported, err error) {
	err = e.hear(ctx, "Import", &out, a1)
	return out, err
}

func (e *echo) Inbox(ctx context.Context) (out []api.Waiting, err error) {
	err = e.hear(ctx, "Inbox", &out)
	return out, err
}

func (e *echo) Info(ctx context.Context) (out api.Info, err error) {
	err = e.hear(ctx, "Info", &out)
	return out, err
}

func (e *echo) Lease(ctx context.Context, a1 string, a2 api.Lease) (out api.Leased, err error) {
	err = e.hear(ctx, "Lease", &out, a1, a2)
	return out, err
}

func (e *echo) Limits(ctx context.Context, a1 api.LimitsQuery) (out []api.Account, err error) {
	err = e.hear(ctx, "Limits", &out, a1)
	return out, err
}

func (e *echo) Looking(ctx context.Context, a1 string) (out api.Looking, err error) {
	err = e.hear(ctx, "Looking", &out, a1)
	return out, err
}

func (e *echo) Merge(ctx context.Context, a1 string, a2 api.Merge) (out api.Run, err error) {
	err = e.hear(ctx, "Merge", &out, a1, a2)
	return out, err
}

func (e *echo) Mergeable(ctx context.Context, a1 string) (out api.Mergeable, err error) {
	err = e.hear(ctx, "Mergeable", &out, a1)
	return out, err
}

func (e *echo) Messages(ctx context.Context, a1 api.MessageQuery) (out []api.Message, err error) {
	err = e.hear(ctx, "Messages", &out, a1)
	return out, err
}

func (e *echo) NameConversation(ctx context.Context, a1 api.NameConversation) (out api.ConversationView, err error) {
	err = e.hear(ctx, "NameConversation", &out, a1)
	return out, err
}

func (e *echo) OpenConversation(ctx context.Context, a1 api.OpenConversation) (out api.ConversationView, err error) {
	err = e.hear(ctx, "OpenConversation", &out, a1)
	return out, err
}

func (e *echo) Outline(ctx context.Context, a1 string) (out api.Outline, err error) {
	err = e.hear(ctx, "Outline", &out, a1)
	return out, err
}

func (e *echo) Output(ctx context.Context, a1, a2 string, a3 int64) (out api.Output, err error) {
	err = e.hear(ctx, "Output", &out, a1, a2, a3)
	return out, err
}

func (e *echo) Pause(ctx context.Context, a1 string, a2 api.Pause) (out api.Run, err error) {
	err = e.hear(ctx, "Pause", &out, a1, a2)
	return out, err
}

func (e *echo) PauseProject(ctx context.Context, a1 string, a2 api.PauseProject) (out api.ProjectDetail, err error) {
	err = e.hear(ctx, "PauseProject", &out, a1, a2)
	return out, err
}

func (e *echo) Plan(ctx context.Context, a1 string) (out api.Plan, err error) {
	err = e.hear(ctx, "Plan", &out, a1)
	return out, err
}

func (e *echo) Playbook(ctx context.Context, a1 string, a2 api.LibraryQuery) (out api.PlaybookSource, err error) {
	err = e.hear(ctx, "Playbook", &out, a1, a2)
	return out, err
}

func (e *echo) Playbooks(ctx context.Context, a1 api.LibraryQuery) (out []api.PlaybookEntry, err error) {
	err = e.hear(ctx, "Playbooks", &out, a1)
	return out, err
}

func (e *echo) Position(ctx context.Context) (out string, err error) {
	err = e.hear(ctx, "Position", &out)
	return out, err
}

func (e *echo) Project(ctx context.Context, a1 string) (out api.ProjectDetail, err error) {
	err = e.hear(ctx, "Project", &out, a1)
	return out, err
}

func (e *echo) Projects(ctx context.Context, a1 api.ProjectQuery) (out []api.Project, err error) {
	err = e.hear(ctx, "Projects", &out, a1)
	return out, err
}

func (e *echo) Prompt(ctx context.Context, a1, a2 string, a3 io.Writer) (err error) {
	return e.hear(ctx, "Prompt", nil, a1, a2, a3)
}

func (e *echo) Prune(ctx context.Context, a1 api.Prune) (out api.Pruned, err error) {
	err = e.hear(ctx, "Prune", &out, a1)
	return out, err
}

func (e *echo) Questions(ctx context.Context) (out []api.Question, err error) {
	err = e.hear(ctx, "Questions", &out)
	return out, err
}

func (e *echo) Rehearse(ctx context.Context, a1 api.StartRun) (out api.Rehearsal, err error) {
	err = e.hear(ctx, "Rehearse", &out, a1)
	return out, err
}

func (e *echo) Replay(ctx context.Context, a1 string) (out api.Replay, err error) {
	err = e.hear(ctx, "Replay", &out, a1)
	return out, err
}

func (e *echo) RequeueEpic(ctx context.Context, a1 string, a2 api.RequeueEpic) (out api.ProjectDetail, err error) {
	err = e.hear(ctx, "RequeueEpic", &out, a1, a2)
	return out, err
}

func (e *echo) Resume(ctx context.Context, a1 string, a2 api.Resume) (out api.Run, err error) {
	err = e.hear(ctx, "Resume", &out, a1, a2)
	return out, err
}

func (e *echo) ResumeProject(ctx context.Context, a1 string, a2 api.ResumeProject) (out api.ProjectDetail, err error) {
	err = e.hear(ctx, "ResumeProject", &out, a1, a2)
	return out, err
}

func (e *echo) Retry(ctx context.Context, a1 string, a2 api.Retry) (out api.Run, err error) {
	err = e.hear(ctx, "Retry", &out, a1, a2)
	return out, err
}

func (e *echo) RevokeToken(ctx context.Context, a1 string, a2 api.RevokeToken) (out api.Token, err error) {
	err = e.hear(ctx, "RevokeToken", &out, a1, a2)
	return out, err
}

func (e *echo) Roles(ctx context.Context, a1 api.LibraryQuery) (out []api.RoleEntry, err error) {
	err = e.hear(ctx, "Roles", &out, a1)
	return out, err
}

func (e *echo) Rollback(ctx context.Context, a1 string, a2 api.Rollback) (out api.Run, err error) {
	err = e.hear(ctx, "Rollback", &out, a1, a2)
	return out, err
}

func (e *echo) Run(ctx context.Context, a1 string) (out api.RunDetail, err error) {
	err = e.hear(ctx, "Run", &out, a1)
	return out, err
}

func (e *echo) RunAt(ctx context.Context, a1 string, a2 int64) (out api.RunDetail, err error) {
	err = e.hear(ctx, "RunAt", &out, a1, a2)
	return out, err
}

func (e *echo) RunSpending(ctx context.Context, a1 string) (out []api.AttemptSpending, err error) {
	err = e.hear(ctx, "RunSpending", &out, a1)
	return out, err
}

func (e *echo) Runs(ctx context.Context, a1 api.RunQuery) (out []api.Run, err error) {
	err = e.hear(ctx, "Runs", &out, a1)
	return out, err
}

func (e *echo) Say(ctx context.Context, a1 string, a2 api.Say) (out api.Turn, err error) {
	err = e.hear(ctx, "Say", &out, a1, a2)
	return out, err
}

func (e *echo) SignIn(ctx context.Context, a1 api.SignIn) (out api.SignInCode, err error) {
	err = e.hear(ctx, "SignIn", &out, a1)
	return out, err
}

func (e *echo) Skip(ctx context.Context, a1 string, a2 api.Skip) (out api.Run, err error) {
	err = e.hear(ctx, "Skip", &out, a1, a2)
	return out, err
}

func (e *echo) Speak(ctx context.Context, a1 api.Speak) (out api.Spoken, err error) {
	err = e.hear(ctx, "Speak", &out, a1)
	return out, err
}

func (e *echo) Spending(ctx context.Context, a1 api.SpendingQuery) (out []api.DaySpending, err error) {
	err = e.hear(ctx, "Spending", &out, a1)
	return out, err
}

func (e *echo) StartRun(ctx context.Context, a1 api.StartRun) (out api.Run, err error) {
	err = e.hear(ctx, "StartRun", &out, a1)
	return out, err
}

func (e *echo) Swap(ctx context.Context, a1 string, a2 api.Swap) (out api.Run, err error) {
	err = e.hear(ctx, "Swap", &out, a1, a2)
	return out, err
}

func (e *echo) Take(ctx context.Context, a1 string, a2 api.Take) (out api.Assignment, err error) {
	err = e.hear(ctx, "Take", &out, a1, a2)
	return out, err
}

func (e *echo) Tell(ctx context.Context, a1 string, a2 api.Tell) (out api.Told, err error) {
	err = e.hear(ctx, "Tell", &out, a1, a2)
	return out, err
}

func (e *echo) TestNotices(ctx context.Context) (out []api.NoticeTest, err error) {
	err = e.hear(ctx, "TestNotices", &out)
	return out, err
}

func (e *echo) Tokens(ctx context.Context) (out []api.Token, err error) {
	err = e.hear(ctx, "Tokens", &out)
	return out, err
}

func (e *echo) Transcript(ctx context.Context, a1, a2 string, a3 api.TranscriptQuery) (out api.Transcript, err error) {
	err = e.hear(ctx, "Transcript", &out, a1, a2, a3)
	return out, err
}

func (e *echo) Trust(ctx context.Context, a1 api.Trust) (out api.Trusted, err error) {
	err = e.hear(ctx, "Trust", &out, a1)
	return out, err
}

func (e *echo) Turn(ctx context.Context, a1 string, a2 api.TurnQuery) (out api.Turn, err error) {
	err = e.hear(ctx, "Turn", &out, a1, a2)
	return out, err
}

func (e *echo) UpdatePlan(ctx context.Context, a1 string, a2 api.UpdatePlan) (out api.Plan, err error) {
	err = e.hear(ctx, "UpdatePlan", &out, a1, a2)
	return out, err
}

func (e *echo) Watch(ctx context.Context, a1 string, a2 func(api.Moved) error) (err error) {
	return e.hear(ctx, "Watch", nil, a1, a2)
}
