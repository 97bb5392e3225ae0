package cockpit

import (
	"bytes"
	"encoding/json"
	"html/template"
	"path"
	"strings"
	"unicode/utf8"
)

// Bounds of documents on a page.
const (
	maxShown  = 128 << 10    // bytes
	maxSetOut = 4 * maxShown // bytes of JSON with its white space
	maxNested = 40           // levels of JSON that are set out
)

// rendered is a document as a page shows it: as HTML, or as text. What is
// neither can only be downloaded.
type rendered struct {
	HTML template.HTML
	Text string
	Cut  bool // there is more of it
}

// Shown reports that there is something to look at.
func (r rendered) Shown() bool { return r.HTML != "" || r.Text != "" }

// render decides by its name and content how a document is shown.
func (c *capped) render(name string) rendered {
	data := c.text.Bytes()
	if c.cut { // perhaps within a character
		for i := 0; i < utf8.UTFMax && len(data) > 0 && !utf8.Valid(data[max(0, len(data)-utf8.UTFMax):]); i++ {
			data = data[:len(data)-1]
		}
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return rendered{Cut: c.cut}
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return rendered{HTML: markdown(string(data)), Cut: c.cut}
	case ".json":
		var set bytes.Buffer
		if !c.cut && modest(data) && json.Indent(&set, data, "", "  ") == nil {
			return rendered{Text: set.String()}
		}
	}
	return rendered{Text: string(data), Cut: c.cut}
}

// modest reports that JSON stays within bounds when it is set out: each value on
// a line of its own, indented as deep as it lies. What strings hold counts as it is.
func modest(data []byte) bool {
	depth, size, quoted, escaped := 0, len(data), false, false
	for _, b := range data {
		switch {
		case escaped:
			escaped = false
		case quoted:
			quoted, escaped = b != '"', b == '\\'
		case b == '"':
			quoted = true
		case b == '[' || b == '{':
			depth++
			size += 1 + 2*depth
		case b == ']' || b == '}':
			depth--
			size += 1 + 2*depth
		case b == ',':
			size += 1 + 2*depth
		}
		if depth < 0 || depth > maxNested || size > maxSetOut {
			return false
		}
	}
	return true
}
