package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func NewTokens(sh *shell.Shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tokens",
		Short: "Manage who can reach the engine over the network",
		Long: `People and programs reach the engine over the network with a token. Each token
has a name, under which the engine records what its owner does, and a role:

  viewer     can read everything
  approver   can also steer runs, and start them in existing projects
  admin      can also add and erase projects, trust, set limits, make tokens

The engine shows a token once, when it creates it, and keeps only its digest.`,
		Example: `  stellwerk tokens add ada --role approver
  stellwerk tokens list
  stellwerk tokens revoke ada`,
	}
	cmd.AddCommand(newTokensAdd(sh), newTokensList(sh), newTokensRevoke(sh))
	return cmd
}

func newTokensAdd(sh *shell.Shell) *cobra.Command {
	req := api.AddToken{}
	cmd := &cobra.Command{
		Annotations: shell.Mark(shell.AtTerminal),
		Use:         "add NAME --role ROLE",
		Short:       "Create a token",
		Long: `Creates a token and prints it once. Keep it where only its owner can read it: in
a file of mode 0600 for --token-file, or in STELLWERK_TOKEN.`,
		Example: `  stellwerk tokens add ada --role approver
  (umask 077; stellwerk tokens add wall-screen --role viewer >token)`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Name = args[0]
			return addToken(cmd.Context(), sh, req)
		},
	}
	cmd.Flags().StringVar((*string)(&req.Role), "role", "", "what it allows: viewer, approver or admin")
	if err := cmd.MarkFlagRequired("role"); err != nil {
		panic(err) // the flag is misspelt
	}
	shell.CompleteFlag(cmd, "role", shell.Choices(string(api.RoleViewer), string(api.RoleApprover), string(api.RoleAdmin)))
	return cmd
}

func addToken(ctx context.Context, sh *shell.Shell, req api.AddToken) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		t, err := svc.AddToken(ctx, req)
		if err != nil {
			return err
		}
		if err := sh.Print(t, terminal.Line(t.Secret)); err != nil || sh.JSON {
			return err
		}
		sh.Tell("", fmt.Sprintf("Token of %s, role %s, id %s. It is not shown again.", terminal.Line(t.Name), t.Role, t.ID))
		return nil
	}, shell.Anew)
}

func newTokensList(sh *shell.Shell) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:     "list [flags]",
		Short:   "List the tokens",
		Long:    `Lists names, roles and last uses of the tokens, never the tokens themselves.`,
		Example: `  stellwerk tokens list --all`,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return listTokens(cmd.Context(), sh, all) },
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "also list revoked tokens")
	return cmd
}

func listTokens(ctx context.Context, sh *shell.Shell, all bool) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		tokens, err := svc.Tokens(ctx)
		if err != nil {
			return err
		}
		shown := slices.DeleteFunc(append([]api.Token{}, tokens...), func(t api.Token) bool { return !all && t.RevokedAt != nil })
		return sh.PrintList(api.TokenList{Tokens: shown}, sh.View().Tokens(shown), "No tokens. `stellwerk tokens add NAME --role ROLE` creates one.")
	})
}

func newTokensRevoke(sh *shell.Shell) *cobra.Command {
	return &cobra.Command{
		Annotations: shell.Mark(shell.AtTerminal),
		Use:         "revoke TOKEN",
		Short:       "Revoke a token",
		Long: `Revokes a token, by its name or id, and ends every browser session that began
with it, at once.`,
		Example: `  stellwerk tokens revoke ada`,
		Args:    cobra.ExactArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return revokeToken(cmd.Context(), sh, args[0]) },
	}
}

func revokeToken(ctx context.Context, sh *shell.Shell, id string) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		t, err := svc.RevokeToken(ctx, id, api.RevokeToken{})
		if err != nil {
			return err
		}
		return sh.Print(t, fmt.Sprintf("The token of %s no longer works.", terminal.Line(t.Name)))
	})
}
