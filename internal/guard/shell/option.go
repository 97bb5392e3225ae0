package shell

import (
	"slices"
	"strings"
)

// Options are a program's arguments, taken apart.
type Options struct {
	Operands []Text
	Blurred  bool // an option or its value may be several words, so that what follows may be read differently
	list     []option
}

// option is one option, without its dashes.
type option struct {
	name  string
	value Text
}

// Scan takes arguments apart. short lists the letters, long the names (separated by spaces) of options that take a
// value from the next word; a value after = needs no listing.
func Scan(args []Text, short, long string) Options { return scan(args, short, long, false) }

// ScanFirst is Scan for programs whose options end at the first operand.
func ScanFirst(args []Text, short, long string) Options { return scan(args, short, long, true) }

func scan(args []Text, short, long string, first bool) Options {
	var found Options
	for i := 0; i < len(args); i++ {
		t := args[i]
		switch {
		case t == "--":
			found.Operands = append(found.Operands, args[i+1:]...)
			return found
		case len(t) < 2 || t[0] != '-':
			if first {
				found.Operands = append(found.Operands, args[i:]...)
				return found
			}
			found.Operands = append(found.Operands, t)
		case t[1] == '-':
			i += found.long(args, i, long)
		default:
			i += found.short(args, i, short)
		}
	}
	return found
}

// long reads --name, --name=value and, for listed names, --name value. It returns how many more words it used.
func (o *Options) long(args []Text, i int, takes string) int {
	name, value, given := strings.Cut(string(args[i][2:]), "=")
	if !given && i+1 < len(args) && Listed(takes, name) {
		o.add(name, args[i+1])
		return 1
	}
	o.add(name, Text(value))
	return 0
}

// Listed reports whether a word is among words that are separated by spaces.
func Listed(words, word string) bool {
	for at := 0; word != "" && !strings.Contains(word, " "); {
		i := strings.Index(words[at:], word)
		if i < 0 {
			break
		}
		i += at
		at = i + len(word)
		if (i == 0 || words[i-1] == ' ') && (at == len(words) || words[at] == ' ') {
			return true
		}
	}
	return false
}

// short reads a cluster such as -xvf file. It returns how many more words it used.
func (o *Options) short(args []Text, i int, takes string) int {
	cluster := args[i][1:]
	for at := range len(cluster) {
		letter := string(cluster[at : at+1])
		switch {
		case !strings.Contains(takes, letter):
			o.add(letter, "")
		case at+1 < len(cluster):
			o.add(letter, cluster[at+1:])
			return 0
		case i+1 < len(args):
			o.add(letter, args[i+1])
			return 1
		default:
			o.add(letter, "")
		}
	}
	return 0
}

func (o *Options) add(name string, value Text) {
	o.list = append(o.list, option{name: name, value: value})
	o.Blurred = o.Blurred || Text(name).Splits() || value.Splits()
}

// Value returns the value of the last option that has one of the names, which are separated by spaces.
func (o Options) Value(names string) (Text, bool) {
	values := o.Values(names)
	if len(values) == 0 {
		return "", false
	}
	return values[len(values)-1], true
}

// Values returns the values of all options that have one of the names, which are separated by spaces, in order.
func (o Options) Values(names string) []Text {
	var found []Text
	for _, option := range o.list {
		if Listed(names, option.name) {
			found = append(found, option.value)
		}
	}
	return found
}

// Has reports whether an option has one of the names, which are separated by spaces.
func (o Options) Has(names string) bool { return len(o.Values(names)) > 0 }

// Only reports whether every option has one of the names, which are separated by spaces.
func (o Options) Only(names string) bool {
	return !slices.ContainsFunc(o.list, func(option option) bool { return !Listed(names, option.name) })
}
