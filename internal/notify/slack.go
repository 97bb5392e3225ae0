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
type Slack struct{ poster }

// NewSlack sends to address. privateHosts are those which may be on a private
// network.
func NewSlack(address string, privateHosts []string) (*Slack, error) {
	t, err := newTarget(address, privateHosts)
	if err != nil {
		return nil, fmt.Errorf("the address for Slack: %w", err)
	}
	return &Slack{newPoster(t)}, nil
}

// Name implements Way.
func (*Slack) Name() string { return "slack" }

// Send implements Way. What agents or repositories wrote addresses nobody, links
// to nothing but what it shows, and is fetched by nobody.
func (s *Slack) Send(ctx context.Context, m Message) error {
	text := m.Title
	if m.Text != "" {
		text += "\n" + m.Text
	}
	if len(m.Notices) == 1 && m.Notices[0].Next != "" {
		text += "\n" + m.Notices[0].Next
	}
	data, err := json.Marshal(struct {
		Text   string `json:"text"`
		Markup bool   `json:"mrkdwn"`
		Links  bool   `json:"unfurl_links"`
		Media  bool   `json:"unfurl_media"`
	}{Text: escapeSlack(text)})
	if err != nil {
		return fmt.Errorf("encode a notice: %w: %w", err, ErrPermanent)
	}
	return s.post(ctx, data, http.Header{})
}

// escapeSlack writes the three characters that mean something to Slack as it
// asks to: without them there is no <!channel> and no <link|name>. Others who take
// the same call people by a bare @all or @everyone: a space without width keeps the
// sign from the name.
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "@", "@\u200b").Replace(text)
}
