package journal

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// cast knows the parts of all attempts of a run. The run itself forgets those of a round when the stage is opened again,
// and a folder may be far behind it. To add an event twice changes nothing.
type cast struct {
	seq      int64 // up to which events were added
	tasks    map[string]part
	attempts map[string]part
}

// part is what an attempt is in its run.
type part struct {
	stage, task string // the task's name, not its id
	round       int
	role, agent string
}

// tells reports the types of events that a cast follows from.
func tells(t core.Type) bool {
	return t == core.TypeTaskAdmitted || t == core.TypeAttemptRequested || t == core.TypeAttemptStarted
}

func (c *cast) add(body core.Body) {
	switch b := body.(type) {
	case core.TaskAdmitted:
		c.tasks[b.Task] = part{stage: b.Stage, task: b.Name, round: b.Round, role: b.Role}
	case core.AttemptRequested:
		c.attempts[b.Attempt] = c.tasks[b.Task]
	case core.AttemptStarted:
		p := c.attempts[b.Attempt]
		p.agent = b.Agent
		c.attempts[b.Attempt] = p
	default: // tells has no other
	}
}

// cast is that of a run after events that are to be appended. What happened before them is read from the manifest once.
func (j *Journal) cast(f *runfolder.Folder, run *core.Run, events []core.Event, read runfolder.Reader) (*cast, error) {
	j.mu.Lock()
	c := j.casts[run.ID]
	j.mu.Unlock()
	if first := events[0].Seq; c == nil || c.seq < first-1 {
		c = &cast{tasks: map[string]part{}, attempts: map[string]part{}}
		err := f.EachBefore(first, tells, func(_ core.Event, body core.Body) { c.add(body) })
		if err != nil { // the folder is a copy: no run stands still because of it
			j.log.Warn("who did what in a run cannot be read from its folder", "run", run.Alias, "error", err)
		}
	}
	for _, e := range events {
		if !tells(e.Type) {
			continue
		}
		body, err := read(e)
		if err != nil {
			return nil, err
		}
		c.add(body)
	}
	c.seq = max(c.seq, events[len(events)-1].Seq)
	j.mu.Lock()
	j.casts[run.ID] = c
	j.mu.Unlock()
	return c, nil
}
