package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// File is a settings file: its name for messages, and its content. Empty data means there is none.
type File struct {
	Name string
	Data []byte
}

// Input holds all sources of settings.
type Input struct {
	Flags   map[string]string // by setting: "limits.attempts"; only those the person gave
	Env     func(string) (string, bool)
	User    File
	Project File // as of the base commit
}

// Load works out every setting. Warnings name what a repository asked for and did not get; callers show them. Wrong values
// are errors with [core.CodeInvalid]: those of a file together, as yamlfile.Problems.
func Load(in Input) (*Settings, []yamlfile.Warning, error) {
	user, userReport := readFile(in.User)
	project, projectReport := readFile(in.Project)
	s := Defaults()
	var failed []error
	for _, setting := range s.table() {
		if found, ok := user[setting.key]; ok {
			setting.set(Source{LevelUser, found.where(in.User)}, found.parsed)
		}
		if found, ok := project[setting.key]; ok && setting.admits(found) {
			setting.set(Source{LevelProject, found.where(in.Project)}, found.parsed)
		}
		if err := setting.override(in); err != nil {
			failed = append(failed, err)
		}
	}
	if err := s.Credential.check(); err != nil {
		failed = append(failed, core.Wrap(core.CodeInvalid, err, "your settings contradict each other", ""))
	}
	err := errors.Join(append([]error{userReport.Err(), projectReport.Err()}, failed...)...)
	if err != nil {
		return nil, nil, err
	}
	return s, append(userReport.Warnings(), projectReport.Warnings()...), nil
}

// admits decides whether a repository's value counts. If strictness can be compared, the stricter of the repository's
// and the person's value holds; otherwise the person's, if they set one.
func (s setting) admits(found entry) bool {
	switch {
	case s.personal != "":
		found.value.Warn("a repository cannot set "+s.key+": "+s.personal, "set it in your own settings")
		return false
	case s.loosens != nil && s.loosens(s.get(), found.parsed):
		found.value.Warn(fmt.Sprintf("a repository can tighten %s, not loosen it; %v stays in force", s.key, s.get()),
			"set it in your own settings or with a flag")
		return false
	case s.loosens == nil:
		return s.from().Level != LevelUser
	}
	return true
}

// override applies the environment, then the flag: what a person sets for this run always wins.
func (s setting) override(in Input) error {
	apply := func(from Source, text string) error {
		words := []string{text}
		if s.separator != "" {
			words = strings.Split(text, s.separator)
		}
		value, err := s.parse(words)
		if err != nil {
			return core.Wrap(core.CodeInvalid, err, fmt.Sprintf("the setting %s from %s is not valid", s.key, from), "")
		}
		s.set(from, value)
		return nil
	}
	if in.Env != nil {
		variable := Variable(s.key)
		if text, ok := in.Env(variable); ok && text != "" {
			if err := apply(Source{LevelEnvironment, variable}, text); err != nil {
				return err
			}
		}
	}
	if text, ok := in.Flags[s.key]; ok {
		return apply(Source{LevelFlag, "--" + flagName(s.key)}, text)
	}
	return nil
}

// flagName is how a setting is called on the command line.
func flagName(key string) string {
	switch key {
	case "limits.wall_time":
		return "max-time"
	case "limits.cost_usd":
		return "max-cost"
	case "limits.tokens":
		return "max-tokens"
	case "network.mode":
		return "network"
	}
	return strings.ReplaceAll(strings.TrimPrefix(key, "limits."), "_", "-")
}

// entry is a setting of a file.
type entry struct {
	value  yamlfile.Value
	parsed any
}

func (e entry) where(f File) string { return fmt.Sprintf("%s:%d", f.Name, e.value.Line()) }

// readFile reads the settings of a file and reports every wrong one.
func readFile(f File) (map[string]entry, *yamlfile.Report) {
	if len(f.Data) == 0 {
		return nil, yamlfile.NewReport(f.Name)
	}
	root, report := yamlfile.Read(f.Name, f.Data)
	if report.Err() != nil {
		return nil, report
	}
	found := map[string]entry{}
	collect(root, "", found)
	return found, report
}

// collect reads the settings below a place of a file, whose keys begin with
// prefix.
func collect(at yamlfile.Value, prefix string, found map[string]entry) {
	settings := map[string]setting{}
	var names []string
	for _, s := range new(Settings).table() {
		below, ok := strings.CutPrefix(s.key, prefix)
		if name, _, _ := strings.Cut(below, "."); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
		settings[s.key] = s
	}
	o, _ := at.Object(names...)
	for _, name := range names {
		v, given := o.Get(name)
		if !given {
			continue
		}
		s, single := settings[prefix+name]
		if !single {
			collect(v, prefix+name+".", found)
		} else if parsed, ok := s.read(v); ok {
			found[s.key] = entry{v, parsed}
		}
	}
}

func (s setting) read(v yamlfile.Value) (any, bool) {
	items := []yamlfile.Value{v}
	if s.separator != "" {
		items = v.Each()
	}
	var words []string
	for _, item := range items {
		word, ok := item.Scalar()
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return nil, false
	}
	value, err := s.parse(words)
	if err != nil {
		v.Fail(err.Error(), "")
		return nil, false
	}
	return value, true
}
