package config

import (
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/notify"
)

// NotifySettings say where and when a person is notified. Only a person sets them: a repository that could name an address
// could have notifications sent there.
type NotifySettings struct {
	WebhookURL   Value[string]
	SecretEnv    Value[string] // variable that holds the secret by which webhooks are signed
	SecretFile   Value[string] // file of mode 0600 that holds it
	SlackEnv     Value[string] // variable that holds the address for Slack, which is a secret
	SlackFile    Value[string]
	PrivateHosts Value[[]string] // hosts that may be on a private network
	QuietHours   Value[string]
	QuietZone    Value[string]
}

func (n *NotifySettings) table() []setting {
	const (
		where  = "it would choose where your notifications go"
		when   = "it would choose when you get no notifications"
		secret = "it would choose which of your secrets to use"
	)
	return []setting{
		word("notify_webhook_url", &n.WebhookURL, webhookURL).onlyPersonal(where),
		word("notify_webhook_secret_env", &n.SecretEnv, variable).onlyPersonal(secret),
		word("notify_webhook_secret_file", &n.SecretFile, absolute).onlyPersonal(secret),
		word("notify_slack_url_env", &n.SlackEnv, variable).onlyPersonal(secret),
		word("notify_slack_url_file", &n.SlackFile, absolute).onlyPersonal(secret),
		list("notify_private_hosts", ",", &n.PrivateHosts, name).onlyPersonal(where),
		word("quiet_hours", &n.QuietHours, quietHours).onlyPersonal(when),
		word("quiet_zone", &n.QuietZone, quietZone).onlyPersonal(when),
	}
}

// Quiet are the hours in which the person is not notified.
func (n NotifySettings) Quiet() (notify.Quiet, error) {
	return notify.ParseQuiet(n.QuietHours.V, n.QuietZone.V)
}

func webhookURL(text string) error {
	u, err := address(text, "a webhook is signed with a secret instead")
	if err == nil && u.Fragment != "" {
		return errors.New("it has a fragment, which servers never see")
	}
	return err
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
