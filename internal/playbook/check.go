package playbook

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"go.yaml.in/yaml/v3"
)

// subject is what checks are about: what a phase hands in, or every tree of a project.
type subject struct {
	outputs []string // artifacts that are handed in
	merges  bool     // merges must pass the checks, too
	left    bool     // a check was left out because the project has no such command
}

// refuses says why a kind of check cannot apply to the subject; "" if it can.
func (on *subject) refuses(kind core.CheckKind) string {
	if !on.merges {
		return ""
	}
	switch kind {
	case core.CheckChanged, core.CheckGit:
		return "looks at what one agent changed, but merges must pass these checks, too"
	case core.CheckArtifact:
		return "looks at documents, but steps and merges hand in none"
	case core.CheckState:
		return "looks at what agents report, but merges must pass these checks, too"
	default: // looks at a tree, or is a compound
		return ""
	}
}

// doneField holds the checks that must all pass.
func (p *parser) doneField(doc string, done *core.Check, on *subject) yamlfile.Field {
	return yamlfile.Field{
		Key: "done", Doc: doc, Schema: yamlfile.OneOrMore(on.reference()),
		Read: func(v yamlfile.Value) bool { *done = p.done(v, on); return true },
		Node: func() *yaml.Node { return writeChecks(done.Of) },
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

// checkFields describe a check, which has exactly one of them: its kind.
func (p *parser) checkFields(c *core.Check, on *subject) yamlfile.Fields {
	globs := yamlfile.ListOf(glob())
	write := globs.Write
	globs.Write = func(globs []string) *yaml.Node {
		if len(globs) == 1 {
			return yamlfile.Text(globs[0])
		}
		return write(globs)
	}
	return yamlfile.Fields{
		p.partsField(core.CheckAll, c, on),
		p.partsField(core.CheckAny, c, on),
		p.partsField(core.CheckNot, c, on),
		yamlfile.At("changed", "Each glob matches a file that this round's delivery changed.", &c.Globs, globs),
		yamlfile.At("files", "Each glob matches a file of the delivered tree.", &c.Globs, globs),
		p.commandField(c, on),
		artifactField(c, on),
		yamlfile.At("state", "jq on the run's context; what agents reported, so no evidence by itself.", &c.Expr, expression()),
		gitField(c),
	}
}

// reference points to the description of a check.
func (on *subject) reference() yamlfile.Schema {
	if on.merges {
		return yamlfile.Schema{"$ref": "#/$defs/treeCheck"}
	}
	return yamlfile.Schema{"$ref": "#/$defs/check"}
}

// schema describes a check.
func (on *subject) schema() yamlfile.Schema {
	fields := slices.DeleteFunc(new(parser).checkFields(&core.Check{}, on), func(f yamlfile.Field) bool {
		return on.refuses(core.CheckKind(f.Key)) != ""
	})
	return fields.Schema(yamlfile.Schema{"minProperties": 1, "maxProperties": 1})
}

// check reads one check. It returns false if the check has a problem, or names a command that the project does not have.
func (p *parser) check(v yamlfile.Value, on *subject) (core.Check, bool) {
	var c core.Check
	fields := p.checkFields(&c, on)
	o, ok := v.Object(fields.Keys()...)
	if !ok {
		return c, false
	}
	kind, only := soleKey(o, fields.Keys())
	if !only {
		return c, false
	}
	if why := on.refuses(core.CheckKind(kind)); why != "" {
		o.Key(kind).Fail("the check "+kind+" "+why, "use command or files")
		return c, false
	}
	c.Kind = core.CheckKind(kind)
	if !fields.Read(o) {
		return c, false
	}
	if len(c.Of) == 0 { // further limits, which evaluating has
		if err := check.Validate(c); err != nil {
			value, _ := o.Get(kind)
			value.Fail(err.Error(), "")
			return c, false
		}
	}
	return c, true
}

// soleKey is the one key a check has.
func soleKey(o yamlfile.Object, known []string) (string, bool) {
	found := slices.DeleteFunc(slices.Clone(known), func(key string) bool { return !o.Has(key) })
	pairs, _ := o.Value().Pairs()
	switch {
	case len(pairs) == 0:
		o.Value().Fail("a check is missing", yamlfile.Known("", known))
	case len(found) > 1:
		o.Value().Fail(fmt.Sprintf("a check has one key, this one has %d keys", len(found)), "write each check as an item of its own")
	case len(found) == 1:
		return found[0], true
	}
	return "", false
}

// writable refuses checks that a playbook cannot have, such as those that only deciders use.
func writable(done core.Check) error {
	if mentions(done, core.CheckPlan, core.CheckMerge, core.CheckAlone, core.CheckOutput, core.CheckDecision) {
		return errors.New("a playbook cannot have a check of this kind")
	}
	if len(done.Of) == 0 {
		return nil
	}
	return check.Validate(done)
}

// writeCheck writes a writable check.
func writeCheck(c core.Check) *yaml.Node {
	return yamlfile.Fields{new(parser).checkFields(&c, &subject{}).Find(string(c.Kind))}.Node()
}

// writeChecks writes a list of checks; nothing if there are none.
func writeChecks(checks []core.Check) *yaml.Node {
	if len(checks) == 0 {
		return nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, c := range checks {
		list.Content = append(list.Content, writeCheck(c))
	}
	return list
}

// partsField is a compound of other checks.
func (p *parser) partsField(kind core.CheckKind, c *core.Check, on *subject) yamlfile.Field {
	field := yamlfile.Field{
		Key: string(kind), Schema: yamlfile.Schema{"type": "array", "minItems": 1, "items": on.reference()},
		Read: func(v yamlfile.Value) bool {
			items, ok := v.List()
			if ok && len(items) == 0 {
				v.Fail("the list is empty", "")
			}
			return ok && p.readParts(c, on, items...)
		},
		Node: func() *yaml.Node { return writeChecks(c.Of) },
	}
	if kind == core.CheckNot {
		field.Schema = on.reference()
		field.Read = func(v yamlfile.Value) bool { return p.readParts(c, on, v) }
		field.Node = func() *yaml.Node { return writeCheck(c.Of[0]) }
	}
	return field
}

func (p *parser) readParts(c *core.Check, on *subject, items ...yamlfile.Value) bool {
	for _, item := range items {
		if of, ok := p.check(item, on); ok {
			c.Of = append(c.Of, of)
		}
	}
	return len(c.Of) > 0
}

func (p *parser) commandField(c *core.Check, on *subject) yamlfile.Field {
	run := yamlfile.Field{
		Key: "run", Schema: yamlfile.AnyText.Schema,
		Read: func(v yamlfile.Value) bool {
			if c.Timeout == 0 {
				c.Timeout = DefaultCommandTimeout
			}
			return p.readCommand(v, c, on)
		},
		Node: func() *yaml.Node { return yamlfile.Text(c.Run) },
	}
	return yamlfile.Group("command", "Shell command that exits 0 in a clean checkout of the delivery.", yamlfile.Fields{
		run.Need(""),
		yamlfile.At("timeout", "", &c.Timeout, span(check.MaxCommandTimeout)),
	}, nil).Or(run, c.Timeout == DefaultCommandTimeout || c.Timeout == 0)
}

func (p *parser) readCommand(v yamlfile.Value, c *core.Check, on *subject) bool {
	text, ok := v.Text()
	if !ok {
		return false
	}
	if command, is := p.opts.Commands.variable(text); is {
		if command == "" {
			on.left = true
			v.Warn("no command was found for "+text+"; the check is left out", "write the command in its place")
			return false
		}
		text = command
	}
	if clash(text) {
		v.Fail("the command sets a variable coverage, but "+coverageVariable+" stands for the run's own target", "give the variable another name")
		return false
	}
	c.Run = text
	return true
}

func artifactField(c *core.Check, on *subject) yamlfile.Field {
	name := yamlfile.At("name", "", &c.Name, yamlfile.Word(artifactSchema(), func(v yamlfile.Value) (string, bool) {
		name, ok := readArtifact(v)
		if ok && !slices.Contains(on.outputs, name) {
			v.Fail("the artifact "+yamlfile.Quote(name)+" is not among the phase's outputs", "add it to outputs")
			return "", false
		}
		return name, ok
	}))
	schema := yamlfile.Field{
		Key: "schema", Schema: yamlfile.Schema{"type": "object"},
		Read: func(v yamlfile.Value) bool { c.Schema = inlineSchema(v); return c.Schema != nil },
		Node: func() *yaml.Node {
			var document yaml.Node
			if yaml.Unmarshal(c.Schema, &document) != nil { // which a writable check's is not
				return nil
			}
			return document.Content[0]
		},
	}
	implied := c.Name == role.ReviewArtifact && bytes.Equal(c.Schema, canonicalJSON(role.ReviewSchema()))
	return yamlfile.Group("artifact", "Handed in, not empty, and valid if it has a schema.", yamlfile.Fields{name.Need(""), schema}, nil).
		Or(name, c.Schema == nil || implied)
}

// Short forms of the two usual checks of history.
const (
	gitCommitted = "committed"
	gitLinear    = "linear"
)

func gitField(c *core.Check) yamlfile.Field {
	g := c.Git
	if g == nil {
		g = &core.GitCheck{}
	}
	word := map[core.GitCheck]string{{Commits: 1}: gitCommitted, {Linear: true}: gitLinear}[*g]
	short := yamlfile.At("", "", &word, yamlfile.OneOf(gitCommitted, gitLinear)).Then(func(yamlfile.Value) bool {
		if g.Linear = word == gitLinear; !g.Linear {
			g.Commits = 1
		}
		c.Git = g
		return true
	})
	amount := yamlfile.Number(1, 1_000_000)
	fields := yamlfile.Fields{
		yamlfile.At("commits", "", &g.Commits, amount),
		yamlfile.At("linear", "", &g.Linear, yamlfile.Flag),
		yamlfile.At("message", "Regular expression that every subject matches.", &g.Message, yamlfile.Word(yamlfile.AnyText.Schema, readRegexp)),
		yamlfile.At("max_files", "", &g.MaxFiles, amount),
		yamlfile.At("max_lines", "", &g.MaxLines, amount),
	}
	long := yamlfile.Group("git", "", fields, nil).InOneLine().Then(func(v yamlfile.Value) bool {
		if c.Git = g; *g == (core.GitCheck{}) {
			v.Fail("the check asks for nothing", yamlfile.Known("", fields.Keys()))
			return false
		}
		return true
	})
	long.Schema["minProperties"] = 1
	return long.Or(short, word != "")
}

func readRegexp(v yamlfile.Value) (string, bool) {
	text, ok := v.Text()
	if !ok {
		return "", false
	}
	if _, err := regexp.Compile(text); err != nil {
		v.Fail("the regular expression "+yamlfile.Quote(text)+" is not valid: "+err.Error(), "")
		return "", false
	}
	return text, true
}
