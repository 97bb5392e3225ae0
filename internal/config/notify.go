package config

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/notify"
)

// NotifySettings say where a person is told, and when not. They are the
// person's alone: a repository that could name an address could have what waits
// sent there.
type NotifySettings struct {
	WebhookURL   Value[string]
	SecretEnv    Value[string] // variable that holds the secret by which webhooks are signed
	SecretFile   Value[string] // file of mode 0600 that holds it
	SlackEnv     Value[string] // variable that holds the address for Slack, which is a secret
	SlackFile    Value[string]
	PrivateHosts Value[[]string] // that may be on a private network
	QuietHours   Value[string]
	QuietZone    Value[string]
}

func notifyDefaults() map[string]any {
	return map[string]any{
		"notify_webhook_url": "", "notify_webhook_secret_env": "", "notify_webhook_secret_file": "",
		"notify_slack_url_env": "", "notify_slack_url_file": "", "notify_private_hosts": []string(nil),
		"quiet_hours": "", "quiet_zone": "",
	}
}

func notifyTable() []setting {
	const where, secret = "it would choose where your notifications go", "it would choose which of your secrets to use"
	at := func(field func(*NotifySettings) *Value[string]) func(*Settings) *Value[string] {
		return func(s *Settings) *Value[string] { return field(&s.Telling) }
	}
	return []setting{
		word("notify_webhook_url", at(func(n *NotifySettings) *Value[string] { return &n.WebhookURL }), webhookURL).onlyPersonal(where),
		word("notify_webhook_secret_env", at(func(n *NotifySettings) *Value[string] { return &n.SecretEnv }), variable).onlyPersonal(secret),
		word("notify_webhook_secret_file", at(func(n *NotifySettings) *Value[string] { return &n.SecretFile }), absolute).onlyPersonal(secret),
		word("notify_slack_url_env", at(func(n *NotifySettings) *Value[string] { return &n.SlackEnv }), variable).onlyPersonal(secret),
		word("notify_slack_url_file", at(func(n *NotifySettings) *Value[string] { return &n.SlackFile }), absolute).onlyPersonal(secret),
		list("notify_private_hosts", ",", func(s *Settings) *Value[[]string] { return &s.Telling.PrivateHosts }, name).onlyPersonal(where),
		word("quiet_hours", at(func(n *NotifySettings) *Value[string] { return &n.QuietHours }), quietHours).onlyPersonal("it would choose when you get no notifications"),
		word("quiet_zone", at(func(n *NotifySettings) *Value[string] { return &n.QuietZone }), quietZone).onlyPersonal("it would choose when you get no notifications"),
	}
}

func (n NotifySettings) entries() []Entry {
	return []Entry{
		{"notify_webhook_url", n.WebhookURL.V, n.WebhookURL.From},
		{"notify_webhook_secret_env", n.SecretEnv.V, n.SecretEnv.From},
		{"notify_webhook_secret_file", n.SecretFile.V, n.SecretFile.From},
		{"notify_slack_url_env", n.SlackEnv.V, n.SlackEnv.From},
		{"notify_slack_url_file", n.SlackFile.V, n.SlackFile.From},
		{"notify_private_hosts", strings.Join(n.PrivateHosts.V, " "), n.PrivateHosts.From},
		{"quiet_hours", n.QuietHours.V, n.QuietHours.From},
		{"quiet_zone", n.QuietZone.V, n.QuietZone.From},
	}
}

// Quiet are the hours in which the person is told nothing.
func (n NotifySettings) Quiet() (notify.Quiet, error) {
	return notify.ParseQuiet(n.QuietHours.V, n.QuietZone.V)
}

// webhookURL keeps the address out of messages: it may hold a credential.
func webhookURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("it must be an address with https:// and a host")
	case u.User != nil:
		return errors.New("it contains credentials; a webhook is signed with a secret instead")
	case u.Fragment != "":
		return errors.New("it has a fragment, which servers never see")
	}
	return nil
}

func quietHours(text string) error {
	_, err := notify.ParseQuiet(text, "")
	return err
}

func quietZone(text string) error {
	if text == "Local" {
		return fmt.Errorf("leave quiet_zone out to use this machine's time")
	}
	_, err := notify.ParseQuiet("", text)
	return err
}
