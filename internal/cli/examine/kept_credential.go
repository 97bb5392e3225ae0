package examine

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
)

// keptCredential gets the model's credential from where the settings keep it, and
// returns only where that is, or what went wrong. Both are empty if the settings
// name no place.
func keptCredential(ctx context.Context, c config.CredentialSettings) (place, trouble string) {
	kind := broker.Kind(c.Kind.V)
	var source broker.Source
	switch {
	case c.File.V != "":
		place, source = "the file "+c.File.V, broker.File(kind, c.File.V)
	case len(c.Command.V) > 0:
		place, source = "the command "+c.Command.V[0], broker.Command(kind, c.Command.V...)
	case c.Keyring.V != "":
		place, source = "the keyring's entry "+c.Keyring.V, broker.Keyring(kind, c.Keyring.V)
	default:
		return "", ""
	}
	ctx, cancel := context.WithTimeout(ctx, doctor.Timeout)
	defer cancel()
	if _, err := source(ctx); err != nil {
		return "", terminal.Line(place + " gives no credential: " + err.Error())
	}
	return terminal.Line(place + " gives a credential (" + c.Kind.V + ")"), ""
}
