package service

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// references are the documents that a run's history names.
type references struct {
	quoted    *regexp.Regexp
	documents map[[sha256.Size]byte]struct{}
	prompts   map[string]string // digest by attempt
}

func newReferences() *references {
	return &references{
		quoted: regexp.MustCompile(`"[0-9a-f]{64}"`), documents: map[[sha256.Size]byte]struct{}{}, prompts: map[string]string{},
	}
}

func (r *references) take(ev core.Event) error {
	for _, match := range r.quoted.FindAll(ev.Body, -1) {
		var digest [sha256.Size]byte
		if _, err := hex.Decode(digest[:], match[1:len(match)-1]); err != nil {
			return err
		}
		r.documents[digest] = struct{}{}
	}
	if ev.Type == core.TypeAttemptStarted {
		var started core.AttemptStarted
		if err := json.Unmarshal(ev.Body, &started); err != nil {
			return err
		}
		r.prompts[started.Attempt] = started.Prompt
	}
	return nil
}

// names reports that a history names a document.
func (r *references) names(digest string) bool {
	raw, err := hex.DecodeString(digest)
	if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != digest {
		return false
	}
	_, named := r.documents[[sha256.Size]byte(raw)]
	return named
}
