package redact

import (
	"regexp/syntax"
	"slices"
	"unicode"
)

// need is a condition without which a pattern cannot match: this many bytes in a row, all of the set. Checking it is many
// times faster than running the pattern.
type need struct {
	set [256]bool
	run int
}

func (n *need) size() int {
	size := 0
	for _, in := range n.set {
		if in {
			size++
		}
	}
	return size
}

// addRunes puts the runes from lo to hi into the set. Whatever is not ASCII counts as all bytes that are not.
func (n *need) addRunes(lo, hi rune) {
	for c := lo; c <= min(hi, 0x7f); c++ {
		n.set[c] = true
	}
	if hi > 0x7f {
		for c := 0x80; c <= 0xff; c++ {
			n.set[c] = true
		}
	}
}

func (n *need) satisfied(text []byte) bool {
	run := 0
	for _, c := range text {
		if !n.set[c] {
			run = 0
			continue
		}
		if run++; run == n.run {
			return true
		}
	}
	return false
}

func possible(text []byte, needs []need) bool {
	for i := range needs {
		if !needs[i].satisfied(text) {
			return false
		}
	}
	return true
}

// needsOf picks the two most selective needs of a pattern: the longest run, and the smallest set; of several the last,
// because a pattern mostly begins with its keyword, which is there anyway.
func needsOf(tree *syntax.Regexp) []need {
	all := collectNeeds(tree)
	if len(all) == 0 {
		return nil
	}
	slices.Reverse(all)
	longest := slices.MaxFunc(all, func(a, b need) int {
		if a.run != b.run {
			return a.run - b.run
		}
		return b.size() - a.size()
	})
	rarest := slices.MinFunc(all, func(a, b need) int { return a.size() - b.size() })
	if rarest == longest {
		return []need{longest}
	}
	return []need{rarest, longest}
}

func collectNeeds(re *syntax.Regexp) []need {
	switch re.Op {
	case syntax.OpLiteral:
		return literalNeeds(re)
	case syntax.OpCharClass:
		n := need{run: 1}
		for i := 0; i < len(re.Rune); i += 2 {
			n.addRunes(re.Rune[i], re.Rune[i+1])
		}
		return []need{n}
	case syntax.OpCapture, syntax.OpPlus:
		return collectNeeds(re.Sub[0])
	case syntax.OpRepeat:
		return repeatNeeds(re)
	case syntax.OpConcat:
		var all []need
		for _, sub := range re.Sub {
			all = append(all, collectNeeds(sub)...)
		}
		return all
	case syntax.OpAlternate:
		return alternateNeeds(re)
	default:
		return nil
	}
}

func literalNeeds(re *syntax.Regexp) []need {
	var all []need
	for _, c := range re.Rune {
		n := need{run: 1}
		n.addRunes(c, c)
		if re.Flags&syntax.FoldCase != 0 {
			for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
				n.addRunes(f, f)
			}
		}
		all = append(all, n)
	}
	return all
}

// repeatNeeds: a class that is repeated is needed as often in a row.
func repeatNeeds(re *syntax.Regexp) []need {
	if re.Min < 1 {
		return nil
	}
	needs := collectNeeds(re.Sub[0])
	if re.Sub[0].Op == syntax.OpCharClass {
		needs[0].run = re.Min
	}
	return needs
}

// alternateNeeds: any alternative needs a run at least as long as the shortest of their longest runs, of bytes that any of
// them takes.
func alternateNeeds(re *syntax.Regexp) []need {
	either := need{}
	for i, sub := range re.Sub {
		needs := collectNeeds(sub)
		if len(needs) == 0 {
			return nil
		}
		longest := slices.MaxFunc(needs, func(a, b need) int { return a.run - b.run })
		if i == 0 || longest.run < either.run {
			either.run = longest.run
		}
		for c, in := range longest.set {
			either.set[c] = either.set[c] || in
		}
	}
	return []need{either}
}
