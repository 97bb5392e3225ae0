package config

import (
	"cmp"
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

// How Claude Code may use its tools when no person can be asked: it bypasses permissions, or follows a list.
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
	NotifyOff     = off
)

// off turns something off.
const off = "off"

// setting is one row of the table of settings: where its value is kept, how it is written, and who may set it.
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
	// loosens reports that the proposed value is weaker than the one in force: a repository cannot set it. Nil means that
	// values cannot be compared.
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
		duration("limits.wall_time", &s.WallTime, atLeast(time.Minute)).tightened(higher[time.Duration]).byDefault(limits.WallTime),
		number("limits.parallel", &s.Parallel, 1, 1000).byDefault(limits.Parallel),
		number("limits.auto_rounds", &s.AutoRounds, 0, 100).byDefault(limits.AutoRounds),
		money("limits.cost_usd", &s.CostUSD).byDefault(limits.CostUSD),
		optional("limits.tokens", &s.Tokens).byDefault(limits.Tokens),
		money("limits.attempt.cost_usd", &s.AttemptCostUSD).byDefault(limits.Attempt.CostUSD),
		optional("limits.attempt.tokens", &s.AttemptTokens).byDefault(limits.Attempt.Tokens),
		money("limits.project.cost_usd", &s.ProjectCostUSD).byDefault(limits.Project.CostUSD),
		optional("limits.project.tokens", &s.ProjectTokens).byDefault(limits.Project.Tokens),
		duration("limits.project.wall_time", &s.ProjectWallTime, orZero("0", atLeast(time.Second))).zeroShown(noLimit).
			tightened(beyond[time.Duration]).byDefault(limits.Project.WallTime),
		optional("limits.project.attempts", &s.ProjectAttempts).byDefault(limits.Project.Attempts),
		optional("limits.project.parallel", &s.ProjectParallel).byDefault(limits.Project.Parallel),
	}, s.Resources.table("resources."), total, s.Network.table(), s.Credential.table(), []setting{
		duration("preflight", &s.Preflight, orZero(off, atLeast(time.Second))).zeroShown(off).byDefault(2 * time.Minute),
	}, s.Forge.table(), s.Telling.table(), []setting{
		base("retention", &s.Retention, single(orZero(off, ParseAge)), FormatAge).zeroShown(off).onlyPersonal("it would say what is removed from this machine"),
	}, s.Audit.table())
}

func (s setting) byDefault(v any) setting { s.fallback = v; return s }

// shown is a setting that is listed in other words than it is written.
func (s setting) shown(show func() string) setting { s.show = show; return s }

// joined is a list that is shown with a separator other than a space.
func (s setting) joined(by string) setting {
	return s.shown(func() string { return strings.Join(s.get().([]string), by) })
}

func (s setting) tightened(loosens func(current, proposed any) bool) setting {
	s.loosens = loosens
	return s
}

// added is a list that everybody can add to, and nobody can remove from.
func (s setting) added() setting {
	s.loosens = func(any, any) bool { return false } // a repository's items are added to the person's
	set, get := s.set, s.get
	s.set = func(from Source, v any) { set(from, append(slices.Clone(get().([]string)), v.([]string)...)) }
	return s
}

func (s setting) onlyPersonal(reason string) setting { s.personal = reason; return s }

// higher reports a limit above the one in force.
func higher[T cmp.Ordered](current, proposed any) bool { return proposed.(T) > current.(T) }

// beyond is higher for limits of which zero means none.
func beyond[T cmp.Ordered](current, proposed any) bool {
	var none T
	return current.(T) != none && (proposed.(T) == none || higher[T](current, proposed))
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
	return whole(key, at, low, high, fmt.Sprintf("a whole number between %d and %d", low, high)).tightened(higher[T])
}

// optional is a number of which zero means no limit.
func optional[T int | int64](key string, at *Value[T]) setting {
	return whole(key, at, 0, math.MaxInt64>>(64-strconv.IntSize), "a whole number; 0 means no limit").zeroShown(noLimit).tightened(beyond[T])
}

// noLimit is shown for limits of which zero means none.
const noLimit = "no limit"

func whole[T int | int64](key string, at *Value[T], low, high T, expected string) setting {
	return base(key, at, single(func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < int64(low) || n > int64(high) {
			return 0, fmt.Errorf("%q is not %s", text, expected)
		}
		return T(n), nil
	}), func(n T) string { return fmt.Sprint(n) })
}

// zeroShown is a setting whose zero value is shown as a word.
func (s setting) zeroShown(word string) setting {
	zero, show := s.fallback, s.show
	return s.shown(func() string {
		if s.get() == zero {
			return word
		}
		return show()
	})
}

// duration is a length of time that parse reads.
func duration(key string, at *Value[time.Duration], parse func(string) (time.Duration, error)) setting {
	return base(key, at, single(parse), yamlfile.FormatDuration)
}

// atLeast parses a duration with a lower bound.
func atLeast(low time.Duration) func(string) (time.Duration, error) {
	return func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < low {
			return 0, fmt.Errorf("%q is not a duration of at least %s; write 90s, 30m or 8h", text, yamlfile.FormatDuration(low))
		}
		return d, nil
	}
}

// orZero also parses a word that stands for zero.
func orZero(word string, parse func(string) (time.Duration, error)) func(string) (time.Duration, error) {
	return func(text string) (time.Duration, error) {
		if text == word {
			return 0, nil
		}
		d, err := parse(text)
		if err != nil {
			return 0, fmt.Errorf("%w, or %s", err, word)
		}
		return d, nil
	}
}

func money(key string, at *Value[float64]) setting {
	return base(key, at, single(func(text string) (float64, error) {
		usd, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
			return 0, fmt.Errorf("%q is not an amount of dollars; 0 means no limit", text)
		}
		return usd, nil
	}), core.Money).zeroShown(noLimit).tightened(beyond[float64])
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

// approval checks that a message is short enough to be nothing but an approval.
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
