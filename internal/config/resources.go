package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Size is a number of bytes, Count a number of things, Cores a number of processor cores. Each may also be automatic or
// unlimited.
type (
	Size  int64
	Count int
	Cores float64
)

// What a limit can be instead of a number: chosen to suit the machine, or none.
const (
	automatic = 0
	unlimited = -1

	wordAutomatic = "auto"
	wordUnlimited = "none"
)

// ResourceSettings limit the resources that attempts use.
type ResourceSettings struct {
	Memory    Value[Size]
	Processes Value[Count]
	CPU       Value[Cores]
	Disk      Value[Size]
}

type limitValue interface {
	Size | Count | Cores
	String() string
}

func amount[T limitValue](v T, text string) string {
	switch v {
	case automatic:
		return wordAutomatic
	case unlimited:
		return wordUnlimited
	}
	return text
}

func (s Size) String() string  { return amount(s, wording.Bytes(uint64(max(s, 0)))) }
func (c Count) String() string { return amount(c, strconv.Itoa(int(c))) }
func (c Cores) String() string { return amount(c, strconv.FormatFloat(float64(c), 'g', -1, 64)) }

const (
	leastMemory    = 64 << 20 // an agent's program alone takes as much
	leastDisk      = 1 << 20
	leastProcesses = 16
	leastCores     = 0.1
)

func (r *ResourceSettings) table(prefix string) []setting {
	return []setting{
		limited(prefix+"memory", &r.Memory, parseSize(leastMemory)),
		limited(prefix+"processes", &r.Processes, parseCount),
		limited(prefix+"cpu", &r.CPU, parseCores),
		limited(prefix+"disk", &r.Disk, parseSize(leastDisk)),
	}
}

// limited is a limit that a repository can lower and never raise. If the limit in force is automatic, the lower of both
// holds: see [Settings.ResourceLimits].
func limited[T limitValue](key string, at *Value[T], parse func(string) (T, error)) setting {
	return base(key, at, single(func(text string) (T, error) {
		switch strings.ToLower(text) {
		case wordAutomatic:
			return automatic, nil
		case wordUnlimited:
			return unlimited, nil
		}
		return parse(text)
	}), T.String).tightened(func(current, proposed any) bool {
		now, then := current.(T), proposed.(T)
		switch then {
		case unlimited:
			return true
		case automatic:
			return now > 0
		default:
			return now > 0 && then > now
		}
	})
}

// parseSize reads 512MB, 1.5GB or 4GiB. All units are binary.
func parseSize(least Size) func(string) (Size, error) {
	return func(text string) (Size, error) {
		units := map[string]float64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
		number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
		unit := strings.ToUpper(text[len(number):])
		factor, known := units[strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I")]
		n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !known || math.IsNaN(n) || n < 0 || n*factor > math.MaxInt64/2 {
			return 0, fmt.Errorf("%q is not a size; write 512MB or 4GB, %s to fit the machine, %s for no limit", text, wordAutomatic, wordUnlimited)
		}
		if size := Size(n * factor); size >= least {
			return size, nil
		}
		return 0, fmt.Errorf("%q is too little; use at least %s", text, least)
	}
}

func parseCount(text string) (Count, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < leastProcesses || n > 1<<22 {
		return 0, fmt.Errorf("%q is not a number of processes of at least %d; write %s to fit the machine, %s for no limit", text, leastProcesses, wordAutomatic, wordUnlimited)
	}
	return Count(n), nil
}

func parseCores(text string) (Cores, error) {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || n < leastCores || n > 1<<16 {
		return 0, fmt.Errorf("%q is not a number of processor cores of at least %g; write 1.5, or %s for no limit", text, leastCores, wordUnlimited)
	}
	return Cores(n), nil
}

// ResourceLimits are the limits of an attempt and of all together, with those of fallback in place of automatic ones.
func (s *Settings) ResourceLimits(fallback core.Resources) core.Resources {
	return core.Resources{Attempt: s.Resources.limits(fallback.Attempt), Total: s.AllResources.limits(fallback.Total)}
}

func (r ResourceSettings) limits(fallback core.ResourceLimits) core.ResourceLimits {
	return core.ResourceLimits{
		Memory:    int64(settle(r.Memory, Size(fallback.Memory))),
		Processes: int(settle(r.Processes, Count(fallback.Processes))),
		CPU:       float64(settle(r.CPU, Cores(fallback.CPU))),
		Disk:      int64(settle(r.Disk, Size(fallback.Disk))),
	}
}

// settle replaces automatic limits, and keeps a repository's limit at or below the automatic one.
func settle[T limitValue](v Value[T], fallback T) T {
	switch {
	case v.V == unlimited:
		return 0
	case v.V == automatic:
		return fallback
	case v.From.Level == LevelProject && fallback > 0:
		return min(v.V, fallback)
	}
	return v.V
}
