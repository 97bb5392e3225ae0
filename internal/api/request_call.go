package api

import (
	"context"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The requests of one route each, with the call that each becomes.

type lookAtStartInput struct {
	Ticket string `path:"ticket" doc:"As in the request to start" maxLength:"64"`
}

func lookAtStart(ctx context.Context, svc Service, in *lookAtStartInput) (Looking, error) {
	return svc.Looking(ctx, in.Ticket)
}

type runAtInput struct {
	RunPath
	Seq int64 `path:"seq" minimum:"1"`
}

func runAt(ctx context.Context, svc Service, in *runAtInput) (RunDetail, error) {
	return svc.RunAt(ctx, in.Run, in.Seq)
}

type eventsInput struct {
	RunPath
	After int64 `query:"after" minimum:"0" doc:"Only events after this sequence number"`
	Limit int   `query:"limit" minimum:"0" maximum:"10000" doc:"At most so many"`
}

func listEvents(ctx context.Context, svc Service, in *eventsInput) (EventList, error) {
	events, err := svc.Events(ctx, in.Run, in.After, in.Limit)
	return EventList{events}, err
}

type outputInput struct {
	AttemptPath
	After int64 `query:"after" minimum:"0" doc:"Only records after this number"`
}

func readOutput(ctx context.Context, svc Service, in *outputInput) (Output, error) {
	return svc.Output(ctx, in.Run, in.Attempt, in.After)
}

type transcriptInput struct {
	AttemptPath
	TranscriptQuery
}

func readTranscript(ctx context.Context, svc Service, in *transcriptInput) (Transcript, error) {
	return svc.Transcript(ctx, in.Run, in.Attempt, in.TranscriptQuery)
}

type effectsInput struct {
	RunPath
	EffectQuery
}

func listEffects(ctx context.Context, svc Service, in *effectsInput) (Effects, error) {
	return svc.Effects(ctx, in.Run, in.EffectQuery)
}

type factsInput struct {
	RunPath
	History bool `query:"history" doc:"What no longer holds, too"`
}

func listFacts(ctx context.Context, svc Service, in *factsInput) (FactList, error) {
	facts, err := svc.Facts(ctx, in.Run, in.History)
	return FactList{facts}, err
}

func wrapConflicts(l []core.Conflict) ConflictList { return ConflictList{l} }

type diffInput struct {
	RunPath
	DiffQuery
}

func readDiff(ctx context.Context, svc Service, in *diffInput, w io.Writer) error {
	return svc.Diff(ctx, in.Run, in.DiffQuery, w)
}

type artifactInput struct {
	RunPath
	Name string `path:"name"`
}

func readArtifact(ctx context.Context, svc Service, in *artifactInput, w io.Writer) error {
	return svc.Artifact(ctx, in.Run, in.Name, w)
}

func readPrompt(ctx context.Context, svc Service, in *AttemptPath, w io.Writer) error {
	return svc.Prompt(ctx, in.Run, in.Attempt, w)
}

type documentInput struct {
	RunPath
	Digest string `path:"digest" pattern:"^[0-9a-f]{64}$"`
}

func readDocument(ctx context.Context, svc Service, in *documentInput, w io.Writer) error {
	return svc.Document(ctx, in.Run, in.Digest, w)
}

func getProject(ctx context.Context, svc Service, in *ProjectPath) (ProjectDetail, error) {
	return svc.Project(ctx, in.Project)
}

type answerInput struct {
	Question string `path:"question" doc:"A unique beginning of its id"`
	Body     Answer
}

func answerQuestion(ctx context.Context, svc Service, in *answerInput) (Spoken, error) {
	return svc.Answer(ctx, in.Question, in.Body)
}

type detailInput struct {
	RunPath
	FetchDetail
}

func fetchDetail(ctx context.Context, svc Tools, in *detailInput) (FetchedDetail, error) {
	return own(ctx, in.Run, func() (FetchedDetail, error) { return svc.Detail(ctx, in.Run, in.FetchDetail) })
}

func handIn(ctx context.Context, svc Service, in *fromSession[HandIn]) (Done, error) {
	return Done{}, svc.HandIn(ctx, in.Session, in.Body)
}

func endSession(ctx context.Context, svc Service, in *fromSession[Done]) (Done, error) {
	return Done{}, svc.End(ctx, in.Session)
}

func position(ctx context.Context, svc Service, _ *nothing) (Standing, error) {
	at, err := svc.Position(ctx)
	return Standing{At: at}, err
}

func backUp(ctx context.Context, svc Service, in *sent[Backup]) (Backup, error) {
	return in.Body, svc.Backup(ctx, in.Body.Path)
}

func exportHistory(ctx context.Context, svc Service, in *HistoryQuery, w io.Writer) error {
	return svc.ExportHistory(ctx, *in, w)
}

type playbookInput struct {
	LibraryQuery
	Playbook string `path:"playbook" doc:"Its name"`
}

func getPlaybook(ctx context.Context, svc Service, in *playbookInput) (PlaybookSource, error) {
	return svc.Playbook(ctx, in.Playbook, in.LibraryQuery)
}

type revokeInput struct {
	Token string `path:"token" doc:"Id or name"`
	Body  RevokeToken
}

func revokeToken(ctx context.Context, svc Service, in *revokeInput) (Token, error) {
	return svc.RevokeToken(ctx, in.Token, in.Body)
}
