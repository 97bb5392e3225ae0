package playbook

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

const idHint = "use small letters, digits and single hyphens, at most 40 characters"

var idForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func validID(id string) bool { return len(id) <= 40 && idForm.MatchString(id) }

// reservedArtifact is the agent's report, which Stellwerk reads itself.
const reservedArtifact = "report.json"

var artifactForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func validArtifact(name string) bool { return len(name) <= 100 && artifactForm.MatchString(name) }

// artifactName reads the name of an artifact: a plain file name, because it becomes one.
func artifactName(v yamlfile.Value) (string, bool) {
	name, ok := v.Text()
	switch {
	case !ok:
		return "", false
	case name == reservedArtifact:
		v.Fail(name+" is the agent's own report and cannot be an artifact", "choose another name")
	case !validArtifact(name):
		v.Fail(quote(name)+" is not a valid artifact name", "use a plain file name such as plan.md, without folders")
	default:
		return name, true
	}
	return "", false
}

// inside reads a path that stays within the project.
func inside(v yamlfile.Value) string {
	text, ok := v.Text()
	if !ok {
		return ""
	}
	if reason := escapes(text); reason != "" {
		v.Fail(quote(text)+" "+reason, "name a path inside the project, relative to its root")
		return ""
	}
	clean := path.Clean(text)
	if clean == "." || clean == ".git" || strings.HasPrefix(clean, ".git/") {
		v.Fail(quote(text)+" cannot be used here", "name a file or folder of the project")
		return ""
	}
	return clean
}

// glob reads a pattern over the project's files.
func glob(v yamlfile.Value) (string, bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	switch reason := escapes(text); {
	case reason != "":
		v.Fail("the glob "+quote(text)+" "+reason, "name files inside the project, relative to its root")
	case strings.HasPrefix(text, "!"):
		v.Fail("the glob "+quote(text)+" is negated", "use a check of the kind not")
	case strings.HasPrefix(text, "./"):
		v.Fail("the glob "+quote(text)+" begins with ./", "leave that out")
	case !doublestar.ValidatePattern(text):
		v.Fail("the glob "+quote(text)+" is malformed", "every [ and { needs its closing bracket")
	default:
		return text, true
	}
	return "", false
}

// notBranch is what git refuses in the name of a branch.
var notBranch = regexp.MustCompile(`[\x00-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|^[-/.]|/\.|[/.]$|\.lock(/|$)|^(@|HEAD)$`)

// branch reads the name of a branch, empty where the key is silent. A slip is found here, and not when a run has come to
// its end and wants to publish.
func branch(o yamlfile.Object, key string) string {
	v, ok := o.Get(key)
	if !ok {
		return ""
	}
	name, ok := v.Text()
	switch {
	case !ok:
		return ""
	case strings.HasPrefix(name, "refs/"), notBranch.MatchString(name):
		v.Fail(quote(name)+" is not the name of a branch", "write, for example, main")
		return ""
	}
	return name
}

// escapes says why a path or glob would leave the project, or nothing.
func escapes(text string) string {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") {
		return "is absolute"
	}
	if len(text) > 1 && text[1] == ':' {
		return "is absolute"
	}
	separator := func(r rune) bool { return strings.ContainsRune(`/\{},`, r) }
	for _, part := range strings.FieldsFunc(text, separator) {
		if part == ".." {
			return "leaves the project"
		}
	}
	return ""
}

func quote(s string) string { return strconv.Quote(plain.Clip(s, 60)) }

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
