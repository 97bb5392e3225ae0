package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

// reader describes a program that shows what is in files.
type reader struct {
	short, long string // options that take a value
	script      int    // operands before the files: a pattern, a program

	// Lists of options, separated by spaces.
	scriptGiven string // give the pattern instead of an operand
	fileOptions string // name a file that is read
	inPlace     string // make it write the files
	output      string // name a file that is written
	names       string // make it show no more than the files' names
}

// readerOf knows the programs people read files with.
func readerOf(name string) (reader, bool) {
	switch name {
	case "cat", "tac", "wc", "more", "rev", "zcat", "xzcat", "bzcat", "comm", "vimdiff", "view", "pr", "open", "xdg-open":
		return reader{}, true
	case "bat", "batcat", "less", "most", "glow":
		return reader{short: "lrHbpxjkoP", long: "language line-range highlight-line style theme paging wrap"}, true
	case "head", "tail":
		return reader{short: "ncs", long: "lines bytes sleep-interval pid"}, true
	case "nl", "od", "xxd", "hexdump", "strings", "base64", "base32", "fold", "fmt", "expand", "column", "hd":
		return reader{short: "bdfhilnsvwAjNtScoegeF", long: "wrap width separator output-separator format bytes"}, true
	case "cut", "paste", "join":
		return reader{short: "dfcbt12aeoj", long: "delimiter fields characters bytes output-delimiter"}, true
	case "sort", "uniq", "shuf", "tsort":
		return reader{short: "ktoSTfswni", long: "key field-separator output buffer-size", output: "o output"}, true
	case "diff", "sdiff", "cmp", "diff3", "delta", "colordiff":
		return reader{short: "UCILWxXFn", long: "label exclude width unified"}, true
	case "grep", "egrep", "fgrep", "zgrep":
		return reader{short: "efABCmdD", long: "regexp file after-context before-context context max-count include exclude exclude-dir color",
			script: 1, scriptGiven: "e f regexp file", fileOptions: "f file"}, true
	case "rg", "ag", "ack":
		return reader{short: "efABCmgtTjrEMd", long: "regexp file after-context before-context context max-count glob iglob type type-not max-depth threads replace sort",
			script: 1, scriptGiven: "e f regexp file files", fileOptions: "f file"}, true
	case "sed", "gsed":
		return reader{short: "efl", long: "expression file line-length", script: 1, scriptGiven: "e f expression file",
			fileOptions: "f file", inPlace: "i in-place"}, true
	case "awk", "gawk", "mawk", "nawk":
		return reader{short: "Fvf", long: "field-separator assign file", script: 1, scriptGiven: "f file", fileOptions: "f file"}, true
	case "jq", "gojq", "jaq":
		return reader{short: "fL", long: "from-file indent tab", script: 1, scriptGiven: "f from-file", fileOptions: "f from-file"}, true
	case "yq":
		return reader{short: "poI", long: "input-format output-format indent", script: 1, inPlace: "i inplace"}, true
	case "gofmt", "goimports", "gofumpt", "clang-format", "prettier", "black", "rustfmt", "shfmt":
		return reader{short: "rpi", long: "parser config", inPlace: "w write i in-place r",
			names: "l check list list-different"}, true
	}
	return reader{}, false
}

// uses are the files such a call reads and writes.
func (k reader) uses(args []shell.Text) []fileUse {
	if k.script > 0 {
		args = withoutNamedValues(args)
	}
	found := shell.Scan(args, k.short, k.long)
	if found.HasListed(k.names) {
		return nil
	}
	operands := found.Operands
	if k.script > 0 && !found.HasListed(k.scriptGiven) {
		operands = operands[min(k.script, len(operands)):]
	}
	if found.Has("include", "g", "glob", "iglob") {
		operands = slices.DeleteFunc(slices.Clone(operands), isFolder) // which files are searched in them is given
	}
	uses := all(operands, found.HasListed(k.inPlace))
	uses = append(uses, all(found.ValuesListed(k.fileOptions), false)...)
	return append(uses, all(found.ValuesListed(k.output), true)...)
}

// isFolder goes by the name: one without an end that tells a kind of file.
func isFolder(file shell.Text) bool {
	base, ok := file.Base()
	return ok && (strings.Trim(base, ".") == "" || path.Ext(base) == "")
}

// withoutNamedValues leaves out jq's options that take two words, and awk's assignments among the files.
func withoutNamedValues(args []shell.Text) []shell.Text {
	var kept []shell.Text
	for i := 0; i < len(args); i++ {
		switch t := string(args[i]); {
		case t == "--arg" || t == "--argjson" || t == "--slurpfile" || t == "--rawfile":
			i += 2
		case t == "--args" || t == "--jsonargs":
			return kept
		case len(kept) > 1 && strings.Contains(t, "=") && !strings.ContainsAny(t, "/. ") && t[0] != '-':
		default:
			kept = append(kept, args[i])
		}
	}
	return kept
}
