package config

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/steering"
)

// Isolation, from the weakest to the strongest.
const (
	IsolationNone      = "none"
	IsolationSandbox   = "sandbox"
	IsolationContainer = "container"
)

// How Claude Code is let use its tools where no person could be asked: by
// bypassing its permissions, or by a list of what is allowed.
const (
	PermissionsBypass = "bypass"
	PermissionsListed = "listed"
)

// Ways to tell a person that something waits for them.
const (
	NotifyBell    = "bell"
	NotifyDesktop = "desktop"
	NotifyWebhook = "webhook"
	NotifySlack   = "slack"
	NotifyOff     = "off"
)

// setting is one line of the table of settings: where its value is kept, how it is written, and who may set it.
type setting struct {
	key string
	// separator splits a value given as one text; empty for settings with a single value.
	separator string
	fallback  any
	parse     func(words []string) (any, error)
	set       func(Source, any)
	get       func() any
	from      func() Source
	show      func() string
	// loosens reports that the proposed value is weaker than the one in force. A repository's value is then refused. Nil
	// means that any value is as good as another.
	loosens func(current, proposed any) bool
	// personal settings are never taken from a repository.
	personal string
}

// table lists every setting, in the order of the documentation.
func (s *Settings) table() []setting {
	limits := core.DefaultLimits()
	total := s.AllResources.table("resources.total.")
	for i := range total {
		total[i] = total[i].onlyPersonal("it also limits the work of other repositories")
	}
	return slices.Concat([]setting{
		word("isolation", &s.Isolation, oneOf(IsolationSandbox, IsolationContainer, IsolationNone)).byDefault(IsolationSandbox).
			tightened(func(current, proposed any) bool { return strength(proposed.(string)) < strength(current.(string)) }),
		word("agent", &s.Agent, name).byDefault("claude"),
		word("model", &s.Model, name),
		word("claude_permissions", &s.Permits, oneOf(PermissionsBypass, PermissionsListed)).byDefault(PermissionsBypass).
			onlyPersonal("only you decide what an agent's program may do"),
		word("claude_mcp", &s.MCP, absolute).onlyPersonal("it starts programs next to agents"),
		list("read_only", string(filepath.ListSeparator), &s.ReadOnly, absolute).onlyPersonal("it would open paths of this machine to agents"),
		list("approval_words", ";", &s.Approvals, approval).joined("; ").onlyPersonal("only you decide what counts as your approval"),
		list("steering_files", ",", &s.Steering, steering.Check).joined(", ").added(),
		list("notify", ",", &s.Notify, oneOf(NotifyBell, NotifyDesktop, NotifyWebhook, NotifySlack, NotifyOff)).byDefault([]string{NotifyBell}),
		number("limits.attempts", &s.Attempts, 1, 20).byDefault(limits.Attempts),
		number("limits.infra", &s.Infra, 0, 100).byDefault(limits.Infra),
		number("limits.sterile", &s.Sterile, 1, 1000).byDefault(limits.Sterile),
		duration("limits.wall_time", &s.WallTime).byDefault(limits.WallTime),
		number("limits.parallel", &s.Parallel, 1, 1000).byDefault(limits.Parallel),
		number("limits.auto_rounds", &s.AutoRounds, 0, 100).byDefault(limits.AutoRounds),
		money("limits.cost_usd", &s.CostUSD).byDefault(limits.CostUSD),
		optional("limits.tokens", &s.Tokens).byDefault(limits.Tokens),
		money("limits.attempt.cost_usd", &s.AttemptCostUSD).byDefault(limits.Attempt.CostUSD),
		optional("limits.attempt.tokens", &s.AttemptTokens).byDefault(limits.Attempt.Tokens),
		money("limits.project.cost_usd", &s.ProjectCostUSD).byDefault(limits.Project.CostUSD),
		optional("limits.project.tokens", &s.ProjectTokens).byDefault(limits.Project.Tokens),
		optionalDuration("limits.project.wall_time", &s.ProjectWallTime).byDefault(limits.Project.WallTime),
		optional("limits.project.attempts", &s.ProjectAttempts).byDefault(limits.Project.Attempts),
		optional("limits.project.parallel", &s.ProjectParallel).byDefault(limits.Project.Parallel),
	}, s.Resources.table("resources."), total, s.Network.table(), s.Credential.table(), []setting{
		orOff("preflight", &s.Preflight, parsePreflight, yamlfile.FormatDuration).byDefault(2 * time.Minute),
	}, s.Forge.table(), s.Telling.table(), []setting{
		orOff("retention", &s.Retention, ParseAge, FormatAge).onlyPersonal("it would choose what is removed from this machine"),
	})
}

func (s setting) byDefault(v any) setting { s.fallback = v; return s }

// shown is a setting that is listed in other words than those it is read from.
func (s setting) shown(show func() string) setting { s.show = show; return s }

// joined is a list that is shown with something else than spaces between its items.
func (s setting) joined(by string) setting {
	return s.shown(func() string { return strings.Join(s.get().([]string), by) })
}

func (s setting) tightened(loosens func(current, proposed any) bool) setting {
	s.loosens = loosens
	return s
}

// added is a list to which everybody can add, and from which nobody can take away.
func (s setting) added() setting {
	s.loosens = func(any, any) bool { return false } // a repository's words count beside the person's
	set, get := s.set, s.get
	s.set = func(from Source, v any) { set(from, append(slices.Clone(get().([]string)), v.([]string)...)) }
	return s
}

