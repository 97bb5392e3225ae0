package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	exitFile = "exit.json"
	wantFile = "want.json"
)

// replica is how far this engine's copy of an attempt's folder goes. Nothing of it is trusted to an earlier process: bytes
// are written again where they were.
type replica struct {
	mu      sync.Mutex
	streams map[string]progress
	want    int64 // version
	whole   bool
	offered bool
}

// progress is how far a stream was copied: its length, and the key of the last chunk.
type progress struct {
	length int64
	last   string
}

// Receive implements exchange.Exchange.
func (x *Exchange) Receive(ctx context.Context, id spawn.ID) (string, error) {
	folder := x.Folder(id)
	x.mu.Lock()
	r := x.copies[id]
	if r == nil {
		r = &replica{streams: map[string]progress{}}
		x.copies[id] = r
	}
	x.mu.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.whole {
		return folder, nil
	}
	err := x.receive(ctx, id, folder, r)
	if !r.offered { // nothing is known of it
		x.mu.Lock()
		delete(x.copies, id)
		x.mu.Unlock()
	}
	if err != nil {
		return "", fmt.Errorf("receive what attempt %s has handed in: %w", id, err)
	}
	return folder, nil
}

func (x *Exchange) receive(ctx context.Context, id spawn.ID, folder string, r *replica) error {
	if offered, err := x.lay(ctx, id, folder, r); err != nil || !offered {
		return err
	}
	var end wire.End
	ended, err := x.document(ctx, kindEnd, id, &end) // before the streams: what it names is then there
	if err != nil {
		return err
	}
	for _, name := range wire.Streams() {
		if err := x.stream(ctx, id, name, folder, r); err != nil {
			return err
		}
	}
	if err := x.want(ctx, id, folder, r); err != nil || !ended {
		return err
	}
	for _, file := range end.Files {
		if err := x.assemble(ctx, file, folder); err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
	}
	if err := silent(folder); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(folder, exitFile), content(end.Exit)); err != nil {
		return err
	}
	r.whole = true
	return nil
}

// silent makes the output of an agent that wrote nothing.
func silent(folder string) error {
	file, err := os.OpenFile(filepath.Join(folder, wire.StreamOutput), os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// lay makes the folder on an engine that did not prepare the attempt, and reports whether it was offered at all.
func (x *Exchange) lay(ctx context.Context, id spawn.ID, folder string, r *replica) (bool, error) {
	if r.offered {
		return true, nil
	}
	offer, found, err := x.offered(ctx, id)
	if err != nil || !found {
		return false, err
	}
	if _, err := shim.ReadSpec(folder); err == nil {
		r.offered = true
		return true, nil
	}
	parcel, err := x.Objects.Open(ctx, offer.Parcel.Digest)
	if err != nil {
		return false, err
	}
	defer func() { _ = parcel.Close() }() // only read from
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return false, err
	}
	spec, err := wire.Unpack(parcel, folder, nil)
	if err != nil {
		return false, err
	}
	if err := shim.WriteSpec(folder, spec); err != nil {
		return false, err
	}
	r.offered = true
	return true, nil
}

// stream appends what has come of a stream.
func (x *Exchange) stream(ctx context.Context, id spawn.ID, name, folder string, r *replica) (err error) {
	const batch = 16
	at, prefix := r.streams[name], streamKey(id, name)
	var file *os.File
	defer func() {
		if file != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	for {
		chunks, err := x.Store.Documents(ctx, kindStream, prefix, at.last, batch)
		if err != nil || len(chunks) == 0 {
			return err
		}
		if file == nil {
			if file, err = os.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
				return err
			}
		}
		for _, chunk := range chunks {
			if chunk.Key != chunkKey(id, name, at.length) {
				return fmt.Errorf("%s has a gap at byte %d", name, at.length)
			}
			if _, err := file.WriteAt(chunk.Data, at.length); err != nil {
				return err
			}
			at = progress{length: at.length + int64(len(chunk.Data)), last: chunk.Key}
			r.streams[name] = at
		}
	}
}

func (x *Exchange) want(ctx context.Context, id spawn.ID, folder string, r *replica) error {
	d, err := x.Store.Document(ctx, kindWant, id.String())
	if errors.Is(err, store.ErrNotFound) || err == nil && d.Version == r.want {
		return nil
	}
	if err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(folder, wantFile), content(d.Data)); err != nil {
		return err
	}
	r.want = d.Version
	return nil
}

// assemble makes a file of its parts.
func (x *Exchange) assemble(ctx context.Context, file wire.File, folder string) error {
	if !filepath.IsLocal(filepath.FromSlash(file.Name)) {
		return errors.New("the name leads out of the attempt's folder")
	}
	target := filepath.Join(folder, filepath.FromSlash(file.Name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	if err := os.RemoveAll(target); err != nil {
		return err
	}
	return replaceFile(target, func(w io.Writer) error {
		for _, part := range file.Parts {
			if err := x.copyPart(ctx, part, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// replaceFile makes path, at once, a file of what write writes. It does not wait for the disk: after a failure of the machine
// the file is made again.
func replaceFile(path string, write func(io.Writer) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".")
	if err != nil {
		return err
	}
	err = errors.Join(write(file), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func content(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

func (x *Exchange) copyPart(ctx context.Context, part wire.Object, w io.Writer) error {
	from, err := x.Objects.Open(ctx, part.Digest)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // only read from
	_, err = io.Copy(w, object.Checked(part.Digest, from))
	return err
}

func streamKey(id spawn.ID, name string) string { return id.String() + "/" + name + "/" }

func chunkKey(id spawn.ID, name string, offset int64) string {
	return fmt.Sprintf("%s%016d", streamKey(id, name), offset)
}
