package powercut

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	_ "modernc.org/sqlite" // for its own check of a database

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// survivor is a state folder after a cut, opened again.
type survivor struct {
	*known
	ctx     context.Context
	state   statefolder.Folder
	store   *sqlite.Store
	objects *folder.Folder
	streams map[string][]core.Event
	wrong   []string
}

func (s *survivor) fault(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// need takes down what went wrong, and reports that nothing did.
func (s *survivor) need(err error, what string) bool {
	if err != nil {
		s.fault("%s: %v", what, err)
	}
	return err == nil
}

// examine says what is wrong with what survived.
func examine(ctx context.Context, disk string, k *known) []string {
	s := &survivor{known: k, ctx: ctx, streams: map[string][]core.Event{}}
	s.all(filepath.Join(disk, "state"))
	return s.wrong
}

func (s *survivor) all(dir string) {
	if _, err := os.Stat(dir); err != nil && s.words == 0 {
		return // it did not come to anything
	}
	s.wholeBackups(dir)
	var err error
	if s.state, err = statefolder.Open(dir); !s.need(err, "open the state folder") {
		return
	}
	if s.store, err = sqlite.Open(s.ctx, s.state.Database(), sqlite.Options{LazyLooks: true}); !s.need(err, "open the store") {
		return
	}
	s.events()
	s.counts()
	if s.objects, err = folder.Open(s.state.Objects()); s.need(err, "open the objects") {
		s.whole()
		s.folders()
	}
	if s.need(s.store.Close(), "close the store") {
		s.need(sound(s.ctx, s.state.Database()), "check the database")
	}
}

// events reads every stream, and what is kept about it.
func (s *survivor) events() {
	streams, _, err := s.store.Moved(s.ctx, 0, 1<<20)
	if !s.need(err, "list the streams") {
		return
	}
	for _, stream := range streams {
		events, err := s.store.Events(s.ctx, stream, 0, 0)
		if s.need(err, "read "+stream) {
			s.streams[stream] = events
		}
	}
	for stream, head := range s.heads {
		events := s.streams[stream]
		if int64(len(events)) < head.Seq {
			s.fault("%s has %d events, %d were acknowledged", stream, len(events), head.Seq)
			continue
		}
		if before, err := core.VerifyChain(core.Head{}, events[:head.Seq]); err != nil || before.Hash != head.Hash {
			s.fault("%s is not what was acknowledged: event %d has the hash %s, not %s (%v)", stream, head.Seq, before.Hash, head.Hash, err)
		}
	}
	for stream, events := range s.streams {
		s.stream(strings.TrimPrefix(stream, core.RunStream("")), events)
	}
}

// stream looks at a run, which must end with a whole step that was acknowledged, or with the one after it.
func (s *survivor) stream(run string, events []core.Event) {
	stream := core.RunStream(run)
	head, err := core.VerifyChain(core.Head{}, events)
	if !s.need(err, "verify "+stream) {
		return
	}
	steps := script(run)
	done, whole := next(steps, head.Seq)
	acknowledged, _ := next(steps, s.heads[stream].Seq)
	if !whole || done > acknowledged+1 {
		s.fault("%s has %d events: step %d, whole %t; %d steps were acknowledged", stream, len(events), done, whole, acknowledged)
	}
	row, err := s.store.Run(s.ctx, run)
	if s.need(err, "the row of "+run) && row.Tokens != head.Seq {
		s.fault("the row of %s is of event %d, and there are %d", run, row.Tokens, head.Seq)
	}
	snapshot, err := s.store.Snapshot(s.ctx, stream)
	if s.need(err, "the snapshot of "+run) && (snapshot.Head.Seq != head.Seq || string(snapshot.State) != head.Hash) {
		s.fault("the snapshot of %s is of event %d, and there are %d", run, snapshot.Head.Seq, head.Seq)
	}
}

func (s *survivor) counts() {
	for key, said := range s.documents {
		d, err := s.store.Document(s.ctx, "count", key)
		if !s.need(err, "the document "+key) {
			continue
		}
		n, err := strconv.Atoi(string(d.Data))
		if err != nil || n < said.Count || n > said.Count+1 || n == said.Count && d.Version != said.Version {
			s.fault("the document %s has version %d and says %q, acknowledged was version %d that says %d", key, d.Version, d.Data, said.Version, said.Count)
		}
	}
}

// whole looks at every object: each is what its name says, and those that were put or are named by an event are there.
func (s *survivor) whole() {
	there := map[string]bool{}
	s.need(s.objects.Each(s.ctx, func(e object.Entry) error {
		there[e.Digest] = true
		s.need(s.objects.Verify(s.ctx, e.Digest), "the object "+e.Digest)
		return nil
	}), "list the objects")
	for digest := range s.known.objects {
		if !there[digest] {
			s.fault("the object %s was put, and is missing", digest)
		}
	}
	for stream, events := range s.streams {
		for _, e := range events {
			for _, digest := range digests(e) {
				if !there[digest] {
					s.fault("event %d of %s names the object %s, which is missing", e.Seq, stream, digest)
				}
			}
		}
	}
}

// digests are the objects that an event names.
func digests(e core.Event) []string {
	body, err := core.Decode(e)
	exited, ok := body.(core.AttemptExited)
	if err != nil || !ok {
		return nil
	}
	all := []string{exited.Transcript}
	for _, a := range exited.Delivery.Artifacts {
		all = append(all, a.Digest)
	}
	return all
}

// wholeBackups looks at copies of the database: each is there whole or not at all.
func (s *survivor) wholeBackups(dir string) {
	paths, err := filepath.Glob(filepath.Join(dir, "?-*.db"))
	s.need(err, "list the backups")
	there := map[string]bool{}
	for _, path := range paths {
		there[filepath.Base(path)] = true
		s.need(sound(s.ctx, path), "check the backup "+filepath.Base(path))
	}
	for name := range s.backups {
		if !there[name] {
			s.fault("the backup %s was made, and is missing", name)
		}
	}
}

// sound has SQLite check a whole database.
func sound(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("SQLite says %s", said)
	}
	return nil
}
