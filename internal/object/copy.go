package object

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// Copy copies what r yields to w, at most max bytes (0 for no limit) and until ctx ends, and returns its digest and size. Error:
// *TooLarge.
func Copy(ctx context.Context, w io.Writer, r io.Reader, max int64) (digest string, size int64, err error) {
	if max > 0 {
		r = io.LimitReader(r, max+1)
	}
	hash := sha256.New()
	size, err = io.Copy(io.MultiWriter(w, hash), cancellable{ctx, r})
	if err != nil {
		return "", 0, err
	}
	if max > 0 && size > max {
		return "", 0, &TooLarge{Max: max}
	}
	return hex.EncodeToString(hash.Sum(nil)), size, nil
}

// Verify reads r until it or ctx ends, and fails if that is not the content of a digest.
func Verify(ctx context.Context, digest string, r io.Reader) error {
	_, err := io.Copy(io.Discard, Checked(digest, cancellable{ctx, r}))
	return err
}

// cancellable reads until its context ends.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c cancellable) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
