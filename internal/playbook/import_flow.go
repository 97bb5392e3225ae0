package playbook

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// Agents that bytA's orchestrator treats specially.
const (
	teamPlanning = "team-planning"
	reviewer     = "code-reviewer"
	auditor      = "security-auditor"
)

// known describes one of bytA's agents.
type known struct {
	id      string
	title   string
	writes  core.Writes
	reports bool     // sees the reports of those who wrote code
	all     bool     // sees every earlier document
	api     bool     // sees the design of the interface
	files   []string // phases whose changed files it is told
}

// specialist looks an agent up; an unknown one is a developer named after itself.
func specialist(agent string) (known, bool) {
	table := map[string]known{
		teamPlanning:                 {id: "plan", title: "Plan", writes: core.WritesArtifacts},
		"architect-planner":          {id: "plan", title: "Plan", writes: core.WritesArtifacts},
		"ui-designer":                {id: "wireframes", title: "Wireframes", writes: core.WritesCode},
		"api-architect":              {id: "api", title: "API design", writes: core.WritesArtifacts},
		"postgresql-architect":       {id: "migrations", title: "Database migrations", writes: core.WritesCode, api: true},
		"spring-boot-developer":      {id: "backend", title: "Backend", writes: core.WritesCode, api: true, files: []string{"migrations"}},
		"angular-frontend-developer": {id: "frontend", title: "Frontend", writes: core.WritesCode, api: true, files: []string{"wireframes"}},
		"test-engineer":              {id: "tests", title: "Tests", writes: core.WritesCode, reports: true},
		auditor:                      {id: "security", title: "Security audit", writes: core.WritesArtifacts, reports: true},
		"architect-reviewer":         {id: "architecture", title: "Architecture review", writes: core.WritesArtifacts, all: true},
		reviewer:                     {id: "review", title: "Code review", writes: core.WritesArtifacts, all: true, files: []string{"migrations", "wireframes"}},
	}
	found, ok := table[agent]
	if !ok {
		found = known{id: agent, writes: core.WritesCode}
	}
	return found, ok
}

// connect gives the phases the inputs that bytA's prompt builder gave them, and reviews a rollback.
func (i *importer) connect() {
	for at, p := range i.phases {
		if p.Act != "" {
			continue
		}
		if p.Writes == core.WritesArtifacts && mentions(core.Check{Of: p.done}, core.CheckChanged) {
			p.Writes = core.WritesCode
			i.disband(p)
		}
		about, _ := specialist(p.agent)
		for before, earlier := range i.phases[:at] {
			wanted := before == 0 || about.all || about.reports && earlier.Writes == core.WritesCode || about.api && earlier.ID == "api"
			if slices.Contains(about.files, earlier.ID) && mentions(core.Check{Of: earlier.done}, core.CheckChanged) {
				p.Inputs = append(p.Inputs, core.Input{Files: earlier.ID, Optional: true})
			}
			if !wanted {
				continue
			}
			for _, output := range earlier.Outputs {
				i.input(p, core.Input{Name: output, Optional: before > 0 || earlier.Skip})
			}
		}
		if p.Findings != "" {
			p.Rollback = i.rollback(at)
			i.note(p.line, "the way back is in rollback: by type of finding, then by file, otherwise to the default; the earliest counts")
		}
	}
}

// disband lets the hub plan alone if the plan is a file of the project: a team writes only artifacts.
func (i *importer) disband(p *imported) {
	if p.Team == nil {
		return
	}
	p.Role, p.Team = p.Team.Hub, nil
	i.note(p.line, "the plan is a file of the project, which a team cannot write; %s plans alone", p.Role)
}

func (i *importer) input(p *imported, in core.Input) {
	if in.Name == role.ReviewArtifact || slices.ContainsFunc(p.Inputs, func(other core.Input) bool { return other.Files == "" && other.Name == in.Name }) {
		return
	}
	p.Inputs = append(p.Inputs, in)
}

// rollback is bytA's rule: database, backend and frontend by type or by the file's ending, otherwise the tests.
func (i *importer) rollback(at int) *core.Rollback {
	earlier := func(id string) bool {
		return slices.ContainsFunc(i.phases[:at], func(p *imported) bool { return p.ID == id && !p.Skip })
	}
	r := &core.Rollback{}
	add := func(id, kind string, globs ...string) {
		if !earlier(id) {
			return
		}
		r.Types = append(r.Types, core.RollbackRule{Match: kind, Stage: id})
		for _, glob := range globs {
			r.Paths = append(r.Paths, core.RollbackRule{Match: glob, Stage: id})
		}
	}
	add("migrations", "database", "**/*.sql")
	add("backend", "backend", "**/*.java")
	add("frontend", "frontend", "**/*.ts", "**/*.html", "**/*.scss")
	if earlier("tests") {
		r.Default = "tests"
		return r
	}
	for _, p := range slices.Backward(i.phases[:at]) {
		if p.Act == "" && !p.Skip {
			r.Default = p.ID
			break
		}
	}
	return r
}
