package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// mostFaults is how many faults a report lists.
const mostFaults = 100

// Report is what a verifier found out.
type Report struct {
	Checkpoints int64       `json:"checkpoints"`
	Streams     int         `json:"streams"`
	Events      int64       `json:"events"`
	Signed      int64       `json:"signed"` // events that a checkpoint covers
	Open        int         `json:"open"`   // streams with events that none covers yet
	Newest      *Newest     `json:"newest,omitempty"`
	Faults      []Fault     `json:"faults"`
	More        int         `json:"more_faults,omitempty"` // that are not listed
	Keys        []SignedKey `json:"keys"`                  // that signed, in the order in which they first did
	Erased      int64       `json:"erased,omitempty"`      // events whose content was erased
	Erasures    []Erasure   `json:"erasures,omitempty"`    // that are on record
}

// Newest is the newest checkpoint.
type Newest struct {
	Number int64     `json:"number"`
	Hash   string    `json:"hash"`
	At     time.Time `json:"at"`
}

// SignedKey is a key that counts, and how many checkpoints it signed.
type SignedKey struct {
	Fingerprint string `json:"fingerprint"`
	Name        string `json:"name,omitempty"`
	Checkpoints int64  `json:"checkpoints"`
}

// Erasure is a record of content that was erased: who did it, when and why, and of how many events in how many streams.
type Erasure struct {
	Project string     `json:"project"` // id
	Event   string     `json:"event"`   // id of the record
	At      time.Time  `json:"at"`
	By      core.Actor `json:"by"`
	Reason  string     `json:"reason,omitempty"`
	Events  int64      `json:"events"`
	Streams int        `json:"streams"`
}

// Fault is something that is not as it was written or signed.
type Fault struct {
	Stream     string `json:"stream,omitempty"`
	Checkpoint int64  `json:"checkpoint,omitempty"`
	Text       string `json:"text"`
}

// Verifier reads an export and finds out whether its history is whole, and what of it is signed. It believes
// nothing but the keys that it was given.
type Verifier struct {
	signers Signers
	expect  string

	begun, ended bool
	chain        chain
	expected     bool
	keyless      bool // it was said that there are no keys
	signed       map[string][]signedMark
	seen         map[string]bool
	stream       *streamCheck
	erasures     core.ErasureCheck
	report       Report
}

// signedMark is a mark, and the checkpoint that signed it.
type signedMark struct {
	Mark
	checkpoint int64
}

// streamCheck is a stream while it is read.
type streamCheck struct {
	name    string
	head    core.Head
	marks   []signedMark // that are still to come, by their numbers
	covered int64
	broken  bool // nothing more is said about it
}

// NewVerifier makes a verifier that counts signatures of signers alone; without any, a history with checkpoints
// has a fault. expect, unless "", is the hash of a checkpoint that must be there: somebody noted it elsewhere.
func NewVerifier(signers Signers, expect string) *Verifier {
	return &Verifier{
		signers: signers, expect: expect, signed: map[string][]signedMark{}, seen: map[string]bool{},
		report: Report{Faults: []Fault{}, Keys: []SignedKey{}},
	}
}

// Line takes in the next line of an export. An error means that it is none that can be verified.
func (v *Verifier) Line(line []byte) error {
	var r Record
	if err := json.Unmarshal(line, &r); err != nil {
		return core.Wrap(core.CodeInvalid, err, "this is no export of a history", "")
	}
	switch {
	case v.ended:
		return core.Errorf(core.CodeInvalid, "the export goes on after its end")
	case (r.Record == RecordExport) == v.begun:
		return core.Errorf(core.CodeInvalid, "this is no export of a history")
	}
	switch r.Record {
	case RecordExport:
		v.begun = true
		return v.begin(r)
	case RecordCheckpoint:
		if r.Checkpoint == nil {
			r.Checkpoint = &Checkpoint{}
		}
		v.checkpoint(*r.Checkpoint)
	case RecordEvent, RecordUnreadable:
		v.enter(r.Stream)
		if r.Record == RecordUnreadable {
			v.streamFault("cannot be read after event %d: %s", v.stream.head.Seq, r.Reason)
		} else {
			v.event(r)
		}
	case RecordEnd:
		v.ended = true
		v.finish(r)
	default: // of a later version, and nothing that events or checkpoints hang on
	}
	return nil
}

