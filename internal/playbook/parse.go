// Package playbook turns playbook files into core.Playbook values and back: parsing with every problem of a file at its
// line and column, the JSON Schema of the format, the built-in playbooks, the detection of a project's commands, and the
// import of bytA's phases.conf. What leaves this package is complete and consistent: every role and agent is resolved,
// every default filled in, every input produced by an earlier phase, every path inside the project. It must not read
// files, run anything or decide what happens in a run.
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
)

// Problem is one thing wrong with a playbook file; Problems is the error Parse returns; Warning is a remark.
type (
	Problem  = yamlfile.Problem
	Problems = yamlfile.Problems
	Warning  = yamlfile.Warning
)

// Folder is where a repository keeps its playbooks.
const Folder = ".stellwerk/playbooks"

// What holds where a playbook is silent.
const (
	DefaultAgent          = "claude"
	DefaultAttempts       = 3
	DefaultTimeout        = 30 * time.Minute
	DefaultCommandTimeout = check.DefaultCommandTimeout
	DefaultFindingsRounds = 3
)

// Options is what a playbook may rely on besides its own text.
type Options struct {
	Origin   string                // where the text came from; the file's name where empty
	Roles    role.Set              // the roles it may name
	Agents   map[string]core.Agent // the agents a person has set up; the playbook's own come first
	Agent    string                // the agent of roles for which nothing else is said
	Model    string                // the model of agents for which nothing else is said
	Commands Commands              // what ${setup}, ${build} and ${test} stand for
}

// Parse reads a playbook. The error is of type Problems and holds everything that is wrong with the file, unless only the
// agent of the options is; warnings come only with a playbook.
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
		return nil, nil, core.Errorf(core.CodeInvalid, "there is no agent %q in the playbook %s, and --agent or your settings ask for it", o.Agent, p.out.Name).
			WithHint("%s; to have another program as the agent, put the playbook into your repository (stellwerk init --playbook %s) and name it under agents",
				yamlfile.Known(o.Agent, p.agentNames()), p.out.Name)
	}
	p.out.Hash = p.hash(data)
	return &p.out, report.Warnings(), nil
}

// parser holds what is known of a playbook while it is read.
type parser struct {
	opts       Options
	out        core.Playbook
	defaults   defaults
	agents     map[string]agentDraft
	roles      map[string]roleDraft
	phases     []*draft
	used       map[string]core.Role
	usedAgents map[string]bool
	stray      bool // the options' agent is needed and not known
}

type defaults struct {
	agent    yamlfile.Value
	hasAgent bool
	model    string
	attempts int
	timeout  time.Duration
}

// playbookKeys are the keys of a playbook of any kind.
func playbookKeys() []string {
	keys := []string{"name", "kind", "description", "agents", "roles", "tiers", "defaults", "setup", "cache", "network"}
	return append(keys, allKindKeys()...)
}

func (p *parser) playbook(root yamlfile.Value) {
	o, ok := root.Object(playbookKeys()...)
	if !ok {
		return
	}
	p.readKind(o)
	if v, ok := o.Need("name", ""); ok {
		if p.out.Name, ok = v.Text(); ok && !validID(p.out.Name) {
			v.Fail("is not a valid name", idHint)
		}
	}
	p.out.Description = o.Text("description")
	p.out.Setup = p.setup(o)
	p.out.Tiers = readTiers(o)
	p.readAgents(o)
	p.readRoles(o)
	p.readDefaults(o)
	p.readCaches(o)
	p.out.Network = readReaches(o)
	switch p.out.Kind {
	case KindPhases:
		p.readPhases(o)
		p.checkFlow()
		p.checkPlans()
	case KindRules, KindManager:
		p.readProject(o)
	case KindWaves:
		p.readWaves(o)
	}
	p.finish()
}

func (p *parser) setup(o yamlfile.Object) string {
	v, ok := o.Get("setup")
	if !ok {
		return ""
	}
	text, _ := v.Text()
	if variable, is := p.opts.Commands.variable(text); is {
		return variable
	}
	return text
}

func defaultKeys() []string { return []string{"agent", "model", "attempts", "timeout"} }

func (p *parser) readDefaults(o yamlfile.Object) {
	p.defaults.attempts, p.defaults.timeout = DefaultAttempts, DefaultTimeout
	v, ok := o.Get("defaults")
	if !ok {
		return
	}
	d, ok := v.Object(defaultKeys()...)
	if !ok {
		return
	}
	p.defaults.agent, p.defaults.hasAgent = d.Get("agent")
	p.defaults.model = d.Text("model")
	p.defaults.attempts = attempts(d, DefaultAttempts)
	p.defaults.timeout = timeout(d, DefaultTimeout, maxTimeout)
}

func cacheKeys() []string { return []string{"key", "path"} }

func (p *parser) readCaches(o yamlfile.Object) {
	v, ok := o.Get("cache")
	if !ok {
		if text := o.Text("setup"); strings.TrimSpace(text) == "${setup}" {
			p.out.Caches = p.opts.Commands.Caches // that the detected setup fills
		}
		return
	}
	items, _ := v.List()
	for _, item := range items {
		c, ok := item.Object(cacheKeys()...)
		if !ok {
			continue
		}
		cache := core.Cache{}
		if key, ok := c.Need("key", "name the files whose change empties the cache"); ok {
			for _, file := range key.Each() {
				cache.Key = append(cache.Key, inside(file))
			}
		}
		if folder, ok := c.Need("path", ""); ok {
			cache.Path = inside(folder)
		}
		p.out.Caches = append(p.out.Caches, cache)
	}
}

// finish moves what was used into the playbook and remarks on what was not.
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
