package core

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Event is the envelope of something that happened. Events are appended to a
// stream and never changed, but for their content being erased; each carries the
// hash of the one before it.
type Event struct {
	ID       string          `json:"id"`
	Stream   string          `json:"stream"`
	Seq      int64           `json:"seq"`
	Type     Type            `json:"type"`
	V        int             `json:"v"`
	At       time.Time       `json:"at"` // max(database clock, time of the event before)
	Actor    Actor           `json:"actor"`
	Cause    string          `json:"cause,omitempty"` // id of the event that led to this one
	PrevHash string          `json:"prev_hash,omitempty"`
	Body     json.RawMessage `json:"body"`
}

// ActorKind says in whose name an event happened.
type ActorKind string

const (
	ActorEngine  ActorKind = "engine"  // observed by Stellwerk itself
	ActorDecider ActorKind = "decider" // decided by a pure decider
	ActorPerson  ActorKind = "person"  // a person's explicit word
	ActorPolicy  ActorKind = "policy"  // a standing instruction such as --yes
	ActorSession ActorKind = "session" // an interactive session, on the word of the person in it
	ActorAgent   ActorKind = "agent"   // an attempt, through its own token
)

// Actor is who is answerable for an event. Version is set on decisions: the
// decider's and the law's, so that replay knows which code decided.
type Actor struct {
	Kind    ActorKind `json:"kind"`
	ID      string    `json:"id,omitempty"`
	Version string    `json:"version,omitempty"`
}

// Impulse is an event that followed from no other, and who is answerable for it:
// what is decided upon it has it for its cause.
type Impulse struct {
	Event string `json:"event"`
	By    Actor  `json:"by"`
}

// Engine is the actor of what Stellwerk itself observed.
func Engine() Actor { return Actor{Kind: ActorEngine} }

// Person is the actor of a person's explicit word.
func Person(id string) Actor { return Actor{Kind: ActorPerson, ID: id} }

// Policy is the actor of a standing instruction.
func Policy(id string) Actor { return Actor{Kind: ActorPolicy, ID: id} }

// Hash is the hex SHA-256 of the event's line, of an erased event that of the line it was.
func (e Event) Hash() (string, error) {
	if e.Erased() {
		return e.keptHash()
	}
	if e.plain() {
		var short [1024]byte // most lines fit, and take no memory
		return hashOf(e.appendLine(short[:0])), nil
	}
	line, err := e.Line()
	if err != nil {
		return "", err
	}
	return hashOf(line), nil
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}

// MaxBody bounds an event's body, so that every event fits a line of the
// manifest.
const MaxBody = 8 << 20

// Head is where a stream stands: what the next event must follow.
type Head struct {
	Seq  int64     `json:"seq"`
	Hash string    `json:"hash,omitempty"`
	At   time.Time `json:"at"`
}

// Seal makes body the next event after head. now is the database's clock; the
// event's time never runs backwards. The returned head follows the new event.
func Seal(stream string, head Head, now time.Time, actor Actor, cause string, body Body) (Event, Head, error) {
	form := FormOf(TypeOf(body))
	raw, err := form.encode(body)
	if err != nil {
		return Event{}, head, fmt.Errorf("encode %s: %w", TypeOf(body), err)
	}
	at := now.UTC().Truncate(time.Microsecond)
	if at.Before(head.At) {
		at = head.At
	}
	e := Event{
		ID: EventID(stream, head.Seq+1), Stream: stream, Seq: head.Seq + 1,
		Type: TypeOf(body), V: form.Writes, At: at,
		Actor: actor, Cause: cause, PrevHash: head.Hash, Body: raw,
	}
	if len(raw) > MaxBody {
		return Event{}, head, Errorf(CodeInvalid, "%s would have %d bytes, at most %d are possible", e.Type, len(raw), MaxBody)
	}
	hash, err := e.Hash()
	if err != nil {
		return Event{}, head, err
	}
	return e, Head{Seq: e.Seq, Hash: hash, At: at}, nil
}

// VerifyChain reports the first place where events do not follow head or one
// another: a wrong sequence number, stream or hash.
func VerifyChain(head Head, events []Event) (Head, error) {
	for _, e := range events {
		if e.Seq != head.Seq+1 {
			return head, Errorf(CodeForked, "stream %s: event %d follows event %d", e.Stream, e.Seq, head.Seq)
		}
		if e.Stream != events[0].Stream {
			return head, Errorf(CodeForked, "event %d is of stream %s, not of %s", e.Seq, e.Stream, events[0].Stream)
		}
		if e.PrevHash != head.Hash {
			return head, Errorf(CodeForked, "stream %s: event %d does not follow the event stored before it", e.Stream, e.Seq)
		}
		hash, err := e.Hash()
		if err != nil {
			return head, err
		}
		head = Head{Seq: e.Seq, Hash: hash, At: e.At}
	}
	return head, nil
}
