package playbook

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/wave"
)

// publishedSchema is the JSON Schema of a file that people or agents write.
type publishedSchema struct {
	Name  string `json:"name"`
	About string `json:"about"`

	text func() json.RawMessage // made when it is asked for
}

func publishedSchemas() []publishedSchema {
	return []publishedSchema{
		{"playbook", "playbooks, for editors that check and complete YAML", playbook.Schema},
		{"plan", "the phases that a planner's plan.json proposes to skip", role.PlanSchema},
		{"review", "the review.json that a reviewer hands in", role.ReviewSchema},
		{wave.Delegation, "one piece of work as a planner of waves delegates it", waveSchema(wave.Delegation)},
		{wave.Packet, "the context.json that every attempt of a wave starts from", waveSchema(wave.Packet)},
		{wave.Output, "the worker_output.json that a worker hands in", waveSchema(wave.Output)},
		{wave.Decision, "the planner_decision.json that closes a wave", waveSchema(wave.Decision)},
		{wave.PoolEntry, "one entry of a run's pool of facts", waveSchema(wave.PoolEntry)},
	}
}

func waveSchema(name string) func() json.RawMessage {
	return func() json.RawMessage { return wave.Schema(name) }
}

func NewSchema(sh *shell.Shell) *cobra.Command {
	var names []string
	for _, s := range publishedSchemas() {
		names = append(names, s.Name)
	}
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "List the JSON Schemas, or print one",
		Long: `Prints the JSON Schema (draft 2020-12) of a file that you, your agents or
Stellwerk write. Without a NAME, lists the schemas.`,
		Example: `  stellwerk schema
  stellwerk schema playbook > playbook.schema.json
  stellwerk schema worker-output`,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: names,
		RunE:      func(_ *cobra.Command, args []string) error { return schema(sh, shell.First(args)) },
	}
}

func schema(sh *shell.Shell, name string) error {
	all := publishedSchemas()
	for _, s := range all {
		if s.Name == name {
			sh.Printf("%s\n", strings.TrimRight(string(s.text()), "\n"))
			return nil
		}
	}
	var lines []string
	for _, s := range all {
		lines = append(lines, fmt.Sprintf("%-17s %s", s.Name, s.About))
	}
	return sh.Print(map[string][]publishedSchema{"schemas": all}, lines...)
}
