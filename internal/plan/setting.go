package plan

import (
	"regexp"
	"slices"
	"strings"
)

// Settings of a step, as they are written.
const (
	keyAfter  = "After"
	keyRole   = "Role"
	keyReview = "Review"
)

const allKeys = keyAfter + ", " + keyRole + " and " + keyReview

// roleForm is the form of role names.
var roleForm = regexp.MustCompile(`^[a-z0-9]+([-_][a-z0-9]+)*$`)

func validRole(name string) bool { return len(name) <= 64 && roleForm.MatchString(name) }

// setting is a line that is, or looks like, a setting.
type setting struct {
	line  int
	name  string // as written
	key   string // which setting it is or seems to be; "" if none
	value string
	plain bool // exactly as settings are written
}

// readSetting splits a line into name and value; ok is false if it does not look like a setting. It accepts bullets and
// emphasis around the name, so that the mistake can be reported.
func readSetting(line string, number int) (s setting, ok bool) {
	const emphasis = "*_"
	before, value, colon := strings.Cut(line, ":")
	value = strings.TrimLeft(value, emphasis)
	if !colon || value != "" && value[0] != ' ' && value[0] != '\t' {
		return setting{}, false
	}
	name := strings.TrimLeft(before, " ")
	if len(name) > 1 && strings.IndexByte("-*+", name[0]) >= 0 && name[1] == ' ' {
		name = strings.TrimLeft(name[1:], " ")
	}
	if name = strings.Trim(name, emphasis); !oneOrTwoWords.MatchString(name) {
		return setting{}, false
	}
	s = setting{line: number, name: name, key: meant(name), value: strings.Trim(value, " \t")}
	s.plain = s.key == before && strings.HasPrefix(line, s.key+":"+value)
	return s, true
}

// oneOrTwoWords matches a name that may be a setting's.
var oneOrTwoWords = regexp.MustCompile(`^[A-Za-z]+([ _-][A-Za-z]+)?$`)

// meant is the setting that a name stands for.
func meant(name string) string {
	switch strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(name), "_", " "), "-", " ") {
	case "after", "depends", "depends on", "dependencies", "dependency", "requires", "needs", "blocked by":
		return keyAfter
	case "role":
		return keyRole
	case "review":
		return keyReview
	}
	return ""
}

// names are the steps that a value of After lists.
func names(value string) []string {
	if strings.EqualFold(value, nothing) {
		return nil
	}
	var all []string
	for name := range strings.SplitSeq(value, ",") {
		all = append(all, strings.Trim(name, " \t"))
	}
	return all
}

// stray reports a line of a step's text that would be a valid setting further up.
func (s setting) stray(known func(id string) bool) bool {
	switch s.key {
	case keyAfter:
		return !slices.ContainsFunc(names(s.value), func(id string) bool { return !known(id) })
	case keyRole:
		return validRole(s.value)
	case keyReview:
		return validReview(s.value)
	}
	return false
}

// written is how to write the setting.
func (s setting) written() string { return code(s.key + ": " + clip(s.value)) }

// apply sets a setting of the step and reports what is wrong with it.
func (d *draft) apply(s setting, r *report) {
	if d.settings[s.key] {
		r.invalid(s.line, "step "+clip(d.step.ID)+" has "+s.key+" twice", "keep one of them")
		return
	}
	if d.settings == nil {
		d.settings = map[string]bool{}
	}
	d.settings[s.key] = true
	switch s.key {
	case keyAfter:
		d.afterLine, d.step.After = s.line, names(s.value)
		if s.value == "" {
			d.step.After = nil
			r.invalid(s.line, "After is empty", "name the steps that come before, as in `After: 1, 2`, or write `After: nothing`")
		}
	case keyRole:
		if d.step.Role = s.value; !validRole(s.value) {
			r.invalid(s.line, quote(s.value)+" is not the name of a role", "write one name in small letters, as in `Role: backend-developer`")
		}
	case keyReview:
		if d.step.Review = s.value; !validReview(s.value) {
			r.invalid(s.line, quote(s.value)+" does not say whether the step is reviewed", "write `Review: always` or `Review: never`, or leave the line out")
		}
	}
}
