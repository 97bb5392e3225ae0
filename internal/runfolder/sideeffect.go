package runfolder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Outcome is what became of a call of a tool.
type Outcome string

// The outcomes.
const (
	OutcomeOK      Outcome = "ok"
	OutcomeError   Outcome = "error"   // carried out, and failed
	OutcomeDenied  Outcome = "denied"  // withheld by the agent's program, by a hook or by the role's list
	OutcomeRefused Outcome = "refused" // one of Stellwerk's own tools, refused by the engine
	OutcomeUnknown Outcome = "unknown" // no result was seen
	// OutcomeUnobserved stands for all calls of an attempt whose agent is opaque.
	OutcomeUnobserved Outcome = "unobserved"
)

// SideEffect is one line of side_effects.jsonl: a call of a tool, as far as it
// could be seen. What it holds is redacted before it comes here.
type SideEffect struct {
	Run     string `json:"run"`
	Attempt string `json:"attempt"`
	Role    string `json:"role,omitempty"`
	Agent   string `json:"agent,omitempty"`
	// N is the call's number in the attempt's transcript; Seq that of the event
	// that keeps a call of one of Stellwerk's own tools. Within an attempt both
	// grow from line to line, and a repeated one is known by them.
	N       int64           `json:"n,omitempty"`
	Seq     int64           `json:"seq,omitempty"`
	At      time.Time       `json:"at,omitzero"`
	Tool    string          `json:"tool,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	Outcome Outcome         `json:"outcome"`
	Reason  string          `json:"reason,omitempty"` // why it was not carried out
}

// effectLog is what is known of side_effects.jsonl without reading it again.
type effectLog struct {
	end  int64 // of the last whole line that was read or written
	seen map[string]seenCalls
}

// seenCalls are the newest records of an attempt.
type seenCalls struct {
	n, seq int64
	blind  bool // it is recorded that nothing could be seen
}

// note remembers a record, and reports whether it is new.
func (l *effectLog) note(e SideEffect) bool {
	before := l.seen[e.Attempt]
	now := seenCalls{n: max(before.n, e.N), seq: max(before.seq, e.Seq), blind: before.blind || e.Outcome == OutcomeUnobserved}
	l.seen[e.Attempt] = now
	return now != before
}

// SideEffects adds records and returns once they are on disk. It does not add a
// record twice, so a caller may repeat what a crash interrupted, and it cuts a torn
// last line first. It reads the file once for as long as the folder is open, and
// again only if another writer changed it.
func (f *Folder) SideEffects(records ...SideEffect) (err error) {
	if len(records) == 0 {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	path := f.at(SideEffectsFile)
	file, err := f.writing(SideEffectsFile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, explain(file.Close(), path)) }()
	if err := f.effects.catchUp(file); err != nil {
		return explain(err, path)
	}
	made := f.effects.end == 0
	err = f.effects.add(file, records)
	if err == nil && made {
		err = f.syncNames(".")
	}
	if err != nil {
		f.effects = effectLog{} // the file must be read again
		return explain(err, path)
	}
	return nil
}

// catchUp reads what the file has beyond what is known of it.
func (l *effectLog) catchUp(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if l.seen == nil || info.Size() < l.end {
		*l = effectLog{seen: map[string]seenCalls{}}
	}
	if info.Size() == l.end {
		return nil
	}
	n, err := eachLine(io.NewSectionReader(file, l.end, info.Size()-l.end), func(line []byte) error {
		var e SideEffect
		if json.Unmarshal(line, &e) == nil { // what is no record repeats none
			l.note(e)
		}
		return nil
	})
	l.end += n
	return err
}

// add writes the records that are new behind the last whole line.
func (l *effectLog) add(file *os.File, records []SideEffect) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false) // command lines are to be found by their words
	for _, r := range records {
		if !l.note(r) {
			continue
		}
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("encode a side effect: %w", err)
		}
	}
	if err := file.Truncate(l.end); err != nil {
		return err
	}
	if _, err := file.WriteAt(lines.Bytes(), l.end); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	l.end += int64(lines.Len())
	return nil
}

// EachSideEffect hands over the records of the folder at path, the oldest first. It
// skips a line that is being written.
func EachSideEffect(path string, fn func(SideEffect) error) (err error) {
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(err, path)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return (&Folder{path: path, root: root}).reading(SideEffectsFile, func(file *os.File) error {
		number := 0
		_, err := eachLine(file, func(line []byte) error {
			number++
			var e SideEffect
			if err := json.Unmarshal(line, &e); err != nil {
				return fmt.Errorf("line %d is not a record: %w", number, err)
			}
			return fn(e)
		})
		if err != nil {
			return fmt.Errorf("%s in %s: %w", SideEffectsFile, path, err)
		}
		return nil
	})
}
