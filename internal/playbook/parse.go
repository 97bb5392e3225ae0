// Package playbook turns playbook files into core.Playbook values and back. It reports every problem of a file with line
// and column, and holds the JSON Schema of the format, the built-in playbooks, the detection of a project's commands, and
// the import of bytA's phases.conf. A playbook that it returns is complete and consistent: roles and agents are resolved,
// defaults filled in, every input comes from an earlier phase, and every path is inside the project. The package must not
// read files, run anything or decide what happens in a run.
package playbook

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"go.yaml.in/yaml/v3"
)

// Problem is one thing wrong with a playbook file; Problems is the error Parse returns.
type (
	Problem  = yamlfile.Problem
	Problems = yamlfile.Problems
	Warning  = yamlfile.Warning
)

// Folder is where a repository keeps its playbooks.
const Folder = ".stellwerk/playbooks"

// Defaults of a playbook.
const (
	DefaultAgent          = "claude"
	DefaultAttempts       = 3
	DefaultTimeout        = 30 * time.Minute
	DefaultCommandTimeout = check.DefaultCommandTimeout
	DefaultFindingsRounds = 3
)

// Options is what a playbook may rely on apart from its own text.
type Options struct {
	Origin   string                // where the text came from; "" is the file's name
	Roles    role.Set              // the roles it may name
	Agents   map[string]core.Agent // the agents a person has set up; the playbook's own come first
	Agent    string                // the agent of roles that name none
	Model    string                // the model of agents that name none
	Commands Commands              // what ${setup}, ${build} and ${test} stand for
}

// Parse reads a playbook. The error is of type Problems and holds everything that is wrong with the file, unless only the
// agent of the options is wrong. Warnings come only with a playbook.
func Parse(file string, data []byte, o Options) (*core.Playbook, []Warning, error) {
	root, report := yamlfile.Read(file, data)
	if err := report.Err(); err != nil {
		return nil, nil, err
	}
	p := &parser{opts: o, used: map[string]core.Role{}, usedAgents: map[string]bool{}}
	p.out.Origin = o.Origin
	if p.out.Origin == "" {
		p.out.Origin = file
	}
	p.playbook(root)
	if err := report.Err(); err != nil {
		return nil, nil, err
	}
	if p.stray {
		return nil, nil, core.Errorf(core.CodeInvalid, "--agent or your settings ask for the agent %q, which the playbook %s does not have", o.Agent, p.out.Name).
			WithHint("%s; to use another program as the agent, copy the playbook into your repository (stellwerk init --playbook %s) and name the program under agents",
				yamlfile.Known(o.Agent, p.agentNames()), p.out.Name)
	}
	p.out.Hash = p.hash(data)
	return &p.out, report.Warnings(), nil
}

// parser reads or writes one playbook.
type parser struct {
	opts       Options
	out        core.Playbook
	defaults   defaults
	agents     map[string]agentDraft
	roles      map[string]roleDraft
	phases     []*draft
	waves      yamlfile.Object
	used       map[string]core.Role
	usedAgents map[string]bool
	stray      bool // the options' agent is needed and unknown
}

type defaults struct {
	agent    yamlfile.Value
	hasAgent bool
	model    string
	attempts int
	timeout  time.Duration
}

