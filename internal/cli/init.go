package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
)

type initOptions struct{ playbook string }

func newInit(sh *shell) *cobra.Command {
	o := &initOptions{}
	cmd := &cobra.Command{
		Annotations: onThisMachine(),
		Use:         "init [flags]",
		Short:       "Put a playbook into the repository to make it your own",
		Long: `Writes a built-in playbook into ` + playbook.Folder + `/ of the
repository. This is optional: without it, runs use the built-in playbooks.
Nothing that exists is overwritten. Commit the file, since runs read it from the
base commit.

In it, ${setup}, ${build} and ${test} stand for the commands that are found when
a run starts; what they are today is printed. A check whose command is not found
is left out, unless you write one in its place.`,
		Example: `  stellwerk init
  stellwerk init --playbook feature`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), sh) },
	}
	cmd.Flags().StringVarP(&o.playbook, "playbook", "p", playbook.Feature, "built-in playbook `NAME` to begin with")
	must(cmd.RegisterFlagCompletionFunc("playbook", offer(playbook.Builtins)))
	return cmd
}

func (o *initOptions) run(ctx context.Context, sh *shell) error {
	source, ok := playbook.BuiltinSource(o.playbook)
	if !ok {
		_, _, err := playbook.Builtin(o.playbook, playbook.Options{})
		return err
	}
	repo, err := sh.repository()
	if err != nil {
		return err
	}
	if len(repo.files(ctx)) == 0 {
		return core.Errorf(core.CodeInvalid, "%s is not in a git repository with files", repo.root).
			WithHint("change into your repository, or make one: git init && git add . && git commit")
	}
	path := repo.path(playbook.Folder + "/" + o.playbook + ".yaml")
	if err := writeNew(path, source); err != nil {
		return err
	}
	found := repo.commands(ctx)
	if sh.json {
		return sh.printJSON(struct {
			Playbook string            `json:"playbook"`
			Commands playbook.Commands `json:"commands"`
		}{path, found})
	}
	sh.printText("Written: ", path)
	for _, c := range []struct{ name, value string }{{"setup", found.Setup}, {"build", found.Build}, {"test", found.Test}} {
		switch {
		case c.value != "":
			sh.printText("  ", fmt.Sprintf("${%s} is `%s`", c.name, c.value))
		case c.name == "setup":
			sh.printText("  ", fmt.Sprintf("${%s}: nothing was found, and nothing is set up; you can write a command in its place", c.name))
		default:
			sh.printText("  ", fmt.Sprintf("${%s}: nothing was found, and its check is left out; you can write a command in its place", c.name))
		}
	}
	sh.printf("Next: commit it, then stellwerk trust\n")
	return nil
}
