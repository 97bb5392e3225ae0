package folder

import (
	"os"
	"testing"
)

// TestVerifyLetsGoOfWhatItReads: who looks through all blobs would else run out of files.
func TestVerifyLetsGoOfWhatItReads(t *testing.T) {
	f := openTemp(t)
	digest := put(t, f, "hello")
	open := func() int {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	const often = 50
	before := open()
	for range often {
		if err := f.Verify(t.Context(), digest); err != nil {
			t.Fatal(err)
		}
	}
	if after := open(); after >= before+often {
		t.Errorf("%d files were open, now %d are", before, after)
	}
}
