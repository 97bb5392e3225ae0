package plan

import (
	"slices"
	"strings"
	"unicode"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ValidID lets tests ask which ids steps may have.
func ValidID(id string) bool { return checkID(id) == "" }

// Render writes a plan for tests to read. Lines of the goal and of the steps' texts that would be taken for a part of the plan's form
// are changed so that they are not: headings become deeper, settings are escaped. What the steps themselves say is
// written as it is: [Parse] tells whether ids, titles and references are in order.
func Render(goal string, steps []core.Step) []byte {
	var b strings.Builder
	b.WriteString("# Plan\n")
	paragraph(&b, harmless(goal, nil))
	b.WriteString("\n" + Section + "\n")
	ids := map[string]bool{}
	for _, step := range steps {
		ids[step.ID] = true
	}
	before := ""
	for _, step := range steps {
		box := "[ ] "
		if step.Done {
			box = "[x] "
		}
		b.WriteString("\n### " + box + step.ID + ". " + oneLine(step.Title) + "\n")
		paragraph(&b, settingLines(step, before))
		paragraph(&b, harmless(step.Text, ids))
		before = step.ID
	}
	return []byte(b.String())
}

func paragraph(b *strings.Builder, text string) {
	if text != "" {
		b.WriteString("\n" + text + "\n")
	}
}

// settingLines are the settings of a step that say more than leaving them out would.
func settingLines(step core.Step, before string) string {
	var lines []string
	switch {
	case len(step.After) == 0 && before != "":
		lines = append(lines, keyAfter+": "+nothing)
	case len(step.After) > 0 && !slices.Equal(step.After, []string{before}):
		lines = append(lines, keyAfter+": "+strings.Join(step.After, ", "))
	}
	if step.Role != "" {
		lines = append(lines, keyRole+": "+oneLine(step.Role))
	}
	if step.Review != "" {
		lines = append(lines, keyReview+": "+oneLine(step.Review))
	}
	return strings.Join(lines, "\n")
}

func oneLine(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.Trim(s, " ")
}

// harmless is text that Parse takes for nothing but text. The ids are those of the plan, where it is the text of a step.
func harmless(s string, ids map[string]bool) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x00", "\uFFFD").Replace(strings.ToValidUTF8(s, "\uFFFD"))
	lines := strings.Split(plainText(s), "\n")
	for len(lines) > 0 && strings.Trim(lines[0], " \t") == "" {
		lines = lines[1:]
	}
	for i, line := range lines {
		if isConflict(line) {
			lines[i] = " " + line
		}
	}
	o := newOutline(strings.Join(lines, "\n"))
	for i, line := range lines {
		if !o.covered[i] || o.html[i] {
			lines[i] = disarm(line, i == 0, ids)
		}
	}
	if o.closing != "" {
		lines = append(lines, o.closing)
	}
	return strings.Join(lines, "\n")
}

// disarm changes a line that would be part of the form. A heading stays one, but too deep to be a step's: as text, it could
// change what Markdown makes of the lines below it. The colon of a setting is escaped.
func disarm(line string, first bool, ids map[string]bool) string {
	bare := unindented(line)
	if structural(bare, ids != nil) {
		return line[:len(line)-len(bare)] + strings.Repeat("#", stepLevel+1) + bare[run(bare):]
	}
	given, looks := readSetting(line, 0)
	if looks && ids != nil && (first && given.plain || given.stray(func(id string) bool { return ids[id] })) {
		return strings.Replace(line, ":", `\:`, 1)
	}
	return line
}
