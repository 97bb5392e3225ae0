package hook

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ownVerbs are the commands of Stellwerk that the session runs for a person.
// They steer through the engine, which asks for the person's word where one is
// needed; others may start programs or read files. They must be called plainly:
// beside something else they could be called in the person's name.
func ownVerbs() []string {
	return []string{"status", "log", "show", "inbox", "advance", "run", "resume", "retry", "skip", "pause", "cancel"}
}

// ownCall reports a line that is one plain call of Stellwerk: no variable, no
// redirection, nothing beside it, and the program by its name: a path may lead
// to any other.
func ownCall(line string) bool {
	if !strings.HasPrefix(strings.TrimLeft(line, " \t\n"), "stellwerk") {
		return false // a long line need not be read for this
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		return false
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 || len(call.Assigns) > 0 || len(call.Args) < 2 {
		return false
	}
	words := make([]string, len(call.Args))
	for i, w := range call.Args {
		if words[i], ok = plain(w); !ok {
			return false
		}
	}
	return words[0] == "stellwerk" && slices.Contains(ownVerbs(), words[1])
}

// plain is the text of a word that the shell takes as it stands.
func plain(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\*?[]{}~") {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || p.Dollar {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}
