package capacity

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// figure is what a part of the day cost.
type figure struct {
	what  string
	took  time.Duration // of the company's time
	asked map[string]count
	cpu   time.Duration // of engines and, if it is in their process, the database
	bytes int64         // by which the database has grown
}

// processor is the time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// size is how many bytes a copy of the database has.
func (co *company) size(folder string) int64 {
	co.t.Helper()
	path := filepath.Join(folder, "copy.db")
	if err := co.db.Backup(co.ctx, path); err != nil {
		co.t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		co.t.Fatal(err)
	}
	return info.Size()
}

// day is a working day of a company and what it cost.
type day struct {
	projects, runs, engines int
	figures                 map[string]figure
	most                    int           // projects that one engine owns while all runs are open
	takenOver               time.Duration // from the end of that engine until others own them
	asked                   []answer
}

// live has the company live through a day.
func (co *company) live(folder string) *day {
	d := &day{projects: co.projects, runs: co.runs, engines: co.engines, figures: map[string]figure{}}
	bytes := co.size(folder)
	part := func(what string, do func()) {
		co.tally.take()
		cpu, begun := processor(), time.Now()
		do()
		f := figure{what: what, took: time.Since(begun) * time.Duration(co.hurry), asked: co.tally.take(), cpu: processor() - cpu}
		was := bytes
		bytes = co.size(folder)
		f.bytes = bytes - was
		d.figures[what] = f
	}
	part("register", co.register)
	co.begin()
	co.rest(co.ctx, moment)
	part("idle", func() { co.rest(co.ctx, still) })
	part("start", co.start)
	part("wait", func() { co.rest(co.ctx, still) })
	d.asked = co.probe()
	d.most, _ = co.lives[co.busiest()].engine.Owned()
	part("take over", func() {
		gone := co.kill(co.busiest())
		d.takenOver = co.disowned(func(m store.Member) bool { return m.ID == gone.id })
	})
	part("approve", co.approve)
	part("go home", func() { co.disowned(func(store.Member) bool { return true }) })
	co.end()
	return d
}

// perSecond is what an engine asks in a second of a part of the day.
func (d *day) perSecond(what string) (calls, rows float64) {
	f := d.figures[what]
	all, seconds := total(f.asked), f.took.Seconds()*float64(d.engines)
	return float64(all.calls) / seconds, float64(all.rows) / seconds
}

// perRun is what a run costs in all, without what engines ask when nothing happens.
func (d *day) perRun() (c struct{ calls, rows, sent, stored, cpu float64 }) {
	idle := d.figures["idle"]
	for _, what := range []string{"start", "approve"} {
		f := d.figures[what]
		all, share := total(f.asked), f.took.Seconds()/idle.took.Seconds()
		if what == "approve" { // there is an engine less
			share *= float64(d.engines-1) / float64(d.engines)
		}
		none := total(idle.asked)
		c.calls += float64(all.calls) - float64(none.calls)*share
		c.rows += float64(all.rows) - float64(none.rows)*share
		c.sent += float64(all.bytes)
		c.stored += float64(f.bytes)
		c.cpu += (f.cpu.Seconds() - idle.cpu.Seconds()*share) * 1000
	}
	n := float64(d.runs)
	c.calls, c.rows, c.sent, c.stored, c.cpu = c.calls/n, c.rows/n, c.sent/n, c.stored/n, c.cpu/n
	return c
}

// table prints days side by side.
func table(to io.Writer, days []*day) error {
	w := tabwriter.NewWriter(to, 0, 8, 2, ' ', tabwriter.AlignRight)
	row := func(what string, format string, value func(*day) any) {
		fmt.Fprint(w, what, "\t")
		for _, d := range days {
			fmt.Fprintf(w, format+"\t", value(d))
		}
		fmt.Fprintln(w)
	}
	row("projects", "%d", func(d *day) any { return d.projects })
	row("engines", "%d", func(d *day) any { return d.engines })
	row("runs in the day", "%d", func(d *day) any { return d.runs })
	row("database, bytes a project", "%.0f", func(d *day) any { return float64(d.figures["register"].bytes) / float64(d.projects) })
	row("database, bytes a run", "%.0f", func(d *day) any { return d.perRun().stored })
	row("calls a run", "%.0f", func(d *day) any { return d.perRun().calls })
	row("rows a run", "%.0f", func(d *day) any { return d.perRun().rows })
	row("event bytes a run", "%.0f", func(d *day) any { return d.perRun().sent })
	row("processor a run, ms", "%.1f", func(d *day) any { return d.perRun().cpu })
	for _, what := range []string{"idle", "wait"} {
		row(what+": calls an engine and second", "%.2f", func(d *day) any { calls, _ := d.perSecond(what); return calls })
		row(what+": rows an engine and second", "%.2f", func(d *day) any { _, rows := d.perSecond(what); return rows })
		row(what+": processor an engine and second, ms", "%.2f", func(d *day) any {
			f := d.figures[what]
			return f.cpu.Seconds() * 1000 / f.took.Seconds() / float64(d.engines)
		})
	}
	row("most projects of an engine", "%d", func(d *day) any { return d.most })
	row("its end: others own them after, s", "%.0f", func(d *day) any { return d.takenOver.Seconds() })
	row("its end: rows read", "%d", func(d *day) any { return total(d.figures["take over"].asked).rows })
	for i := range days[0].asked {
		row(days[0].asked[i].question+": µs for rows", "%s", func(d *day) any {
			return fmt.Sprintf("%.0f for %d", d.asked[i].cpu.Seconds()*1e6, d.asked[i].rows)
		})
	}
	return w.Flush()
}

// calls lists what was asked in a part of the day, the most first.
func (f figure) calls() string {
	text := ""
	names := slices.SortedFunc(maps.Keys(f.asked), func(a, b string) int { return cmp.Compare(f.asked[b].calls, f.asked[a].calls) })
	for _, name := range names {
		text += fmt.Sprintf("%s %d (%d rows), ", name, f.asked[name].calls, f.asked[name].rows)
	}
	return text
}
