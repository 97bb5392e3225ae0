package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Slack sends to an incoming webhook of Slack, or of what takes the same:
// Mattermost, Rocket.Chat, Discord under /slack. Its address is a credential.
// privateHosts are those which may be on a private network.
func Slack(address string, privateHosts []string) (Way, error) {
	t, err := newTarget(address, privateHosts)
	if err != nil {
		return Way{}, fmt.Errorf("the address for Slack: %w", err)
	}
	p := newPoster(t)
	return Way{"slack", func(ctx context.Context, m Message) error {
		data, err := slackBody(m)
		if err != nil {
			return fmt.Errorf("encode a notice: %w: %w", err, ErrPermanent)
		}
		return p.post(ctx, data, http.Header{})
	}}, nil
}

// slackBody is a message as Slack takes it. What agents or repositories wrote
// addresses nobody, links to nothing but what it shows, and is fetched by nobody.
func slackBody(m Message) ([]byte, error) {
	text := m.Title
	if m.Text != "" {
		text += "\n" + m.Text
	}
	if len(m.Notices) == 1 && m.Notices[0].Next != "" {
		text += "\n" + m.Notices[0].Next
	}
	return json.Marshal(struct {
		Text   string `json:"text"`
		Markup bool   `json:"mrkdwn"`
		Links  bool   `json:"unfurl_links"`
		Media  bool   `json:"unfurl_media"`
	}{Text: escapeSlack(text)})
}

// escapeSlack writes the three characters that mean something to Slack as it
// asks to: without them there is no <!channel> and no <link|name>. Others who take
// the same call people by a bare @all or @everyone: a space without width keeps the
// sign from the name.
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@\u200b").Replace(text)
}
