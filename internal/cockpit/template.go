package cockpit

import (
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
)

// frameFile holds what is around every page.
const frameFile = "templates/frame.html"

// parse reads each page together with the frame and the shared parts.
func parse(files fs.FS, funcs template.FuncMap) (map[string]*template.Template, error) {
	frame := template.New("frame").Funcs(funcs).Option("missingkey=error")
	parts, err := fs.Glob(files, "templates/parts/*.html")
	if err != nil {
		return nil, fmt.Errorf("the cockpit's parts: %w", err)
	}
	for _, name := range append(parts, frameFile) {
		if err := add(frame, files, name); err != nil {
			return nil, err
		}
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("the cockpit's pages: %w", err)
	}
	pages := map[string]*template.Template{}
	for _, name := range names {
		if name == frameFile {
			continue
		}
		t, err := frame.Clone()
		if err == nil {
			err = add(t, files, name)
		}
		if err != nil {
			return nil, fmt.Errorf("the page %s: %w", name, err)
		}
		pages[strings.TrimSuffix(path.Base(name), ".html")] = t
	}
	return pages, nil
}

// add reads the definitions of a file.
func add(t *template.Template, files fs.FS, name string) error {
	text, err := fs.ReadFile(files, name)
	if err == nil {
		_, err = t.New(name).Parse(unfold(string(text)))
	}
	return err
}

// unfold takes from a template the layout that is there for its readers, so that
// it neither reaches the wire nor shows. A line break, with the white space around
// it, is a space between words or attributes, and nothing beside a tag or an action:
// a space that is to be seen there is written {{" "}}. Of each break a comment
// remains, by which errors name the right line.
func unfold(text string) string {
	var b strings.Builder
	before, within := "", false // within an action
	for whole := range strings.Lines(text) {
		line := strings.TrimSpace(whole)
		if !within && wordsMeet(before, line) {
			b.WriteByte(' ')
		}
		b.WriteString(line)
		if opened, closed := strings.LastIndex(line, "{{"), strings.LastIndex(line, "}}"); opened != closed {
			within = opened > closed
		}
		switch broken := strings.HasSuffix(whole, "\n"); {
		case broken && within:
			b.WriteByte('\n')
		case broken:
			b.WriteString("{{/*\n*/}}")
		}
		before = line
	}
	return b.String()
}

// wordsMeet reports that neither of two lines has a tag or an action where they
// meet.
func wordsMeet(before, after string) bool {
	if before == "" || after == "" {
		return false
	}
	return !strings.ContainsAny(before[len(before)-1:], ">}") && !strings.ContainsAny(after[:1], "<{")
}
