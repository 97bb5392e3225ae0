package playbook

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

func NewRoles(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "roles [NAME]",
		Short: "List the roles, or show one",
		Long: `Lists the roles that agents can take: the repository's own from
` + role.Folder + `/ and the built-in ones. With a NAME, shows that role
with its prompt.`,
		Example: `  stellwerk roles
  stellwerk roles code-reviewer`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: shell.Offer(func() []string { return role.Builtin().Names() }),
		RunE:              func(_ *cobra.Command, args []string) error { return roles(sh, shell.First(args)) },
	}
}

// roleEntry is the JSON of a role.
type roleEntry struct {
	core.Role
	Origin string `json:"origin"`
}

func roles(sh *shell.Shell, name string) error {
	set, err := sh.Repository().Roles()
	if err != nil {
		return err
	}
	if name != "" {
		return showRole(sh, set, name)
	}
	entries := []roleEntry{}
	for _, name := range set.Names() {
		entries = append(entries, roleEntry{set[name].Role, set[name].Origin})
	}
	var lines []string
	for _, e := range entries {
		prefix := terminal.Pad(terminal.Line(e.Name), 20) + " " + terminal.Pad(view.Place(e.Origin), 9) + " "
		lines = append(lines, terminal.Hang(prefix, terminal.Line(e.Description), sh.Console.Width())...)
	}
	return sh.Print(map[string][]roleEntry{"roles": entries}, lines...)
}

func showRole(sh *shell.Shell, set role.Set, name string) error {
	r, ok := set[name]
	if !ok {
		return core.Errorf(core.CodeNotFound, "there is no role %q", name).WithHint("one of: %s", strings.Join(set.Names(), ", "))
	}
	if sh.JSON {
		return sh.PrintJSON(roleEntry{r.Role, r.Origin})
	}
	for _, field := range []struct{ name, value string }{
		{"name", r.Name}, {"from", r.Origin}, {"about", r.Description}, {"agent", r.Agent}, {"model", r.Model},
		{"tools", strings.Join(r.Tools, ", ")}, {"can", strings.Join(r.Capabilities, ", ")},
	} {
		if field.value != "" {
			sh.PrintText(terminal.Pad(field.name, 6)+" ", field.value)
		}
	}
	for _, note := range r.Notes {
		sh.PrintText(sh.Console.Style.Asking("note: ")+" ", note.String())
	}
	sh.Printf("\n%s\n", strings.TrimRight(terminal.Text(r.Prompt), "\n"))
	return nil
}
