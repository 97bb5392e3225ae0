// Package notice tells people what waits for them in runs, each thing once, in the
// ways that their settings name. It decides neither what waits (package show does) nor
// how a message is carried (package notify does).
package notice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

var _ dispatch.Notifier = (*Teller)(nil)

// Options are what a Teller needs.
type Options struct {
	Store    notify.Store // keeps what was told, and is to be
	Load     func(ctx context.Context, run string) (*core.Run, error)
	Project  func(ctx context.Context, id string) (name string, err error)
	Redactor func(names []string, more ...redact.Secret) *redact.Redactor // of a run with these variables
	Log      *slog.Logger
}

// Teller tells people what waits in runs, each thing once.
type Teller struct {
	Options
	Outbox *notify.Outbox
}

// New makes a Teller. Its outbox is started and closed by whoever made it.
func New(o Options) *Teller {
	t := &Teller{Options: o}
	t.Outbox = notify.Open(notify.Options{Store: o.Store, Setup: noticeSetup, Waits: t.waits, Log: o.Log})
	return t
}

// Tell implements dispatch.Notifier.
func (t *Teller) Tell(ctx context.Context, run *core.Run) error {
	project, err := t.Project(ctx, run.Project)
	if err != nil {
		project = run.Project // a name is not worth being silent for
	}
	hide := t.Redactor(run.Playbook.Secrets()).String
	for _, n := range notices(run) {
		n.Project, n.Run, n.Alias = project, run.ID, run.Alias
		n.Title, n.Text = hide(run.Alias+" "+n.Title), hide(cmp.Or(n.Text, run.Title))
		if err := t.Outbox.Notify(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// waits says that what a notice is about is still so.
func (t *Teller) waits(ctx context.Context, n notify.Notice) bool {
	if n.Run == "" || n.Kind == notify.KindEnded {
		return true
	}
	run, err := t.Load(ctx, n.Run)
	if errors.Is(err, core.ErrErased) {
		return false
	}
	if err != nil {
		return true // better told twice than not at all
	}
	return slices.ContainsFunc(notices(run), func(now notify.Notice) bool { return now.ID == n.ID })
}

// notices are what a person should know of a run as it stands. What they did
// themselves, they know.
func notices(r *core.Run) []notify.Notice {
	var all []notify.Notice
	for _, w := range show.Waits(r) {
		n := notify.Notice{Kind: w.Kind, Text: w.Reason, Next: w.Next, At: w.Since}
		switch {
		case w.Gate != nil:
			n.ID, n.Title = w.Gate.Event, "is waiting for your approval"
		case w.Pause != nil && (w.Pause.Code == core.PausePerson || w.Pause.Code == core.PauseProject):
			continue
		case w.Pause != nil:
			n.ID, n.Title = thing(r, w), "is paused"
		default:
			n.ID, n.Title = thing(r, w), "is waiting for a review"
		}
		all = append(all, n)
	}
	for _, q := range r.Questions {
		all = append(all, notify.Notice{
			ID: "question/" + r.ID + "/" + q.ID, Kind: api.WaitQuestion, Title: "asks you something", Text: q.Text, At: q.At,
			Next: wording.Advice("", q.Ask()),
		})
	}
	if r.EndedAt != nil && r.Status != core.StatusCancelled {
		all = append(all, notify.Notice{ID: "ended/" + r.ID, Kind: notify.KindEnded, Title: "is " + string(r.Status), Text: r.EndReason, At: *r.EndedAt})
	}
	return all
}

// thing names what waits by when it began to.
func thing(r *core.Run, w api.Waiting) string {
	return fmt.Sprintf("%s/%s/%d", w.Kind, r.ID, w.Since.UnixNano())
}

// noticeSetup is how the person wants to be told, by their settings as they are
// now. The bell is rung by whoever holds the terminal.
func noticeSetup() (notify.Setup, error) {
	settings, err := config.OfPerson(nil)
	if err != nil {
		return notify.Setup{}, err
	}
	quiet, err := settings.Telling.Quiet()
	if err != nil {
		return notify.Setup{}, err
	}
	setup := notify.Setup{Quiet: quiet}
	if slices.Contains(settings.Notify.V, config.NotifyOff) {
		return setup, nil
	}
	for _, name := range settings.Notify.V {
		way, err := noticeWay(name, settings.Telling)
		if err != nil {
			way = notify.Way{Name: name, Send: func(context.Context, notify.Message) error { return err }}
		}
		if way.Send != nil {
			setup.Ways = append(setup.Ways, way)
		}
	}
	return setup, nil
}

func noticeWay(name string, s config.NotifySettings) (notify.Way, error) {
	switch name {
	case config.NotifyDesktop:
		return notify.Desktop(), nil
	case config.NotifyWebhook:
		secret, err := forge.Token(s.SecretEnv.V, s.SecretFile.V)
		if err != nil {
			return notify.Way{}, fmt.Errorf("the secret of the webhook (notify_webhook_secret_env, notify_webhook_secret_file): %w", err)
		}
		if s.WebhookURL.V == "" {
			return notify.Way{}, fmt.Errorf("notify_webhook_url is not set: %w", notify.ErrPermanent)
		}
		return notify.Webhook(s.WebhookURL.V, secret.Reveal(), s.PrivateHosts.V)
	case config.NotifySlack:
		address, err := forge.Token(s.SlackEnv.V, s.SlackFile.V)
		if err != nil {
			return notify.Way{}, fmt.Errorf("the address for Slack (notify_slack_url_env, notify_slack_url_file): %w", err)
		}
		return notify.Slack(address.Reveal(), s.PrivateHosts.V)
	}
	return notify.Way{}, nil // the bell is nothing that the engine rings
}
