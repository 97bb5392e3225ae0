package browser

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// showcase is an engine with work of several kinds: a run by rules in the middle
// of its work, one by a manager that waits to be approved, one in waves that asks,
// and a small one by phases that was published.
type showcase struct {
	*engine
	rules, manager, waves, small string // aliases of the runs
}

func newShowcase(t *testing.T) *showcase {
	t.Helper()
	s := &showcase{engine: newEngine(t)}
	s.repository("timetable")
	s.repository("departures")
	s.repository("notes")
	s.cli("timetable", "run", "Show late trains\n\nTravellers see which train is late, and by how much.", "--playbook", "project", "--base", "main", "--trust", "--detach")
	s.cli("notes", "run", "Choose how to store field notes", "--playbook", "study", "--base", "main", "--trust", "--detach")
	s.cli("departures", "run", "A departure board\n\nTravellers see when their train leaves.", "--playbook", "team", "--base", "main", "--trust", "--detach")
	s.cli("notes", "run", "Say what the notes are", "--playbook", "small", "--base", "main", "--trust", "--yes", "--detach")
	s.rules, s.manager, s.waves, s.small = s.alias("show-late"), s.alias("a-departure"), s.alias("choose-how"), s.alias("say-what")
	s.reaches(s.rules, "plan", "awaiting_approval")
	s.cli(".", "approve", s.rules, "--detach")
	s.reaches(s.manager, "", "paused")
	s.cli(".", "answer", s.statuses(s.manager)[0].Manager.Questions[0].ID, "On twenty-four hours.")
	s.reaches(s.manager, "publish", "awaiting_approval")
	s.reaches(s.waves, "", "paused")
	s.reaches(s.rules, "", "paused")
	s.reaches(s.small, "", "completed")
	return s
}

// status is what the commands say of a run.
type status struct {
	Alias, Project, Status, Stage string
	Manager                       struct{ Questions []struct{ ID string } }
	Stages                        []struct {
		Tasks []struct {
			Attempts []struct {
				Artifacts []struct{ Digest string }
			}
		}
	}
}

func (s *showcase) statuses(args ...string) []status {
	s.t.Helper()
	var all struct{ Runs []status }
	out := s.cli(".", append([]string{"status", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		s.t.Fatalf("status: %v\n%s", err, out)
	}
	return all.Runs
}

// alias is the run whose name begins so.
func (s *showcase) alias(begins string) string {
	s.t.Helper()
	for _, r := range s.statuses() {
		if strings.HasPrefix(r.Alias, begins) {
			return r.Alias
		}
	}
	s.t.Fatalf("no run %s…: %s", begins, s.cli(".", "status"))
	return ""
}

// reaches waits until a run has a status, at a stage where one is named.
func (s *showcase) reaches(alias, stage, want string) {
	s.t.Helper()
	var now status
	if !waittest.Until(func() bool {
		now = s.statuses(alias)[0]
		return now.Status == want && (stage == "" || now.Stage == stage)
	}) {
		s.t.Fatalf("%s is %s at %q, not %s\n%s", alias, now.Status, now.Stage, want, s.cli(".", "log", alias))
	}
}

// pages are addresses of all pages there are, several of some.
func (s *showcase) pages() []string {
	s.t.Helper()
	all := []string{
		"/", "/inbox", "/runs?project=timetable", "/costs", "/nowhere",
		"/add", "/projects/timetable", "/projects/timetable/new", "/projects/departures/talk",
		"/settings", "/settings/roles", "/settings/people", "/settings/engines", "/settings/playbooks", "/settings/playbooks/feature", "/docs",
	}
	for run, pages := range map[string][]string{
		s.rules: {
			"", "/plan", "/changes", "/changes?view=split", "/timeline?at=20", "/effects", "/costs", "/graph",
			"/tasks/plan.r1", "/tasks/step-2.r1.code", "/tasks/step-3.r2.code", "/attempts/step-1.r1.code.a1/transcript",
			"/documents/" + s.document() + "/view?name=plan.md",
		},
		s.manager: {"", "/talk", "/plan", "/changes", "/graph"},
		s.small:   {"", "/pull-request", "/changes"},
		s.waves:   {"", "/waves", "/facts", "/facts?history", "/costs"},
	} {
		for _, p := range pages {
			all = append(all, "/runs/"+run+p)
		}
	}
	slices.Sort(all)
	return all
}

// document is the digest of the plan that the planner handed in.
func (s *showcase) document() string {
	s.t.Helper()
	for _, stage := range s.statuses(s.rules)[0].Stages {
		for _, task := range stage.Tasks {
			for _, attempt := range task.Attempts {
				for _, artifact := range attempt.Artifacts {
					return artifact.Digest
				}
			}
		}
	}
	s.t.Fatal("nobody handed in anything")
	return ""
}

// Every page that the cockpit has is among those that are looked at.
func covers(t *testing.T, pages []string) {
	t.Helper()
	for _, pattern := range patterns(t) {
		address := regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(strings.TrimSuffix(pattern, "{$}")), `[^/?]+`)
		if pattern == "/" {
			address = "/nowhere"
		}
		matches := regexp.MustCompile("^" + address + `(\?.*)?$`)
		if !slices.ContainsFunc(pages, matches.MatchString) {
			t.Errorf("no page %s is looked at", pattern)
		}
	}
}

// patterns are the addresses of the cockpit's pages, as its source has them.
func patterns(t *testing.T) []string {
	t.Helper()
	source, err := os.ReadFile("../../internal/cockpit/cockpit.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, m := range regexp.MustCompile(`c\.(?:page|form)\(mux, "([^"]+)"`).FindAllStringSubmatch(string(source), -1) {
		all = append(all, m[1])
	}
	if len(all) < 20 {
		t.Fatalf("only %d pages were found in the source", len(all))
	}
	return all
}
