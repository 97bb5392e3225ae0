package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
)

var _ dispatch.Notifier = (*teller)(nil)

// noticeEnded is the kind of a notice about a run that is over; the others are
// those of what waits.
const noticeEnded = notify.KindEnded

// teller tells people what waits in runs, each thing once.
type teller struct {
	app    *App
	outbox *notify.Outbox
}

func newTeller(a *App) *teller {
	t := &teller{app: a}
	t.outbox = notify.Open(notify.Options{File: a.state.notices(), Setup: noticeSetup, Waits: t.waits, Log: a.log})
	return t
}

// Tell implements dispatch.Notifier.
func (t *teller) Tell(ctx context.Context, run *core.Run) error {
	project, err := t.app.projectName(ctx, run.Project)
	if err != nil {
		project = run.Project // a name is not worth being silent for
	}
	hide := t.app.redactorOf(run.Playbook.Secrets()).String
	for _, n := range notices(run) {
		n.Project, n.Run, n.Alias = project, run.ID, run.Alias
		n.Title, n.Text = hide(run.Alias+" "+n.Title), hide(cmp.Or(n.Text, run.Title))
		if err := t.outbox.Notify(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

// waits says that what a notice is about is still so.
func (t *teller) waits(ctx context.Context, n notify.Notice) bool {
	if n.Run == "" || n.Kind == noticeEnded {
		return true
	}
	run, err := t.app.engine.Load(ctx, n.Run)
	if err != nil {
		return true // better told twice than not at all
	}
	return slices.ContainsFunc(notices(run), func(now notify.Notice) bool { return now.ID == n.ID })
}

// notices are what a person should know of a run as it stands. What they did
// themselves, they know.
func notices(r *core.Run) []notify.Notice {
	var all []notify.Notice
	for _, w := range waits(r) {
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
			Next: fmt.Sprintf("`stellwerk answer %s \"…\"`", q.ID),
		})
	}
	if r.EndedAt != nil && r.Status != core.StatusCancelled {
		all = append(all, notify.Notice{ID: "ended/" + r.ID, Kind: noticeEnded, Title: "is " + string(r.Status), Text: r.EndReason, At: *r.EndedAt})
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
	settings, err := userSettings(nil)
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
			way = notify.Unusable(name, err)
		}
		if way != nil {
			setup.Ways = append(setup.Ways, way)
		}
	}
	return setup, nil
}

func noticeWay(name string, s config.NotifySettings) (notify.Way, error) {
	switch name {
	case config.NotifyDesktop:
		return notify.Desktop{}, nil
	case config.NotifyWebhook:
		secret, err := forge.Token(s.SecretEnv.V, s.SecretFile.V)
		if err != nil {
			return nil, fmt.Errorf("the secret of the webhook (notify_webhook_secret_env, notify_webhook_secret_file): %w", err)
		}
		if s.WebhookURL.V == "" {
			return nil, fmt.Errorf("notify_webhook_url is not set: %w", notify.ErrPermanent)
		}
		return asWay(notify.NewWebhook(s.WebhookURL.V, secret.Reveal(), s.PrivateHosts.V))
	case config.NotifySlack:
		address, err := forge.Token(s.SlackEnv.V, s.SlackFile.V)
		if err != nil {
			return nil, fmt.Errorf("the address for Slack (notify_slack_url_env, notify_slack_url_file): %w", err)
		}
		return asWay(notify.NewSlack(address.Reveal(), s.PrivateHosts.V))
	}
	return nil, nil //nolint:nilnil // the bell is nothing that the engine rings
}

// asWay keeps a nil pointer from becoming a way.
func asWay[T notify.Way](way T, err error) (notify.Way, error) {
	if err != nil {
		return nil, err
	}
	return way, nil
}

// TestNotices implements api.Operations.
func (a *App) TestNotices(ctx context.Context) ([]api.NoticeTest, error) {
	told, err := a.teller.outbox.Test(ctx)
	tests := make([]api.NoticeTest, 0, len(told))
	for _, t := range told {
		test := api.NoticeTest{Way: t.Way, OK: t.Err == nil}
		if t.Err != nil {
			test.Error = a.redactor.String(t.Err.Error())
		}
		tests = append(tests, test)
	}
	return tests, err
}
