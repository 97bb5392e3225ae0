package s3

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/minio/minio-go/v7"

	"github.com/stellwerk-dev/stellwerk/internal/object/indexed"
)

// cuts is how often in a row an answer may break off without a byte before a read fails.
const cuts = 5

// reader reads an upload from where it stands, and asks again for the rest if an answer breaks off.
type reader struct {
	ctx    context.Context // of Open
	bucket *bucket
	upload indexed.Upload
	at     int64
	answer io.ReadCloser      // from at on; nil if nothing is asked
	end    context.CancelFunc // of the operation that asked
}

func (r *reader) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	var broken error
	for range cuts {
		if r.at >= r.upload.Size {
			return 0, io.EOF
		}
		if err := r.ask(); err != nil {
			return 0, err
		}
		n, err := r.answer.Read(b[:min(int64(len(b)), r.upload.Size-r.at)])
		r.at += int64(n)
		if err != nil {
			broken = errors.Join(err, r.Close())
		}
		if n > 0 {
			return n, nil
		}
	}
	if errors.Is(broken, io.EOF) {
		return 0, indexed.Missing(r.upload, r.bucket.place)
	}
	return 0, r.bucket.explain(r.ctx, broken)
}

// ask asks for everything from where the reader stands.
func (r *reader) ask() error {
	if r.answer != nil {
		return nil
	}
	var options minio.GetObjectOptions
	if r.at > 0 {
		if err := options.SetRange(r.at, 0); err != nil {
			return err
		}
	}
	ctx, end := operate(r.ctx)
	answer, _, _, err := minio.Core{Client: r.bucket.client}.GetObject(ctx, r.bucket.name, r.bucket.key(r.upload), options)
	if err == nil {
		r.answer, r.end = answer, end
		return nil
	}
	defer end()
	if missing(err) || code(err) == "InvalidRange" {
		return indexed.Missing(r.upload, r.bucket.place)
	}
	return r.bucket.explain(ctx, err)
}

// Seek implements io.Seeker.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.upload.Size
	}
	if offset < 0 {
		return r.at, fmt.Errorf("object %s: there is nothing before its beginning", r.upload.Digest)
	}
	if offset != r.at {
		r.at = offset
		return offset, r.Close()
	}
	return offset, nil
}

// Close ends an answer under way. The reader can be used again.
func (r *reader) Close() error {
	if r.answer == nil {
		return nil
	}
	err := r.answer.Close()
	r.end()
	r.answer, r.end = nil, nil
	return err
}
