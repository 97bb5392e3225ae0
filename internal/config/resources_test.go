package config

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func resourcesOf(t *testing.T, user, project string) (*Settings, string) {
	t.Helper()
	s, warnings, err := Load(Input{
		User: File{Name: "user.yaml", Data: []byte(user)}, Project: File{Name: "project.yaml", Data: []byte(project)},
		Env: func(name string) (string, bool) {
			return map[string]string{"STELLWERK_RESOURCES_TOTAL_DISK": "7GB"}[name], true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return s, strings.Join(texts, "\n")
}

func TestResourcesAreTightened(t *testing.T) {
	const gib = 1 << 30
	machine := core.Resources{
		Attempt: core.ResourceLimits{Memory: 8 * gib, Processes: 2048, Disk: 20 * gib},
		Total:   core.ResourceLimits{Memory: 14 * gib, Processes: 8192, Disk: 50 * gib},
	}
	for name, c := range map[string]struct {
		user, project string
		want          core.ResourceLimits
		warns         int
	}{
		"nothing is said":                               {"", "", machine.Attempt, 0},
		"a person says less":                            {"resources: {memory: 512MB, processes: 64, cpu: 1.5, disk: 1.5GiB}", "", core.ResourceLimits{Memory: gib / 2, Processes: 64, CPU: 1.5, Disk: gib + gib/2}, 0},
		"a person says more":                            {"resources: {memory: 16GB}", "", core.ResourceLimits{Memory: 16 * gib, Processes: 2048, Disk: 20 * gib}, 0},
		"a person lifts all":                            {"resources: {memory: none, processes: none, cpu: none, disk: None}", "", core.ResourceLimits{}, 0},
		"a repository says less":                        {"", "resources: {memory: 1GB, cpu: 2}", core.ResourceLimits{Memory: gib, Processes: 2048, CPU: 2, Disk: 20 * gib}, 0},
		"a repository says more than suits the machine": {"", "resources: {memory: 64GB, processes: 100000}", machine.Attempt, 0},
		"a repository says more than the person":        {"resources: {memory: 4GB}", "resources: {memory: 5GB}", core.ResourceLimits{Memory: 4 * gib, Processes: 2048, Disk: 20 * gib}, 1},
		"a repository lifts a limit":                    {"", "resources: {disk: none, processes: none}", machine.Attempt, 2},
		"a repository makes the person's automatic":     {"resources: {memory: 1GB}", "resources: {memory: auto}", core.ResourceLimits{Memory: gib, Processes: 2048, Disk: 20 * gib}, 1},
		"a repository bounds what a person did not":     {"resources: {memory: none}", "resources: {memory: 2GB}", core.ResourceLimits{Memory: 2 * gib, Processes: 2048, Disk: 20 * gib}, 0},
		"a repository speaks for others":                {"", "resources: {total: {memory: 1GB}}", machine.Attempt, 1},
	} {
		s, warnings := resourcesOf(t, c.user, c.project)
		got := s.ResourceLimits(machine)
		if got.Attempt != c.want || strings.Count(warnings, "a repository c") != c.warns {
			t.Errorf("%s: %+v, warnings %q", name, got.Attempt, warnings)
		}
		if got.Total != (core.ResourceLimits{Memory: 14 * gib, Processes: 8192, Disk: 7 * gib}) {
			t.Errorf("%s: in all %+v", name, got.Total)
		}
	}
	_, warnings := resourcesOf(t, "resources: {memory: 4GB}", "resources: {memory: 5GB}")
	if !strings.Contains(warnings, "4.0 GiB stays in force") {
		t.Errorf("the person reads %q", warnings)
	}
}

func TestResourcesThatAreNone(t *testing.T) {
	for text, want := range map[string]string{
		"memory: 4": "not a size", "memory: 4XB": "not a size", "memory: GB": "not a size", "memory: -1GB": "not a size", "memory: 1MB": "at least 64.0 MiB",
		"memory: 9999999999TB": "not a size", "memory: ''": "not a size", "processes: 3": "at least 16", "processes: many": "at least 16",
		"cpu: 0": "at least 0.1", "cpu: fast": "processor cores", "disk: 10KB": "at least 1.0 MiB", "cpu: NaN": "processor cores",
	} {
		_, _, err := Load(Input{User: File{Name: "user.yaml", Data: []byte("resources: {" + text + "}")}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestResourcesAreListed(t *testing.T) {
	s, _ := resourcesOf(t, "resources: {memory: 512MB, cpu: 1.5, processes: none}", "")
	want := map[string]string{
		"resources.memory": "512.0 MiB", "resources.cpu": "1.5", "resources.processes": "none", "resources.disk": "auto", "resources.total.disk": "7.0 GiB",
	}
	for _, e := range s.Entries() {
		if value, ok := want[e.Key]; ok && value != e.Value {
			t.Errorf("%s: %s", e.Key, e.Value)
		}
		delete(want, e.Key)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
}
