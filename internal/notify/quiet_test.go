package notify

import (
	"testing"
	"time"
)

func TestQuietHours(t *testing.T) {
	for _, c := range []struct{ hours, zone, now, until string }{
		{"22:00-07:00", "UTC", "2026-03-01T21:59:59Z", ""},
		{"22:00-07:00", "UTC", "2026-03-01T22:00:00Z", "2026-03-02T07:00:00Z"},
		{"22:00-07:00", "UTC", "2026-03-02T06:59:00Z", "2026-03-02T07:00:00Z"},
		{"22:00-07:00", "UTC", "2026-03-02T07:00:00Z", ""},
		{"12:00-13:00", "UTC", "2026-03-02T12:30:00Z", "2026-03-02T13:00:00Z"},
		{"12:00-13:00", "UTC", "2026-03-02T13:30:00Z", ""},
		{"22:00-07:00", "Europe/Berlin", "2026-07-01T20:30:00Z", "2026-07-02T05:00:00Z"},
		{"22:00-07:00", "Europe/Berlin", "2026-03-28T22:30:00Z", "2026-03-29T05:00:00Z"}, // the night an hour is left out
		{"", "UTC", "2026-03-02T03:00:00Z", ""},
	} {
		q, err := ParseQuiet(c.hours, c.zone)
		if err != nil {
			t.Fatal(err)
		}
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if until, quiet := q.Until(now); quiet {
			got = until.UTC().Format(time.RFC3339)
		}
		if got != c.until {
			t.Errorf("%s in %s at %s: until %q, not %q", c.hours, c.zone, c.now, got, c.until)
		}
	}
	for _, wrong := range [][2]string{{"22-7", ""}, {"22:00", ""}, {"22:00-22:00", ""}, {"25:00-07:00", ""}, {"22:00-07:00", "Moon/Crater"}} {
		if _, err := ParseQuiet(wrong[0], wrong[1]); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
}
