package config_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/config"
)

func TestSettingsOfNotificationsAreThePersonsAlone(t *testing.T) {
	text := `notify: [webhook, slack]
notify_webhook_url: https://hooks.example.org/x
notify_webhook_secret_env: HOOK_SECRET
notify_slack_url_file: /run/secrets/slack
notify_private_hosts: [hooks.example.org, 10.0.0.5]
quiet_hours: "22:00-07:00"
quiet_zone: Europe/Berlin
`
	s, warnings, err := config.Load(config.Input{User: config.File{Name: "user", Data: []byte(text)}})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	n := s.Telling
	if n.WebhookURL.V != "https://hooks.example.org/x" || n.SlackFile.V != "/run/secrets/slack" || len(n.PrivateHosts.V) != 2 || n.QuietHours.V != "22:00-07:00" {
		t.Errorf("%+v", n)
	}
	if _, err := n.Quiet(); err != nil {
		t.Error(err)
	}
	s, warnings, err = config.Load(config.Input{Project: config.File{Name: "project", Data: []byte(text)}})
	if err != nil || len(warnings) != 6 || s.Telling.WebhookURL.V != "" || s.Telling.QuietHours.V != "" {
		t.Errorf("%v, %v, %+v", err, warnings, s.Telling)
	}
}

func TestWrongSettingsOfNotificationsSayNoSecret(t *testing.T) {
	for _, wrong := range []string{
		"notify_webhook_url: https://user:hunter2hunter2@example.org", "notify_webhook_url: hunter2hunter2", "notify_webhook_secret_env: hunter2hunter2",
		"quiet_hours: 22-7", "quiet_zone: Moon/Crater", "quiet_zone: Local", "notify: [pigeon]", "notify_slack_url_file: relative",
	} {
		_, _, err := config.Load(config.Input{User: config.File{Name: "user", Data: []byte(wrong + "\n")}})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
