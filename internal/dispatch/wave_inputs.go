package dispatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/prompt"
)

// ofWave reports an attempt that reads the files of a wave: a planner's, or one at a
// delegation. One that resolves a merge reads the usual files.
func (r attemptRoom) ofWave() bool {
	if !r.run.ByWaves() {
		return false
	}
	return r.task.Kind == core.KindWave || r.task.Kind == core.KindWork && r.run.Waves.Work(r.stage.ID) != nil
}

// waveInputs lays out what an attempt of a run in waves reads, and returns its
// prompt.
func (r attemptRoom) waveInputs(ctx context.Context) ([]byte, error) {
	for _, b := range prompt.WaveBlobs(r.run, r.attempt.ID) {
		if err := r.d.layBlob(ctx, b, filepath.Join(r.in(), filepath.FromSlash(b.Name))); err != nil {
			return nil, err
		}
	}
	kept, err := r.keep(ctx)
	if err != nil {
		return nil, err
	}
	room := prompt.Room{
		Paths:  prompt.Paths{Work: r.dir(), Checkout: true, In: r.in(), Out: r.out(), Kept: kept},
		Inline: !r.told(), Tools: r.taken.Session == "", Conflicts: r.run.Waves.Conflicts(),
	}
	build := prompt.BuildWorker
	var files []prompt.File
	if r.task.Kind == core.KindWave {
		build = prompt.BuildPlanner
		files, err = prompt.PlannerFiles(r.run, r.attempt.ID, room.Conflicts)
	} else {
		files, err = prompt.WorkerFiles(r.run, r.attempt.ID)
	}
	if err != nil {
		return nil, err
	}
	if err := r.lay(files); err != nil {
		return nil, err
	}
	return r.writePrompt(build(r.run, r.attempt.ID, room))
}

// layBlob copies a document into an input folder: all of it, or its beginning with a note that
// says how to get the rest.
func (d *Dispatcher) layBlob(ctx context.Context, b prompt.Blob, path string) error {
	if b.Most == 0 {
		return d.copyObject(ctx, b.Digest, path, 0o400)
	}
	from, err := d.Objects.Open(ctx, b.Digest)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(from, b.Most+1))
	if err = errors.Join(err, from.Close()); err != nil {
		return fmt.Errorf("read %s: %w", b.Name, err)
	}
	if int64(len(data)) > b.Most {
		note := fmt.Appendf(nil, "\n\nThe whole document: `fetch-detail %s`\n", b.Called)
		data = append([]byte(plain.Head(string(bytes.ToValidUTF8(data, nil)), int(b.Most)-len(note))), note...)
	}
	if err := os.WriteFile(path, data, 0o400); err != nil {
		return fmt.Errorf("lay out %s: %w", b.Name, err)
	}
	return nil
}
