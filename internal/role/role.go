// Package role reads roles: Markdown files with front matter, the same files that Claude Code uses for its agents, from a
// repository or built in. It also reads the two documents of a role that Stellwerk itself needs: the review, and what a
// plan proposes to skip. It must not decide who may do what: it only turns files into core.Role values with their origin.
package role

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// OriginBuiltin marks roles that come with the program; all others name the file they were read from.
const OriginBuiltin = "builtin"

// Folder is where a repository keeps its roles.
const Folder = ".stellwerk/roles"

// Role is a core.Role and where it came from.
type Role struct {
	core.Role
	Origin string             // OriginBuiltin, or the file's path
	Digest string             // SHA-256 of the file
	Notes  []yamlfile.Warning // what in the file has no effect
}

// Builtin reports that the role came with the program.
func (r Role) Builtin() bool { return r.Origin == OriginBuiltin }

// NameForm and MaxName are the form of role names: they become part of file and task names.
const (
	NameForm = `^[a-z0-9]+([-_][a-z0-9]+)*$`
	MaxName  = 64
)

var validName = regexp.MustCompile(NameForm)

// ValidName reports whether a role may have this name.
func ValidName(name string) bool { return len(name) <= MaxName && validName.MatchString(name) }

// Parse reads one role file. The error is of type yamlfile.Problems.
func Parse(file string, data []byte) (Role, error) {
	report := yamlfile.NewReport(file)
	if len(data) > yamlfile.MaxBytes {
		report.Add(yamlfile.Problem{Line: 1, Column: 1, Message: "the file is too large for a role"})
		return Role{}, report.Err()
	}
	sum := sha256.Sum256(data)
	r := Role{Origin: file, Digest: hex.EncodeToString(sum[:])}
	front, body, err := split(report, data)
	if err != nil {
		return Role{}, err
	}
	r.Prompt = body
	if front == nil {
		report.Warn(yamlfile.Warning{Line: 1, Column: 1, Message: "the file has no front matter",
			Hint: "its name is taken from the file name"})
		r.Name = nameOf(file)
		r.Notes = report.Warnings()
		if !ValidName(r.Name) {
			report.Add(yamlfile.Problem{Line: 1, Column: 1, Message: badName(r.Name), Hint: nameHint})
		}
		return r, report.Err()
	}
	if err := r.readFront(file, front); err != nil {
		return Role{}, err
	}
	return r, nil
}
