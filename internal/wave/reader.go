package wave

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// reader reads one document. It continues after a mistake, so that it reports all of them.
type reader struct {
	name     string // of the artifact
	form     form
	notes    []Finding
	problems []Finding
	more     int // problems beyond those
}

func (r *reader) problemf(path, format string, args ...any) {
	if len(r.problems) == maxProblems {
		r.more++
		return
	}
	r.problems = append(r.problems, finding(path, format, args))
}

func (r *reader) notef(path, format string, args ...any) {
	r.notes = append(r.notes, finding(path, format, args))
}

func finding(path, format string, args []any) Finding {
	return Finding{Path: path, Text: plain.Line(fmt.Sprintf(format, args...), 1000)}
}

// sound reports that there is no problem at or below the paths, so that what is absent is truly missing.
func (r *reader) sound(paths ...string) bool {
	for _, p := range r.problems {
		for _, path := range paths {
			if p.Path == path || strings.HasPrefix(p.Path, path+"/") {
				return false
			}
		}
	}
	return r.more == 0
}

// err holds all problems; nil if there are none.
func (r *reader) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &Error{Name: r.name, Problems: r.problems, More: r.more}
}

// read reads a document into its Go type and applies rules, which see values with a problem as zero.
func read[T any](r *reader, data []byte, rules func(*T)) (T, []Finding, error) {
	var doc, none T
	value, ok := r.document(data)
	if !ok {
		return none, nil, r.err()
	}
	value = r.measure("", r.form.root, value)
	if value == nil {
		return none, nil, r.err()
	}
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		return none, nil, fmt.Errorf("%s: %w", r.name, err)
	}
	rules(&doc)
	if err := r.err(); err != nil {
		return none, nil, err
	}
	return doc, r.notes, nil
}
