// Package regex has regular expressions that are compiled when they are first needed. Every command and every tool call of a
// session starts a program anew, and compiles what its packages declare.
package regex

import (
	"regexp"
	"sync"
)

// Of is a regular expression for a variable of a package. One that is wrong panics when it is first used.
func Of(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
