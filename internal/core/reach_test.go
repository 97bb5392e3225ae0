package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsReached(t *testing.T) {
	names := func(n ...string) Reach { return Reach{Names: n} }
	none := Reach{None: true}
	listed := Network{
		Detected: []string{"npm"}, Presets: map[string][]string{"npm": {"registry.example.com"}, "pip": {"a.example.com", "b.example.com"}},
		Allow: []string{"person.example.com"},
	}
	type lists struct{ attempt, setup, checks []string }
	for name, c := range map[string]struct {
		network     Network
		playbook    Reaches
		role, stage Reach
		want        lists
	}{
		"nothing is said": {network: listed, want: lists{
			[]string{"person.example.com", "registry.example.com"}, []string{"person.example.com", "registry.example.com"}, nil,
		}},
		"lists add up": {
			network: listed, playbook: Reaches{Attempts: names("p.example.com"), Checks: names("npm", "c.example.com:81")},
			role: names("r.example.com"), stage: names("pip"),
			want: lists{
				[]string{"a.example.com", "b.example.com", "p.example.com", "person.example.com", "r.example.com", "registry.example.com"},
				[]string{"person.example.com", "registry.example.com"},
				[]string{"c.example.com:81", "registry.example.com"},
			},
		},
		"a playbook closes it": {
			network: listed, playbook: Reaches{Attempts: none, Setup: none}, role: names("r.example.com"),
			want: lists{[]string{"r.example.com"}, nil, nil},
		},
		"a role closes it": {
			network: listed, playbook: Reaches{Attempts: names("p.example.com")}, role: none, stage: names("s.example.com"),
			want: lists{[]string{"s.example.com"}, []string{"person.example.com", "registry.example.com"}, nil},
		},
		"a stage closes it": {
			network: listed, playbook: Reaches{Attempts: names("p.example.com"), Setup: names("x.example.com")}, role: names("r.example.com"), stage: none,
			want: lists{nil, []string{"person.example.com", "registry.example.com", "x.example.com"}, nil},
		},
		"the person closes it": {
			network:  Network{None: true, Detected: listed.Detected, Presets: listed.Presets, Allow: listed.Allow},
			playbook: Reaches{Attempts: names("p.example.com"), Setup: names("npm"), Checks: names("npm")}, role: names("r.example.com"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := &Playbook{Network: c.playbook}
			got := lists{c.network.ForAttempt(p, c.role, c.stage), c.network.ForSetup(p), c.network.ForChecks(p)}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(lists{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestModeOfANetwork(t *testing.T) {
	for want, n := range map[string]*Network{"": nil, "open": {Open: true}, "none": {None: true}, "listed": {Allow: []string{"a.example.com"}}} {
		if got := n.Mode(); got != want {
			t.Errorf("%+v is %q, want %q", n, got, want)
		}
	}
}

func TestSettingsAddUp(t *testing.T) {
	var s ToolSettings
	s.Add(ToolSettings{})
	if !s.IsZero() {
		t.Errorf("nothing and nothing is %+v", s)
	}
	npm := ToolSettings{Variables: map[string]string{"a": "npm"}, Files: map[string]string{".npmrc": "npm"}}
	s.Add(npm)
	s.Add(ToolSettings{Variables: map[string]string{"a": "pnpm", "b": "pnpm"}, Files: map[string]string{".npmrc": "pnpm", ".gemrc": "gem"}})
	want := ToolSettings{Variables: map[string]string{"a": "npm", "b": "pnpm"}, Files: map[string]string{".npmrc": "npm", ".gemrc": "gem"}}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(npm.Variables) != 1 || len(npm.Files) != 1 {
		t.Errorf("what was added is %+v now", npm)
	}
}

func TestNamesThatAPlaybookReaches(t *testing.T) {
	p := &Playbook{
		Network: Reaches{Attempts: Reach{Names: []string{"npm", "b.example.com"}}, Setup: Reach{Names: []string{"npm"}}, Checks: Reach{Names: []string{"c.example.com"}}},
		Roles:   map[string]Role{"r": {Network: Reach{Names: []string{"a.example.com"}}}, "s": {Network: Reach{None: true}}},
		Phases:  []Phase{{Network: Reach{Names: []string{"pip"}}}},
	}
	if diff := cmp.Diff([]string{"a.example.com", "b.example.com", "c.example.com", "npm", "pip"}, p.Reached()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
