package highlight

import "github.com/alecthomas/chroma/v2"

// goLexer knows Go, for which there is no file of rules.
func goLexer() (chroma.Lexer, error) {
	return chroma.NewLexer(
		&chroma.Config{Name: "Go", Aliases: []string{"go", "golang"}, Filenames: []string{"*.go"}, EnsureNL: true},
		func() chroma.Rules {
			return chroma.Rules{"root": {
				{Pattern: `\s+`, Type: chroma.Text},
				{Pattern: `//[^\n]*`, Type: chroma.CommentSingle},
				{Pattern: `/\*(?:[^*]|\*(?!/))*(?:\*/)?`, Type: chroma.CommentMultiline},
				{Pattern: `(func)(\s+)(\w+)`, Type: chroma.ByGroups(chroma.KeywordDeclaration, chroma.Text, chroma.NameFunction)},
				{Pattern: chroma.Words(``, `\b`, "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
					"goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var"), Type: chroma.Keyword},
				{Pattern: chroma.Words(``, `\b`, "any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8",
					"int16", "int32", "int64", "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "true", "false", "iota", "nil"), Type: chroma.KeywordType},
				{Pattern: chroma.Words(``, `\b(?=\()`, "append", "cap", "clear", "close", "copy", "delete", "len", "make", "max", "min", "new", "panic", "print", "recover"), Type: chroma.NameBuiltin},
				{Pattern: "`[^`]*`?", Type: chroma.LiteralString},
				{Pattern: `"(?:\\.|[^"\\\n])*"?`, Type: chroma.LiteralString},
				{Pattern: `'(?:\\.[^'\n]*|[^'\\\n])'`, Type: chroma.LiteralStringChar},
				{Pattern: `(?:0[xXbBoO])?[0-9][0-9a-fA-F_]*(?:\.[0-9_]+)?(?:[eEpP][+-]?[0-9]+)?i?`, Type: chroma.LiteralNumber},
				{Pattern: `[\p{L}_][\p{L}\p{Nd}_]*(?=\()`, Type: chroma.NameFunction},
				{Pattern: `[\p{L}_][\p{L}\p{Nd}_]*`, Type: chroma.Name},
				{Pattern: `.`, Type: chroma.Punctuation},
			}}
		})
}
