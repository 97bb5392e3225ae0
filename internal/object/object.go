// Package object is the contract for immutable bytes that are found by their hash: artifacts, transcripts, outputs of checks,
// packs of commits. Events name objects by digest, so any engine that reaches the same store and the same objects knows
// everything that the other engines know. The package must not say where the bytes lie: its forms do, each in a package below.
package object

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Young is how long an object is kept in any case after it was put or touched: time enough for the event that names it.
const Young = 24 * time.Hour

// Objects keeps bytes by digest, the hex SHA-256 of the content. All methods are safe for concurrent use, by several engines
// too. A string that is no digest is refused with CodeInvalid; a digest without an object is CodeNotFound unless a method says
// otherwise.
type Objects interface {
	// Put keeps what r yields, at most max bytes (0 for no limit), and returns its digest and size. When Put has returned,
	// the bytes survive a crash of the machine, so an event may name them. Content that is there already becomes young,
	// and is repaired if it is damaged. Nothing stays of a Put that failed. Error: *TooLarge.
	Put(ctx context.Context, r io.Reader, max int64) (digest string, size int64, err error)
	// Open opens an object for reading. It does not compare content and digest: Verify does, and so does Checked for
	// whoever reads to the end anyway. The caller closes it, and does not end ctx before. A reader reads on if the object is
	// discarded meanwhile.
	Open(ctx context.Context, digest string) (io.ReadSeekCloser, error)
	// Size is how many bytes an object has.
	Size(ctx context.Context, digest string) (int64, error)
	// Verify reads an object and fails if it is missing or its content does not match the digest.
	Verify(ctx context.Context, digest string) error
	// Each calls fn with every object, until fn fails. Objects put or discarded meanwhile may be listed or not.
	Each(ctx context.Context, fn func(Entry) error) error
	// Discard removes an object that nothing names, unless it was put or touched at or after before, or is Young. It reports
	// whether the object is gone; repeating it is harmless. It never removes what a Put or Touch returns at the same time,
	// from whichever engine.
	Discard(ctx context.Context, digest string, before time.Time) (gone bool, err error)
	// Touch makes an object young for a caller that is about to name it, and reports whether it is there.
	Touch(ctx context.Context, digest string) (there bool, err error)
}

// Linker is implemented by forms whose objects are files: a second name costs no space.
type Linker interface {
	// Link gives an object a second name. It fails if path is on another file system, for example.
	Link(digest, path string) error
}

// Entry is one object in a list.
type Entry struct {
	Digest string
	Size   int64
	At     time.Time // when it was put or touched last
}

// TooLarge says that content exceeds the limit given to Put.
type TooLarge struct{ Max int64 }

func (e *TooLarge) Error() string { return fmt.Sprintf("larger than the limit of %d bytes", e.Max) }

// CheckDigest refuses a string that is no digest.
func CheckDigest(digest string) error {
	if raw, err := hex.DecodeString(digest); err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != digest {
		return core.Errorf(core.CodeInvalid, "%.80q is not the digest of an object", digest)
	}
	return nil
}

// Sweeper are objects whose bytes stay for a while after Discard, and after a Put that broke off.
type Sweeper interface {
	// Sweep frees what nobody can read any more. Any engine may sweep at any time.
	Sweep(ctx context.Context) error
}
