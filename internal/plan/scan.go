package plan

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// draft is a step whose references are not looked up yet.
type draft struct {
	step      core.Step
	line, box int             // line of the heading, and offset of its checkbox's mark
	settings  map[string]bool // that were given
	afterLine int
	strays    []setting // lines of the text that look like settings
	begins    int       // of the text; -1 until there is some
}

// place is the part of the plan that a line belongs to.
type place int

const (
	outside  place = iota // of the section
	preamble              // in the section, above its first step
	settings              // below a step's heading, where settings may be
	text                  // of a step
)

// scan goes through the lines of a plan once.
type scan struct {
	*report
	data    []byte
	drafts  []*draft
	outline *outline
	place   place
	tight   bool // the line above is a step's heading or a setting
	section int  // line of the section's heading
	almost  int  // line of a heading that may be meant as the section's
	number  int
	offset  int // of the line
}

func (s *scan) run() {
	if bytes.HasPrefix(s.data, []byte(byteOrderMark)) {
		s.offset = len(byteOrderMark)
	}
	content := string(s.data[s.offset:])
	s.outline = newOutline(strings.ReplaceAll(content, "\r\n", "\n"))
	for raw := range strings.Lines(content) {
		s.number++
		s.take(strings.TrimRight(raw, "\r\n"))
		s.offset += len(raw)
	}
	s.endText()
	s.conclude()
}

func (s *scan) take(line string) {
	if s.outline.covered[s.number-1] {
		s.hidden(line)
		s.words(line, true)
		return
	}
	level, words := heading(line)
	switch {
	case level > 0 && level < stepLevel:
		s.enter(line, level, words)
	case level == stepLevel && s.place != outside:
		s.begin(line, words)
	case level == stepLevel && isStep(words):
		s.invalid(s.number, "the step "+quote(line)+" is not under "+code(Section), "move it there, or remove its checkbox if it is none")
	default:
		s.indented(line)
		s.words(line, false)
	}
	if level > 0 && strings.Contains(strings.ToLower(words), "steps") {
		s.almost = s.number
	}
}

// enter reads a heading that begins a section.
func (s *scan) enter(line string, level int, words string) {
	s.endText()
	within := s.place != outside
	s.place = outside
	switch {
	case isSection(line) && s.section > 0:
		s.invalid(s.number, fmt.Sprintf("a second section %s; the first is in line %d", code(Section), s.section), "put all steps into one of them")
		s.place = preamble
	case isSection(line):
		s.section, s.place = s.number, preamble
	case isStep(words):
		s.invalid(s.number, fmt.Sprintf("the step's heading has %d # in place of %d", level, stepLevel), "write it as in "+exampleStep)
		if within {
			s.begin(line, words)
		}
	}
}

// hidden reports a heading that a person sees and Markdown does not, because HTML continues up to the next empty line.
func (s *scan) hidden(line string) {
	if bare := unindented(line); s.outline.html[s.number-1] && structural(bare, s.place != outside) {
		s.invalid(s.number, "the heading "+quote(bare)+" is part of the HTML above it", "put an empty line above it, or give it four # or more if it is part of a step's text")
	}
}

// indented reports a heading of the plan's form that is indented: Markdown sees it, and the plan does not.
func (s *scan) indented(line string) {
	bare := unindented(line)
	if bare != line && structural(bare, s.place != outside) {
		s.invalid(s.number, "the heading "+quote(bare)+" is indented", "begin it at the start of the line, or give it four # or more if it is part of a step's text")
	}
}

// begin reads the heading of a step.
func (s *scan) begin(line, words string) {
	s.endText()
	d := &draft{step: readStep(words, s.number, s.report), line: s.number, begins: -1}
	d.box = s.offset + strings.IndexByte(line, '[') + 1
	s.drafts = append(s.drafts, d)
	s.place, s.tight = settings, true
}

// taskItem is a list item with a checkbox.
var taskItem = regexp.MustCompile(`^ {0,3}([-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\]`)

// words reads a line that is no heading of the plan.
func (s *scan) words(line string, covered bool) {
	switch s.place {
	case outside:
	case preamble:
		if !covered && taskItem.MatchString(line) {
			s.invalid(s.number, "a list item with a checkbox is not a step: "+quote(line), "write steps as headings, as in "+exampleStep)
		}
	case settings:
		s.set(line, covered)
	case text:
		s.stray(line, covered)
	}
}

// set reads a line below a step's heading: a setting, or the first line of its text.
func (s *scan) set(line string, covered bool) {
	if !covered && strings.Trim(line, " \t") == "" {
		s.tight = false
		return
	}
	d := s.drafts[len(s.drafts)-1]
	given, looks := readSetting(line, s.number)
	switch {
	case looks && !covered && given.plain:
		d.apply(given, s.report)
		s.tight = true
	case looks && !covered && s.tight && given.key != "":
		s.invalid(s.number, quote(line)+" is not written like a setting", "write "+given.written())
	case looks && !covered && s.tight:
		s.invalid(s.number, "there is no setting "+quote(given.name)+"; there are "+allKeys, "correct it, or put an empty line above it if it is text")
	default:
		s.place, d.begins = text, s.offset
		s.stray(line, covered)
	}
}

// stray remembers a line of a step's text that looks like a setting.
func (s *scan) stray(line string, covered bool) {
	if covered {
		return
	}
	if given, looks := readSetting(line, s.number); looks && given.key != "" {
		d := s.drafts[len(s.drafts)-1]
		d.strays = append(d.strays, given)
	}
}

// endText gives the step above this line its text.
func (s *scan) endText() {
	if s.place != text {
		return
	}
	d := s.drafts[len(s.drafts)-1]
	d.step.Text = plainText(string(s.data[d.begins:s.offset]))
	if len(d.step.Text) > MaxText {
		s.add(ErrTooLarge, d.line, fmt.Sprintf("step %s has %d bytes of text, at most %d are read", clip(d.step.ID), len(d.step.Text), MaxText),
			"move details into a file and name it, or make several steps of it")
	}
}

// plainText is text with LF line ends and without trailing space.
func plainText(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\n")
}

// conclude reports what can only be known at the end.
func (s *scan) conclude() {
	if s.outline.closing != "" {
		s.invalid(s.outline.opened, "this block is never closed, so no step below it would be seen", "close it with a line "+quote(s.outline.closing))
	}
	switch {
	case s.section == 0 && s.almost > 0:
		s.add(ErrNoSection, s.almost, "this heading does not begin the section of the steps", "write it as "+code(Section))
	case s.section == 0:
		s.add(ErrNoSection, 0, "the plan has no section for its steps", "add a line "+code(Section)+" and below it the steps, as in "+exampleStep)
	case len(s.drafts) == 0:
		s.add(ErrNoSteps, s.section, "there are no steps under "+code(Section), "add some, as in "+exampleStep)
	case len(s.drafts) > MaxSteps:
		s.add(ErrTooLarge, s.drafts[MaxSteps].line, fmt.Sprintf("the plan has %d steps, at most %d are read", len(s.drafts), MaxSteps), "join steps that belong together, or split the plan into several epics")
	}
}
