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
	maxShown  = 128 << 10 // bytes
	maxNested = 40        // levels of JSON that are set out
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
	data := c.Bytes()
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
		if !c.cut && depth(data) <= maxNested && json.Indent(&set, data, "", "  ") == nil {
			return rendered{Text: set.String()}
		}
	}
	return rendered{Text: string(data), Cut: c.cut}
}

// depth is how deep brackets are nested, at least: those in strings count, too.
func depth(data []byte) int {
	now, most := 0, 0
	for _, b := range data {
		switch b {
		case '[', '{':
			now++
			most = max(most, now)
		case ']', '}':
			now--
		}
	}
	return most
}
