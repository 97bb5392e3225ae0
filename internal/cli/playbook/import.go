package playbook

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

func newImport(sh *shell.Shell) *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:   "import FILE [flags]",
		Short: "Turn a phases.conf into a playbook",
		Long: `Reads bytA's phases.conf and prints the same workflow as a playbook. Notes about
what means something different in Stellwerk go to standard error.`,
		Example: `  stellwerk playbook import phases.conf
  stellwerk playbook import phases.conf -o .stellwerk/playbooks/byta.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return importPhases(sh, args[0], out) },
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "write to `FILE`, which must not exist yet")
	return cmd
}

func importPhases(sh *shell.Shell, file, out string) error {
	data, err := os.ReadFile(sh.Absolute(file))
	if err != nil {
		return core.Wrap(core.CodeNotFound, err, "cannot read the phases", "name the file: stellwerk playbook import phases.conf")
	}
	text, notes, err := playbook.Import(file, data)
	if err != nil {
		return err
	}
	sh.Warn(notes)
	if out != "" {
		out = sh.Absolute(out)
		if err := writeNew(out, text); err != nil {
			return err
		}
	}
	switch {
	case sh.JSON:
		return sh.PrintJSON(struct {
			Playbook string   `json:"playbook"`
			Notes    []string `json:"notes"`
		}{string(text), append([]string{}, notes...)})
	case out != "":
		sh.Printf("Written to %s\n", out)
	default:
		sh.Printf("%s", terminal.Text(string(text)))
	}
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make the folder of %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return core.Errorf(core.CodeConflict, "%s exists already", path).WithHint("move it away, or choose another name")
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}
