package redact

import "bytes"

// Reach of a rule that stays within a line, around a keyword, and how much of a text it looks at in one go.
const (
	reachBefore = 128
	reachAfter  = 4096
	windowSize  = 64 << 10
)

// uncheckedName marks text that was hidden because looking at it would have taken too long.
const uncheckedName = "unchecked"

// search is one look of a rule set at a text. A keyword opens a window for its rule, one at a time; windows that touch are
// joined. The rules' patterns see only windows.
type search struct {
	set   *RuleSet
	text  []byte
	work  *budget
	open  []window // by rule
	spans []span

	lineStart, lineEnd int // the line of the last keyword
	token              window
}

// window is a part of the text; empty means none.
type window struct{ start, end int }

// find appends to spans what the rules find in text.
func (s *RuleSet) find(text []byte, spans []span, work *budget) []span {
	q := &search{set: s, text: text, work: work, spans: spans, lineEnd: -1}
	s.keywords.scan(text, q.keyword)
	for i := range q.open {
		q.look(i)
	}
	return q.spans
}

func (q *search) keyword(word, end int) {
	if q.open == nil {
		q.open = make([]window, len(q.set.rules))
	}
	i := q.set.owner[word]
	start := end - len(q.set.words[word])
	if q.set.rules[i].Cased && string(q.text[start:end]) != q.set.words[word] {
		return
	}
	next := q.window(q.set.rules[i], start, end)
	if q.work.used() {
		q.unchecked(next)
		return
	}
	w := &q.open[i]
	if next.start <= w.end && w.end-w.start < windowSize {
		w.start, w.end = min(w.start, next.start), max(w.end, next.end)
		return
	}
	q.look(i)
	*w = next
}

// window is the part of the text that a rule looks at for a keyword at text[start:end].
func (q *search) window(r *compiledRule, start, end int) window {
	from := max(0, start-reachBefore)
	if r.Lines > 0 {
		return window{from, min(len(q.text), end+r.Lines)}
	}
	if q.lineEnd < end {
		before := max(0, q.lineEnd)
		q.lineStart = before + bytes.LastIndexByte(q.text[before:start], '\n') + 1
		q.lineEnd = len(q.text)
		if i := bytes.IndexByte(q.text[end:], '\n'); i >= 0 {
			q.lineEnd = end + i
		}
	}
	return window{max(from, q.lineStart), min(q.lineEnd, end+reachAfter)}
}

// look lets a rule search its window, or hides the window if the budget is used up.
func (q *search) look(i int) {
	w, rule := q.open[i], q.set.rules[i]
	part := q.text[w.start:w.end]
	if len(part) == 0 {
		return
	}
	if !q.work.spend(len(part)) {
		q.unchecked(w)
		return
	}
	re := rule.ready()
	if !possible(part, re.needs) {
		return
	}
	if !q.work.spend(len(part) * re.weight) {
		q.unchecked(w)
		return
	}
	rule.find(re, part, func(start, end int) {
		q.hide(window{w.start + start, w.start + end}, w, rule.Name, rule.rank)
	})
}

// unchecked hides a window that no rule looks at any more. Most lie within the one before.
func (q *search) unchecked(w window) {
	if n := len(q.spans); n > 0 && q.spans[n-1].name == uncheckedName && q.spans[n-1].start <= w.start && w.end <= q.spans[n-1].end {
		return
	}
	q.hide(w, w, uncheckedName, len(q.set.rules))
}

// hide adds a span. If the window cut it off, it goes on to the end of its token.
func (q *search) hide(found, within window, name string, rank int) {
	if found.end == within.end {
		if found.end < q.token.start || q.token.end < found.end {
			q.token = window{found.end, found.end}
			for q.token.end < len(q.text) && isToken(q.text[q.token.end]) {
				q.token.end++
			}
		}
		found.end = q.token.end
	}
	q.spans = append(q.spans, span{start: found.start, end: found.end, name: name, rank: rank})
}
