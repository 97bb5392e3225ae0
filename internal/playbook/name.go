package playbook

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/regex"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

const idHint = "use small letters, digits and single hyphens, at most 40 characters"

var idForm = regex.Of(`^[a-z0-9]+(-[a-z0-9]+)*$`)

const maxID = 40

func validID(id string) bool { return len(id) <= maxID && idForm().MatchString(id) }

func idSchema() yamlfile.Schema {
	return yamlfile.Schema{"type": "string", "pattern": idForm().String(), "maxLength": maxID}
}

// roleName describes the name of a role.
func roleName() yamlfile.Schema {
	return yamlfile.Schema{"type": "string", "pattern": role.NameForm, "maxLength": role.MaxName}
}

// reservedArtifact is the agent's report, which Stellwerk reads itself.
const reservedArtifact = "report.json"

var artifactForm = regex.Of(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func validArtifact(name string) bool { return artifactForm().MatchString(name) }

func artifactSchema() yamlfile.Schema {
	return yamlfile.Schema{"type": "string", "pattern": artifactForm().String(), "not": yamlfile.Schema{"const": reservedArtifact}}
}

// readArtifact reads the name of an artifact: a plain file name, because it becomes one.
func readArtifact(v yamlfile.Value) (string, bool) {
	name, ok := v.Text()
	switch {
	case !ok:
		return "", false
	case name == reservedArtifact:
		v.Fail(name+" is the agent's own report and cannot be an artifact", "choose another name")
	case !validArtifact(name):
		v.Fail(yamlfile.Quote(name)+" is not a valid artifact name", "use a plain file name such as plan.md, without folders")
	default:
		return name, true
	}
	return "", false
}

// below describes a path or glob that does not begin with certain characters and never leaves the project.
func below(doc, notFirst string) yamlfile.Schema {
	return yamlfile.Schema{"description": doc, "type": "string", "pattern": "^[^" + notFirst + "]",
		"not": yamlfile.Schema{"pattern": `(^|[/\\{},])\.\.($|[/\\{},])`}}
}

// inside is the form of paths that stay within the project.
func inside() yamlfile.Form[string] {
	return yamlfile.Word(below("Inside the project, relative to its root.", "/~"), func(v yamlfile.Value) (string, bool) {
		text, ok := v.Text()
		if !ok {
			return "", false
		}
		if reason := escapes(text); reason != "" {
			v.Fail(yamlfile.Quote(text)+" "+reason, "name a path inside the project, relative to its root")
			return "", false
		}
		clean := path.Clean(text)
		if clean == "." || clean == ".git" || strings.HasPrefix(clean, ".git/") {
			v.Fail(yamlfile.Quote(text)+" cannot be used here", "name a file or folder of the project")
			return "", false
		}
		return clean, true
	})
}

// glob is the form of patterns over the project's files.
func glob() yamlfile.Form[string] {
	return yamlfile.Word(below("Pattern over the project's files; ** spans folders.", "/~!"), readGlob)
}

func readGlob(v yamlfile.Value) (string, bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	switch reason := escapes(text); {
	case reason != "":
		v.Fail("the glob "+yamlfile.Quote(text)+" "+reason, "name files inside the project, relative to its root")
	case strings.HasPrefix(text, "!"):
		v.Fail("the glob "+yamlfile.Quote(text)+" is negated", "use a check of the kind not")
	case strings.HasPrefix(text, "./"):
		v.Fail("the glob "+yamlfile.Quote(text)+" begins with ./", "leave that out")
	case !doublestar.ValidatePattern(text):
		v.Fail("the glob "+yamlfile.Quote(text)+" is malformed", "every [ and { needs its closing bracket")
	default:
		return text, true
	}
	return "", false
}

// notBranch matches what git refuses in the name of a branch, and full names of refs.
var notBranch = regex.Of(`[\x00-\x20\x7f~^:?*\[\\]|\.\.|//|@\{|^[-/.]|/\.|[/.]$|\.lock(/|$)|^(@|HEAD)$|^refs/`)

// branch is the form of the names of branches. A slip is found here, and not at the end of a run.
func branch() yamlfile.Form[string] {
	schema := yamlfile.Schema{"type": "string", "pattern": `\S`, "not": yamlfile.Schema{"pattern": notBranch().String()}}
	return yamlfile.Word(schema, func(v yamlfile.Value) (string, bool) {
		name, ok := v.Text()
		if ok && notBranch().MatchString(name) {
			v.Fail(yamlfile.Quote(name)+" is not the name of a branch", "write, for example, main")
			return "", false
		}
		return name, ok
	})
}

// escapes says why a path or glob would leave the project; "" if it would not.
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