func (v *Verifier) begin(r Record) error {
	if r.Format != ExportFormat {
		return core.Errorf(core.CodeUnsupported, "the export has format %d, this version reads %d", r.Format, ExportFormat)
	}
	if r.Partial {
		return core.Errorf(core.CodeInvalid, "the export is of a part of the history, and only all of it can be verified").
			WithHint("export without --since, --run, --project and --signed")
	}
	return nil
}

// Report is what was found, after the last line.
func (v *Verifier) Report() (Report, error) {
	if !v.ended {
		return v.report, core.Errorf(core.CodeInvalid, "the export was cut short: its last line is missing").WithHint("export again")
	}
	return v.report, nil
}

func (v *Verifier) fault(f Fault) {
	if len(v.report.Faults) == mostFaults {
		v.report.More++
		return
	}
	v.report.Faults = append(v.report.Faults, f)
}

// checkpoint looks at the next checkpoint. What one says counts only if its signature does.
func (v *Verifier) checkpoint(c Checkpoint) {
	v.report.Checkpoints++
	s, err := c.Read()
	if err != nil {
		v.chain.number, v.chain.hash = v.chain.number+1, c.Hash()
		v.fault(Fault{Checkpoint: v.chain.number, Text: fmt.Sprintf("checkpoint %d: %s", v.chain.number, err)})
		return
	}
	if err := v.chain.follow(s, c.Hash()); err != nil {
		v.fault(Fault{Checkpoint: s.Number, Text: err.Error()})
		v.chain.number, v.chain.hash, v.chain.at = s.Number, c.Hash(), s.At
	}
	v.expected = v.expected || c.Hash() == v.expect
	key, err := checkSignature(c.Statement, c.Signature)
	if err == nil {
		err = v.counts(ssh.FingerprintSHA256(key), s.Key)
	}
	switch {
	case errors.Is(err, errNoKeys) && !v.keyless:
		v.keyless = true
		v.fault(Fault{Checkpoint: s.Number, Text: fmt.Sprintf("the checkpoints are signed, %d with %s, but no public key was named that counts", s.Number, ssh.FingerprintSHA256(key))})
		return
	case errors.Is(err, errNoKeys):
		return
	case err != nil:
		v.fault(Fault{Checkpoint: s.Number, Text: fmt.Sprintf("checkpoint %d: %s", s.Number, err)})
		return
	}
	v.report.Newest = &Newest{Number: s.Number, Hash: c.Hash(), At: s.At}
	for _, m := range s.Heads {
		v.signed[m.Stream] = append(v.signed[m.Stream], signedMark{m, s.Number})
	}
}

var errNoKeys = errors.New("no public key was named")

// counts notes who signed, and says why a signature does not count.
func (v *Verifier) counts(fingerprint, stated string) error {
	name, known := v.signers[fingerprint]
	switch {
	case len(v.signers) == 0:
		return errNoKeys
	case !known:
		return fmt.Errorf("it is signed with %s, which is none of the keys that count", fingerprint)
	case fingerprint != stated:
		return fmt.Errorf("it says that it is signed with %s, but is signed with %s", stated, fingerprint)
	}
	at := slices.IndexFunc(v.report.Keys, func(k SignedKey) bool { return k.Fingerprint == fingerprint })
	if at < 0 {
		at, v.report.Keys = len(v.report.Keys), append(v.report.Keys, SignedKey{Fingerprint: fingerprint, Name: name})
	}
	v.report.Keys[at].Checkpoints++
	return nil
}

// enter goes on to a stream.
func (v *Verifier) enter(stream string) {
	if v.stream != nil && v.stream.name == stream {
		return
	}
	v.leave()
	v.stream = &streamCheck{name: stream, marks: v.signed[stream]}
	slices.SortStableFunc(v.stream.marks, func(a, b signedMark) int { return cmp.Compare(a.Seq, b.Seq) })
	v.report.Streams++
	if v.seen[stream] {
		v.streamFault("appears twice")
	}
	v.seen[stream] = true
}

