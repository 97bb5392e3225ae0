package objecttest

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/object"
)

const (
	// sizeVariable says how many mebibytes the object of Large has, for who takes more time.
	sizeVariable = "STELLWERK_OBJECT_MIB"
	usualSize    = "64"
	// mostHeap is how much more memory may be in use while an object of any size is stored or read.
	mostHeap = 32 << 20
)

// Large has a form store and read an object that is not to be in memory, neither whole nor in good part. Nothing else may run
// meanwhile.
func Large(t *testing.T, form func(t *testing.T) Form) {
	t.Helper()
	size, err := strconv.ParseInt(cmp.Or(os.Getenv(sizeVariable), usualSize), 10, 64)
	if err != nil || size <= 0 {
		t.Fatalf("%s is not how many mebibytes there are to be", sizeVariable)
	}
	size <<= 20
	f := form(t)
	o, other := f.Open(t), f.Open(t)
	var digest string
	bounded(t, "stored", func() error {
		var stored int64
		digest, stored, err = o.Put(t.Context(), noise(size), size)
		if err == nil && stored != size {
			t.Errorf("%d of %d bytes are stored", stored, size)
		}
		return err
	})
	bounded(t, "verified", func() error { return other.Verify(t.Context(), digest) })
	bounded(t, "read", func() error {
		r, err := other.Open(t.Context(), digest)
		if err != nil {
			return err
		}
		n, err := io.Copy(io.Discard, object.Checked(digest, r))
		if n != size {
			t.Errorf("%d of %d bytes are read", n, size)
		}
		return errors.Join(err, r.Close())
	})
	bounded(t, "stored again", func() error {
		again, _, err := other.Put(t.Context(), noise(size), size)
		if again != digest {
			t.Errorf("it is %s, and was %s", again, digest)
		}
		return err
	})
	_, _, err = o.Put(t.Context(), noise(size+1), size)
	if _, large := errors.AsType[*object.TooLarge](err); !large {
		t.Errorf("a byte more: %v", err)
	}
}

// noise is content that no place can make smaller.
func noise(size int64) io.Reader {
	var seed [32]byte
	binary.LittleEndian.PutUint64(seed[:], uint64(size))
	return io.LimitReader(rand.NewChaCha8(seed), size)
}

// bounded does something, and fails if that takes much memory.
func bounded(t *testing.T, what string, do func() error) {
	t.Helper()
	before := inUse()
	done, most := make(chan struct{}), make(chan uint64)
	go func() {
		look := time.NewTicker(20 * time.Millisecond)
		defer look.Stop()
		var highest uint64
		for {
			highest = max(highest, inUse())
			select {
			case <-look.C:
			case <-done:
				most <- highest
				return
			}
		}
	}()
	began := time.Now()
	err := do()
	took := time.Since(began)
	close(done)
	more := int64(<-most) - int64(before)
	t.Logf("%s in %s with %.1f MiB more of memory", what, took.Round(10*time.Millisecond), float64(more)/(1<<20))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if more > mostHeap {
		t.Errorf("%s with %d MiB more of memory", what, more>>20)
	}
}

func inUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
