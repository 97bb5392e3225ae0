package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// present says how things stand when it is asked: what is open, what waits, what
// is in use. It implements prometheus.Collector.
type present struct {
	source Source
	count  func() int // of tasks that wait

	runs, slots, waiting, questions *prometheus.Desc
}

func newPresent(source Source, waiting func() int) *present {
	return &present{
		source: source, count: waiting,
		runs:      prometheus.NewDesc("stellwerk_runs", "Runs that are not over, by where they stand.", []string{"status"}, nil),
		slots:     prometheus.NewDesc("stellwerk_slots_in_use", "Slots that attempts hold, by their pool.", []string{"pool"}, nil),
		waiting:   prometheus.NewDesc("stellwerk_tasks_waiting", "Tasks that wait for a slot.", nil, nil),
		questions: prometheus.NewDesc("stellwerk_questions_open", "Questions to people that nobody has answered.", nil, nil),
	}
}

// lookTime bounds how long a scrape may look.
const lookTime = 5 * time.Second

// Describe implements prometheus.Collector.
func (p *present) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{p.runs, p.slots, p.waiting, p.questions} {
		ch <- d
	}
}

// Collect implements prometheus.Collector. What cannot be looked up is missing
// from the answer, and the answer says so.
func (p *present) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	gauge := func(d *prometheus.Desc, n int, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	gauge(p.waiting, p.count())
	if runs, err := p.source.Runs(ctx, store.Filter{Open: true}); err != nil {
		ch <- prometheus.NewInvalidMetric(p.runs, err)
	} else {
		by := map[core.RunStatus]int{}
		for _, r := range runs {
			by[core.RunStatus(r.Status)]++
		}
		for _, status := range []core.RunStatus{core.StatusActive, core.StatusAwaiting, core.StatusPaused, core.StatusReview} {
			gauge(p.runs, by[status], string(status))
		}
	}
	if claims, err := p.source.Claims(ctx); err != nil {
		ch <- prometheus.NewInvalidMetric(p.slots, err)
	} else {
		by := map[string]int{}
		for _, c := range claims {
			if c.Kind == core.ClaimSlot {
				by[c.Key]++
			}
		}
		for _, pool := range []string{core.EngineSlots, core.ManagerSlots} {
			gauge(p.slots, by[pool], pool)
		}
	}
	if questions, err := p.source.Questions(ctx); err != nil {
		ch <- prometheus.NewInvalidMetric(p.questions, err)
	} else {
		gauge(p.questions, len(questions))
	}
}
