package pack_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// TestManyPacksBecomeOne: a file that each of many deliveries changes a little is not stored as a difference to a difference
// without end, and work that is too large to be joined comes between and is built upon.
func TestManyPacksBecomeOne(t *testing.T) {
	h := newHistory(t)
	base := h.git(h.person, "rev-parse HEAD")
	h.say(packed(h, base))
	text := strings.Repeat("one line of many\n", 400)
	noise := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{1}).Read(noise) //nolint:errcheck,gosec // never fails; not a secret
	for n := range 70 {
		if n == 5 {
			h.write("large", string(noise))
		}
		if n == 8 {
			h.write("large", string(noise)+"and more") // stored as a difference to what came alone
		}
		text = fmt.Sprintf("delivery %d\n%s", n, text)
		base = h.deliver(n, base, text)
	}
	if err := os.RemoveAll(h.person); err != nil {
		t.Fatal(err)
	}
	y, err := h.restore("again.git")
	if err != nil {
		t.Fatal(err)
	}
	h.same(y)
	packs, err := filepath.Glob(filepath.Join(y.Dir(), "objects/pack/*.idx"))
	if err != nil || len(packs) != 3 {
		t.Errorf("packs are %v, %v, want one around the large one on each side", packs, err)
	}
	for _, idx := range packs {
		for line := range strings.Lines(h.git(y.Dir(), "verify-pack -v "+idx)) {
			var length, objects int
			if n, _ := fmt.Sscanf(line, "chain length = %d: %d", &length, &objects); n == 2 && length > 55 {
				t.Errorf("%d objects are differences on %d others", objects, length)
			}
		}
	}
}

// TestAPackWithoutItsBaseIsNamed: what a difference rests on is in no pack before it.
func TestAPackWithoutItsBaseIsNamed(t *testing.T) {
	h := newHistory(t)
	base := h.git(h.person, "rev-parse HEAD")
	text := strings.Repeat("one line of many\n", 400)
	one := h.deliver(1, base, text+"more\n")
	h.events = nil
	h.deliver(2, one, text+"more\nand more\n")
	body, err := core.Decode(h.events[0])
	if err != nil {
		t.Fatal(err)
	}
	digest := body.(core.AttemptExited).Delivery.Pack
	_, err = h.restore("again.git")
	if err == nil || !strings.Contains(err.Error(), digest) || !strings.Contains(err.Error(), yard.ErrPrerequisites.Error()) {
		t.Errorf("want %q and %s, got %v", yard.ErrPrerequisites, digest, err)
	}
}
