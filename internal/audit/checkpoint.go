// Package audit makes history provable: checkpoints name where streams of events stand and are
// signed with a key that no agent sees, an export carries events and checkpoints out, and a
// verifier reads such an export and says what is signed and what is wrong. It must not change
// an event, and what verifies must not trust the engine that exported.
package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// Kind is the kind of the documents that keep checkpoints, by their number.
const Kind = "checkpoint"

// format is that of statements.
const format = 1

// Mark says that a stream's event of a sequence number has a hash, and with that
// what all events before it are.
type Mark struct {
	Stream string `json:"stream"`
	Seq    int64  `json:"seq"`
	Hash   string `json:"hash"`
}

// Statement is what a checkpoint says. Checkpoints form a chain, and each names only the streams
// that moved on since the one before, so that its size does not grow with the history.
type Statement struct {
	Format   int       `json:"format"`
	Number   int64     `json:"number"` // from 1, without a gap
	At       time.Time `json:"at"`     // by the database's clock
	Engine   string    `json:"engine"`
	Key      string    `json:"key"`                // fingerprint of the public key
	Previous string    `json:"previous,omitempty"` // hash of the statement before
	Heads    []Mark    `json:"heads"`
}

// Checkpoint is a statement with its signature. Both are texts, so that they can be handed to
// ssh-keygen byte for byte.
type Checkpoint struct {
	Statement string `json:"statement"`
	Signature string `json:"signature"`
}

// Hash is the hex SHA-256 of the statement.
func (c Checkpoint) Hash() string { return hashOf([]byte(c.Statement)) }

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Read reads what a checkpoint says. It does not look at the signature.
func (c Checkpoint) Read() (Statement, error) {
	var s Statement
	if err := strictjson.Unmarshal([]byte(c.Statement), &s); err != nil {
		return s, fmt.Errorf("its statement cannot be read: %w", err)
	}
	if s.Format != format {
		return s, fmt.Errorf("its statement has format %d, this version reads %d", s.Format, format)
	}
	return s, nil
}

// sign makes a checkpoint.
func sign(s Statement, key Key) (Checkpoint, error) {
	s.Format, s.Key = format, key.Fingerprint()
	text, err := json.Marshal(s)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	signature, err := key.sign(text)
	if err != nil {
		return Checkpoint{}, err
	}
	return Checkpoint{Statement: string(text), Signature: signature}, nil
}

// documentKey is the key of a checkpoint's document: the order of the keys is that of the numbers.
func documentKey(number int64) string { return fmt.Sprintf("%012d", number) }

// chain is how far a sequence of checkpoints has been followed.
type chain struct {
	number int64
	hash   string // of the last statement
	at     time.Time
	marks  map[string]Mark // the last of each stream
}

// follow takes in the statement of a hash, or says why it cannot be the next.
func (c *chain) follow(s Statement, hash string) error {
	switch {
	case s.Number != c.number+1:
		return fmt.Errorf("checkpoint %d is missing: %d follows %d", c.number+1, s.Number, c.number)
	case s.Previous != c.hash:
		return fmt.Errorf("checkpoint %d does not follow the checkpoint before it: one of them was replaced", s.Number)
	case s.At.Before(c.at):
		return fmt.Errorf("checkpoint %d is older than the one before it", s.Number)
	}
	for _, m := range s.Heads {
		if was := c.marks[m.Stream]; m.Seq <= was.Seq {
			return fmt.Errorf("checkpoint %d says that %s stood at event %d, but one before it knew event %d", s.Number, m.Stream, m.Seq, was.Seq)
		}
	}
	if c.marks == nil {
		c.marks = map[string]Mark{}
	}
	for _, m := range s.Heads {
		c.marks[m.Stream] = m
	}
	c.number, c.hash, c.at = s.Number, hash, s.At
	return nil
}
