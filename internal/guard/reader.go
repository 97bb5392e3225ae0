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

	// Lists, separated by spaces.
	programs    string
	scriptGiven string // give the pattern instead of an operand
	fileOptions string // name a file that is read
	inPlace     string // make it write the files
	output      string // name a file that is written
	names       string // make it show no more than the files' names
}

// readers lists the programs that people read files with.
func readers() []reader {
	return []reader{
		{programs: "cat tac wc more rev zcat xzcat bzcat comm vimdiff view pr open xdg-open"},
		{programs: "bat batcat less most glow", short: "lrHbpxjkoP", long: "language line-range highlight-line style theme paging wrap"},
		{programs: "head tail", short: "ncs", long: "lines bytes sleep-interval pid"},
		{programs: "nl od xxd hexdump strings base64 base32 fold fmt expand column hd",
			short: "bdfhilnsvwAjNtScoegeF", long: "wrap width separator output-separator format bytes"},
		{programs: "cut paste join", short: "dfcbt12aeoj", long: "delimiter fields characters bytes output-delimiter"},
		{programs: "sort uniq shuf tsort", short: "ktoSTfswni", long: "key field-separator output buffer-size", output: "o output"},
		{programs: "diff sdiff cmp diff3 delta colordiff", short: "UCILWxXFn", long: "label exclude width unified"},
		{programs: "grep egrep fgrep zgrep", short: "efABCmdD", long: "regexp file after-context before-context context max-count include exclude exclude-dir color",
			script: 1, scriptGiven: "e f regexp file", fileOptions: "f file"},
		{programs: "rg ag ack", short: "efABCmgtTjrEMd",
			long:   "regexp file after-context before-context context max-count glob iglob type type-not max-depth threads replace sort",
			script: 1, scriptGiven: "e f regexp file files", fileOptions: "f file"},
		{programs: "sed gsed", short: "efl", long: "expression file line-length", script: 1, scriptGiven: "e f expression file",
			fileOptions: "f file", inPlace: "i in-place"},
		{programs: "awk gawk mawk nawk", short: "Fvf", long: "field-separator assign file", script: 1, scriptGiven: "f file", fileOptions: "f file"},
		{programs: "jq gojq jaq", short: "fL", long: "from-file indent tab", script: 1, scriptGiven: "f from-file", fileOptions: "f from-file"},
		{programs: "yq", short: "poI", long: "input-format output-format indent", script: 1, inPlace: "i inplace"},
		{programs: "gofmt goimports gofumpt clang-format prettier black rustfmt shfmt",
			short: "rpi", long: "parser config", inPlace: "w write i in-place r", names: "l check list list-different"},
	}
}

func readerOf(name string) (reader, bool) {
	known := readers()
	i := slices.IndexFunc(known, func(k reader) bool { return shell.Listed(k.programs, name) })
	if i < 0 {
		return reader{}, false
	}
	return known[i], true
}

// uses are the files such a call reads and writes.
func (k reader) uses(args []shell.Text) []fileUse {
	if k.script > 0 {
		args = withoutNamedValues(args)
	}
	found := shell.Scan(args, k.short, k.long)
	if found.Has(k.names) {
		return nil
	}
	operands := found.Operands
	if k.script > 0 && !found.Has(k.scriptGiven) {
		operands = operands[min(k.script, len(operands)):]
	}
	if found.Has("include g glob iglob") {
		operands = slices.DeleteFunc(slices.Clone(operands), isFolder) // which files are searched in them is given
	}
	uses := all(operands, found.Has(k.inPlace))
	uses = append(uses, all(found.Values(k.fileOptions), false)...)
	return append(uses, all(found.Values(k.output), true)...)
}

// isFolder decides by the name: a folder has no extension.
func isFolder(file shell.Text) bool {
	base, ok := file.Base()
	return ok && (strings.Trim(base, ".") == "" || path.Ext(base) == "")
}

// withoutNamedValues leaves out jq's options that take two words, and awk's assignments between the files.
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
