package api

import (
	"context"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func (p *proxy) StartRun(ctx context.Context, req StartRun) (Run, error) {
	return call[Run](ctx, p, "start-run", &sent[StartRun]{req})
}

func (p *proxy) Rehearse(ctx context.Context, req StartRun) (Rehearsal, error) {
	return call[Rehearsal](ctx, p, "rehearse-run", &sent[StartRun]{req})
}

func (p *proxy) Looking(ctx context.Context, ticket string) (Looking, error) {
	return call[Looking](ctx, p, "look-at-start", &lookAtStartInput{ticket})
}

func (p *proxy) Runs(ctx context.Context, q RunQuery) ([]Run, error) {
	list, err := call[RunList](ctx, p, "list-runs", &q)
	return list.Runs, err
}

func (p *proxy) Run(ctx context.Context, id string) (RunDetail, error) {
	return call[RunDetail](ctx, p, "get-run", &RunPath{id})
}

func (p *proxy) RunAt(ctx context.Context, id string, seq int64) (RunDetail, error) {
	return call[RunDetail](ctx, p, "get-run-at", &runAtInput{RunPath{id}, seq})
}

func (p *proxy) Events(ctx context.Context, id string, after int64, limit int) ([]core.Event, error) {
	list, err := call[EventList](ctx, p, "list-events", &eventsInput{RunPath{id}, after, limit})
	return list.Events, err
}

func (p *proxy) Follow(ctx context.Context, id string, after int64, fn func(core.Event) error) error {
	return p.do(ctx, p.routes["follow"], &followInput{RunPath: RunPath{id}, After: after}, fn)
}

func (p *proxy) Output(ctx context.Context, id, attempt string, after int64) (Output, error) {
	return call[Output](ctx, p, "read-output", &outputInput{attemptOf(id, attempt), after})
}

func (p *proxy) Transcript(ctx context.Context, id, attempt string, q TranscriptQuery) (Transcript, error) {
	return call[Transcript](ctx, p, "read-transcript", &transcriptInput{attemptOf(id, attempt), q})
}

func (p *proxy) Effects(ctx context.Context, id string, q EffectQuery) (Effects, error) {
	return call[Effects](ctx, p, "list-effects", &effectsInput{RunPath{id}, q})
}

func (p *proxy) Outline(ctx context.Context, id string) (Outline, error) {
	return call[Outline](ctx, p, "get-outline", &RunPath{id})
}

func (p *proxy) Facts(ctx context.Context, id string, history bool) ([]core.Fact, error) {
	list, err := call[FactList](ctx, p, "list-facts", &factsInput{RunPath{id}, history})
	return list.Facts, err
}

func (p *proxy) Conflicts(ctx context.Context, id string) ([]core.Conflict, error) {
	list, err := call[ConflictList](ctx, p, "list-conflicts", &RunPath{id})
	return list.Conflicts, err
}

func (p *proxy) RunSpending(ctx context.Context, id string) ([]AttemptSpending, error) {
	list, err := call[AttemptSpendingList](ctx, p, "list-run-spending", &RunPath{id})
	return list.Attempts, err
}

func (p *proxy) Replay(ctx context.Context, id string) (Replay, error) {
	return call[Replay](ctx, p, "replay", &RunPath{id})
}

func (p *proxy) Inbox(ctx context.Context) ([]Waiting, error) {
	list, err := call[WaitingList](ctx, p, "inbox", &nothing{})
	return list.Waiting, err
}

func (p *proxy) Diff(ctx context.Context, id string, q DiffQuery, w io.Writer) error {
	return p.do(ctx, p.routes["diff"], &diffInput{RunPath{id}, q}, w)
}

func (p *proxy) Artifact(ctx context.Context, id, name string, w io.Writer) error {
	return p.do(ctx, p.routes["artifact"], &artifactInput{RunPath{id}, name}, w)
}

func (p *proxy) Prompt(ctx context.Context, id, attempt string, w io.Writer) error {
	return p.do(ctx, p.routes["prompt"], new(attemptOf(id, attempt)), w)
}

func (p *proxy) Document(ctx context.Context, id, digest string, w io.Writer) error {
	return p.do(ctx, p.routes["document"], &documentInput{RunPath{id}, digest}, w)
}

func (p *proxy) Approve(ctx context.Context, id string, req Approve) (Run, error) {
	return call[Run](ctx, p, "approve", &toRun[Approve]{RunPath{id}, req})
}

func (p *proxy) Feedback(ctx context.Context, id string, req Feedback) (Run, error) {
	return call[Run](ctx, p, "feedback", &toRun[Feedback]{RunPath{id}, req})
}

func (p *proxy) Rollback(ctx context.Context, id string, req Rollback) (Run, error) {
	return call[Run](ctx, p, "rollback", &toRun[Rollback]{RunPath{id}, req})
}

func (p *proxy) Skip(ctx context.Context, id string, req Skip) (Run, error) {
	return call[Run](ctx, p, "skip", &toRun[Skip]{RunPath{id}, req})
}

func (p *proxy) Retry(ctx context.Context, id string, req Retry) (Run, error) {
	return call[Run](ctx, p, "retry", &toRun[Retry]{RunPath{id}, req})
}

func (p *proxy) Pause(ctx context.Context, id string, req Pause) (Run, error) {
	return call[Run](ctx, p, "pause", &toRun[Pause]{RunPath{id}, req})
}

func (p *proxy) Resume(ctx context.Context, id string, req Resume) (Run, error) {
	return call[Run](ctx, p, "resume", &toRun[Resume]{RunPath{id}, req})
}

func (p *proxy) Cancel(ctx context.Context, id string, req Cancel) (Run, error) {
	return call[Run](ctx, p, "cancel", &toRun[Cancel]{RunPath{id}, req})
}

func (p *proxy) Merge(ctx context.Context, id string, req Merge) (Run, error) {
	return call[Run](ctx, p, "merge", &toRun[Merge]{RunPath{id}, req})
}

func (p *proxy) Swap(ctx context.Context, id string, req Swap) (Run, error) {
	return call[Run](ctx, p, "swap", &toRun[Swap]{RunPath{id}, req})
}

func (p *proxy) Mergeable(ctx context.Context, id string) (Mergeable, error) {
	return call[Mergeable](ctx, p, "get-merge", &RunPath{id})
}
