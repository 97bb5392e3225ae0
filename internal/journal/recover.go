package journal

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// recover brings into a run's folder what it lacks of what attempts left: transcripts and artifacts from the objects that
// events name, and what agents were seen doing from the transcripts. The folder lacks all of it if it was lost, and what
// other engines collected if it goes on. Events say which of two artifacts of a name is the newer, also when they are
// brought again after a failure.
func (j *Journal) recover(f *runfolder.Folder, run *core.Run, parts *cast, events []core.Event, read runfolder.Reader) error {
	for _, e := range events {
		if e.Type != core.TypeAttemptExited {
			continue
		}
		body, err := read(e)
		if err != nil {
			return err
		}
		exited, _ := body.(core.AttemptExited)
		p := parts.attempts[exited.Attempt]
		err = errors.Join(j.recoverTranscript(f, run, p, exited, e.At), j.recoverArtifacts(f, run, p, exited.Delivery))
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) recoverArtifacts(f *runfolder.Folder, run *core.Run, p part, delivery *core.Delivery) error {
	if delivery == nil || p.stage == "" { // without a stage there is no place for them
		return nil
	}
	shelf := run.Shelf(&core.Task{Stage: p.stage, Name: p.task})
	for _, a := range delivery.Artifacts {
		if f.HasArtifact(shelf, p.round, a) {
			continue
		}
		content, err := j.objects.Open(context.Background(), a.Digest)
		if gone(err) {
			j.log.Warn("an artifact cannot be copied into the run's folder", "run", run.Alias, "name", a.Name, "error", err)
			continue
		}
		if err != nil {
			return err
		}
		err = f.Artifact(shelf, p.round, a.Name, content)
		_ = content.Close() // only read from
		if err != nil {
			return err
		}
	}
	return nil
}

// recoverTranscript also takes down the calls of tools in it, as was done when the attempt ended.
func (j *Journal) recoverTranscript(f *runfolder.Folder, run *core.Run, p part, exited core.AttemptExited, at time.Time) error {
	if exited.Transcript == "" || f.HasTranscript(exited.Attempt) {
		return nil
	}
	content, err := j.objects.Open(context.Background(), exited.Transcript)
	if gone(err) {
		j.log.Warn("a transcript cannot be copied into the run's folder", "run", run.Alias, "attempt", exited.Attempt, "error", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = content.Close() }() // only read from
	entries, err := toolEntries(content)
	if err != nil {
		return err
	}
	by := runfolder.SideEffect{Run: run.ID, Attempt: exited.Attempt, Role: p.role, Agent: p.agent}
	calls := CallsOf(entries, by)
	if !exited.Observed {
		by.At, by.Outcome, by.Reason = at, runfolder.OutcomeUnobserved, Unobserved(p.agent)
		calls = append(calls, by)
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return f.Transcript(exited.Attempt, content, calls...)
}

// gone reports an object that is lost: no run stands still for that. Whatever else keeps one from being opened passes, and
// the next look tries again.
func gone(err error) bool { return core.CodeOf(err) == core.CodeNotFound }
