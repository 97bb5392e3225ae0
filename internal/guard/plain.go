package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Plain splits a line into the words of its commands if every word is known as it
// stands: the commands may be in sequence or piped, without variables, patterns,
// redirections, background jobs or anything nested.
func Plain(line string) (commands [][]string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) == 0 {
		return nil, false
	}
	for _, stmt := range file.Stmts {
		if commands, ok = plainStatement(commands, stmt); !ok {
			return nil, false
		}
	}
	return commands, true
}

func plainStatement(commands [][]string, stmt *syntax.Stmt) ([][]string, bool) {
	if stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 {
		return nil, false
	}
	switch cmd := stmt.Cmd.(type) {
	case *syntax.BinaryCmd:
		commands, ok := plainStatement(commands, cmd.X)
		if !ok {
			return nil, false
		}
		return plainStatement(commands, cmd.Y)
	case *syntax.CallExpr:
		if len(cmd.Assigns) > 0 || len(cmd.Args) == 0 {
			return nil, false
		}
		words := make([]string, len(cmd.Args))
		for i, w := range cmd.Args {
			var ok bool
			if words[i], ok = plainWord(w); !ok {
				return nil, false
			}
		}
		return append(commands, words), true
	}
	return nil, false
}

// plainWord is the text of a word that the shell takes as it stands.
func plainWord(w *syntax.Word) (string, bool) {
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
