package wording

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestResources(t *testing.T) {
	if got := Resources(core.ResourceLimits{}); got != "" {
		t.Errorf("%q", got)
	}
	all := core.ResourceLimits{Memory: 4 << 30, Processes: 100, CPU: 1.5, Disk: 20 << 30}
	if got := Resources(all); got != "4.0 GiB of memory, 100 processes, 1.5 processor cores, 20.0 GiB on disk" {
		t.Errorf("%q", got)
	}
	if got := Consumption(core.Consumption{PeakMemory: 1 << 30, PeakProcesses: 7, CPUSeconds: 1.25, Disk: 512}); got !=
		"took 1.0 GiB of memory, 7 processes, 1.2 s of processor time, 512 B on disk" {
		t.Errorf("%q", got)
	}
}

func TestBounds(t *testing.T) {
	took := core.Consumption{PeakMemory: 1 << 20, PeakProcesses: 7, CPUSeconds: 90, Held: "memory, processes, cpu: cgroup v2; disk: watched"}
	want := []Bound{
		{"Memory", "1.0 MiB", "2.0 GiB", "cgroup v2", true}, {"Processes", "7", "", "cgroup v2", true},
		{"Processor", "90.0 s", "1.5 cores", "cgroup v2", true}, {"Disk", "0 B", "1.0 KiB", "watched", false},
	}
	if got := Bounds(took, core.ResourceLimits{Memory: 2 << 30, CPU: 1.5, Disk: 1 << 10}); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	for _, b := range Bounds(core.Consumption{}, core.ResourceLimits{}) {
		if b.Held || b.Means != "" || b.Limit != "" {
			t.Errorf("without a word about it: %+v", b)
		}
	}
}
