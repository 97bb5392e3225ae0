package role

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// fence opens and closes the front matter.
const fence = "---"

// Fields describe the fields that a role's file and a role of a playbook share.
func Fields(r *core.Role) yamlfile.Fields {
	tools, capabilities := yamlfile.AnyList, yamlfile.AnyList
	tools.Read = func(v yamlfile.Value) ([]string, bool) { return Tools(v), true }
	capabilities.Read = func(v yamlfile.Value) ([]string, bool) { return words(v), true }
	return yamlfile.Fields{
		yamlfile.At("description", "", &r.Description, yamlfile.AnyText),
		yamlfile.At("agent", "", &r.Agent, yamlfile.AnyText),
		yamlfile.At("model", "", &r.Model, yamlfile.AnyText),
		yamlfile.At("color", "", &r.Color, yamlfile.AnyText),
		yamlfile.At("tools", "", &r.Tools, tools),
		yamlfile.At("capabilities", "", &r.Capabilities, capabilities),
		yamlfile.At("network", "", &r.Network, Reach()),
	}
}

// split separates the front matter, nil if there is none, from the prompt. The front matter keeps its line numbers.
func split(report *yamlfile.Report, data []byte) (front []byte, body string, err error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	lines := strings.SplitAfter(text, "\n")
	if strings.TrimRight(lines[0], " \t\r\n") != fence {
		return nil, strings.TrimSpace(text), nil
	}
	for i, line := range lines[1:] {
		if strings.TrimRight(line, " \t\r\n") == fence {
			front = []byte("\n" + strings.Join(lines[1:i+1], ""))
			return front, strings.TrimSpace(strings.Join(lines[i+2:], "")), nil
		}
	}
	report.Add(yamlfile.Problem{Line: 1, Column: 1, Message: "the front matter is not closed", Hint: "end it with a line ---"})
	return nil, "", report.Err()
}

func (r *Role) readFront(file string, front []byte) error {
	if len(bytes.TrimSpace(front)) == 0 {
		front = []byte("\n{}\n")
	}
	value, report := yamlfile.Read(file, front)
	lenient := false
	if report.Err() != nil {
		again, second := yamlfile.Read(file, quoteValues(front))
		if second.Err() != nil {
			return report.Err()
		}
		value, report, lenient = again, second, true
	}
	pairs, ok := value.Pairs()
	if !ok {
		return report.Err()
	}
	if lenient {
		value.Warn("the front matter is not YAML; each line was read as key: text", "quote values that contain \": \"")
	}
	fields := append(Fields(&r.Role), yamlfile.At("name", "", &r.Name, yamlfile.AnyText))
	for _, p := range pairs {
		if slices.Contains(fields.Keys(), p.Name) {
			fields.Find(p.Name).Read(p.Value)
		} else {
			remark(p, fields.Keys())
		}
	}
	if r.Model == "inherit" {
		r.Model = ""
	}
	if r.Name == "" {
		r.Name = nameOf(file)
	}
	if !ValidName(r.Name) {
		value.Fail(badName(r.Name), nameHint)
	}
	r.Notes = report.Warnings()
	return report.Err()
}

// remark warns that a key of Claude Code has no effect. "isolation: worktree" needs no warning, because every attempt has a
// workspace of its own.
func remark(p yamlfile.Pair, followed []string) {
	switch p.Name {
	case "isolation":
		if text, ok := p.Value.Text(); ok && text != "worktree" {
			p.Value.Warn("is not used by Stellwerk: every attempt has a workspace of its own", "")
		}
	case "disallowedTools":
		p.Key.Warn("has no effect: the role keeps every tool that tools allows", "list the allowed tools in tools")
	default:
		p.Key.Warn("is not used by Stellwerk", yamlfile.Known(p.Name, followed))
	}
}

// Tools reads a list of tools, or one text with commas; commas within brackets belong to a tool: Bash(git add:*, ls). An
// empty result means every tool.
func Tools(v yamlfile.Value) []string {
	items := words(v)
	if slices.Contains(items, "*") {
		return nil
	}
	return items
}

// words reads a list of texts, or one text with commas.
func words(v yamlfile.Value) []string {
	if v.IsList() {
		texts, _ := yamlfile.AnyList.Read(v)
		return texts
	}
	text, ok := v.Text()
	if !ok {
		return nil
	}
	var items []string
	depth, start := 0, 0
	add := func(item string) {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	for i, char := range text {
		switch {
		case char == '(':
			depth++
		case char == ')':
			depth--
		case char == ',' && depth <= 0:
			add(text[start:i])
			start = i + 1
		}
	}
	add(text[start:])
	return items
}

var frontLine = regexp.MustCompile(`^([A-Za-z][A-Za-z_-]*):[ \t]+(.+?)[ \t\r]*$`)

// quoteValues makes the value of every line "key: value" a quoted text. Claude Code's own files are often not YAML,
// because descriptions contain colons.
func quoteValues(front []byte) []byte {
	lines := strings.Split(string(front), "\n")
	for i, line := range lines {
		match := frontLine.FindStringSubmatch(line)
		if match == nil || strings.ContainsAny(match[2][:1], `"'[{|>`) {
			continue
		}
		lines[i] = match[1] + ": " + strconv.Quote(match[2])
	}
	return []byte(strings.Join(lines, "\n"))
}

const nameHint = "use small letters, digits and single hyphens"

func badName(name string) string { return fmt.Sprintf("%q cannot be the name of a role", name) }

func nameOf(file string) string { return strings.TrimSuffix(path.Base(file), path.Ext(file)) }
