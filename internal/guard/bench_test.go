package guard_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// size is that of a long command: a file written through a here-document.
const size = 70_000

// longCommands are commands of about 70 kB in the shapes they come in.
func longCommands() map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)) }
	return map[string]string{
		"quoted here-document": "cat > main.go <<'EOF'\n" + fill("\tfmt.Println(\"git push\", a[i], b{}) // (see `docs`)\n") + "EOF\n",
		"here-document":        "cat > page.md <<EOF\n" + fill("Some words about $NAME and $(date) here, git push.\n") + "EOF\n",
		"script":               fill("if [ -f \"$dir/a.txt\" ]; then cp \"$dir/a.txt\" out/ && x=$((x + 1)); fi\n"),
		"pipelines":            fill("git log --oneline -5 | grep -v merge | head -n 3 > \"out/$name.txt\"\n"),
		"argument":             "git commit -m '" + fill("a long message about git push and other things. ") + "'",
		"nested shell":         "bash -c '" + fill("echo hello && make test; ") + "'",
		"chain":                "true" + fill(" && echo x=1"),
		"many variables":       fill("export VAR_NAME=some/value/here; echo \"$VAR_NAME\"\n"),
	}
}

// BenchmarkLongCommand measures one decision on a command of 70 kB; it must stay below 10 ms.
func BenchmarkLongCommand(b *testing.B) {
	policies := map[string]guard.Policy{
		"worker":       {Subject: guard.Worker, Dir: "/repo", Roots: []string{"/repo"}},
		"orchestrator": {Subject: guard.Orchestrator, Dir: "/repo"},
	}
	for shape, command := range longCommands() {
		for subject, policy := range policies {
			b.Run(shape+"/"+subject, func(b *testing.B) {
				b.ReportMetric(float64(len(command)), "bytes")
				for b.Loop() {
					policy.Command(command)
				}
			})
		}
	}
}

// BenchmarkShortCommand measures what happens before nearly every call of a tool.
func BenchmarkShortCommand(b *testing.B) {
	policy := guard.Policy{Subject: guard.Worker, Dir: "/repo", Roots: []string{"/repo"}}
	for b.Loop() {
		policy.Command(`cd "$(git rev-parse --show-toplevel)" && go test ./... 2>&1 | tail -20`)
	}
}
