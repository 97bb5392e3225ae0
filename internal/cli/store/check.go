package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/backing"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func newCheck(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check that the store and its objects are whole",
		Long: `Reads the whole store: every event must follow the one before it in its stream,
what was derived from the events must agree with them, and every object that an
event or document names must be there, byte for byte. It changes nothing, and
engines may work meanwhile. The exit code is 1 if anything is wrong.

Somebody with access to the database can change it so that this finds nothing:
signatures are for that, see stellwerk audit verify.`,
		Example: `  stellwerk store check
  stellwerk store check --store postgres://stellwerk@db.example.com/stellwerk
  stellwerk store check --json | jq .faults`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return check(cmd.Context(), sh) },
	}
}

// answer is what check and move say to programs about a store.
type answer struct {
	Store   string  `json:"store"`
	Objects string  `json:"objects"`
	Closed  string  `json:"closed,omitempty"`       // why nobody may work on it
	Kept    string  `json:"old_snapshot,omitempty"` // who keeps the database from cleaning up
	Holds   []count `json:"holds"`
	Streams int     `json:"streams"`
	Named   int     `json:"named_objects"`
	Faults  []fault `json:"faults"`
}

type count struct {
	Table   string `json:"table"`
	Records int64  `json:"records"`
	Digest  string `json:"sha256"`
}

type fault struct {
	Kind    truth.FaultKind `json:"kind"`
	Of      string          `json:"of"`
	Problem string          `json:"problem"`
	Advice  string          `json:"advice"`
}

func answered(where, objects string, r truth.Report) answer {
	a := answer{Store: where, Objects: objects, Streams: r.Streams, Named: r.Objects, Holds: []count{}, Faults: []fault{}}
	for _, c := range r.Counts {
		a.Holds = append(a.Holds, count(c))
	}
	for _, f := range r.Faults {
		a.Faults = append(a.Faults, fault(f))
	}
	return a
}

func check(ctx context.Context, sh *shell.Shell) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	state, err := folder(opts)
	if err != nil {
		return err
	}
	place, err := backing.Find(state, opts.Store, opts.Objects)
	if err != nil {
		return err
	}
	bar := newProgress(sh)
	c, err := place.Check(ctx, state, truth.Options{Progress: bar.step})
	bar.end()
	if err != nil {
		return err
	}
	a := answered(c.Store, c.Objects, c.Report)
	a.Closed, a.Kept = c.Closed, kept(c.Snapshot)
	if sh.JSON {
		err = sh.PrintJSON(a)
	} else {
		printChecked(sh, a)
	}
	if n := len(a.Faults); err == nil && n > 0 {
		err = core.Errorf(core.CodeForked, "%s is damaged: %s", a.Store, wording.Number(n, "fault", "faults")).
			WithHint("do what is said at each; keep the store and its backups as they are until then")
	}
	return err
}

func printChecked(sh *shell.Shell, a answer) {
	sh.PrintText("store:   ", a.Store)
	sh.PrintText("objects: ", a.Objects)
	if a.Closed != "" {
		sh.PrintText("closed:  ", a.Closed)
	}
	if a.Kept != "" {
		sh.PrintText("kept:    ", a.Kept)
	}
	sh.PrintText("holds:   ", holds(a))
	printFaults(sh, a.Faults)
	if len(a.Faults) == 0 {
		sh.PrintText("", "All events are as they were committed, and every object that they name is there.")
	}
}

// kept says who keeps the database from cleaning up; "" for nobody.
func kept(s *backing.Snapshot) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s has kept a snapshot for %d transactions, so the database cannot remove what was replaced since, and gets slower: end it", s.By, s.Transactions)
}

// holds sums up a store.
func holds(a answer) string {
	of := map[string]int64{}
	for _, c := range a.Holds {
		of[c.Table] = c.Records
	}
	return strings.Join([]string{
		fmt.Sprintf("%s in %s", wording.Number(int(of[store.TableEvents]), "event", "events"), wording.Number(a.Streams, "stream", "streams")),
		wording.Number(int(of[store.TableRuns]), "run", "runs"), wording.Number(int(of[store.TableProjects]), "project", "projects"),
		wording.Number(int(of[store.TableDocuments]), "document", "documents"), wording.Number(a.Named, "named object", "named objects"),
	}, ", ")
}

func printFaults(sh *shell.Shell, faults []fault) {
	for _, f := range faults {
		sh.PrintText(sh.Console.Style.Bad(terminal.Pad(string(f.Kind), 7))+" ", f.Of+": "+f.Problem)
		sh.PrintText("        ", f.Advice)
	}
}
