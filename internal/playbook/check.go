package playbook

import (
	"regexp"
	"slices"
	"time"

	"github.com/itchyny/gojq"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func checkKeys() []string {
	return []string{"all", "any", "not", "changed", "files", "command", "artifact", "state", "git"}
}

// subject is what checks are about: what a phase hands in, or each tree that a project comes to.
type subject struct {
	outputs []string // artifacts that are handed in
	merges  bool     // merges are held to the checks, too
	left    bool     // a check was left out because the project has no such command
}

// refuses says why a kind of check cannot apply to the subject; empty where it can.
func (on *subject) refuses(kind core.CheckKind) string {
	if !on.merges {
		return ""
	}
	switch kind {
	case core.CheckChanged, core.CheckGit:
		return "looks at what one agent changed, and these checks hold of merges, too"
	case core.CheckArtifact:
		return "looks at documents, and steps and merges hand in none"
	case core.CheckState:
		return "looks at what agents report, and these checks hold of merges, too"
	default: // looks at a tree, or is a compound
		return ""
	}
}

// done reads a list of checks. The result is always of kind all.
func (p *parser) done(v yamlfile.Value, on *subject) core.Check {
	all := core.Check{Kind: core.CheckAll}
	if v.IsText() {
		v.Fail("expected a list of checks, got text", "write, for example: done: [{command: go test ./...}]")
		return all
	}
	for _, item := range v.Each() {
		if c, ok := p.check(item, on); ok {
			all.Of = append(all.Of, c)
		}
	}
	if err := check.Validate(all); err != nil {
		v.Fail(err.Error(), "")
	}
	return all
}

// check reads one check; false means it was reported, or dropped because it names a command the project does not have.
func (p *parser) check(v yamlfile.Value, on *subject) (core.Check, bool) {
	o, ok := v.Object(checkKeys()...)
	if !ok {
		return core.Check{}, false
	}
	kind, only := soleKey(v, o)
	if !only {
		return core.Check{}, false
	}
	value, ok := o.Get(kind)
	if !ok {
		return core.Check{}, false
	}
	if why := on.refuses(core.CheckKind(kind)); why != "" {
		o.Key(kind).Fail("the check "+kind+" "+why, "use command or files")
		return core.Check{}, false
	}
	switch kind := core.CheckKind(kind); kind {
	case core.CheckAll, core.CheckAny, core.CheckNot:
		return p.compound(value, on, kind)
	default:
		c, ok := p.leaf(value, on, kind)
		if !ok {
			return core.Check{}, false
		}
		if err := check.Validate(c); err != nil { // limits that only evaluating has
			value.Fail(err.Error(), "")
			return core.Check{}, false
		}
		return c, true
	}
}

// leaf reads a check that is no compound.
func (p *parser) leaf(v yamlfile.Value, on *subject, kind core.CheckKind) (core.Check, bool) {
	switch kind {
	case core.CheckChanged, core.CheckFiles:
		return globs(v, kind)
	case core.CheckCommand:
		return p.command(v, on)
	case core.CheckArtifact:
		return artifact(v, on)
	case core.CheckState:
		expr, ok := expression(v)
		return core.Check{Kind: kind, Expr: expr}, ok
	default:
		return git(v)
	}
}

// soleKey is the one key a check has.
func soleKey(v yamlfile.Value, o yamlfile.Object) (string, bool) {
	var found []string
	for _, key := range checkKeys() {
		if o.Has(key) {
			found = append(found, key)
		}
	}
	pairs, _ := v.Pairs()
	switch {
	case len(pairs) == 0:
		v.Fail("a check is missing", yamlfile.Known("", checkKeys()))
	case len(found) > 1:
		v.Fail("a check has one key, this one has "+plural(len(found), "key"), "write each check as an item of its own")
	case len(found) == 1:
		return found[0], true
	}
	return "", false
}

func (p *parser) compound(v yamlfile.Value, on *subject, kind core.CheckKind) (core.Check, bool) {
	items := []yamlfile.Value{v}
	if kind != core.CheckNot {
		list, ok := v.List()
		if !ok {
			return core.Check{}, false
		}
		if len(list) == 0 {
			v.Fail("the list is empty", "")
		}
		items = list
	}
	c := core.Check{Kind: kind}
	for _, item := range items {
		if of, ok := p.check(item, on); ok {
			c.Of = append(c.Of, of)
		}
	}
	return c, len(c.Of) > 0
}

func globs(v yamlfile.Value, kind core.CheckKind) (core.Check, bool) {
	c := core.Check{Kind: kind}
	for _, item := range v.Each() {
		if g, ok := glob(item); ok {
			c.Globs = append(c.Globs, g)
		}
	}
	return c, len(c.Globs) > 0
}

func commandKeys() []string { return []string{"run", "timeout"} }

func (p *parser) command(v yamlfile.Value, on *subject) (core.Check, bool) {
	c := core.Check{Kind: core.CheckCommand, Timeout: DefaultCommandTimeout}
	run := v
	if v.IsMap() {
		o, _ := v.Object(commandKeys()...)
		var ok bool
		c.Timeout = timeout(o, DefaultCommandTimeout, check.MaxCommandTimeout)
		if run, ok = o.Need("run", ""); !ok {
			return c, false
		}
	}
	text, ok := run.Text()
	if !ok {
		return c, false
	}
	if command, is := p.opts.Commands.variable(text); is {
		if command == "" {
			on.left = true
			run.Warn("no command was found for "+text+"; the check is left out", "write the command in its place")
			return c, false
		}
		text = command
	}
	if clash(text) {
		run.Fail("the command sets a variable coverage, and "+coverageVariable+" stands for the run's own target", "give the variable another name")
		return c, false
	}
	c.Run = text
	return c, true
}

func artifactKeys() []string { return []string{"name", "schema"} }

func artifact(v yamlfile.Value, on *subject) (core.Check, bool) {
	c := core.Check{Kind: core.CheckArtifact}
	name := v
	if v.IsMap() {
		o, _ := v.Object(artifactKeys()...)
		if s, given := o.Get("schema"); given {
			c.Schema = inlineSchema(s)
		}
		var given bool
		if name, given = o.Need("name", ""); !given {
			return c, false
		}
	}
	var ok bool
	if c.Name, ok = artifactName(name); !ok {
		return c, false
	}
	if !slices.Contains(on.outputs, c.Name) {
		name.Fail("the artifact "+quote(c.Name)+" is not among the phase's outputs", "add it to outputs")
		return c, false
	}
	return c, true
}

// expression reads a jq expression and compiles it, so that an unknown function is found now and not in a run.
func expression(v yamlfile.Value) (string, bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	query, err := gojq.Parse(text)
	if err == nil {
		_, err = gojq.Compile(query)
	}
	if err != nil {
		v.Fail("the jq expression "+quote(text)+" is not valid: "+err.Error(), "a value is named with a leading dot: .tests.passed == true")
		return "", false
	}
	return text, true
}

// Words that stand for the two usual checks of history.
const (
	gitCommitted = "committed"
	gitLinear    = "linear"
)

func gitKeys() []string { return []string{"commits", "linear", "message", "max_files", "max_lines"} }

func git(v yamlfile.Value) (core.Check, bool) {
	const most = 1_000_000
	c := core.Check{Kind: core.CheckGit, Git: &core.GitCheck{}}
	if !v.IsMap() {
		word, ok := v.Choice(gitCommitted, gitLinear)
		if word == gitCommitted {
			c.Git.Commits = 1
		} else {
			c.Git.Linear = true
		}
		return c, ok
	}
	o, _ := v.Object(gitKeys()...)
	number := func(key string, into *int) {
		if n, ok := o.Get(key); ok {
			*into, _ = n.Int(1, most)
		}
	}
	number("commits", &c.Git.Commits)
	number("max_files", &c.Git.MaxFiles)
	number("max_lines", &c.Git.MaxLines)
	if linear, ok := o.Get("linear"); ok {
		c.Git.Linear, _ = linear.Bool()
	}
	if message, ok := o.Get("message"); ok {
		c.Git.Message, _ = message.Text()
		if _, err := regexp.Compile(c.Git.Message); err != nil {
			message.Fail("the regular expression "+quote(c.Git.Message)+" is not valid: "+err.Error(), "")
			return c, false
		}
	}
	if *c.Git == (core.GitCheck{}) {
		v.Fail("the check asks for nothing", yamlfile.Known("", gitKeys()))
		return c, false
	}
	return c, true
}

// Bounds of times and numbers that a playbook may set.
const (
	minTimeout   = time.Second
	maxTimeout   = 7 * 24 * time.Hour
	shortTimeout = 10 * time.Second
	maxAttempts  = 20
)

func timeout(o yamlfile.Object, fallback, longest time.Duration) time.Duration {
	return span(o, "timeout", fallback, longest)
}

// span reads a length of time, and remarks on one whose unit may be a slip.
func span(o yamlfile.Object, key string, fallback, longest time.Duration) time.Duration {
	v, ok := o.Get(key)
	if !ok {
		return fallback
	}
	d, ok := v.Duration(minTimeout, longest)
	switch {
	case ok && d < shortTimeout:
		v.Warn(yamlfile.FormatDuration(d)+" is very short", "s is seconds, m is minutes")
	case ok && d > 24*time.Hour:
		v.Warn(yamlfile.FormatDuration(d)+" is very long", "h is hours, m is minutes")
	}
	return d
}

func attempts(o yamlfile.Object, fallback int) int {
	v, ok := o.Get("attempts")
	if !ok {
		return fallback
	}
	n, _ := v.Int(1, maxAttempts)
	return n
}
