package shell

import "strings"

// printed is what a program would print, for the few programs whose output follows from the line alone.
func (r *Run) printed(s *scope, name string, args []Text) alternatives {
	if !s.captured {
		return nil
	}
	switch name {
	case "echo":
		return one(echo(args))
	case "printf":
		return one(format(args))
	case "cat":
		if len(args) == 0 && s.input.Kind == InputText {
			return s.input.Texts
		}
	case "true", ":", "false", "test", "[", "sleep", "mkdir", "touch", "rm":
		return one("")
	case "which", "command", "type":
		return located(args)
	case "pwd", "mktemp", "dirname", "realpath", "readlink", "nproc", "whoami", "hostname", "uname", "date", "wc", "tty":
		return one(atom)
	case "git":
		return gitWord(args)
	}
	return unresolved()
}

// located is what which and its like print: a path that ends in the program's name.
func located(args []Text) alternatives {
	operands := Scan(args, "", "").Operands
	if len(operands) == 1 && operands[0].Known() && !strings.Contains(string(operands[0]), "/") {
		return one(atom + "/" + operands[0] + "\n")
	}
	return unresolved()
}

// gitWord is what git prints if the answer is a single word, such as a hash or a branch.
func gitWord(args []Text) alternatives {
	if len(args) == 0 {
		return unresolved()
	}
	switch args[0] {
	case "rev-parse", "merge-base", "symbolic-ref", "describe", "write-tree", "hash-object", "stash":
		return one(atom)
	case "branch":
		if len(args) == 2 && args[1] == "--show-current" {
			return one(atom)
		}
	}
	return unresolved()
}

func echo(args []Text) Text {
	newline, escaped := Text("\n"), false
	for len(args) > 0 {
		flag := string(args[0])
		if len(flag) < 2 || flag[0] != '-' || strings.Trim(flag[1:], "neE") != "" {
			break
		}
		if strings.Contains(flag, "n") {
			newline = ""
		}
		escaped = escaped || strings.Contains(flag, "e")
		args = args[1:]
	}
	text := Join(args)
	if escaped {
		text = escapes(string(text), false)
	}
	return text + newline
}

// format is what printf prints. Directives other than %s, %b, %d and %% make it unknown.
func format(args []Text) Text {
	operands := ScanFirst(args, "", "").Operands
	if len(operands) == 0 || !operands[0].Known() {
		return anything
	}
	pattern, values := escapes(string(operands[0]), false), operands[1:]
	var b strings.Builder
	for {
		used := len(values)
		for i := 0; i < len(pattern); i++ {
			if pattern[i] != '%' {
				b.WriteByte(pattern[i])
				continue
			}
			if i++; i == len(pattern) {
				return anything
			}
			switch pattern[i] {
			case '%':
				b.WriteByte('%')
				continue
			case 's', 'd', 'b':
			default:
				return anything
			}
			if len(values) == 0 {
				continue
			}
			value := values[0]
			if pattern[i] == 'b' {
				value = escapes(string(value), false)
			}
			b.WriteString(string(value))
			values = values[1:]
		}
		if len(values) == 0 || len(values) == used {
			return Text(b.String())
		}
	}
}
