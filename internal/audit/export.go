package audit

import (
	"context"
	"encoding/json"
	"errors"
	"sort"
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Query says what to export. The zero value is everything.
type Query struct {
	Streams    map[string]bool // nil for all
	Checkpoint int64           // only what this checkpoint and those before it do not cover
	Since      time.Time       // only what happened then or later
	Signed     bool            // only what a checkpoint covers
}

func (q Query) partial() bool {
	return q.Streams != nil || q.Checkpoint > 0 || !q.Since.IsZero() || q.Signed
}

// Place is whose stream it is.
type Place struct{ Project, Run, Alias string }

// Exporter writes history out, while it goes on. What is committed after an export began is not in it.
type Exporter struct {
	Store Store
	Place func(ctx context.Context, stream string) (Place, error) // asked once for each stream that is exported
}

// piece is what is exported of a stream: the events after one and up to another.
type piece struct {
	stream      string
	after, upto int64
}

// Export hands the lines of an export to write.
func (x Exporter) Export(ctx context.Context, q Query, write func(Record) error) error {
	now, err := x.Store.Now(ctx)
	if err != nil {
		return err
	}
	// Checkpoints come first: what they name is there when the streams are read.
	checkpoints, err := x.checkpoints(ctx)
	if err != nil {
		return err
	}
	covered, newest, err := coverage(checkpoints, q.Checkpoint)
	if err != nil {
		return err
	}
	pieces, total, err := x.pieces(ctx, q, covered, newest)
	if err != nil {
		return err
	}
	now = now.UTC()
	if err := write(Record{Record: RecordExport, Format: ExportFormat, At: &now, Partial: q.partial(), Total: total}); err != nil {
		return err
	}
	end := Record{Record: RecordEnd, Checkpoints: new(int64), Events: new(int64)}
	for _, r := range checkpoints {
		if s, err := r.Read(); err == nil && (s.Number <= q.Checkpoint || s.At.Before(q.Since)) {
			continue
		}
		*end.Checkpoints++
		if err := write(r); err != nil {
			return err
		}
	}
	for _, p := range pieces {
		if err := x.events(ctx, p, end.Events, write); err != nil {
			return err
		}
	}
	return write(end)
}

// checkpoints are all there are. One that cannot be read is exported as it is.
func (x Exporter) checkpoints(ctx context.Context) ([]Record, error) {
	var all []Record
	for after := ""; ; {
		docs, err := x.Store.Documents(ctx, Kind, "", after, page)
		if err != nil || len(docs) == 0 {
			return all, err
		}
		for _, d := range docs {
			after = d.Key
			c := Checkpoint{}
			if json.Unmarshal(d.Data, &c) != nil {
				c = Checkpoint{Statement: string(d.Data)}
			}
			number, _ := strconv.ParseInt(d.Key, 10, 64) // 0 if somebody made up a key
			all = append(all, Record{Record: RecordCheckpoint, Number: number, Checkpoint: &c, Hash: c.Hash()})
		}
	}
}

// coverage is where the streams stand in the checkpoints up to a number, and in all of them.
func coverage(checkpoints []Record, number int64) (upto, all map[string]int64, err error) {
	upto, all = map[string]int64{}, map[string]int64{}
	last := int64(0)
	for _, r := range checkpoints {
		s, err := r.Read()
		if err != nil {
			continue // for who verifies
		}
		last = max(last, s.Number)
		for _, m := range s.Heads {
			all[m.Stream] = max(all[m.Stream], m.Seq)
			if s.Number <= number {
				upto[m.Stream] = max(upto[m.Stream], m.Seq)
			}
		}
	}
	if number > last {
		return nil, nil, core.Errorf(core.CodeNotFound, "there is no checkpoint %d, the newest is %d", number, last)
	}
	return upto, all, nil
}

// pieces says what is exported of each stream.
func (x Exporter) pieces(ctx context.Context, q Query, covered, newest map[string]int64) (all []piece, total int64, err error) {
	for after := ""; ; {
		heads, err := x.Store.Heads(ctx, after, page)
		if err != nil || len(heads) == 0 {
			return all, total, err
		}
		for _, h := range heads {
			after = h.Stream
			if q.Streams != nil && !q.Streams[h.Stream] {
				continue
			}
			p := piece{stream: h.Stream, after: covered[h.Stream], upto: h.Seq}
			if q.Signed {
				p.upto = min(p.upto, newest[h.Stream])
			}
			if !q.Since.IsZero() {
				first, err := x.before(ctx, h, q.Since)
				if err != nil {
					return nil, 0, err
				}
				p.after = max(p.after, first)
			}
			if p.after < p.upto {
				all, total = append(all, p), total+p.upto-p.after
			}
		}
	}
}

// before is the number of the last event of a stream that happened before a time. Times never run
// backwards in a stream.
func (x Exporter) before(ctx context.Context, h store.StreamHead, since time.Time) (int64, error) {
	if h.At.Before(since) {
		return h.Seq, nil
	}
	var failed error
	n := sort.Search(int(h.Seq), func(i int) bool {
		events, err := x.Store.Events(ctx, h.Stream, int64(i), 1)
		if err != nil && !unreadable(err) {
			failed = err
		}
		return err != nil || len(events) == 0 || !events[0].At.Before(since)
	})
	return int64(n), failed
}

// unreadable reports an event that is there and that this version cannot read.
func unreadable(err error) bool {
	return errors.Is(err, core.ErrUnreadable) || core.CodeOf(err) == core.CodeInvalid
}

func (x Exporter) events(ctx context.Context, p piece, count *int64, write func(Record) error) error {
	at, err := x.Place(ctx, p.stream)
	if err != nil {
		return err
	}
	most := int64(page)
	unread := func(why error) error {
		return write(Record{Record: RecordUnreadable, Stream: p.stream, Project: at.Project, Run: at.Run, Alias: at.Alias, Reason: why.Error()})
	}
	for p.after < p.upto {
		events, err := x.Store.Events(ctx, p.stream, p.after, int(min(most, p.upto-p.after)))
		switch {
		case err != nil && unreadable(err) && most > 1:
			most = 1 // those before it can be read
			continue
		case err != nil && unreadable(err):
			return unread(err)
		case err != nil:
			return err
		case len(events) == 0:
			return nil // the end is missing: who verifies finds out
		}
		for _, e := range events {
			line, err := e.Line()
			if err != nil {
				return unread(err)
			}
			hash := hashOf(line)
			if e.Erased() {
				if hash, err = e.Hash(); err != nil {
					return unread(err)
				}
			}
			r := Record{Record: RecordEvent, Stream: p.stream, Project: at.Project, Run: at.Run, Alias: at.Alias, Hash: hash, Event: line}
			if err := write(r); err != nil {
				return err
			}
			p.after, *count = e.Seq, *count+1
		}
	}
	return nil
}
