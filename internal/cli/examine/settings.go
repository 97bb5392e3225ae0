package examine

import (
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
)

// examineSettings reads the settings that hold here, and the person's price list: a mistake in either keeps runs from
// starting.
func examineSettings(sh *shell.Shell, mistake error) api.Examined {
	const what = "settings"
	wrong := func(err error, advice string) api.Examined {
		return doctor.Fail(what, terminal.Line(err.Error()), advice)
	}
	if mistake != nil {
		return wrong(mistake, "fix it; no run starts until then")
	}
	prices, err := config.PricesFile(sh.Env)
	if err != nil {
		return wrong(err, "")
	}
	if _, err := broker.ReadPrices(prices, ""); err != nil {
		return wrong(err, "fix it; claude attempts do not start until then")
	}
	return doctor.OK(what, "no mistakes")
}
