package powercut

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/journal"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// folders looks at the run folders as they are, has them completed as an engine does when it starts, and compares them with
// those that are written from the events alone.
func (s *survivor) folders() {
	for run, seq := range s.known.folders {
		s.prefix(run, seq)
	}
	again := filepath.Join(s.state.Dir, "again")
	mended, written := s.writer(s.state.Runs()), s.writer(again)
	for _, stream := range slices.Sorted(maps.Keys(s.streams)) {
		s.complete(mended, stream, true)
		s.complete(written, stream, false)
	}
	mended.Close()
	written.Close()
	for stream := range s.streams {
		run := strings.TrimPrefix(stream, core.RunStream(""))
		s.same(run, s.files(filepath.Join(s.state.Runs(), run)), s.files(filepath.Join(again, run)))
	}
}

func (s *survivor) writer(root string) *journal.Journal {
	return journal.New(root, s.objects, slog.New(slog.NewTextHandler(complaints{s}, &slog.HandlerOptions{Level: slog.LevelError})))
}

// complaints are what a journal logs instead of failing.
type complaints struct{ *survivor }

func (c complaints) Write(line []byte) (int, error) {
	c.fault("the journal says: %s", strings.TrimSpace(string(line)))
	return len(line), nil
}

// prefix looks at a manifest, which has at least what was acknowledged, and nothing but what the store has.
func (s *survivor) prefix(run string, acknowledged int64) {
	head := s.head(run)
	stored := s.streams[core.RunStream(run)]
	if head.Seq < acknowledged || head.Seq > int64(len(stored)) {
		s.fault("the manifest of %s has %d events, %d were acknowledged, %d are stored", run, head.Seq, acknowledged, len(stored))
		return
	}
	if head.Seq == 0 {
		return
	}
	hash, err := stored[head.Seq-1].Hash()
	if s.need(err, "the hash of an event of "+run) && hash != head.Hash {
		s.fault("event %d in the manifest of %s is not the one that is stored", head.Seq, run)
	}
}

// head is where a manifest stands for an engine.
func (s *survivor) head(run string) core.Head {
	f, err := runfolder.Open(filepath.Join(s.state.Runs(), run))
	if !s.need(err, "open the folder of "+run) {
		return core.Head{}
	}
	defer func() { s.need(f.Close(), "close the folder of "+run) }()
	return f.Head()
}

// complete brings a folder up to the store. An engine does not look again at a run whose last event is in its manifest; any
// other goes on, by an event here, which also mends its metrics.
func (s *survivor) complete(j *journal.Journal, stream string, asStarting bool) {
	events := s.streams[stream]
	run := strings.TrimPrefix(stream, core.RunStream(""))
	if events[len(events)-1].Type != core.TypeRunSwept {
		e, err := following(events)
		if !s.need(err, "go on with "+run) {
			return
		}
		events = append(slices.Clip(events), e)
	} else if asStarting && s.head(run).Seq == int64(len(events)) {
		return
	}
	state, err := folded(events)
	if s.need(err, "fold "+stream) {
		s.need(completeFolder(s.ctx, j, state, events), "complete the folder of "+run)
	}
}

// following is an event that comes next.
func following(events []core.Event) (core.Event, error) {
	head, err := core.VerifyChain(core.Head{}, events)
	if err != nil {
		return core.Event{}, err
	}
	e, _, err := core.Seal(events[0].Stream, head, head.At, core.Engine(), "", core.TimerFired{Timer: "next"})
	return e, err
}

// files are what a run folder has, but for parts that nobody finished. Side effects may come in another order.
func (s *survivor) files(dir string) map[string]string {
	have := map[string]string{}
	s.need(filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		content, err := os.ReadFile(path)
		if entry.Name() == runfolder.SideEffectsFile {
			content, err = sideEffects(dir)
			if err != nil {
				return err
			}
		}
		name, relative := filepath.Rel(dir, path)
		have[name] = string(content)
		return errors.Join(err, relative)
	}), "read the folder of a run")
	return have
}

// sideEffects are the records of a folder as its readers see them, in a known order.
func sideEffects(dir string) ([]byte, error) {
	var records []string
	err := runfolder.EachSideEffect(dir, func(e runfolder.SideEffect) error {
		line, err := json.Marshal(e)
		records = append(records, string(line))
		return err
	})
	slices.Sort(records)
	return []byte(strings.Join(records, "\n")), err
}

func (s *survivor) same(run string, have, want map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		content, there := have[name]
		switch {
		case !there:
			s.fault("%s is missing in the folder of %s", name, run)
		case content != want[name]:
			s.fault("%s in the folder of %s is not what its events say: %s", name, run, firstDifference(content, want[name]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, known := want[name]; !known {
			s.fault("%s is in the folder of %s, and nothing says so", name, run)
		}
	}
}

func firstDifference(have, want string) string {
	at := 0
	for at < min(len(have), len(want)) && have[at] == want[at] {
		at++
	}
	excerpt := func(text string) string { return text[min(at, len(text)):min(at+60, len(text))] }
	return fmt.Sprintf("%d bytes instead of %d, at %d %q instead of %q", len(have), len(want), at, excerpt(have), excerpt(want))
}
