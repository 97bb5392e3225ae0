package view

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// Document is a document and the stage that handed it in.
type Document struct {
	Name  string `json:"name"`
	Stage string `json:"stage"`
	Bytes int64  `json:"bytes"`
}

// Documents are what the newest attempts of a stage, or of all, handed in.
func Documents(d api.RunDetail, stage string) []Document {
	var all []Document
	for _, s := range d.Stages {
		if stage != "" && s.ID != stage {
			continue
		}
		for _, t := range s.Tasks {
			if len(t.Attempts) == 0 {
				continue
			}
			for _, a := range t.Attempts[len(t.Attempts)-1].Artifacts {
				all = append(all, Document{Name: a.Name, Stage: s.ID, Bytes: a.Size})
			}
		}
	}
	return all
}

// handedIn are the documents of a run that made nothing else.
func (v View) handedIn(d api.RunDetail) []string {
	all := Documents(d, "")
	if len(all) == 0 {
		return nil
	}
	lines := []string{"", "  documents:"}
	for _, doc := range all {
		lines = append(lines, v.fit(fmt.Sprintf("    %s  %s", terminal.Pad(terminal.Line(doc.Name), 24), v.Style.Faint(fmt.Sprintf("%d bytes, from %s", doc.Bytes, terminal.Line(doc.Stage))))))
	}
	command := fmt.Sprintf("read one: `stellwerk show --run %s %s`", d.Alias, all[len(all)-1].Name)
	return append(append(lines, ""), v.hang("  next: ", nil, v.typed(command))...)
}
