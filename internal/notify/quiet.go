package notify

import (
	"fmt"
	"strings"
	"time"
)

// Quiet are the hours in which a person is told nothing. The zero value has none.
type Quiet struct {
	from, to int // minutes of the day
	zone     *time.Location
}

// ParseQuiet reads hours such as 22:00-07:00, in a time zone such as
// Europe/Berlin; "" is that of this machine.
func ParseQuiet(hours, zone string) (Quiet, error) {
	at := time.Local
	if zone != "" {
		var err error
		if at, err = time.LoadLocation(zone); err != nil {
			return Quiet{}, fmt.Errorf("this machine knows no time zone %q; write one such as Europe/Berlin", zone)
		}
	}
	if hours == "" {
		return Quiet{}, nil
	}
	from, to, _ := strings.Cut(hours, "-")
	q := Quiet{zone: at}
	var err error
	if q.from, err = minutes(from); err == nil {
		q.to, err = minutes(to)
	}
	if err != nil || q.from == q.to {
		return Quiet{}, fmt.Errorf("%q is not a range of hours; write it as 22:00-07:00", hours)
	}
	return q, nil
}

func minutes(text string) (int, error) {
	t, err := time.Parse("15:04", strings.TrimSpace(text))
	return t.Hour()*60 + t.Minute(), err
}

// Until is when the quiet hours around now end; false if now is not in any.
func (q Quiet) Until(now time.Time) (time.Time, bool) {
	if q.zone == nil {
		return time.Time{}, false
	}
	now = now.In(q.zone)
	minute := now.Hour()*60 + now.Minute()
	days := 0
	switch {
	case q.from < q.to && minute >= q.from && minute < q.to: // within a day
	case q.from > q.to && minute < q.to: // the morning after
	case q.from > q.to && minute >= q.from:
		days = 1
	default:
		return time.Time{}, false
	}
	return time.Date(now.Year(), now.Month(), now.Day()+days, q.to/60, q.to%60, 0, 0, q.zone), true
}
