package runfolder

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
)

// Append writes the lines of events and returns once they are on disk. Events
// that are there already are dropped; a torn last line is cut first. A gap is
// an error, and so is a history other than the one in the folder (*Fork). The
// metrics of new events follow in their own file; read is core.Decode, or one that
// remembers what it has read.
func (f *Folder) Append(events []core.Event, read Reader) (err error) {
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
	unread := f.readyMeter(fresh[0].event.Seq)
	if err := f.write(file, fresh); err != nil {
		return err
	}
	return errors.Join(unread, f.appendMetrics(fresh, read))
}

// Reader reads the body of an event.
type Reader func(core.Event) (core.Body, error)

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

// entry is an event as the manifest has it.
type entry struct {
	event core.Event
	line  []byte
	hash  string
}

// entries refuses events that do not follow one another.
func entries(events []core.Event) ([]entry, error) {
	all := make([]entry, len(events))
	for i, e := range events {
		if i > 0 && e.PrevHash != all[i-1].hash {
			return nil, core.Errorf(core.CodeForked, "%s: event %d does not follow the event before it", e.Stream, e.Seq)
		}
		line, err := e.Line()
		if err != nil {
			return nil, err
		}
		all[i] = entry{e, line, hashOf(line)}
	}
	return all, nil
}

// fresh leaves out the events that the manifest has.
func (f *Folder) fresh(file *os.File, events []core.Event) ([]entry, error) {
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
	all, err := entries(events)
	if err != nil {
		return nil, err
	}
	known := min(head.Seq-first+1, int64(len(all)))
	if known == 0 && events[0].PrevHash != head.Hash {
		return nil, forked(stream, max(head.Seq, 1))
	}
	return all[known:], f.sameAs(file, all[:known])
}

// sameAs compares events with their lines. Only the newest is compared without
// reading the manifest again.
func (f *Folder) sameAs(file *os.File, known []entry) error {
	if len(known) == 0 {
		return nil
	}
	at, first := map[int64]string{f.tail.head.Seq: f.tail.head.Hash}, known[0].event.Seq
	if first < f.tail.head.Seq {
		if _, err := file.Seek(0, 0); err != nil {
			return explain(err, f.at(ManifestFile))
		}
		err := eachBefore(file, f.at(ManifestFile), f.tail.head.Seq, func(n int64, line []byte) error {
			if n >= first {
				at[n] = hashOf(line)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for _, e := range known {
		if e.hash != at[e.event.Seq] {
			return forked(e.event.Stream, e.event.Seq)
		}
	}
	return nil
}

func (f *Folder) write(file *os.File, fresh []entry) error {
	path := f.at(ManifestFile)
	var lines bytes.Buffer
	for _, e := range fresh {
		if len(e.line) > MaxLine {
			return fmt.Errorf("event %s: %w", e.event.ID, errTooLong)
		}
		lines.Write(e.line)
		lines.WriteByte('\n')
	}
	if f.tail.torn != nil {
		if err := file.Truncate(f.tail.end); err != nil {
			return explain(err, path)
		}
	}
	_, err := file.WriteAt(lines.Bytes(), f.tail.end)
	if err == nil && !planted.Is("nolinesync") {
		err = file.Sync()
	}
	if err != nil {
		f.tail.size = -1 // unknown: it is read again
		return explain(err, path)
	}
	made, last := f.tail.end == 0, fresh[len(fresh)-1]
	f.tail = tail{
		stream: last.event.Stream, head: core.Head{Seq: last.event.Seq, Hash: last.hash, At: last.event.At},
		end: f.tail.end + int64(lines.Len()),
	}
	f.tail.size = f.tail.end
	if made {
		return explain(errors.Join(f.syncNames("."), syncFolder(os.Open, f.at(".."))), path)
	}
	return nil
}
