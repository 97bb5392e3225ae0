package app_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestNamesReachNoOtherFile: names that lead out of the folders they are looked up
// in find nothing, over the API and on pages. Wherever one could lead there lies a
// file that would be taken for what was asked for.
func TestNamesReachNoOtherFile(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me")}), waittest.Limit)
	defer cancel()
	opts := app.Options{State: stateFolder(t), Version: "test"}
	run, _ := pausedRuns(ctx, t, opts, "shop")
	bait := filepath.Join(opts.State, "bait")
	line := `{"n":1,"at":"2026-01-01T00:00:00Z","record":{"kind":"text","text":"kept secret"}}` + "\n"
	for path, content := range map[string]string{
		filepath.Join(bait, "prompt.md"): "kept secret", shim.JournalPath(bait): line, bait + ".jsonl": line, filepath.Join(opts.State, "bait.md"): "kept secret",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	owner, address, stop := listening(ctx, t, opts)
	v := visit(ctx, t, owner, address)
	for _, name := range []string{
		"../", "../bait", "../../bait", "../../../bait", "../../bait/prompt.md", bait, bait + "/prompt.md", `..\..\bait`, "../../bait\x00", "../../bait.md", "%2e%2e/%2e%2e/bait",
	} {
		var got bytes.Buffer
		errs := map[string]error{
			"artifact": owner.Artifact(ctx, run.ID, name, &got), "document": owner.Document(ctx, run.ID, name, &got), "prompt": owner.Prompt(ctx, run.ID, name, &got),
		}
		out, err := owner.Output(ctx, run.ID, name, 0)
		errs["output"] = err
		piece, err := owner.Transcript(ctx, run.ID, name, api.TranscriptQuery{})
		errs["transcript"] = err
		_, errs["run"] = owner.Run(ctx, name)
		_, errs["project"] = owner.Project(ctx, name)
		for what, err := range errs {
			if err == nil {
				t.Errorf("there is a %s %q", what, name)
			}
		}
		if len(out.Records)+len(piece.Records) > 0 || strings.Contains(got.String(), "secret") {
			t.Errorf("%q reads %q, %v, %v", name, &got, out, piece)
		}
		id := url.PathEscape(name)
		for _, page := range []string{
			"/runs/" + id, "/runs/" + id + "/changes/raw", "/runs/r/tasks/" + id, "/projects/" + id, "/assets/" + id,
			"/runs/" + run.Alias + "/tasks/" + id, "/runs/" + run.Alias + "/attempts/" + id + "/prompt", "/runs/" + run.Alias + "/attempts/" + id + "/transcript",
			"/runs/" + run.Alias + "/documents/" + id, "/runs/" + run.Alias + "/documents/" + id + "/view",
		} {
			if status, text := v.get(page); status == http.StatusOK && strings.Contains(page, run.Alias) || status >= http.StatusInternalServerError || strings.Contains(text, "secret") {
				t.Errorf("%s: %d, %.200s", page, status, text)
			}
		}
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
