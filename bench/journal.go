package main

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// journal writes the manifest of each run as the program does: the folder is
// opened for each step and the lines are on disk before effects are handed out.
type journal struct {
	root string
	mu   sync.Mutex
	seqs map[string]int64
}

func newJournal(root string) *journal { return &journal{root: root, seqs: map[string]int64{}} }

// Append implements engine.Journal.
func (j *journal) Append(_ context.Context, run *core.Run, events []core.Event) error {
	f, err := runfolder.Open(filepath.Join(j.root, run.ID))
	if err != nil {
		return err
	}
	if err := errors.Join(f.Append(events), f.Close()); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.seqs[run.ID] = events[len(events)-1].Seq
	return nil
}

// Seq implements engine.Journal.
func (j *journal) Seq(_ context.Context, run string) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.seqs[run], nil
}
