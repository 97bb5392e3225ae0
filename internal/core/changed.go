package core

import "slices"

// Changed are the files that a stage's current round was to change, and changed,
// as its verified deliveries show; none of a stage that does not count now.
func (r *Run) Changed(stage string) []string {
	s := r.Stage(stage)
	if s == nil || s.Status == StagePending || s.Status == StageStale || s.Status == StageOmitted {
		return nil
	}
	var files []string
	for _, t := range s.Live() {
		a := t.Last()
		if t.Status != TaskDone || a == nil {
			continue
		}
		for _, result := range a.Results {
			for _, file := range result.Files {
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
			}
		}
	}
	return files
}
