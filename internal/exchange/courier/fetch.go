package courier

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
)

// fetchBoth brings to this machine, at once, the parcel and, if the attempt gets code, the pack of its base. Both are to be
// closed, also after an error.
func (a *attempt) fetchBoth(ctx context.Context, given wire.Start) (parcel, pack io.ReadCloser, err error) {
	fetched := make(chan error, 1)
	go func() {
		var err error
		parcel, err = a.fetch(ctx, "parcel", given.Offer.Parcel, given.Small)
		fetched <- err
	}()
	pack = http.NoBody
	if base := given.Offer.Base; base != nil {
		pack, err = a.fetch(ctx, "base", base.Object, given.Small)
	}
	err = errors.Join(<-fetched, err)
	return parcel, pack, err
}

// fetch brings an object to this machine, whole, unless it came with the Start.
func (a *attempt) fetch(ctx context.Context, name string, object wire.Object, small map[string][]byte) (io.ReadCloser, error) {
	if data, came := small[object.Digest]; came && wire.Digest(data) == object.Digest {
		return io.NopCloser(bytes.NewReader(data)), nil
	}
	file, err := os.OpenFile(filepath.Join(a.root, "."+name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return http.NoBody, fmt.Errorf("fetch the attempt's %s: %w", name, err)
	}
	err = a.client.insist(ctx, "GET", wire.PathObject+object.Digest, nil, func(r io.Reader) error { return refill(file, r, object) })
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return http.NoBody, errors.Join(fmt.Errorf("fetch the attempt's %s: %w", name, err), file.Close())
	}
	return file, nil
}

// refill makes a file hold what r yields, and refuses it if that is not the object.
func refill(file *os.File, r io.Reader, object wire.Object) error {
	if err := file.Truncate(0); err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(r, object.Size+1)); err != nil {
		return err
	}
	if hex.EncodeToString(hash.Sum(nil)) != object.Digest {
		return errors.New("it broke off, or is not what its digest says")
	}
	return nil
}
