package resource

import (
	"strings"
	"testing"
)

func TestDetectMatchesConfine(t *testing.T) {
	found, err := Detect(true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Confine(Options{Owner: "stellwerk-test-detect", Name: "one", Sandboxed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if found.Holding != g.Holding() {
		t.Errorf("found %s, and a group has %s", found.Holding, g.Holding())
	}
	if found.Disk.Enforced() || found.Memory == Watched && len(found.Why) == 0 {
		t.Errorf("%s, %q", found.Holding, found.Why)
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", "..", "../a", "a/b", "-a", strings.Repeat("a", 129), "a b"} {
		if _, err := Confine(Options{Owner: "owner", Name: name}); err == nil {
			t.Errorf("%q is a name", name)
		}
		if _, err := Confine(Options{Owner: name, Name: "name"}); err == nil {
			t.Errorf("%q is an owner", name)
		}
	}
}

func TestDefaults(t *testing.T) {
	small, large := Machine{Memory: gib, FreeDisk: gib}, Machine{Memory: 64 * gib, FreeDisk: 500 * gib}
	if l := DefaultLimits(small); l != (Limits{Memory: 2 * gib, Processes: 2048, Disk: gib}) {
		t.Errorf("%+v", l)
	}
	if l := DefaultLimits(large); l != (Limits{Memory: 32 * gib, Processes: 2048, Disk: 20 * gib}) {
		t.Errorf("%+v", l)
	}
	if l := DefaultTotal(large); l != (Limits{Memory: 56 * gib, Processes: 8192, Disk: 250 * gib}) {
		t.Errorf("%+v", l)
	}
	m, err := ReadMachine(t.TempDir())
	if err != nil || m.Memory < 64*mib || m.Cores < 1 || m.FreeDisk <= 0 {
		t.Errorf("%+v: %v", m, err)
	}
}

func TestWords(t *testing.T) {
	for want, b := range map[string]Breach{
		"killed at 4.0 GiB of memory, the limit of an attempt":                                   {Resource: Memory, Value: 4 * gib, Limit: 4 * gib},
		"killed at 5.0 GiB of memory; the limit of an attempt is 4.0 GiB":                        {Resource: Memory, Value: 5 * gib, Limit: 4 * gib, Final: true},
		"stopped at 3.0 GiB on disk; the limit of all attempts together is 2.0 GiB":              {Resource: Disk, Value: 3 * gib, Limit: 2 * gib, Total: true},
		"stopped because only 512.0 MiB of the machine's disk were free; 1.0 GiB must stay free": {Resource: Disk, Value: gib / 2, Limit: gib, Full: true},
		"refused more than 10 processes, the limit of an attempt":                                {Resource: Processes, Value: 10, Limit: 10},
		"stopped for staying at 10 processes, the limit of all attempts together":                {Resource: Processes, Value: 10, Limit: 10, Total: true, Final: true},
	} {
		if got := b.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	h := Holding{Memory: Cgroup1, Processes: Cgroup1, CPU: Measured, Disk: Watched}
	if h.String() != "memory, processes: cgroup v1; cpu: measured; disk: watched" {
		t.Error(h)
	}
}
