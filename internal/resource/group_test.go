package resource

import (
	"strings"
	"testing"
)

func TestProbeMatchesConfine(t *testing.T) {
	found, err := probe(true)
	if err != nil {
		t.Fatal(err)
	}
	g, err := Confine(Options{Owner: "stellwerk-test-detect", Name: "one", Sandboxed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if found.Holding() != g.Holding() {
		t.Errorf("found %s, and a group has %s", found.Holding(), g.Holding())
	}
	if found.holding.Disk.Enforced() || found.holding.Memory == Watched && len(found.why) == 0 {
		t.Errorf("%s, %q", found.holding, found.why)
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
	for name, c := range map[string]struct {
		machine    Machine
		one, total Limits
	}{
		"a virtual machine of 1 GiB, nearly full": {Machine{Memory: gib, Cores: 1, FreeDisk: gib}, Limits{Memory: 896 * mib, Processes: 2048, Disk: 512 * mib}, Limits{Memory: 896 * mib, Processes: 8192, Disk: 512 * mib}},
		"a laptop of 2 GiB":                       {Machine{Memory: 2 * gib, Cores: 2, FreeDisk: 30 * gib}, Limits{Memory: 1792 * mib, Processes: 2048, Disk: 7680 * mib}, Limits{Memory: 1792 * mib, Processes: 8192, Disk: 15 * gib}},
		"a laptop of 3 GiB":                       {Machine{Memory: 3 * gib, Cores: 2, FreeDisk: 3 * gib}, Limits{Memory: 2 * gib, Processes: 2048, Disk: gib}, Limits{Memory: 2688 * mib, Processes: 8192, Disk: 1536 * mib}},
		"two cores and 24 GiB":                    {Machine{Memory: 24 * gib, Cores: 2, FreeDisk: 72 * gib}, Limits{Memory: 12 * gib, Processes: 2048, Disk: 18 * gib}, Limits{Memory: 21 * gib, Processes: 8192, Disk: 36 * gib}},
		"a large one":                             {Machine{Memory: 64 * gib, Cores: 32, FreeDisk: 500 * gib}, Limits{Memory: 32 * gib, Processes: 2048, Disk: 20 * gib}, Limits{Memory: 56 * gib, Processes: 8192, Disk: 250 * gib}},
		"a full disk":                             {Machine{Memory: 64 * gib, Cores: 32}, Limits{Memory: 32 * gib, Processes: 2048, Disk: 64 * mib}, Limits{Memory: 56 * gib, Processes: 8192, Disk: 64 * mib}},
	} {
		one, total := DefaultLimits(c.machine), DefaultTotal(c.machine)
		if one != c.one || total != c.total {
			t.Errorf("%s: %+v, in all %+v", name, one, total)
		}
		if total.Memory >= c.machine.Memory || one.Memory > total.Memory || one.Disk > total.Disk {
			t.Errorf("%s: %+v and %+v leave the machine nothing", name, one, total)
		}
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
