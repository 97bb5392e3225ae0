package core

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"regexp"
	"slices"
)

// ErasedV is the version of an event whose content was erased. Every release reads up to some lower version, so one that does
// not know of erasing leaves such an event to newer ones.
const ErasedV = 1 << 30

// ErrErased is in the chain of an error about history whose content was erased.
var ErrErased = errors.New("its content was erased")

// Erased reports that the event's content was erased. What is left is where it stands in its stream, of which type it was, when
// it happened, in whose name, and its hash, which the next event follows.
func (e Event) Erased() bool { return e.V == ErasedV }

// Erase is the event without its content. The record of an erasure stays as it is.
func Erase(e Event) (Event, error) {
	if e.Erased() || e.Type == TypeProjectErased {
		return e, nil
	}
	kept, err := e.Hash()
	if err != nil {
		return e, err
	}
	e.V, e.Actor, e.Body = ErasedV, Actor{Kind: e.Actor.Kind}, []byte(`{"hash":"`+kept+`"}`)
	return e, nil
}

var erasedBody = regexp.MustCompile(`^\{"hash":"([0-9a-f]{64})"\}$`)

// keptHash is the hash that an event had before its content was erased.
func (e Event) keptHash() (string, error) {
	found := erasedBody.FindSubmatch(e.Body)
	if found == nil || e.Actor.ID != "" || e.Actor.Version != "" {
		return "", Errorf(CodeInvalid, "event %s is said to be erased, and is not what erasing leaves", e.ID)
	}
	return string(found[1]), nil
}

func erased(e Event) error {
	return Errorf(CodeNotFound, "the content of event %d of %s was erased", e.Seq, e.Stream).Because(ErrErased)
}

// RunErased is the error of whoever asks for a run whose content was erased.
func RunErased(name string) error {
	return Errorf(CodeNotFound, "the content of run %s was erased with its project", name).
		WithHint("what is left of it is its row in the list, and its place in the history").Because(ErrErased)
}

// ErasedStream says what is left of a stream: Left is the hex SHA-256 of the lines of its events up to Seq, each with a newline,
// as they are once they are erased. So nobody can change what is left of an event, or pass another one off as erased.
type ErasedStream struct {
	Stream string `json:"stream"`
	Seq    int64  `json:"seq"`
	Left   string `json:"left"`
}

// Residue computes what is Left of an ErasedStream. The zero Residue is that of a stream without events.
type Residue struct {
	ErasedStream
	Events int64 // that had content to erase
	lines  hash.Hash
}

// Add takes in the next event.
func (r *Residue) Add(e Event) error {
	left, err := Erase(e)
	if err != nil {
		return err
	}
	line, err := left.Line()
	if err != nil {
		return err
	}
	if r.lines == nil {
		r.lines = sha256.New()
	}
	if left.Erased() && !e.Erased() {
		r.Events++
	}
	r.lines.Write(line)
	r.lines.Write([]byte{'\n'})
	r.Stream, r.Seq, r.Left = e.Stream, e.Seq, ""
	return nil
}

// Sum is what is left of the events so far.
func (r *Residue) Sum() ErasedStream {
	s := r.ErasedStream
	if r.lines != nil {
		s.Left = hex.EncodeToString(r.lines.Sum(nil))
	}
	return s
}

// Erasure is a record of one, as a history has it.
type Erasure struct {
	Event   Event // of which the body is a ProjectErased
	Streams int
	Events  int64 // whose content it erased
	Reason  string
}

// ErasureCheck finds out whether every erased event of a history is among those that a record says were erased, and exactly as the
// record says. It is told all events of all streams, each stream in its order, and believes that their chains were verified.
type ErasureCheck struct {
	streams map[string]*erasedStream
	records []Erasure
	said    []ErasedStream // by the records
	by      []string       // ids of those
	events  int64
}

// erasedStream is a stream of which the first event is erased.
type erasedStream struct {
	residue Residue
	last    int64            // the last erased event
	left    map[int64]string // what is left up to the events that a record may name, by their numbers
}

// Note takes in an event.
func (c *ErasureCheck) Note(e Event) error {
	if c.streams == nil {
		c.streams = map[string]*erasedStream{}
	}
	s := c.streams[e.Stream]
	if e.Erased() {
		c.events++
		if s == nil { // the erased events begin a stream, otherwise no record has them
			s = &erasedStream{left: map[int64]string{}}
			c.streams[e.Stream] = s
		}
		s.last = e.Seq
	}
	if s != nil && e.Type == TypeProjectErased {
		s.left[s.residue.Seq] = s.residue.Sum().Left
	}
	if s != nil {
		if err := s.residue.Add(e); err != nil {
			return err
		}
	}
	if e.Type != TypeProjectErased || e.Erased() {
		return nil
	}
	body, err := Decode(e)
	if err != nil {
		return err
	}
	record, _ := body.(ProjectErased)
	c.records = append(c.records, Erasure{Event: e, Streams: len(record.Streams), Events: record.Events, Reason: record.Reason})
	for _, s := range record.Streams {
		c.said, c.by = append(c.said, s), append(c.by, e.ID)
	}
	return nil
}

// Events is how many events are erased.
func (c *ErasureCheck) Events() int64 { return c.events }

// Records are what a history says was erased, in the order in which it was told.
func (c *ErasureCheck) Records() []Erasure { return c.records }

// ErasureFault is something that is not as the records say.
type ErasureFault struct{ Stream, Text string }

// Faults are known after the last event.
func (c *ErasureCheck) Faults() (faults []ErasureFault) {
	recorded := map[string]int64{}
	for i, said := range c.said {
		recorded[said.Stream] = max(recorded[said.Stream], said.Seq)
		s := c.streams[said.Stream]
		if s == nil {
			faults = append(faults, ErasureFault{said.Stream, fmt.Sprintf("has content, although %s says that it was erased", c.by[i])})
			continue
		}
		left, known := s.left[said.Seq]
		if said.Seq == s.residue.Seq {
			left, known = s.residue.Sum().Left, true
		}
		if !known || left != said.Left {
			faults = append(faults, ErasureFault{said.Stream, fmt.Sprintf("is not what %s left of it: an event up to number %d was changed, put in or taken away since", c.by[i], said.Seq)})
		}
	}
	for name, s := range c.streams {
		if s.last > recorded[name] {
			faults = append(faults, ErasureFault{name, fmt.Sprintf("has an event %d that is said to be erased, and no record says so: something else was there", s.last)})
		}
	}
	slices.SortFunc(faults, func(a, b ErasureFault) int {
		return bytes.Compare([]byte(a.Stream+a.Text), []byte(b.Stream+b.Text))
	})
	return faults
}
