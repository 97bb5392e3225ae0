package tool

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
)

type delegateOptions struct {
	*options
	req   core.Proposal
	file  string
	roles []string
}

func newDelegate(sh *shell.Shell, t *options) *cobra.Command {
	o := &delegateOptions{options: t}
	cmd := &cobra.Command{
		Use:   "delegate [PROMPT] [BRANCH] [flags]",
		Short: "Delegate work",
		Long: tool.ExplainDelegate + `

` + tool.ExplainKinds + `

With - as PROMPT, the command reads standard input. Put -- before a PROMPT that
begins with a dash. With --kind merge or discard, a single word is the branch.`,
		Example: `  delegate-to-red "Add GET /health to api/server.go; it answers 200 and ok."
  delegate-to-red - api --title "List" --check "go test ./api" < prompt.md
  delegate-to-red "Look for races." api --kind review
  delegate-to-red --kind merge api
  delegate-to-red "Compare the options." --output options.md
  delegate-to-red "Write the UI." --input options.md --after t1
  delegate-to-red --kind pr`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return o.delegate(cmd.Context(), sh, args) },
	}
	f := cmd.Flags()
	f.StringVar((*string)(&o.req.Kind), "kind", "", "code, review, fix, merge, discard, validate or pr")
	f.StringArrayVar(&o.roles, "role", nil, "`ROLE` that does the work (default the playbook's); give it again with user or blue to set your voice")
	f.StringVar(&o.req.Title, "title", "", "title, one line (default the prompt's first)")
	f.StringVar(&o.req.Line, "branch", "", "`BRANCH`, instead of the second argument")
	f.StringArrayVar(&o.req.Inputs, "input", nil, "`NAME` of a document to give it; repeatable")
	f.StringArrayVar(&o.req.Outputs, "output", nil, "`NAME` of a document it must hand in; repeatable")
	f.StringArrayVar(&o.req.Checks, "check", nil, "`COMMAND` that must also succeed; repeatable")
	f.StringArrayVar(&o.req.After, "after", nil, "start once `ID` (t1) or a branch is merged; repeatable")
	f.StringVar(&o.file, "file", "", "read the prompt from this `FILE`")
	return cmd
}

func (o *delegateOptions) delegate(ctx context.Context, sh *shell.Shell, args []string) error {
	if err := errors.Join(o.place(args), o.sort()); err != nil {
		return err
	}
	var err error
	if o.req.Prompt, err = sh.ReadText(o.req.Prompt, o.file); err != nil {
		return err
	}
	if o.req.Prompt == "" && !o.req.Kind.EngineAct() {
		return shell.Usagef("say what to do: delegate PROMPT")
	}
	return call(ctx, sh, o.options, tool.SayDelegated, func(k tool.Kit) (api.Delegated, error) { return k.Delegate(ctx, k.Run, o.req) })
}

// sort tells the voice of the caller from the role of who does the work.
func (o *delegateOptions) sort() error {
	for _, word := range o.roles {
		to, what := &o.req.Role, "the role"
		if isVoice(word) {
			to, what = &o.voice, "the voice"
		}
		if *to != "" && *to != word {
			return shell.Usagef("%s is given twice: --role %s and --role %s", what, *to, word)
		}
		*to = word
	}
	return nil
}

// place tells the prompt from the branch.
func (o *delegateOptions) place(args []string) error {
	branchOnly := o.file != "" || slices.Contains([]core.TaskKind{core.KindMerge, core.KindDiscard}, o.req.Kind) && o.req.Line == ""
	if len(args) == 1 && branchOnly {
		args = []string{"", args[0]}
	}
	if len(args) > 0 {
		o.req.Prompt = args[0]
	}
	if o.file != "" && o.req.Prompt != "" {
		return shell.Usagef("the prompt is given twice: as a word and by --file")
	}
	if len(args) < 2 || args[1] == "" {
		return nil
	}
	if o.req.Line != "" && o.req.Line != args[1] {
		return shell.Usagef("the branch is given twice: %s and --branch %s", args[1], o.req.Line)
	}
	o.req.Line = args[1]
	return nil
}
