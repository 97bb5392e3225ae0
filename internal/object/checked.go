package object

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Checked reads what should be the content of a digest. At the end of r it fails, instead of with io.EOF, if the content does
// not match: whoever builds truth from an object must not act on it before the end.
func Checked(digest string, r io.Reader) io.Reader {
	return &checked{digest: digest, r: r, hash: sha256.New()}
}

type checked struct {
	digest string
	r      io.Reader
	hash   hash.Hash
}

func (c *checked) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.hash.Write(b[:n])
	if !errors.Is(err, io.EOF) {
		return n, err
	}
	if got := hex.EncodeToString(c.hash.Sum(nil)); got != c.digest {
		return n, Damaged(c.digest, got)
	}
	return n, io.EOF
}

// ErrDamaged means that an object's content does not match its digest.
var ErrDamaged = errors.New("damaged")

// Damaged says that an object's content has another hash than its digest.
func Damaged(digest, got string) error {
	return core.Errorf(core.CodeUnavailable, "object %s is damaged: its content has the hash %s", digest, got).
		WithHint("restore the objects from a backup; storing the same content again repairs it").Because(ErrDamaged)
}