// leave ends a stream: whatever was signed of it must have come.
func (v *Verifier) leave() {
	s := v.stream
	if s == nil {
		return
	}
	if n := len(s.marks); n > 0 && !s.broken {
		last := s.marks[n-1]
		v.streamFault("ends at event %d, but checkpoint %d signed event %d: its end was cut off", s.head.Seq, last.checkpoint, last.Seq)
	}
	v.report.Signed += s.covered
	if s.covered < s.head.Seq {
		v.report.Open++
	}
	v.stream = nil
}

// streamFault notes what is wrong with the stream that is read. The rest of it follows from that.
func (v *Verifier) streamFault(format string, args ...any) {
	if !v.stream.broken {
		v.fault(Fault{Stream: v.stream.name, Text: v.stream.name + " " + fmt.Sprintf(format, args...)})
	}
	v.stream.broken = true
}

// event looks at the next event of the stream.
func (v *Verifier) event(r Record) {
	v.report.Events++
	s := v.stream
	if s.broken {
		return
	}
	var e core.Event
	if err := json.Unmarshal(r.Event, &e); err != nil {
		v.streamFault("has something after event %d that is no event: %s", s.head.Seq, err)
		return
	}
	if line, err := e.Line(); err != nil || !bytes.Equal(line, r.Event) || e.Stream != s.name {
		v.streamFault("has an event %d that is not written as its hash was made", e.Seq)
		return
	}
	head, err := core.VerifyChain(s.head, []core.Event{e})
	if err != nil {
		v.streamFault("is broken after event %d: %s", s.head.Seq, err)
		return
	}
	if head.Hash != r.Hash {
		v.streamFault("has an event %d whose hash is not that of its line", e.Seq)
		return
	}
	if err := v.erasures.Note(e); err != nil {
		v.streamFault("has an event %d that cannot be read: %s", e.Seq, err)
		return
	}
	for s.head = head; len(s.marks) > 0 && s.marks[0].Seq == e.Seq; s.marks = s.marks[1:] {
		if m := s.marks[0]; m.Hash != head.Hash {
			v.streamFault("was rewritten: its event %d is not the one that checkpoint %d signed", e.Seq, m.checkpoint)
			return
		}
		s.covered = e.Seq
	}
}

// erased compares what is left of erased events with the records of it.
func (v *Verifier) erased() {
	v.report.Erased = v.erasures.Events()
	for _, e := range v.erasures.Records() {
		_, project := core.StreamKind(e.Event.Stream)
		v.report.Erasures = append(v.report.Erasures, Erasure{
			Project: project, Event: e.Event.ID, At: e.Event.At, By: e.Event.Actor, Reason: e.Reason, Events: e.Events, Streams: e.Streams,
		})
	}
	for _, f := range v.erasures.Faults() {
		v.fault(Fault{Stream: f.Stream, Text: f.Stream + " " + f.Text})
	}
}

// finish looks at what is missing.
func (v *Verifier) finish(r Record) {
	v.leave()
	v.erased()
	var gone []string
	for stream := range v.signed {
		if !v.seen[stream] {
			gone = append(gone, stream)
		}
	}
	slices.Sort(gone)
	for _, stream := range gone {
		last := slices.MaxFunc(v.signed[stream], func(a, b signedMark) int { return cmp.Compare(a.Seq, b.Seq) })
		v.fault(Fault{Stream: stream, Text: fmt.Sprintf("%s is gone: checkpoint %d signed %d events of it", stream, last.checkpoint, last.Seq)})
	}
	switch {
	case v.expect != "" && !v.expected:
		v.fault(Fault{Text: fmt.Sprintf("the checkpoint with the hash %s is missing: checkpoints were removed or replaced", v.expect)})
	case v.report.Checkpoints == 0 && len(v.signers) > 0:
		v.fault(Fault{Text: "there is no checkpoint: nothing was signed yet, or all of them were removed"})
	}
	if r.Events == nil || *r.Events != v.report.Events || r.Checkpoints == nil || *r.Checkpoints != v.report.Checkpoints {
		v.fault(Fault{Text: "lines of the export are missing"})
	}
}
