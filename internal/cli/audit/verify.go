package audit

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/audit"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

type verifyOptions struct{ signers, expect, from string }

func newVerify(sh *shell.Shell) *cobra.Command {
	o := &verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify [flags]",
		Short: "Check that the history is whole and signed",
		Long: `Reads the whole history and checks every chain of events, the signature of every
checkpoint, and that each chain passes through what the checkpoints name. Says
what is signed and what came after. The exit code is 1 if anything is wrong.

The signatures that count are those of the public keys in --signers, else in the
setting audit.signers, else that of your own audit.key. If somebody removes the
newest checkpoints together with what they signed, nothing shows it: note the
hash of a checkpoint elsewhere, and name it with --expect.`,
		Example: `  stellwerk audit verify
  stellwerk audit verify --signers team.pub --expect 3f1c…
  stellwerk audit verify --from history.jsonl --signers team.pub`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().StringVar(&o.signers, "signers", "", "`FILE` of the public keys that count")
	cmd.Flags().StringVar(&o.expect, "expect", "", "`HASH` of a checkpoint that must be there")
	cmd.Flags().StringVar(&o.from, "from", "", "verify the export in `FILE` instead of asking an engine (- for standard input)")
	shell.CompleteFlag(cmd, "expect", cobra.NoFileCompletions)
	return cmd
}

func (o *verifyOptions) run(ctx context.Context, sh *shell.Shell) error {
	if o.expect != "" && !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(o.expect) {
		return shell.Usagef("--expect: %q is not the hash of a checkpoint", o.expect)
	}
	keys, err := signers(sh, o.signers)
	if err != nil {
		return err
	}
	verifier := audit.NewVerifier(keys, o.expect)
	bar := newProgress(sh)
	lines := &lineWriter{line: func(line []byte) error {
		bar.step(line)
		return verifier.Line(line)
	}}
	err = o.read(ctx, sh, lines)
	bar.end()
	if err == nil {
		err = lines.Close()
	}
	if err != nil {
		return err
	}
	report, err := verifier.Report()
	if err != nil {
		return err
	}
	if err := printVerified(sh, report); err != nil {
		return err
	}
	if n := len(report.Faults) + report.More; n > 0 {
		return o.faulty(n, keys)
	}
	return nil
}

// read hands the history to w.
func (o *verifyOptions) read(ctx context.Context, sh *shell.Shell, w io.Writer) error {
	if o.from == "" {
		return sh.Connect(ctx, func(svc api.Service) error { return svc.ExportHistory(ctx, api.HistoryQuery{}, w) })
	}
	from := sh.Console.In
	if o.from != "-" {
		file, err := os.Open(sh.Absolute(o.from))
		if err != nil {
			return core.Wrap(core.CodeNotFound, err, "the export cannot be read", "name a file that stellwerk audit export wrote")
		}
		defer func() { _ = file.Close() }() // only read from
		from = file
	}
	_, err := io.Copy(w, from)
	return err
}

func (o *verifyOptions) faulty(n int, keys audit.Signers) error {
	err := core.Errorf(core.CodeForked, "the history does not hold: %s", wording.Number(n, "fault", "faults"))
	if keys == nil {
		return err.WithHint("name the public keys that count: --signers FILE, or audit.signers in your settings")
	}
	return err.WithHint("keep the database and its backups as they are, and find out who had access to them")
}

func printVerified(sh *shell.Shell, r audit.Report) error {
	if sh.JSON {
		return sh.PrintJSON(r)
	}
	for _, line := range verified(r) {
		label, rest, labelled := strings.Cut(line, ": ")
		if !labelled {
			label, rest = "", line
		} else {
			label += ": "
		}
		sh.PrintText(label, rest)
	}
	return nil
}

func verified(r audit.Report) []string {
	lines := []string{fmt.Sprintf("%s, %s, %s", wording.Number(int(r.Events), "event", "events"),
		wording.Number(r.Streams, "stream", "streams"), wording.Number(int(r.Checkpoints), "checkpoint", "checkpoints"))}
	if r.Newest == nil {
		lines = append(lines, "signed: nothing")
	} else {
		var by []string
		for _, k := range r.Keys {
			by = append(by, strings.TrimSpace(k.Fingerprint+" "+k.Name))
		}
		lines = append(lines,
			fmt.Sprintf("signed: %s, by %s", wording.Number(int(r.Signed), "event", "events"), strings.Join(by, ", ")),
			fmt.Sprintf("newest: checkpoint %d of %s, %s", r.Newest.Number, r.Newest.At.Format(time.RFC3339), r.Newest.Hash))
		if open := r.Events - r.Signed; open > 0 {
			lines = append(lines, fmt.Sprintf("after it: %s in %s", wording.Number(int(open), "event", "events"), wording.Number(r.Open, "stream", "streams")))
		}
	}
	for _, e := range r.Erasures {
		line := fmt.Sprintf("erased: project %s, by %s on %s, %s in %s", e.Project, cmp.Or(e.By.ID, string(e.By.Kind)), e.At.Format(time.RFC3339),
			wording.Number(int(e.Events), "event", "events"), wording.Number(e.Streams, "stream", "streams"))
		lines = append(lines, wording.Colon(line, e.Reason))
	}
	for _, f := range r.Faults {
		lines = append(lines, "fault: "+f.Text)
	}
	if r.More > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", wording.Number(r.More, "fault", "faults")))
	}
	return lines
}
