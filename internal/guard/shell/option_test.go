package shell

import "testing"

// TestListed: only a whole word of the list is in it, wherever its letters occur.
func TestListed(t *testing.T) {
	for word, want := range map[string]bool{
		"ss": true, "add": true, "tee": true, "s": false, "d": false, "e": false, "ad": false, "dd": true, "ss add": false, "": false, "install": false,
	} {
		if got := Listed("ss add tee dd", word); got != want {
			t.Errorf("%q is listed: %v", word, got)
		}
	}
}