// commonFields describe the fields of every kind of playbook. The kind is read before them.
func (p *parser) commonFields() yamlfile.Fields {
	out := &p.out
	return yamlfile.Fields{
		yamlfile.At("name", "", &out.Name, yamlfile.Word(idSchema(), readName)).Need(""),
		{
			Key: "kind", Schema: yamlfile.Schema{"enum": Kinds()},
			Doc: "phases: one after the other. rules: the steps of a project's plan, .ai/plan.md, each on a branch of its own. " +
				"manager: a project's work, as an agent delegates it. waves: a goal, as a planner delegates it wave by wave.",
			Read: func(yamlfile.Value) bool { return true },
			Node: func() *yaml.Node { return yamlfile.Text(out.Kind) },
		},
		yamlfile.At("description", "", &out.Description, yamlfile.AnyText),
		yamlfile.At("agents", "The programs that do the work, by name.", &p.agents, yamlfile.MapOf(idSchema(), readAgentName, agentForm())),
		yamlfile.At("roles", "Roles, or what is different in this playbook about roles that exist as files.", &p.roles,
			yamlfile.MapOf(roleName(), readRoleName, roleForm())),
		tiersField("Models of roles without one of their own, by the tier a run chooses.", &out.Tiers),
		yamlfile.At("setup", "Shell command, run once per delivery before its checks.", &out.Setup, yamlfile.AnyText).Then(p.settleSetup),
		networkField(&out.Network),
		yamlfile.At("cache", "Folders kept between checkouts while their key files are unchanged.", &out.Caches, caches()),
		yamlfile.Group("defaults", "", yamlfile.Fields{
			{Key: "agent", Schema: yamlfile.AnyText.Schema, Read: func(v yamlfile.Value) bool {
				p.defaults.agent, p.defaults.hasAgent = v, true
				return true
			}},
			yamlfile.At("model", "", &p.defaults.model, yamlfile.AnyText),
			yamlfile.At("attempts", "", &p.defaults.attempts, tries()),
			yamlfile.At("timeout", "", &p.defaults.timeout, span(maxTimeout)),
		}, nil).InOneLine(),
	}
}

func readName(v yamlfile.Value) (string, bool) {
	name, ok := v.Text()
	if ok && !validID(name) {
		v.Fail("is not a valid name", idHint)
	}
	return name, ok
}

func (p *parser) playbook(root yamlfile.Value) {
	p.defaults.attempts, p.defaults.timeout = DefaultAttempts, DefaultTimeout
	common, keys := p.commonFields(), keysByKind()
	o, ok := root.Object(slices.Concat(append(slices.Collect(maps.Values(keys)), common.Keys())...)...)
	if !ok {
		return
	}
	p.readKind(o, keys)
	common.Read(o)
	if kind := p.out.Kind; kind != "" && kind != KindPhases {
		p.out.Project = newManagement(kind, p.defaults)
	}
	p.kindFields(p.out.Kind).Read(o)
	switch p.out.Kind {
	case KindPhases:
		p.checkFlow()
		p.checkPlans()
	case KindWaves:
		p.settleWaves(o, p.out.Project)
	}
	p.finish()
}

// settleSetup replaces the variable by the project's own command, and uses that command's caches unless the file names
// some.
func (p *parser) settleSetup(yamlfile.Value) bool {
	text := p.out.Setup
	if command, is := p.opts.Commands.variable(text); is {
		p.out.Setup = command
	}
	if strings.TrimSpace(text) == "${setup}" {
		p.out.Caches = p.opts.Commands.Caches
	}
	return true
}

func cacheFields(c *core.Cache) yamlfile.Fields {
	return yamlfile.Fields{
		yamlfile.At("key", "", &c.Key, yamlfile.ListOf(inside())).Need("name the files whose change empties the cache"),
		yamlfile.At("path", "", &c.Path, inside()).Need(""),
	}
}

// caches is the form of the folders kept between checkouts.
func caches() yamlfile.Form[[]core.Cache] {
	cache := yamlfile.ObjectOf(cacheFields, nil)
	form := yamlfile.ListOf(cache)
	form.Schema = yamlfile.Schema{"type": "array", "items": cache.Schema}
	read := form.Read
	form.Read = func(v yamlfile.Value) ([]core.Cache, bool) {
		if items, ok := v.List(); !ok || len(items) == 0 {
			return nil, ok
		}
		return read(v)
	}
	return form
}

// finish moves the roles in use into the playbook, and warns about unused roles and agents.
func (p *parser) finish() {
	for _, d := range p.phases {
		p.out.Phases = append(p.out.Phases, d.Phase)
	}
	for _, name := range slices.Sorted(maps.Keys(p.roles)) {
		if _, used := p.used[name]; !used {
			p.roles[name].key.Warn("the role is defined but nothing uses it", "")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.agents)) {
		if !p.usedAgents[name] {
			p.agents[name].key.Warn("the agent is defined but no role uses it", "")
		}
	}
	if len(p.used) > 0 {
		p.out.Roles = p.used
	}
}
