package runfolder

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Append writes the lines of events and returns once they are on disk. Events
// that are there already are dropped; a torn last line is cut first. A gap is
// an error, and so is a history other than the one in the folder (*Fork). The
// metrics of new events follow in their own file.
func (f *Folder) Append(events []core.Event) (err error) {
	if len(events) == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	file, err := f.lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, explain(file.Close(), f.at(ManifestFile))) }() // and with it the lock
	fresh, err := f.fresh(file, events)
	if err != nil || len(fresh) == 0 {
		return err
	}
	// First, because nothing repairs the metrics after a run's last event.
	unread := f.readyMeter(fresh[0].Seq)
	if err := f.write(file, fresh); err != nil {
		return err
	}
	return errors.Join(unread, f.appendMetrics(fresh))
}

// lock opens the manifest for this writer alone, and reads its end again if
// another writer moved it.
func (f *Folder) lock() (*os.File, error) {
	file, err := f.writing(ManifestFile)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, explain(errors.Join(err, file.Close()), f.at(ManifestFile))
	}
	if info.Size() != f.tail.size {
		if f.tail, err = readTail(file, f.at(ManifestFile)); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return file, nil
}

// fresh leaves out the events that the manifest has.
func (f *Folder) fresh(file *os.File, events []core.Event) ([]core.Event, error) {
	stream, head := f.tail.stream, f.tail.head
	if stream == "" {
		stream = events[0].Stream
	}
	for i, e := range events {
		if e.Stream != stream || e.Seq != events[0].Seq+int64(i) {
			return nil, core.Errorf(core.CodeInternal, "%s: event %s#%d does not belong here", f.path, e.Stream, e.Seq)
		}
	}
	first := events[0].Seq
	if first > head.Seq+1 {
		return nil, core.Errorf(core.CodeInvalid, "%s ends at event %d, event %d cannot follow", f.at(ManifestFile), head.Seq, first).
			WithHint("append the events in between first")
	}
	known := min(head.Seq-first+1, int64(len(events)))
	if err := f.sameAs(file, events[:known]); err != nil {
		return nil, err
	}
	fresh := events[known:]
	if len(fresh) > 0 && known == 0 && fresh[0].PrevHash != head.Hash {
		return nil, forked(stream, max(head.Seq, 1))
	}
	if _, err := core.VerifyChain(core.Head{Seq: first - 1, Hash: events[0].PrevHash}, events); err != nil {
		return nil, err
	}
	return fresh, nil
}

// sameAs compares events with their lines. Only the newest is compared without
// reading the manifest again.
func (f *Folder) sameAs(file *os.File, events []core.Event) error {
	if len(events) == 0 {
		return nil
	}
	at := map[int64]string{f.tail.head.Seq: f.tail.head.Hash}
	if events[0].Seq < f.tail.head.Seq {
		if _, err := file.Seek(0, 0); err != nil {
			return explain(err, f.at(ManifestFile))
		}
		err := eachBefore(file, f.at(ManifestFile), f.tail.head.Seq, func(n int64, line []byte) error {
			if n >= events[0].Seq {
				at[n] = hashOf(line)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, e := range events {
		hash, err := e.Hash()
		if err != nil {
			return err
		}
		if hash != at[e.Seq] {
			return forked(e.Stream, e.Seq)
		}
	}
	return nil
}

func (f *Folder) write(file *os.File, events []core.Event) error {
	path := f.at(ManifestFile)
	var lines bytes.Buffer
	head := f.tail.head
	for _, e := range events {
		line, err := e.Line()
		if err != nil {
			return err
		}
		if len(line) > MaxLine {
			return fmt.Errorf("event %s: %w", e.ID, errTooLong)
		}
		lines.Write(line)
		lines.WriteByte('\n')
		head = core.Head{Seq: e.Seq, Hash: hashOf(line), At: e.At}
	}
	if f.tail.torn != nil {
		if err := file.Truncate(f.tail.end); err != nil {
			return explain(err, path)
		}
	}
	_, err := file.WriteAt(lines.Bytes(), f.tail.end)
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		f.tail.size = -1 // unknown: it is read again
		return explain(err, path)
	}
	made := f.tail.end == 0
	f.tail = tail{stream: events[0].Stream, head: head, end: f.tail.end + int64(lines.Len())}
	f.tail.size = f.tail.end
	if made {
		return explain(f.syncNames(), path)
	}
	return nil
}

// syncNames makes the folder's own name and the names in it durable.
func (f *Folder) syncNames() error {
	for _, path := range []string{f.path, f.at("..")} {
		folder, err := os.Open(path)
		if err != nil {
			return err
		}
		if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
			return err
		}
	}
	return nil
}
