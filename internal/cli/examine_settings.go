package cli

import (
	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
)

// examineSettings reads the settings that hold here, and the person's price list: a mistake in either keeps runs from
// starting.
func (sh *shell) examineSettings() finding {
	const what = "settings"
	wrong := func(err error, advice string) finding {
		return finding{what, gradeFail, terminal.Line(err.Error()), advice}
	}
	repo, err := sh.repository()
	if err != nil {
		return wrong(err, "")
	}
	if _, _, err := repo.settings(); err != nil {
		return wrong(err, "fix it; no run starts until then")
	}
	prices, err := config.PricesFile(sh.Env)
	if err != nil {
		return wrong(err, "")
	}
	if _, err := broker.ReadPrices(prices); err != nil {
		return wrong(err, "fix it; claude attempts do not start until then")
	}
	return finding{What: what, Grade: gradeOK, Found: "no mistakes"}
}

// unsettled is the finding of an examination that needs the settings, while they cannot be read.
func unsettled(what string) finding {
	return finding{what, gradeWarn, "not checked: your settings have a mistake, see above", ""}
}
