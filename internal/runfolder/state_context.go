package runfolder

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// specs names, by a phase's id, the object of the context and its member in which
// tools around the phase workflow look for the phase's document.
func specs() map[string][2]string {
	return map[string][2]string{
		"plan":     {"technicalSpec", "specFile"},
		"api":      {"apiDesign", "apiDesignFile"},
		"backend":  {"backendImpl", "specFile"},
		"frontend": {"frontendImpl", "specFile"},
		"tests":    {"testReport", "specFile"},
		"security": {"securityAudit", "specFile"},
		"review":   {"reviewFeedback", "specFile"},
	}
}

// contextOf is the run's context as agents reported it, overridden by what is known
// without them: the paths of the phases' documents, relative to the run's folder,
// the files that were changed, and the review.
func contextOf(r *core.Run) (json.RawMessage, error) {
	all := map[string]any{}
	if err := json.Unmarshal(r.Context(), &all); err != nil {
		return nil, fmt.Errorf("context of run %s: %w", r.ID, err)
	}
	put := func(object, member string, value any) {
		into, ok := all[object].(map[string]any)
		if !ok {
			into = map[string]any{}
			all[object] = into
		}
		into[member] = value
	}
	for _, s := range r.Stages {
		if s.Status == core.StagePending || s.Status == core.StageStale || s.Status == core.StageOmitted {
			continue
		}
		if at, known := specs()[s.ID]; known {
			if document := reportOf(s, ""); document != "" {
				put(at[0], at[1], document)
			}
		}
		files := r.Changed(s.ID)
		switch {
		case s.ID == "migrations" && len(files) > 0:
			put("migrations", "databaseFile", files[0])
		case s.ID == "wireframes" && len(files) > 0:
			put("wireframes", "paths", files)
		case s.ID == "plan" && reportOf(s, designer) != "":
			put("wireframes", "paths", []string{reportOf(s, designer)})
		case s.ID == "review" && s.Review() != nil:
			put("reviewFeedback", "status", strings.ToUpper(string(s.Review().Status)))
			put("reviewFeedback", "fixes", fixes(s.Review().Findings))
			put("reviewFeedback", "userApproved", s.Gate != nil && s.Gate.Approved)
		}
	}
	return json.Marshal(all)
}

// designer is the role that draws what a page looks like, as one of a team that plans.
const designer = "ui-designer"

// reportOf is the path of the document that a stage's round handed in for people,
// by any role or by a certain one; "" if there is none yet.
func reportOf(s *core.Stage, role string) string {
	for _, t := range slices.Backward(s.Live()) {
		if t.Status != core.TaskDone || t.Delivered() == nil || role != "" && t.Role != role {
			continue
		}
		for _, name := range t.Outputs {
			if path.Ext(name) == ".md" && t.Delivered().Artifact(name) != nil {
				return path.Join(ArtifactsDir, fmt.Sprintf("%s.r%d", s.ID, s.Round), name)
			}
		}
	}
	return ""
}

// fixes are the findings of a review, without the stages they were sent to.
func fixes(findings []core.Finding) []core.Finding {
	all := make([]core.Finding, len(findings))
	for i, f := range findings {
		f.Target = ""
		all[i] = f
	}
	return all
}
