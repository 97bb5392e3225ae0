// Package journal keeps the readable copies of runs up to date: manifests, derived files,
// artifacts, transcripts, and what agents were seen doing in them. It is written after the
// events are durable, and must not be read to decide anything.
package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// Journal keeps the readable copies of runs. It implements engine.Journal and
// dispatch.Folder.
type Journal struct {
	*shelf
	log     *slog.Logger
	objects object.Objects

	deriving sync.Mutex // held while derived files are written, by which older ones never replace newer

	mu    sync.Mutex
	seqs  map[string]int64     // newest event that each folder is known to hold
	stale map[string]*core.Run // runs whose derived files are to be written
	casts map[string]*cast     // of the runs that were written since they began or this engine did
	wake  chan struct{}
	stop  chan struct{}
	done  chan struct{}
}

// stateEvery is how often derived files follow a run at most. They may lag, and
// need no place in the write order but for a run's last event.
const stateEvery = time.Second

// New opens the run folders below root.
func New(root string, objects object.Objects, log *slog.Logger) *Journal {
	j := &Journal{
		shelf: newShelf(root), objects: objects, log: log, seqs: map[string]int64{}, stale: map[string]*core.Run{}, casts: map[string]*cast{},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go j.follow()
	return j
}

// Append implements engine.Journal. A run's last event comes after everything that
// is derived: if an engine is killed before it, the next one appends it, and
// has derived all of it again. Nothing else would bring it to do so.
func (j *Journal) Append(_ context.Context, run *core.Run, events []core.Event, bodies core.Bodies) error {
	if last := len(events) - 1; events[last].Type == core.TypeRunSwept {
		if last > 0 {
			if err := j.append(run, events[:last], bodies.Read); err != nil {
				return err
			}
			events = events[last:]
		}
		j.settle(run)
	}
	if err := j.append(run, events, bodies.Read); err != nil {
		return err
	}
	j.mu.Lock()
	j.seqs[run.ID] = events[len(events)-1].Seq
	j.mu.Unlock()
	j.outdate(run)
	return nil
}

// append adds lines to the manifest, and to what is kept beside it.
func (j *Journal) append(run *core.Run, events []core.Event, read runfolder.Reader) error {
	return j.Use(run.ID, func(f *runfolder.Folder) error {
		parts, err := j.cast(f, run, events, read)
		if err != nil {
			return err
		}
		calls, err := calledTools(run.ID, parts, events, read)
		if err != nil {
			return err
		}
		if err := j.packs(f, events, read); err != nil {
			return err
		}
		if err := j.recover(f, run, parts, events, read); err != nil {
			return err
		}
		// First, for what the manifest has is not appended again.
		if err := f.SideEffects(calls...); err != nil {
			return err
		}
		return f.Append(events, read)
	})
}

// packs copies those that events name, so that the folder brings the run's code back.
func (j *Journal) packs(f *runfolder.Folder, events []core.Event, read runfolder.Reader) error {
	for _, e := range events {
		named, err := pack.Named(e, read)
		if err != nil {
			return err
		}
		for _, digest := range named {
			open := func() (io.ReadCloser, error) { return j.objects.Open(context.Background(), digest) }
			link := func(path string) error {
				if files, ok := j.objects.(object.Linker); ok {
					return files.Link(digest, path)
				}
				return errors.ErrUnsupported
			}
			if err := f.Pack(digest, link, open); err != nil {
				return err
			}
		}
	}
	return nil
}

// outdate has the derived files of a run written before long.
func (j *Journal) outdate(run *core.Run) {
	j.mu.Lock()
	j.stale[run.ID] = run
	j.mu.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// Seq implements engine.Journal. The derived files of a run that nobody has asked
// for since this engine started are written: one that was killed may not have come
// to it. A folder without events, as after it was removed, is at 0 whatever was written: all of it is written again.
func (j *Journal) Seq(_ context.Context, run *core.Run) (int64, error) {
	j.mu.Lock()
	seq, known := j.seqs[run.ID]
	j.mu.Unlock()
	lost, err := j.lost(run.ID)
	if err != nil {
		return 0, err
	}
	if known && (seq == 0 || !lost) {
		return seq, nil
	}
	if known {
		j.log.Warn("the folder of a run was removed; it is written again", "run", run.Alias, "folder", j.Dir(run.ID))
	}
	err = j.Use(run.ID, func(f *runfolder.Folder) error {
		seq = f.Head().Seq
		return nil
	})
	if err != nil {
		return 0, err
	}
	j.mu.Lock()
	j.seqs[run.ID] = seq
	j.mu.Unlock()
	j.outdate(run)
	return seq, nil
}

// lost reports that a run's folder has no events. Then it is opened anew, so that nothing goes on from what was in it.
func (j *Journal) lost(run string) (bool, error) {
	info, err := os.Stat(filepath.Join(j.Dir(run), runfolder.ManifestFile))
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) { // whoever writes to it says what is wrong
		return false, nil
	}
	j.shelf.mu.Lock()
	defer j.shelf.mu.Unlock()
	return true, j.drop(run)
}

// follow writes derived files after the runs, at leisure.
func (j *Journal) follow() {
	defer close(j.done)
	for {
		select {
		case <-j.stop:
			j.flush()
			return
		case <-j.wake:
		}
		select {
		case <-j.stop:
		case <-time.After(stateEvery):
			j.flush()
		}
	}
}

func (j *Journal) flush() {
	j.deriving.Lock()
	defer j.deriving.Unlock()
	j.mu.Lock()
	runs := j.stale
	j.stale = map[string]*core.Run{}
	j.mu.Unlock()
	for id, run := range runs {
		j.derive(run)
		if run.Status.Terminal() {
			j.mu.Lock()
			delete(j.seqs, id)
			delete(j.casts, id)
			j.mu.Unlock()
			if err := j.forget(id); err != nil {
				j.log.Error("close the folder of a run", "run", run.Alias, "error", err)
			}
		}
	}
}

// settle writes the derived files of a run at once, and removes what engines left
// that were killed.
func (j *Journal) settle(run *core.Run) {
	j.deriving.Lock()
	defer j.deriving.Unlock()
	if err := j.Use(run.ID, func(f *runfolder.Folder) error { return f.Tidy() }); err != nil {
		j.log.Error("tidy the folder of a run", "run", run.Alias, "error", err)
	}
	j.derive(run)
	if err := j.Use(run.ID, func(f *runfolder.Folder) error { return f.Sync() }); err != nil {
		j.log.Error("make the folder of a run durable", "run", run.Alias, "error", err)
	}
}

// derive writes what follows from a run. j.deriving is held.
func (j *Journal) derive(run *core.Run) {
	if err := j.Use(run.ID, func(f *runfolder.Folder) error { return f.WriteState(run) }); err != nil {
		j.log.Error("write workflow-state.json", "run", run.Alias, "error", err)
	}
	if run.ByWaves() {
		j.writeWaves(run)
	}
}

// writeWaves brings the files that only a run in waves has up to date.
func (j *Journal) writeWaves(run *core.Run) {
	err := j.Use(run.ID, func(f *runfolder.Folder) error {
		mended, err := f.WriteWaves(run, func(digest string) (io.ReadCloser, error) { return j.objects.Open(context.Background(), digest) })
		for _, name := range mended {
			j.log.Warn("a file of a run was not what its manifest says, and was written anew", "run", run.Alias, "file", name)
		}
		return err
	})
	if err != nil {
		j.log.Error("write the files of a run in waves", "run", run.Alias, "error", err)
	}
}

// Remove removes the folder of a run that nobody writes to any more.
func (j *Journal) Remove(run string) error {
	j.deriving.Lock()
	defer j.deriving.Unlock()
	j.mu.Lock()
	delete(j.stale, run)
	delete(j.seqs, run)
	delete(j.casts, run)
	j.mu.Unlock()
	return errors.Join(j.forget(run), os.RemoveAll(j.Dir(run)))
}

// Close writes what is left to write.
func (j *Journal) Close() {
	close(j.stop)
	<-j.done
	if err := j.close(); err != nil {
		j.log.Error("close the run folders", "error", err)
	}
}

// Artifact implements dispatch.Folder.
func (j *Journal) Artifact(run, stage string, round int, name string, content []byte) error {
	return j.Use(run, func(f *runfolder.Folder) error { return f.Artifact(stage, round, name, bytes.NewReader(content)) })
}

// Transcript implements dispatch.Folder.
func (j *Journal) Transcript(run, attempt, path string, observed bool) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the transcript: %w", err)
	}
	defer func() { _ = file.Close() }() // only read from
	effects, err := transcribed(filepath.Dir(path), run, attempt, observed)
	if err != nil {
		return err
	}
	return j.Use(run, func(f *runfolder.Folder) error { return f.Transcript(attempt, file, effects...) })
}
