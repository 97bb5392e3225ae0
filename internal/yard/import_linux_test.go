package yard

import (
	"errors"
	"os"
	"testing"
)

// A file may hold more than its size says: one that grows while it is read, or one of /proc.
func TestImportCountsWhatItReads(t *testing.T) {
	f, spec := handedIn(t)
	spec.Bundle = "/proc/version"
	content, err := os.ReadFile(spec.Bundle)
	must(t, err)
	info, err := os.Stat(spec.Bundle)
	must(t, err)
	if info.Size() > 0 || len(content) < 2 {
		t.Fatalf("%s has %d bytes and says %d", spec.Bundle, len(content), info.Size())
	}
	for most, tooBig := range map[int]bool{len(content) - 1: true, len(content): false} {
		spec.MaxBytes = int64(most)
		_, err := f.yard.Import(ctx(t), spec)
		if _, is := errors.AsType[*TooBigError](err); is != tooBig || err == nil {
			t.Errorf("%d bytes where %d are allowed: %v", len(content), most, err)
		}
	}
}
