package config_test

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config"
)

func TestAges(t *testing.T) {
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "1d": 24 * time.Hour, "36h": 36 * time.Hour} {
		if got, err := config.ParseAge(text); err != nil || got != want || config.FormatAge(got) != text && text != "36h" {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
	for _, wrong := range []string{"", "d", "0d", "-3d", "23h", "1.5d", "30", "9999999999d", "month"} {
		if got, err := config.ParseAge(wrong); err == nil {
			t.Errorf("%q is %s", wrong, got)
		}
	}
	s, _, err := config.Load(config.Input{User: config.File{Name: "user", Data: []byte("retention: 30d\n")}})
	if err != nil || s.Retention.V != 720*time.Hour {
		t.Errorf("%v, %v", s, err)
	}
	s, warnings, err := config.Load(config.Input{Project: config.File{Name: "project", Data: []byte("retention: 1d\n")}})
	if err != nil || s.Retention.V != 0 || len(warnings) != 1 {
		t.Errorf("%v, %v", warnings, err)
	}
}
