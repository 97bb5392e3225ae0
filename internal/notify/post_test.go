package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"
)

const secret = "a secret of enough bytes"

// received is what a server was sent.
type received struct {
	header http.Header
	body   []byte
}

func server(t *testing.T, answer http.HandlerFunc) (address string, got *[]received) {
	t.Helper()
	got = &[]received{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		*got = append(*got, received{r.Header, body})
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, got
}

func message(title string) Message {
	return compose([]Notice{{ID: "run/r#7", Kind: "approval", Alias: "brisk-otter", Title: title, Text: "stage build waits", Next: "`stellwerk approve`"}}, time.Now())
}

func TestAWebhookIsSigned(t *testing.T) {
	address, got := server(t, nil)
	for _, key := range []string{secret, "whsec_" + base64.StdEncoding.EncodeToString([]byte(secret))} {
		w, err := Webhook(address, key, []string{"127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Send(t.Context(), message("brisk-otter waits")); err != nil {
			t.Fatal(err)
		}
	}
	if len(*got) != 2 || (*got)[0].header.Get("Webhook-Id") != (*got)[1].header.Get("Webhook-Id") {
		t.Fatalf("received %+v", *got)
	}
	for _, r := range *got {
		id, at := r.header.Get("Webhook-Id"), r.header.Get("Webhook-Timestamp")
		mac := hmac.New(sha256.New, []byte(secret))
		_, _ = mac.Write([]byte(id + "." + at + "." + string(r.body)))
		if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.header.Get("Webhook-Signature") != want {
			t.Errorf("the signature is %s, not %s", r.header.Get("Webhook-Signature"), want)
		}
		if seconds, err := strconv.ParseInt(at, 10, 64); err != nil || time.Since(time.Unix(seconds, 0)).Abs() > time.Minute {
			t.Errorf("the time is %s", at)
		}
		var body struct {
			Type    string
			Title   string
			Notices []Notice
		}
		if err := json.Unmarshal(r.body, &body); err != nil || body.Type != "stellwerk.notice" || body.Title != "stellwerk: brisk-otter waits" || body.Notices[0].ID != "run/r#7" {
			t.Errorf("the body is %s", r.body)
		}
	}
}

func TestSlackIsSentNothingThatMeansSomethingThere(t *testing.T) {
	address, got := server(t, nil)
	s, err := Slack(address, []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Send(t.Context(), message("<!channel> a & b\x1b[31m\u202e <http://evil|safe> @channel\n(@everyone)@here")); err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal((*got)[0].body, &body); err != nil {
		t.Fatal(err)
	}
	want := "stellwerk: &lt;!channel&gt; a &amp; b &lt;http://evil|safe&gt; @\u200bchannel (@\u200beveryone)@\u200bhere\nstage build waits\n`stellwerk approve`"
	if body["text"] != want || body["unfurl_links"] != false {
		t.Errorf("sent %q", (*got)[0].body)
	}
}

func TestOnlyTheOpenNetworkIsSentTo(t *testing.T) {
	address, got := server(t, nil)
	port := address[strings.LastIndex(address, ":"):]
	for _, c := range []struct {
		address string
		hosts   []string
		taken   bool
	}{
		{address, nil, false},
		{address, []string{"localhost"}, false},
		{address, []string{"127.0.0.1"}, true},
		{"http://localhost" + port, []string{"LOCALHOST"}, true},
		{"http://localhost" + port, nil, false},
	} {
		before := len(*got)
		w, err := Webhook(c.address, secret, c.hosts)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Send(t.Context(), message("x"))
		if taken := err == nil && len(*got) == before+1; taken != c.taken {
			t.Errorf("%s with %v: %v", c.address, c.hosts, err)
		}
		if !c.taken && (!errors.Is(err, ErrPermanent) || len(*got) != before || !strings.Contains(err.Error(), "notify_private_hosts")) {
			t.Errorf("%s with %v: %v", c.address, c.hosts, err)
		}
	}
	for _, wrong := range []string{"http://example.org/x", "ftp://127.0.0.1", "https://user:pass@example.org", "https://", "example.org", "http://127.0.0.1.example.org"} {
		if _, err := Webhook(wrong, secret, []string{"127.0.0.1", "example.org"}); err == nil || strings.Contains(err.Error(), "pass") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestAnAddressIsJudgedWhenItIsDialled(t *testing.T) {
	named, err := newTarget("https://hooks.example.org/x", []string{"hooks.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := newTarget("https://hooks.example.org/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	literal, err := newTarget("https://169.254.169.254/x", []string{"169.254.169.254"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ip                       string
		stranger, named, literal bool
	}{
		{"93.184.216.34", true, true, true}, {"2606:2800:220:1::1", true, true, true},
		{"10.0.0.1", false, true, true}, {"127.0.0.1", false, true, true}, {"192.168.1.1", false, true, true}, {"172.16.0.1", false, true, true},
		{"100.64.0.1", false, true, true}, {"0.0.0.0", false, true, true}, {"::1", false, true, true}, {"::ffff:10.0.0.1", false, true, true},
		{"fd12::1", false, true, true}, {"64:ff9b::a00:1", false, true, true}, {"2002:a00:1::1", false, true, true}, {"224.0.0.1", false, true, true},
		{"169.254.169.254", false, false, true}, {"::ffff:169.254.169.254", false, false, true}, {"fe80::1", false, false, false}, {"fd00:ec2::254", false, false, false},
	} {
		address := netip.AddrPortFrom(netip.MustParseAddr(c.ip), 443).String()
		for _, k := range []struct {
			name string
			to   target
			want bool
		}{{"a stranger", stranger, c.stranger}, {"a named host", named, c.named}, {"a literal", literal, c.literal}} {
			if err := k.to.control("tcp", address, nil); (err == nil) != k.want || err != nil && !errors.Is(err, ErrPermanent) {
				t.Errorf("%s at %s: %v", k.name, c.ip, err)
			}
		}
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	for _, c := range []struct {
		status    int
		ok, again bool
	}{{200, true, false}, {204, true, false}, {302, false, false}, {400, false, false}, {404, false, false}, {429, false, true}, {500, false, true}, {503, false, true}} {
		address, got := server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(c.status)
		})
		w, err := Webhook(address+"/hook/very-secret", secret, []string{"127.0.0.1"})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Send(t.Context(), message("x"))
		if (err == nil) != c.ok || errors.Is(err, ErrPermanent) == (c.ok || c.again) || len(*got) != 1 {
			t.Errorf("%d: %v, asked %d times", c.status, err, len(*got))
		}
		if err != nil && strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%d: it says %v", c.status, err)
		}
	}
}

func TestAServerThatDoesNotAnswerIsLeft(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	address, _ := server(t, func(http.ResponseWriter, *http.Request) { <-hang })
	w, err := Webhook(address, secret, []string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := w.Send(ctx, message("x")); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrPermanent) {
		t.Errorf("%v", err)
	}
}

func TestAShortSecretIsRefused(t *testing.T) {
	for _, short := range []string{"", "short", "whsec_c2hvcnQ=", "whsec_no base64 at all, but long"} {
		if _, err := Webhook("https://example.org", short, nil); err == nil || short != "" && strings.Contains(err.Error(), "no base64 at all") {
			t.Errorf("%q: %v", short, err)
		}
	}
}
