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

// setting is one line of the table of settings: how its value is written and who may set it.
type setting struct {
	key string
	// separator splits a value given as one text; empty for settings with a single value.
	separator string
	parse     func(words []string) (any, error)
	store     func(*Settings, Source, any)
	load      func(*Settings) any
	// loosens reports that the proposed value is weaker than the one in force. A repository's value is then refused. Nil
	// means that any value is as good as another.
	loosens func(current, proposed any) bool
	// personal settings are never taken from a repository.
	personal string
}

// table lists every setting.
func table() []setting {
	return append([]setting{
		word("isolation", func(s *Settings) *Value[string] { return &s.Isolation }, oneOf(IsolationSandbox, IsolationContainer, IsolationNone)).
			tightened(func(current, proposed any) bool { return strength(proposed.(string)) < strength(current.(string)) }),
		word("agent", func(s *Settings) *Value[string] { return &s.Agent }, name),
		word("model", func(s *Settings) *Value[string] { return &s.Model }, name),
		word("claude_permissions", func(s *Settings) *Value[string] { return &s.Permits }, oneOf(PermissionsBypass, PermissionsListed)).
			onlyPersonal("only you decide what an agent's program may do"),
		word("claude_mcp", func(s *Settings) *Value[string] { return &s.MCP }, absolute).
			onlyPersonal("it starts programs next to agents"),
		list("read_only", string(filepath.ListSeparator), func(s *Settings) *Value[[]string] { return &s.ReadOnly }, absolute).
			onlyPersonal("it would open paths of this machine to agents"),
		list("approval_words", ";", func(s *Settings) *Value[[]string] { return &s.Approvals }, approval).
			onlyPersonal("only you decide what counts as your approval"),
		list("steering_files", ",", func(s *Settings) *Value[[]string] { return &s.Steering }, steering.Check).
			added(),
		list("notify", ",", func(s *Settings) *Value[[]string] { return &s.Notify }, oneOf(NotifyBell, NotifyDesktop, NotifyWebhook, NotifySlack, NotifyOff)),
		number("limits.attempts", func(s *Settings) *Value[int] { return &s.Attempts }, 1, 20),
		number("limits.infra", func(s *Settings) *Value[int] { return &s.Infra }, 0, 100),
		number("limits.sterile", func(s *Settings) *Value[int] { return &s.Sterile }, 1, 1000),
		duration("limits.wall_time", func(s *Settings) *Value[time.Duration] { return &s.WallTime }),
		number("limits.parallel", func(s *Settings) *Value[int] { return &s.Parallel }, 1, 1000),
		number("limits.auto_rounds", func(s *Settings) *Value[int] { return &s.AutoRounds }, 0, 100),
		money("limits.cost_usd", func(s *Settings) *Value[float64] { return &s.CostUSD }),
		optional("limits.tokens", func(s *Settings) *Value[int64] { return &s.Tokens }),
		money("limits.attempt.cost_usd", func(s *Settings) *Value[float64] { return &s.AttemptCostUSD }),
		optional("limits.attempt.tokens", func(s *Settings) *Value[int64] { return &s.AttemptTokens }),
		money("limits.project.cost_usd", func(s *Settings) *Value[float64] { return &s.ProjectCostUSD }),
		optional("limits.project.tokens", func(s *Settings) *Value[int64] { return &s.ProjectTokens }),
		optionalDuration("limits.project.wall_time", func(s *Settings) *Value[time.Duration] { return &s.ProjectWallTime }),
		optional("limits.project.attempts", func(s *Settings) *Value[int] { return &s.ProjectAttempts }),
		optional("limits.project.parallel", func(s *Settings) *Value[int] { return &s.ProjectParallel }),
	}, slices.Concat(resourceTable(), networkTable(), credentialTable(), preflightTable(), forgeTable(), notifyTable(), retentionTable())...)
}

func (s setting) tightened(loosens func(current, proposed any) bool) setting {
	s.loosens = loosens
	return s
}

// added is a list to which everybody can add, and from which nobody can take away.
func (s setting) added() setting {
	s.loosens = func(any, any) bool { return false } // a repository's words count beside the person's
	store, load := s.store, s.load
	s.store = func(into *Settings, from Source, v any) {
		before, _ := load(into).([]string)
		store(into, from, append(slices.Clone(before), v.([]string)...))
	}
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

func base[T any](key string, field func(*Settings) *Value[T], parse func([]string) (any, error)) setting {
	return setting{
		key:   key,
		parse: parse,
		store: func(s *Settings, from Source, v any) { *field(s) = Value[T]{V: v.(T), From: from} },
		load:  func(s *Settings) any { return field(s).V },
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

func word(key string, field func(*Settings) *Value[string], check func(string) error) setting {
	return base(key, field, single(func(text string) (string, error) { return text, check(text) }))
}

func list(key, separator string, field func(*Settings) *Value[[]string], check func(string) error) setting {
	s := base(key, field, func(words []string) (any, error) {
		for _, w := range words {
			if err := check(w); err != nil {
				return nil, err
			}
		}
		return words, nil
	})
	s.separator = separator
	return s
}

func number[T int | int64](key string, field func(*Settings) *Value[T], low, high T) setting {
	return base(key, field, single(func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < int64(low) || n > int64(high) {
			return 0, fmt.Errorf("%q is not a whole number between %d and %d", text, low, high)
		}
		return T(n), nil
	})).tightened(func(current, proposed any) bool { return proposed.(T) > current.(T) })
}

// optional is a number of which zero means no limit.
func optional[T int | int64](key string, field func(*Settings) *Value[T]) setting {
	return base(key, field, single(func(text string) (T, error) {
		n, err := strconv.ParseInt(text, 10, strconv.IntSize)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%q is not a whole number; 0 means no limit", text)
		}
		return T(n), nil
	})).tightened(func(current, proposed any) bool { return beyond(current.(T), proposed.(T)) })
}

func duration(key string, field func(*Settings) *Value[time.Duration]) setting {
	return base(key, field, single(func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < time.Minute {
			return 0, fmt.Errorf("%q is not a duration of at least 1m; write 90m or 8h", text)
		}
		return d, nil
	})).tightened(func(current, proposed any) bool { return proposed.(time.Duration) > current.(time.Duration) })
}

// optionalDuration is a duration of which zero means no limit.
func optionalDuration(key string, field func(*Settings) *Value[time.Duration]) setting {
	return base(key, field, single(func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d != 0 && d < time.Second {
			return 0, fmt.Errorf("%q is not a duration of at least 1s; write 90m or 8h, 0 means no limit", text)
		}
		return d, nil
	})).tightened(func(current, proposed any) bool { return beyond(current.(time.Duration), proposed.(time.Duration)) })
}

func money(key string, field func(*Settings) *Value[float64]) setting {
	return base(key, field, single(func(text string) (float64, error) {
		usd, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(usd) || math.IsInf(usd, 0) || usd < 0 {
			return 0, fmt.Errorf("%q is not an amount of dollars; 0 means no limit", text)
		}
		return usd, nil
	})).tightened(func(current, proposed any) bool { return beyond(current.(float64), proposed.(float64)) })
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
