package api

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func (p *proxy) Projects(ctx context.Context, q ProjectQuery) ([]Project, error) {
	list, err := call[ProjectList](ctx, p, "projects", &q)
	return list.Projects, err
}

func (p *proxy) Project(ctx context.Context, id string) (ProjectDetail, error) {
	return call[ProjectDetail](ctx, p, "get-project", &ProjectPath{id})
}

func (p *proxy) AddProject(ctx context.Context, req AddProject) (ProjectDetail, error) {
	return call[ProjectDetail](ctx, p, "add-project", &sent[AddProject]{req})
}

func (p *proxy) PauseProject(ctx context.Context, id string, req PauseProject) (ProjectDetail, error) {
	return call[ProjectDetail](ctx, p, "pause-project", &toProject[PauseProject]{ProjectPath{id}, req})
}

func (p *proxy) ResumeProject(ctx context.Context, id string, req ResumeProject) (ProjectDetail, error) {
	return call[ProjectDetail](ctx, p, "resume-project", &toProject[ResumeProject]{ProjectPath{id}, req})
}

func (p *proxy) ArchiveProject(ctx context.Context, id string, req ArchiveProject) (ProjectDetail, error) {
	return call[ProjectDetail](ctx, p, "archive-project", &toProject[ArchiveProject]{ProjectPath{id}, req})
}

func (p *proxy) EraseProject(ctx context.Context, id string, req EraseProject) (ErasedProject, error) {
	return call[ErasedProject](ctx, p, "erase-project", &toProject[EraseProject]{ProjectPath{id}, req})
}

func (p *proxy) DropEpic(ctx context.Context, id string, req DropEpic) (ProjectDetail, error) {
	return call[ProjectDetail](ctx, p, "drop-epic", &toProject[DropEpic]{ProjectPath{id}, req})
}

func (p *proxy) RequeueEpic(ctx context.Context, id string, req RequeueEpic) (ProjectDetail, error) {
	return call[ProjectDetail](ctx, p, "requeue-epic", &toProject[RequeueEpic]{ProjectPath{id}, req})
}

func (p *proxy) Speak(ctx context.Context, req Speak) (Spoken, error) {
	return call[Spoken](ctx, p, "speak", &sent[Speak]{req})
}

func (p *proxy) Answer(ctx context.Context, question string, req Answer) (Spoken, error) {
	return call[Spoken](ctx, p, "answer", &answerInput{question, req})
}

func (p *proxy) Messages(ctx context.Context, q MessageQuery) ([]Message, error) {
	list, err := call[MessageList](ctx, p, "list-messages", &q)
	return list.Messages, err
}

func (p *proxy) Conversations(ctx context.Context, q ConversationQuery) ([]ConversationView, error) {
	list, err := call[ConversationList](ctx, p, "list-conversations", &q)
	return list.Conversations, err
}

func (p *proxy) OpenConversation(ctx context.Context, req OpenConversation) (ConversationView, error) {
	return call[ConversationView](ctx, p, "open-conversation", &sent[OpenConversation]{req})
}

func (p *proxy) NameConversation(ctx context.Context, req NameConversation) (ConversationView, error) {
	return call[ConversationView](ctx, p, "name-conversation", &sent[NameConversation]{req})
}

func (p *proxy) Questions(ctx context.Context) ([]Question, error) {
	list, err := call[QuestionList](ctx, p, "list-questions", &nothing{})
	return list.Questions, err
}

func (p *proxy) Delegate(ctx context.Context, run string, req core.Proposal) (Delegated, error) {
	return call[Delegated](ctx, p, "tool-delegate", &fromTool[core.Proposal]{RunPath: RunPath{run}, Body: req})
}

func (p *proxy) Tell(ctx context.Context, run string, req Tell) (Told, error) {
	return call[Told](ctx, p, "tool-message", &fromTool[Tell]{RunPath: RunPath{run}, Body: req})
}

func (p *proxy) Ask(ctx context.Context, run string, req Ask) (Asked, error) {
	return call[Asked](ctx, p, "tool-question", &fromTool[Ask]{RunPath: RunPath{run}, Body: req})
}

func (p *proxy) UpdatePlan(ctx context.Context, run string, req UpdatePlan) (Plan, error) {
	return call[Plan](ctx, p, "tool-plan", &fromTool[UpdatePlan]{RunPath: RunPath{run}, Body: req})
}

func (p *proxy) Plan(ctx context.Context, run string) (Plan, error) {
	return call[Plan](ctx, p, "tool-show-plan", &RunPath{run})
}

func (p *proxy) Detail(ctx context.Context, run string, req FetchDetail) (FetchedDetail, error) {
	return call[FetchedDetail](ctx, p, "tool-detail", &detailInput{RunPath{run}, req})
}

func (p *proxy) Details(ctx context.Context, run string) (DetailIndex, error) {
	return call[DetailIndex](ctx, p, "tool-details", &RunPath{run})
}

func (p *proxy) Turn(ctx context.Context, session string, req TurnQuery) (Turn, error) {
	return call[Turn](ctx, p, "session-turn", &fromSession[TurnQuery]{SessionPath{session}, req})
}

func (p *proxy) Lease(ctx context.Context, session string, req Lease) (Leased, error) {
	return call[Leased](ctx, p, "session-lease", &fromSession[Lease]{SessionPath{session}, req})
}

func (p *proxy) Take(ctx context.Context, session string, req Take) (Assignment, error) {
	return call[Assignment](ctx, p, "session-take", &fromSession[Take]{SessionPath{session}, req})
}

func (p *proxy) HandIn(ctx context.Context, session string, req HandIn) error {
	_, err := call[Done](ctx, p, "session-handin", &fromSession[HandIn]{SessionPath{session}, req})
	return err
}

func (p *proxy) Say(ctx context.Context, session string, req Say) (Turn, error) {
	return call[Turn](ctx, p, "session-say", &fromSession[Say]{SessionPath{session}, req})
}

func (p *proxy) Begin(ctx context.Context, session string, req Begin) (Turn, error) {
	return call[Turn](ctx, p, "session-begin", &fromSession[Begin]{SessionPath{session}, req})
}

func (p *proxy) End(ctx context.Context, session string) error {
	_, err := call[Done](ctx, p, "session-end", &fromSession[Done]{SessionPath: SessionPath{session}})
	return err
}
