package resource

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func reserve(t *testing.T, owner string) *Reservation {
	t.Helper()
	r := Reserve(owner, "ahead")
	if r == nil {
		t.Skip("this machine has no cgroup v1, so no group is reserved ahead")
	}
	t.Cleanup(r.Close)
	return r
}

// TestReservedGroupIsBounded: a group that was made before its limits were known holds them, and before that those of all
// groups of its owner.
func TestReservedGroupIsBounded(t *testing.T) {
	owner := fmt.Sprintf("stellwerk-test-%d-reserved", os.Getpid())
	total := Limits{Memory: 96 * mib}
	other := confine(t, Options{Owner: owner, Name: "other", Total: total})
	enforced(t, other, Memory)
	r := reserve(t, owner)
	if got := readNumber(filepath.Dir(folderOf(t, other)), "memory.limit_in_bytes"); got != 96*mib {
		t.Errorf("a reservation sets the limit of all groups to %d", got)
	}
	g := confine(t, Options{Owner: owner, Limits: Limits{Memory: 64 * mib}, Total: total, Reserved: r})
	if dir := folderOf(t, g); filepath.Base(dir) != "ahead" {
		t.Errorf("the reservation is not used: %s", dir)
	}
	if out := run(t, g, hog); !strings.Contains(out, "went on") || strings.Contains(out, "536870912") {
		t.Errorf("the hog wrote %q", out)
	}
	if b := g.Breach(); b == nil || b.Resource != Memory || b.Limit != 64*mib {
		t.Errorf("breach: %+v", b)
	}
}

// TestReservationIsUsedOnce, by its own owner, and goes if nobody uses it.
func TestReservationIsUsedOnce(t *testing.T) {
	owner := fmt.Sprintf("stellwerk-test-%d-once", os.Getpid())
	r := reserve(t, owner)
	dir := r.group.dir(0)
	strange := confine(t, Options{Owner: owner + "-not", Limits: Limits{Processes: 20}, Reserved: r})
	if folderOf(t, strange) == dir {
		t.Error("another owner uses it")
	}
	first := confine(t, Options{Owner: owner, Limits: Limits{Processes: 20}, Reserved: r})
	second := confine(t, Options{Owner: owner, Limits: Limits{Processes: 20}, Reserved: r})
	if folderOf(t, first) != dir || folderOf(t, second) == dir {
		t.Errorf("the groups are %s and %s, reserved was %s", folderOf(t, first), folderOf(t, second), dir)
	}
	first.Close()
	unused := reserve(t, owner)
	unused.Close()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the group is left: %v", err)
	}
	if out := run(t, second, "cat /proc/self/cgroup"); !strings.Contains(out, owner+"/one") {
		t.Errorf("the process is in %s", out)
	}
}

// TestReservationsComeAndGo: whoever removes an owner's last group removes the owner's folder, also while another is being made.
func TestReservationsComeAndGo(t *testing.T) {
	owner := fmt.Sprintf("stellwerk-test-%d-come", os.Getpid())
	reserve(t, owner).Close()
	var others sync.WaitGroup
	for i := range 4 {
		others.Go(func() {
			for range 50 {
				r := Reserve(owner, fmt.Sprintf("ahead%d", i))
				if r == nil {
					t.Error("there is no reservation")
				}
				r.Close()
			}
		})
	}
	others.Wait()
}
