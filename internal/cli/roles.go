package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

func newRoles(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "roles [NAME]",
		Short: "List the roles, or show one",
		Long: `Lists the roles that agents can take: the repository's own from
` + role.Folder + `/ and the built-in ones. With a NAME, shows that role
with its prompt.`,
		Example: `  stellwerk roles
  stellwerk roles code-reviewer`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: offer(func() []string { return role.Builtin().Names() }),
		RunE:              func(_ *cobra.Command, args []string) error { return roles(sh, first(args)) },
	}
}

// roleEntry is a role on the wire.
type roleEntry struct {
	core.Role
	Origin string `json:"origin"`
}

func roles(sh *shell, name string) error {
	repo, err := sh.repository()
	if err != nil {
		return err
	}
	set, err := repo.roles()
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
	if sh.json {
		return sh.printJSON(struct {
			Roles []roleEntry `json:"roles"`
		}{entries})
	}
	for _, e := range entries {
		sh.printf("%s\n", sh.Console.Style.Fit(terminal.Pad(terminal.Line(e.Name), 20)+" "+terminal.Pad(place(e.Origin), 9)+" "+terminal.Line(e.Description), sh.Console.Width()))
	}
	return nil
}

func showRole(sh *shell, set role.Set, name string) error {
	r, ok := set[name]
	if !ok {
		return core.Errorf(core.CodeNotFound, "there is no role %q", name).WithHint("one of: %s", strings.Join(set.Names(), ", "))
	}
	if sh.json {
		return sh.printJSON(roleEntry{r.Role, r.Origin})
	}
	for _, field := range []struct{ name, value string }{
		{"name", r.Name}, {"from", r.Origin}, {"about", r.Description}, {"agent", r.Agent}, {"model", r.Model},
		{"tools", strings.Join(r.Tools, ", ")}, {"can", strings.Join(r.Capabilities, ", ")},
	} {
		if field.value != "" {
			sh.printf("%-6s %s\n", field.name, terminal.Line(field.value))
		}
	}
	for _, note := range r.Notes {
		sh.printf("%s %s\n", sh.Console.Style.Asking("note: "), terminal.Line(note.String()))
	}
	sh.printf("\n%s\n", strings.TrimRight(terminal.Text(r.Prompt), "\n"))
	return nil
}
