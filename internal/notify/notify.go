// Package notify tells a person that something is waiting for them, in the ways they
// chose: each thing once a way, several at once together, and not in their quiet
// hours. What is still to be told outlives the engine. The package does not know what
// is waiting, or why, and nothing waits for it.
package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// Notice is something a person should know. Its texts are already redacted.
type Notice struct {
	ID      string    `json:"id"`   // of the thing that waits: the same thing has the same id
	Kind    string    `json:"kind"` // such as approval, pause, question
	Project string    `json:"project,omitempty"`
	Run     string    `json:"run,omitempty"`
	Alias   string    `json:"alias,omitempty"`
	Title   string    `json:"title"`
	Text    string    `json:"text,omitempty"`
	Next    string    `json:"next,omitempty"` // what they can type
	At      time.Time `json:"at"`
}

// KindEnded is the kind of a notice about something that is over. All others are about
// something that is waiting.
const KindEnded = "ended"

// Message is what is sent at once: one notice, or several summed up.
type Message struct {
	ID      string // the same for the same notices
	Title   string
	Text    string
	At      time.Time
	Notices []Notice
}

// Way is one way to tell a person. Send may be called again with a message that it
// sent before, if the engine ended before it could note that.
type Way struct {
	Name string
	Send func(ctx context.Context, m Message) error
}

// ErrPermanent marks a failure that trying again does not fix.
var ErrPermanent = errors.New("not trying again")

const (
	shown    = 10  // notices of a sum that are named one by one
	maxTitle = 160 // characters
	maxText  = 600
)

// compose makes one message of notices, of which there is at least one. An agent
// or a repository may have written their texts.
func compose(notices []Notice, now time.Time) Message {
	for i := range notices {
		n := &notices[i]
		n.Title, n.Text, n.Next = line(n.Title, maxTitle), line(n.Text, maxText), line(n.Next, maxText)
		n.Alias, n.Project = line(n.Alias, maxTitle), line(n.Project, maxTitle)
	}
	if len(notices) == 1 {
		n := notices[0]
		return Message{ID: n.ID, Title: "stellwerk: " + n.Title, Text: n.Text, At: now, Notices: notices}
	}
	sum := sha256.New()
	var lines []string
	for i, n := range notices {
		_, _ = fmt.Fprintf(sum, "%s\n", n.ID) // a hash takes everything
		switch {
		case i < shown:
			lines = append(lines, line(strings.TrimSuffix(n.Title+": "+n.Text, ": "), maxTitle))
		case i == shown:
			lines = append(lines, fmt.Sprintf("… and %d more", len(notices)-shown))
		}
	}
	return Message{
		ID: "sum-" + hex.EncodeToString(sum.Sum(nil)[:16]), Title: fmt.Sprintf("stellwerk: %d things to look at", len(notices)),
		Text: strings.Join(lines, "\n"), At: now, Notices: notices,
	}
}

// line is a text on one line, without what could do harm to whoever shows it, and not
// longer than limit.
func line(text string, limit int) string {
	return plain.Clip(strings.Join(strings.Fields(plain.Text(text)), " "), limit)
}
