package broker_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/scriptedmodel"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// play makes a provider of a scenario.
func play(t *testing.T, scenario string) *scriptedmodel.Server {
	t.Helper()
	parsed, err := scriptedmodel.Parse("s.yaml", []byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	return scriptedmodel.New(parsed)
}

// claude runs the real Claude Code against the broker, with the attempt's token in a variable, and returns what it
// printed and where its home is.
func claude(t *testing.T, w *world, variable string) (output, home string) {
	t.Helper()
	home = t.TempDir()
	ctx, cancel := context.WithDeadline(t.Context(), waittest.Deadline())
	defer cancel()
	cmd := exec.CommandContext(ctx, tooltest.Need(t, tooltest.Claude), "-p", "say hello", "--output-format", "stream-json", "--verbose",
		"--model", "claude-opus-5-5")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "ANTHROPIC_BASE_URL=" + w.url, variable + "=" + w.token,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_MAX_RETRIES=3",
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), home
}

// untouched fails where the credential is in a file below a folder.
func untouched(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(key)) {
			t.Errorf("%s has the credential", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestRealClaudeWorksWithAKeyItNeverSaw(t *testing.T) {
	for variable, kind := range map[string]broker.Kind{
		"ANTHROPIC_API_KEY": broker.APIKey, "ANTHROPIC_AUTH_TOKEN": broker.Bearer, "CLAUDE_CODE_OAUTH_TOKEN": broker.OAuth,
	} {
		t.Run(variable, func(t *testing.T) {
			model := play(t, "conversations:\n  - turns:\n      - text: hello from the script\n        usage: {input: 70, output: 9}\n")
			w := serve(t, model.ServeHTTP, func(o *broker.Options) {
				o.Source = broker.Value(broker.Credential{Kind: kind, Value: key})
				o.Token = newToken(t, kind)
			})
			w.token = w.options.Token
			out, home := claude(t, w, variable)
			if !strings.Contains(out, "hello from the script") || strings.Contains(out, key) {
				t.Errorf("Claude Code printed\n%s", out)
			}
			untouched(t, home)
			if x := w.next(); x.Usage != (ledger.Usage{Input: 70, Output: 9}) || x.Model != "claude-opus-5-5" {
				t.Errorf("on record is %+v", x)
			}
			if kind == broker.OAuth && !strings.Contains(w.seen()[0].Header.Get("Anthropic-Beta"), "oauth-") {
				t.Errorf("the provider saw %v", w.seen()[0].Header)
			}
		})
	}
}

func TestRealClaudeIsCutInTheMiddleOfAnAnswer(t *testing.T) {
	l, account := limited(t, t.TempDir(), 1.2, 1e9)
	w := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			return
		}
		answer := started(`{"input_tokens":20,"output_tokens":1}`) + event("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		for range 2000 {
			answer += delta(strings.Repeat("word ", 60))
		}
		says(200, "text/event-stream", answer)(rw, r)
	}, account)
	out, _ := claude(t, w, "ANTHROPIC_API_KEY")
	if first := w.next(); !first.Cut {
		t.Errorf("on record is %+v", first)
	}
	if second := w.next(); second.Status != http.StatusPaymentRequired { // Claude Code tries once more, and stops at the refusal
		t.Errorf("on record is %+v", second)
	}
	if !strings.Contains(out, refusal) || !strings.Contains(out, `"terminal_reason":"api_error"`) || len(w.seen()) != 1 || len(w.recorded) != 0 {
		t.Errorf("the provider saw %d requests; Claude Code printed\n%s", len(w.seen()), out)
	}
	if s := l.Statement(); s.Overspent != (ledger.Amount{}) || len(s.Flights) != 0 {
		t.Errorf("the statement is %+v", s)
	}
}
