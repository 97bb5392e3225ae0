package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Webhook sends signed messages to an address of the person's, as Standard
// Webhooks describes them: the signature is over the id, the time and the body.
// privateHosts are those which may be on a private network.
func Webhook(address, secret string, privateHosts []string) (Way, error) {
	t, err := newTarget(address, privateHosts)
	if err != nil {
		return Way{}, fmt.Errorf("notify_webhook_url: %w", err)
	}
	key := []byte(secret)
	if encoded, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if key, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return Way{}, fmt.Errorf("the secret of the webhook starts with whsec_ but is not base64: %w", ErrPermanent)
		}
	}
	if len(key) < minKey {
		return Way{}, fmt.Errorf("the secret of the webhook has %d bytes but needs %d: %w", len(key), minKey, ErrPermanent)
	}
	p := newPoster(t)
	return Way{"webhook", func(ctx context.Context, m Message) error { return p.signed(ctx, key, m) }}, nil
}

// minKey is how many bytes are hard enough to guess.
const minKey = 16

// body is what is sent. Fields are added to it, never changed.
type body struct {
	Type    string    `json:"type"`
	At      time.Time `json:"timestamp"`
	Title   string    `json:"title"`
	Text    string    `json:"text"`
	Notices []Notice  `json:"notices"`
}

// signed sends a message with its signature.
func (p poster) signed(ctx context.Context, key []byte, m Message) error {
	data, err := json.Marshal(body{"stellwerk.notice", m.At, m.Title, m.Text, m.Notices})
	if err != nil {
		return fmt.Errorf("encode a notice: %w: %w", err, ErrPermanent)
	}
	id, at := messageID(m.ID), strconv.FormatInt(time.Now().Unix(), 10)
	header := http.Header{}
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", at)
	header.Set("Webhook-Signature", "v1,"+sign(key, id, at, data))
	return p.post(ctx, data, header)
}

// messageID is an id without the dot that separates what is signed, and without what a
// header cannot hold.
func messageID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "msg_" + base64.RawURLEncoding.EncodeToString(sum[:18])
}

func sign(key []byte, id, at string, data []byte) string {
	mac := hmac.New(sha256.New, key)
	_, _ = fmt.Fprintf(mac, "%s.%s.", id, at) // a hash takes everything
	_, _ = mac.Write(data)
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
