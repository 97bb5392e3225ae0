package journal

import (
	"context"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// recover brings back what a folder that was lost had besides its manifest: transcripts and artifacts from the objects that
// events name, and what agents were seen doing from the transcripts. A folder that is new gets its events from the first
// one on, and so does one that is written anew, a batch at a time; each attempt's files are looked at as the run was then.
func (j *Journal) recover(head *core.Run, events []core.Event) error {
	j.mu.Lock()
	state := j.lost[head.ID]
	j.mu.Unlock()
	switch {
	case events[0].Seq == 1:
		state = nil
	case state == nil || state.Stream.Seq+1 != events[0].Seq:
		return j.recall(head, events)
	}
	for _, e := range events {
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		if exited, ok := body.(core.AttemptExited); ok && state != nil {
			if err := j.recoverAttempt(state, exited, e.At); err != nil {
				return err
			}
		}
		state = core.FoldBody(state, e, body)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if state.Stream.Seq < head.Stream.Seq {
		j.lost[head.ID] = state
	} else {
		delete(j.lost, head.ID)
	}
	return nil
}

// recall brings into a folder that goes on the transcripts of attempts that another engine collected meanwhile.
func (j *Journal) recall(head *core.Run, events []core.Event) error {
	for _, e := range events {
		if e.Type != core.TypeAttemptExited {
			continue
		}
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		exited, _ := body.(core.AttemptExited)
		_, task, a := head.Attempt(exited.Attempt)
		if a == nil || exited.Transcript == "" {
			continue
		}
		err = j.Use(head.ID, func(f *runfolder.Folder) error {
			if f.HasTranscript(a.ID) {
				return nil
			}
			return j.recoverTranscript(f, head, task, a, exited, e.At)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (j *Journal) recoverAttempt(run *core.Run, exited core.AttemptExited, at time.Time) error {
	_, task, a := run.Attempt(exited.Attempt)
	if a == nil {
		return nil
	}
	return j.Use(run.ID, func(f *runfolder.Folder) error {
		if exited.Transcript != "" && !f.HasTranscript(a.ID) {
			if err := j.recoverTranscript(f, run, task, a, exited, at); err != nil {
				return err
			}
		}
		if exited.Delivery == nil {
			return nil
		}
		shelf, round := run.Shelf(task), run.Stage(task.Stage).Round
		for _, artifact := range exited.Delivery.Artifacts {
			if f.HasArtifact(shelf, round, artifact.Name) {
				continue
			}
			content, err := j.objects.Open(context.Background(), artifact.Digest)
			if err != nil {
				j.log.Warn("an artifact cannot be copied into the run's folder", "run", run.Alias, "name", artifact.Name, "error", err)
				continue
			}
			err = f.Artifact(shelf, round, artifact.Name, content)
			_ = content.Close() // only read from
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// recoverTranscript also takes down the calls of tools in it, as was done when the attempt ended.
func (j *Journal) recoverTranscript(f *runfolder.Folder, run *core.Run, task *core.Task, a *core.Attempt, exited core.AttemptExited, at time.Time) error {
	content, err := j.objects.Open(context.Background(), exited.Transcript)
	if err != nil {
		j.log.Warn("a transcript cannot be copied into the run's folder", "run", run.Alias, "attempt", a.ID, "error", err)
		return nil
	}
	defer func() { _ = content.Close() }() // only read from
	if err := f.Transcript(a.ID, content); err != nil {
		return err
	}
	entries, err := toolEntries(filepath.Join(j.Dir(run.ID), runfolder.TranscriptsDir, a.ID+".jsonl"))
	if err != nil {
		return err
	}
	by := runfolder.SideEffect{Run: run.ID, Attempt: a.ID, Role: task.Role, Agent: a.Agent}
	calls := CallsOf(entries, by)
	if !exited.Observed {
		by.At, by.Outcome, by.Reason = at, runfolder.OutcomeUnobserved, Unobserved(a.Agent)
		calls = append(calls, by)
	}
	return f.SideEffects(calls...)
}
