package playbook

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

type initOptions struct{ playbook string }

func NewInit(sh *shell.Shell) *cobra.Command {
	o := &initOptions{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.Local),
		Use:         "init [flags]",
		Short:       "Copy a built-in playbook into the repository",
		Long: `Writes a built-in playbook into ` + playbook.Folder + `/ of the
repository, so that you can change it. This is optional: without it, runs use
the built-in playbooks. The command overwrites nothing. Commit the file, because
runs read it from the base commit.

${setup}, ${build} and ${test} in the file stand for the commands that Stellwerk
detects when a run starts; this command prints what it detects today. If it
finds none, the run leaves that check out, unless you write a command yourself.`,
		Example: `  stellwerk init
  stellwerk init --playbook feature`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().StringVarP(&o.playbook, "playbook", "p", playbook.Feature, "built-in playbook `NAME` to copy")
	shell.CompleteFlag(cmd, "playbook", shell.Offer(playbook.Builtins))
	return cmd
}

func (o *initOptions) run(ctx context.Context, sh *shell.Shell) error {
	source, ok := playbook.BuiltinSource(o.playbook)
	if !ok {
		_, _, err := playbook.Builtin(o.playbook, playbook.Options{})
		return err
	}
	repo := sh.Repository()
	if len(repo.Files(ctx)) == 0 {
		return core.Errorf(core.CodeInvalid, "%s is not in a git repository with files", repo.Root).
			WithHint("change to your repository, or create one: git init && git add . && git commit")
	}
	path := repo.Path(playbook.Folder + "/" + o.playbook + ".yaml")
	if err := writeNew(path, source); err != nil {
		return err
	}
	found := repo.Commands(ctx)
	if sh.JSON {
		return sh.PrintJSON(struct {
			Playbook string            `json:"playbook"`
			Commands playbook.Commands `json:"commands"`
		}{path, found})
	}
	sh.PrintText("Written: ", path)
	for _, c := range []struct{ name, value string }{{"setup", found.Setup}, {"build", found.Build}, {"test", found.Test}} {
		switch {
		case c.value != "":
			sh.PrintText("  ", fmt.Sprintf("${%s} is `%s`", c.name, c.value))
		case c.name == "setup":
			sh.PrintText("  ", fmt.Sprintf("${%s}: no command found, so runs set nothing up; you can write one in its place", c.name))
		default:
			sh.PrintText("  ", fmt.Sprintf("${%s}: no command found, so runs leave its check out; you can write one in its place", c.name))
		}
	}
	sh.Printf("Next: commit it, then stellwerk trust\n")
	return nil
}
