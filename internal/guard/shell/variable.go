package shell

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variable is what is known of a shell variable.
type variable struct {
	values alternatives // of a plain variable, or of element 0
	list   []Text       // elements of an array; nil if it is none
}

func scalar(values alternatives) variable { return variable{values: values} }

func (v variable) equal(w variable) bool {
	return slices.Equal(v.values, w.values) && slices.Equal(v.list, w.list) && (v.list == nil) == (w.list == nil)
}

// join is what is known when the variable is either.
func (v variable) join(w variable) variable {
	if v.equal(w) {
		return v
	}
	joined := variable{values: v.values.with(w.values)}
	if v.list != nil || w.list != nil {
		joined.list = []Text{anything}
	}
	return joined
}

// variables are those that the line sets. Forks share them until one of them changes.
type variables struct {
	table *map[string]variable
	owned bool
}

func (v variables) get(name string) (variable, bool) {
	found, ok := (*v.table)[name]
	return found, ok
}

func (v variables) count() int { return len(*v.table) }

func (v *variables) set(name string, value variable) {
	v.own()
	(*v.table)[name] = value
}

func (v *variables) remove(name string) {
	v.own()
	delete(*v.table, name)
}

func (v *variables) own() {
	if !v.owned {
		copied := maps.Clone(*v.table)
		v.table, v.owned = &copied, true
	}
}

// mergeVariables makes each variable of s what it may be after either s or other. It reports whether that changed s.
func (s *scope) mergeVariables(other *scope) bool {
	if s.variables.table == other.variables.table {
		return false
	}
	changed := false
	for name, theirs := range *other.variables.table {
		mine, ok := s.variables.get(name)
		if !ok {
			mine = s.unset(name)
		}
		if joined := mine.join(theirs); !ok || !joined.equal(mine) {
			s.variables.set(name, joined)
			changed = true
		}
	}
	for name, mine := range *s.variables.table {
		if _, ok := other.variables.get(name); ok {
			continue
		}
		if joined := mine.join(other.unset(name)); !joined.equal(mine) {
			s.variables.set(name, joined)
			changed = true
		}
	}
	return changed
}

// widen forgets every variable that differs from before, so that looking at a loop comes to an end.
func (s *scope) widen(before *scope) {
	for name, v := range maps.Clone(*s.variables.table) {
		if old, ok := before.variables.get(name); !ok || !old.equal(v) {
			s.variables.set(name, scalar(unresolved()))
		}
	}
}

// load makes every variable unknown, as sourcing a file may have set any of them.
func (s *scope) load() {
	s.forget()
	s.loaded = true
}

// forget makes every variable that the line sets unknown.
func (s *scope) forget() {
	fresh := make(map[string]variable, s.variables.count())
	for name := range *s.variables.table {
		fresh[name] = scalar(unresolved())
	}
	s.variables = variables{table: &fresh, owned: true}
}

// restore gives a variable back what it held before.
func (s *scope) restore(name string, before *scope) {
	if v, ok := before.variables.get(name); ok {
		s.variables.set(name, v)
		return
	}
	s.variables.remove(name)
}

// lookup returns what is known of a variable.
func (s *scope) lookup(name string) variable {
	if s.blind {
		return scalar(s.unknown)
	}
	if v, ok := s.variables.get(name); ok {
		return v
	}
	return s.ambient(name)
}

// free reports a variable that neither the line nor the shell itself sets.
func (s *scope) free(name string) bool {
	_, set := s.variables.get(name)
	return !set && !s.loaded && !s.blind && syntax.ValidName(name) && !strings.HasPrefix(name, "BASH") &&
		!Listed("_ REPLY MAPFILE OPTARG OPTIND DIRSTACK FUNCNAME PIPESTATUS COPROC GROUPS HISTCMD IFS SHELL", name)
}

// unset is a variable that is set on one way through the line and not on another. The line does not decide what the
// environment holds, so all that matters is that the variable may be empty.
func (s *scope) unset(name string) variable {
	if v := s.ambient(name); !slices.Equal(v.values, s.unknown) {
		return v
	}
	return scalar(one(""))
}

// atomName is the variable that stands for an atom within code.
const atomName = "__atom"

// ambient is a variable that the command line does not set.
func (s *scope) ambient(name string) variable {
	switch name {
	case "IFS":
		return scalar(one(blanks))
	case "SHELL", "BASH", "0":
		return scalar(one("bash"))
	case "HOME", "PWD", "OLDPWD", "TMPDIR", "USER", "LOGNAME", "HOSTNAME", "UID", "EUID", "PPID", "RANDOM", "SECONDS",
		"EPOCHSECONDS", "LINENO", "OSTYPE", "HOSTTYPE", "MACHTYPE", "BASHPID", "BASH_VERSION",
		"CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_ROOT", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
		"GOPATH", "GOROOT", "GOBIN", "JAVA_HOME", "VIRTUAL_ENV", "NVM_DIR", "CARGO_HOME", "ANDROID_HOME",
		"?", "#", "$", "!", "-", atomName:
		return scalar(s.atom)
	}
	return scalar(s.unknown)
}
