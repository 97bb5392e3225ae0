package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
)

// showDocument prints a document: as it is to a file or pipe, harmless to a
// screen.
func (sh *shell) showDocument(ctx context.Context, svc api.Service, id, name string) error {
	if !sh.json && !sh.Console.Live && !sh.Console.Ask {
		return svc.Artifact(ctx, id, name, sh.Console.Out)
	}
	var text strings.Builder
	if err := svc.Artifact(ctx, id, name, &text); err != nil {
		return err
	}
	if sh.json {
		return sh.printJSON(struct {
			Name    string `json:"name"`
			Content string `json:"content"`
		}{name, text.String()})
	}
	sh.printf("%s\n", strings.TrimRight(terminal.Text(text.String()), "\n"))
	return nil
}

// showGate prints the documents that a gate is about, and complains of those it cannot.
func (sh *shell) showGate(ctx context.Context, svc api.Service, d api.RunDetail) {
	all := view.Documents(d, d.Gate.Subject.Stage)
	if len(all) == 0 {
		sh.printf("This stage has no documents; the diff shows its changes.\n")
	}
	for _, doc := range all {
		sh.printf("\n%s\n", sh.Console.Style.Strong(fmt.Sprintf("--- %s", terminal.Line(doc.Name))))
		if err := sh.showDocument(ctx, svc, d.ID, doc.Name); err != nil {
			sh.complain(err.Error(), "")
		}
	}
}
