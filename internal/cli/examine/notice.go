package examine

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// examineNotices checks that each way of notifying the person has its settings and
// reaches its server. It sends nothing.
func examineNotices(ctx context.Context, sh *shell.Shell, ways []string, telling config.NotifySettings) api.Examined {
	const what = "notify"
	if slices.Contains(ways, config.NotifyOff) {
		return doctor.OK(what, "off: `stellwerk inbox` shows what waits for you")
	}
	var troubles []string
	for _, way := range ways {
		if err := examineWay(ctx, sh, way, telling); err != nil {
			troubles = append(troubles, way+": "+err.Error())
		}
	}
	if len(troubles) > 0 {
		return doctor.Warn(what, terminal.Line(strings.Join(troubles, "; ")), "fix it, then run `stellwerk notify test`; an engine keeps the environment it was started with")
	}
	found := strings.Join(ways, ", ")
	if hours := telling.QuietHours.V; hours != "" {
		found += "; quiet " + hours + " " + telling.QuietZone.V
	}
	return doctor.OK(what, strings.TrimSpace(found))
}

func examineWay(ctx context.Context, sh *shell.Shell, way string, s config.NotifySettings) error {
	switch way {
	case config.NotifyDesktop:
		name := "notify-send"
		if runtime.GOOS == "darwin" {
			name = "osascript"
		}
		_, err := program.Look(os.Getenv("PATH"), name)
		return err
	case config.NotifyWebhook:
		secret, err := forge.TokenFrom(sh.Env, s.SecretEnv.V, s.SecretFile.V)
		if err == nil {
			_, err = notify.Webhook(s.WebhookURL.V, secret.Reveal(), s.PrivateHosts.V)
		}
		if err != nil {
			return err
		}
		return notify.Reach(ctx, s.WebhookURL.V, s.PrivateHosts.V)
	case config.NotifySlack:
		address, err := forge.TokenFrom(sh.Env, s.SlackEnv.V, s.SlackFile.V)
		if err != nil {
			return err
		}
		return notify.Reach(ctx, address.Reveal(), s.PrivateHosts.V)
	}
	return nil // the bell is this terminal's
}
