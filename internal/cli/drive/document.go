package drive

import (
	"context"
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
)

// PrintDocument prints a document: unchanged to a file or pipe, made harmless on a
// screen.
func PrintDocument(ctx context.Context, sh *shell.Shell, svc api.Service, id, name string) error {
	if !sh.JSON && !sh.Console.Live && !sh.Console.Ask {
		return svc.Artifact(ctx, id, name, sh.Console.Out)
	}
	var text strings.Builder
	if err := svc.Artifact(ctx, id, name, &text); err != nil {
		return err
	}
	return sh.Print(struct {
		Name    string `json:"name"`
		Content string `json:"content"`
	}{name, text.String()}, strings.TrimRight(terminal.Text(text.String()), "\n"))
}

// showGate prints the documents of a gate's stage.
func showGate(ctx context.Context, sh *shell.Shell, svc api.Service, d api.RunDetail) {
	all := view.Documents(d, d.Gate.Subject.Stage)
	if len(all) == 0 {
		sh.Printf("This stage has no documents; the diff shows its changes.\n")
	}
	for _, doc := range all {
		sh.Printf("\n%s\n", sh.Console.Style.Strong(fmt.Sprintf("--- %s", terminal.Line(doc.Name))))
		if err := PrintDocument(ctx, sh, svc, d.ID, doc.Name); err != nil {
			sh.Complain(err.Error(), "")
		}
	}
}