func (s setting) onlyPersonal(reason string) setting { s.personal = reason; return s }

// beyond compares limits of which zero means none.
func beyond[T int | int64 | float64 | time.Duration](current, proposed T) bool {
	return current != 0 && (proposed == 0 || proposed > current)
}

func strength(isolation string) int {
	return slices.Index([]string{IsolationNone, IsolationSandbox, IsolationContainer}, isolation)
}

func base[T any](key string, at *Value[T], parse func([]string) (any, error), show func(T) string) setting {
	var none T
	return setting{
		key:      key,
		fallback: none,
		parse:    parse,
		set:      func(from Source, v any) { *at = Value[T]{V: v.(T), From: from} },
		get:      func() any { return at.V },
		from:     func() Source { return at.From },
		show:     func() string { return show(at.V) },
	}
}

// single parses a setting that has exactly one value.
func single[T any](parse func(string) (T, error)) func([]string) (any, error) {
	return func(words []string) (any, error) {
		if len(words) != 1 {
			return nil, fmt.Errorf("expected one value, got %d", len(words))
		}
		return parse(words[0])
	}
}

func word(key string, at *Value[string], check func(string) error) setting {
	return base(key, at, single(func(text string) (string, error) { return text, check(text) }), strings.Clone)
}

func list(key, separator string, at *Value[[]string], check func(string) error) setting {
	s := base(key, at, func(words []string) (any, error) {
		for _, w := range words {
			if err := check(w); err != nil {
				return nil, err
			}
		}
		return words, nil
	}, func(words []string) string { return strings.Join(words, " ") })
	s.separator = separator
	return s
}

func number[T int | int64](key string, at *Value[T], low, high T) setting {
	return base(key, at, single(func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if outside := err != nil || n < int64(low) || n > int64(high); outside && int64(high) == boundless {
			return 0, fmt.Errorf("%q is not a whole number; 0 means no limit", text)
		} else if outside {
			return 0, fmt.Errorf("%q is not a whole number between %d and %d", text, low, high)
		}
		return T(n), nil
	}), func(n T) string { return fmt.Sprint(n) }).tightened(func(current, proposed any) bool { return proposed.(T) > current.(T) })
}

// boundless is the largest number that every machine can count to.
const boundless = math.MaxInt64 >> (64 - strconv.IntSize)

// optional is a number of which zero means no limit.
func optional[T int | int64](key string, at *Value[T]) setting {
	return number(key, at, 0, boundless).
		shown(func() string { return orNoLimit(at.V, fmt.Sprint(at.V)) }).
		tightened(func(current, proposed any) bool { return beyond(current.(T), proposed.(T)) })
}

// orNoLimit is the text of a limit of which zero means none.
func orNoLimit[T int | int64 | float64 | time.Duration](limit T, text string) string {
	if limit == 0 {
		return "no limit"
	}
	return text
}

func duration(key string, at *Value[time.Duration]) setting {
	return base(key, at, single(func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Minute {
			return 0, fmt.Errorf("%q is not a duration of at least 1m; write 90m or 8h", text)
		}
		return d, nil
	}), yamlfile.FormatDuration).tightened(func(current, proposed any) bool { return proposed.(time.Duration) > current.(time.Duration) })
}

// optionalDuration is a duration of which zero means no limit.
func optionalDuration(key string, at *Value[time.Duration]) setting {
	return base(key, at, single(func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d != 0 && d < time.Second {
			return 0, fmt.Errorf("%q is not a duration of at least 1s; write 90m or 8h, 0 means no limit", text)
		}
		return d, nil
	}), func(d time.Duration) string { return orNoLimit(d, yamlfile.FormatDuration(d)) }).
		tightened(func(current, proposed any) bool { return beyond(current.(time.Duration), proposed.(time.Duration)) })
}

func money(key string, at *Value[float64]) setting {
	return base(key, at, single(func(text string) (float64, error) {
		usd, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
			return 0, fmt.Errorf("%q is not an amount of dollars; 0 means no limit", text)
		}
		return usd, nil
	}), func(usd float64) string { return orNoLimit(usd, core.Money(usd)) }).
		tightened(func(current, proposed any) bool { return beyond(current.(float64), proposed.(float64)) })
}

func oneOf(words ...string) func(string) error {
	return func(text string) error {
		if slices.Contains(words, text) {
			return nil
		}
		return fmt.Errorf("%q is not known here; %s", text, yamlfile.Known(text, words))
	}
}

func name(text string) error {
	if text == "" || strings.HasPrefix(text, "-") || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }) {
		return fmt.Errorf("%q is not a name", text)
	}
	return nil
}

// approval is a message that is short enough to be nothing but an approval.
func approval(text string) error {
	switch words := strings.Fields(text); {
	case len(words) == 0 || !strings.ContainsFunc(text, unicode.IsLetter):
		return fmt.Errorf("%q is not an approval", text)
	case len(words) > 4 || len(text) > 40:
		return fmt.Errorf("%.60q is too long for an approval: at most 4 words and 40 characters", text)
	case strings.ContainsAny(text, "?/\n"):
		return fmt.Errorf("%q cannot be an approval: it is a question or a command", text)
	}
	return nil
}

func absolute(text string) error {
	if !filepath.IsAbs(text) {
		return fmt.Errorf("%q is not an absolute path", text)
	}
	return nil
}
