package telemetry

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// registry holds the metrics that are counted, and writes them in the text format
// of Prometheus. It does not use Prometheus' client library, which would slow down
// every start of the program: see docs/decisions/telemetry.md.
type registry struct{ families []*family }

// family is a metric with its labels. Its methods may be called at once from
// several goroutines.
type family struct {
	name, help, kind string
	labels           []string  // sorted
	buckets          []float64 // of a histogram

	mu     sync.Mutex
	series map[string]*series // by its labels, as they are written
}

type series struct {
	value   float64 // the sum, of a histogram
	count   uint64
	buckets []uint64
}

func (r *registry) add(kind, name, help string, buckets []float64, labels ...string) *family {
	f := &family{name: name, help: help, kind: kind, labels: labels, buckets: buckets, series: map[string]*series{}}
	r.families = append(r.families, f)
	return f
}

// change lets fn change the series with these values, one for each label.
func (f *family) change(values []string, fn func(*series)) {
	pairs := make([]string, len(f.labels))
	for i, label := range f.labels {
		pairs[i] = label + `="` + escape(values[i]) + `"`
	}
	slices.Sort(pairs)
	key := strings.Join(pairs, ",")
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.series[key]
	if s == nil {
		s = &series{buckets: make([]uint64, len(f.buckets))}
		f.series[key] = s
	}
	fn(s)
}

func (f *family) add(n float64, values ...string) {
	f.change(values, func(s *series) { s.value += n })
}

func (f *family) set(n float64, values ...string) {
	f.change(values, func(s *series) { s.value = n })
}

func (f *family) observe(n float64, values ...string) {
	f.change(values, func(s *series) {
		s.value += n
		s.count++
		for i, most := range f.buckets {
			if n <= most {
				s.buckets[i]++
			}
		}
	})
}

// escape writes a value of a label as the format wants it.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(strings.ToValidUTF8(s, "?"))
}

// write shows all metrics, also those that nothing has happened to: a reader learns what there is.
func (r *registry) write(w io.Writer) {
	for _, f := range r.families {
		f.write(w)
	}
}

func (f *family) write(w io.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
	for _, key := range slices.Sorted(maps.Keys(f.series)) {
		s := f.series[key]
		if f.kind != "histogram" {
			fmt.Fprintf(w, "%s%s %s\n", f.name, braced(key), number(s.value))
			continue
		}
		for i, most := range f.buckets {
			fmt.Fprintf(w, "%s_bucket%s %d\n", f.name, braced(key, `le="`+number(most)+`"`), s.buckets[i])
		}
		fmt.Fprintf(w, "%s_bucket%s %d\n", f.name, braced(key, `le="+Inf"`), s.count)
		fmt.Fprintf(w, "%s_sum%s %s\n%s_count%s %d\n", f.name, braced(key), number(s.value), f.name, braced(key), s.count)
	}
}

func braced(pairs ...string) string {
	pairs = slices.DeleteFunc(pairs, func(s string) bool { return s == "" })
	if len(pairs) == 0 {
		return ""
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

func number(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }
