package hook

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// stage is a state folder with a session that owns a run, and an agent at work.
type stage struct {
	t                   testing.TB
	state, root, work   string
	in, out, outsideDir string
}

const session = "5f0c1d2e-session"

func newStage(t testing.TB) *stage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, state: filepath.Join(dir, "state"), root: filepath.Join(dir, "project"), outsideDir: filepath.Join(dir, "elsewhere")}
	attempt := filepath.Join(s.state, "attempts", "a1")
	s.work, s.in, s.out = filepath.Join(s.state, "work", "agent-a1"), filepath.Join(attempt, "in"), filepath.Join(attempt, "out")
	for _, d := range []string{s.root, s.work, s.in, s.out, s.outsideDir, filepath.Join(s.state, "runs", "r1", "artifacts"), filepath.Join(s.work, ".git")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.write(snapshot.Snapshot{
		Session: session, Run: "r1", Alias: "brisk-otter", Root: s.root, Branch: "feature/x", Shell: []string{"/opt/stellwerk", "worker", "look", s.root},
		Offers: []snapshot.Offer{{Type: "stellwerk:developer", Prompt: "Read /p/prompt.md and do what it says.", Model: "opus"}},
		Agents: map[string]snapshot.Agent{"a1": {
			Attempt: "build.r1.a1", Dir: s.work, Readable: []string{s.in}, Writable: []string{s.out},
			Shell: []string{"/opt/it's here/stellwerk", "worker", "shell", "/folder"},
		}},
	})
	return s
}

func (s *stage) write(snap snapshot.Snapshot) {
	s.t.Helper()
	if err := snapshot.Write(s.state, snap); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) snapshotFile() string {
	return filepath.Join(s.state, "sessions", session, "snapshot.json")
}

func event(t testing.TB, fields map[string]any) []byte {
	t.Helper()
	all := map[string]any{"session_id": session, "hook_event_name": EventPreToolUse, "cwd": "/", "transcript_path": "/t.jsonl", "tool_use_id": "toolu_1"}
	for k, v := range fields {
		all[k] = v
	}
	data, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// ask is a tool call of the session itself, or of an agent.
func (s *stage) ask(agent, tool string, input map[string]any) Answer {
	s.t.Helper()
	fields := map[string]any{"tool_name": tool, "tool_input": input, "cwd": s.root}
	if agent != "" {
		fields["agent_id"], fields["agent_type"], fields["cwd"] = agent, "stellwerk:developer", s.work
	}
	a, _, err := PreToolUse(s.state, event(s.t, fields))
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *stage) expect(want string, a Answer, words ...string) {
	s.t.Helper()
	if a.Did() != want {
		s.t.Errorf("got %s, want %s: %+v", a.Did(), want, a.Specific)
	}
	for _, w := range words {
		if a.Specific == nil || !strings.Contains(a.Specific.Why, w) {
			s.t.Errorf("the reason does not speak of %q: %+v", w, a.Specific)
		}
	}
}

const none = "nothing"
const rewrite = "rewrite"

func TestOtherSessionsAreLeftAlone(t *testing.T) {
	s := newStage(t)
	for _, fields := range []map[string]any{
		{"session_id": "another", "tool_name": "Bash", "tool_input": map[string]any{"command": "git push"}},
		{"session_id": "another", "tool_name": "Agent", "tool_input": map[string]any{"subagent_type": "Explore"}},
		{"session_id": "another", "tool_name": "Whatever", "agent_id": "x", "tool_input": json.RawMessage(`{"a":"\ud800","a":1}`)},
	} {
		a, entry, err := PreToolUse(s.state, event(t, fields))
		if err != nil || a.Did() != none || entry.Session != "" {
			t.Errorf("%v: %v %+v %v", fields, a, entry, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(s.state, "sessions", "another")); err == nil {
		t.Error("the other session was given a folder")
	}
	if err := snapshot.Remove(s.state, session); err != nil {
		t.Fatal(err)
	}
	s.expect(none, s.ask("", "Bash", map[string]any{"command": "git push"}))
}

func TestADamagedSnapshotRefusesEverything(t *testing.T) {
	good, err := os.ReadFile(newStage(t).snapshotFile())
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(path string) error{
		"missing":         os.Remove,
		"empty":           func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"corrupt":         func(p string) error { return os.WriteFile(p, []byte("\x00\xff{"), 0o600) },
		"half written":    func(p string) error { return os.WriteFile(p, good[:len(good)/2], 0o600) },
		"newer":           func(p string) error { return os.WriteFile(p, []byte(`{"proto":2,"session":"`+session+`"}`), 0o600) },
		"newer and other": func(p string) error { return os.WriteFile(p, []byte(`{"proto":3,"session":["a"]}`), 0o600) },
		"of another": func(p string) error {
			return os.WriteFile(p, []byte(`{"proto":1,"session":"another","over":true}`), 0o600)
		},
		"repeated key": func(p string) error {
			return os.WriteFile(p, []byte(`{"proto":1,"session":"`+session+`","over":false,"over":true}`), 0o600)
		},
		"a folder": func(p string) error { return errors.Join(os.Remove(p), os.Mkdir(p, 0o700)) },
	} {
		s := newStage(t)
		if err := spoil(s.snapshotFile()); err != nil {
			t.Fatal(name, err)
		}
		for _, tool := range []string{"Bash", "Read", "Agent", "TodoWrite"} {
			if a := s.ask("", tool, map[string]any{"command": "true"}); a.Did() != deny {
				t.Errorf("%s snapshot: %s was answered with %s", name, tool, a.Did())
			}
		}
	}
}

func TestTheSessionStartsWhatIsOfferedAndNothingElse(t *testing.T) {
	s := newStage(t)
	for _, given := range []string{"stellwerk:developer", "developer"} {
		a := s.ask("", "Agent", map[string]any{"subagent_type": given, "prompt": "Be creative.", "description": "d", "isolation": "none", "model": "haiku"})
		s.expect(allow, a)
		got, err := json.Marshal(a.Specific.Updated)
		if err != nil {
			t.Fatal(err)
		}
		const want = `{"description":"d","model":"opus","prompt":"Read /p/prompt.md and do what it says.","run_in_background":false,"subagent_type":"stellwerk:developer"}`
		if string(got) != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for _, given := range []string{"Explore", "general-purpose", "stellwerk:planner", "", "x:developer"} {
		s.expect(deny, s.ask("", "Task", map[string]any{"subagent_type": given, "prompt": "p"}), "stellwerk:developer")
	}
	s.write(snapshot.Snapshot{Session: session, Run: "r1", Alias: "brisk-otter", Root: s.root})
	s.expect(deny, s.ask("", "Agent", map[string]any{"subagent_type": "stellwerk:developer"}), "nothing to start")
}

func TestTheSessionsTools(t *testing.T) {
	s := newStage(t)
	file := func(p string) map[string]any { return map[string]any{"file_path": p} }
	command := func(c string) map[string]any { return map[string]any{"command": c} }
	document := filepath.Join(s.state, "runs", "r1", "artifacts", "plan.md")
	if err := os.Symlink(filepath.Join(s.root, "main.go"), filepath.Join(s.root, "innocent.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.root, "main.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		want, tool string
		input      map[string]any
	}{
		{allow, "Bash", command("stellwerk advance approve")},
		{allow, "Bash", command(`stellwerk advance feedback 'do not git push; "really"'`)},
		{allow, "Bash", command(`stellwerk advance feedback "two words"`)},
		{deny, "Bash", command("stellwerk advance approve; git status")},
		{deny, "Bash", command("stellwerk status | head -5")}, // it would not find the engine where the rest runs
		{deny, "Bash", command("env -u CLAUDE_CODE_SESSION_ID stellwerk skip")},
		{deny, "Bash", command("CLAUDE_CODE_SESSION_ID= stellwerk skip")},
		{deny, "Bash", command("CLAUDE_CODE_SESSION_ID=other stellwerk cancel")},
		{deny, "Bash", command("unset CLAUDE_CODE_SESSION_ID; stellwerk retry")},
		{deny, "Bash", command("bash -c 'stellwerk skip'")},
		{deny, "Bash", command("env -i stellwerk resume")},
		{deny, "Bash", command("stellwerk trust --yes")},
		{deny, "Bash", command("git push origin HEAD")},
		{deny, "Bash", command("cat " + filepath.Join(s.state, "person.token"))},
		{deny, "Bash", command("cat main.go")},
		{rewrite, "Bash", command("git status --short")},
		{rewrite, "Bash", command("git commit -m 'do not git push'")},
		{rewrite, "Bash", command("bash x.sh")},
		{deny, "Write", file(filepath.Join(s.root, ".stellwerk", "settings.yaml"))},
		{deny, "Write", file(filepath.Join(s.root, ".mcp.json"))},
		{deny, "Write", file(filepath.Join(s.outsideDir, "notes.md"))},
		{deny, "Read", file(filepath.Join(s.outsideDir, "hosts.yml"))},
		{deny, "Write", file(filepath.Join(s.root, "main.go"))},
		{deny, "Edit", file(filepath.Join(s.root, "app.ts"))},
		{deny, "NotebookEdit", map[string]any{"notebook_path": filepath.Join(s.root, "a.ipynb")}},
		{none, "Write", file(filepath.Join(s.root, "docs", "notes.md"))},
		{none, "Edit", file(filepath.Join(s.root, ".gitignore"))},
		{deny, "Edit", file(filepath.Join(s.root, "innocent.md"))},
		{deny, "Write", file(filepath.Join(s.root, ".claude", "settings.json"))},
		{deny, "Write", file(s.snapshotFile())},
		{deny, "Write", file(document)},
		{none, "Read", file(document)},
		{deny, "Read", file(filepath.Join(s.state, "sessions", session, "said.json"))},
		{deny, "Read", file(filepath.Join(s.root, "main.go"))},
		{deny, "Read", file(filepath.Join(s.root, "innocent.md"))},
		{none, "Read", file(filepath.Join(s.root, "README.md"))},
		{deny, "Read", map[string]any{}},
		{deny, "Grep", map[string]any{"pattern": "func"}},
		{deny, "Glob", map[string]any{"pattern": "**/*.go"}},
		{deny, "EnterWorktree", map[string]any{"name": "x"}},
		{deny, "SendMessage", map[string]any{"to": "a1"}},
		{deny, "CronCreate", map[string]any{"prompt": "approve"}},
		{deny, "AskUserQuestion", map[string]any{}},
		{deny, "mcp__github__push_files", map[string]any{}},
		{none, "mcp__plugin_stellwerk-docs_context7__query", map[string]any{}},
		{none, "TodoWrite", map[string]any{}},
		{none, "WebFetch", map[string]any{"url": "https://example.org"}},
	} {
		if a := s.ask("", c.tool, c.input); a.Did() != c.want {
			t.Errorf("%s %v: %s, want %s (%+v)", c.tool, c.input, a.Did(), c.want, a.Specific)
		}
	}
}

func TestAnAgentsCommandRunsAsItsAttempt(t *testing.T) {
	s := newStage(t)
	line := "echo \"it's $HOME\"; go test ./... | tee 'a b'\n"
	a := s.ask("a1", "Bash", map[string]any{"command": line, "timeout": 5000, "description": "test", "run_in_background": true, "dangerouslyDisableSandbox": true})
	s.expect(allow, a)
	var got map[string]any
	data, err := json.Marshal(a.Specific.Updated)
	if err == nil {
		err = json.Unmarshal(data, &got)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := `'/opt/it'\''s here/stellwerk' 'worker' 'shell' '/folder' 'echo "it'\''s $HOME"; go test ./... | tee '\''a b'\''` + "\n'"
	if got["command"] != want || got["timeout"] != 5000.0 || got["description"] != "test" || len(got) != 3 {
		t.Errorf("got %v", got)
	}
	s.expect(deny, s.ask("a1", "Bash", map[string]any{"command": "git push"}))
	s.expect(deny, s.ask("a1", "Bash", map[string]any{"command": "stellwerk approve"}))
}

func TestAnAgentsFiles(t *testing.T) {
	s := newStage(t)
	secret := filepath.Join(s.outsideDir, "id")
	if err := os.WriteFile(secret, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"way-out": s.outsideDir, "dangling": filepath.Join(s.outsideDir, "none"), "inner": s.work} {
		if err := os.Symlink(to, filepath.Join(s.work, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ want, tool, path string }{
		{allow, "Read", filepath.Join(s.work, "main.go")},
		{allow, "Write", filepath.Join(s.work, "new", "deep", "main.go")},
		{allow, "Edit", filepath.Join(s.work, "inner", "main.go")},
		{allow, "Read", "relative.go"},
		{allow, "Read", filepath.Join(s.in, "plan.md")},
		{deny, "Write", filepath.Join(s.in, "plan.md")},
		{allow, "Write", filepath.Join(s.out, "report.json")},
		{allow, "Read", filepath.Join(s.out, "report.json")},
		{deny, "Read", secret},
		{deny, "Read", filepath.Join(s.work, "way-out", "id")},
		{deny, "Write", filepath.Join(s.work, "way-out", "new")},
		{deny, "Write", filepath.Join(s.work, "dangling")},
		{deny, "Read", filepath.Join(s.work, "..", "agent-a2", "x")},
		{deny, "Read", s.work + "-other/x"},
		{deny, "Write", filepath.Join(s.work, ".git", "config")},
		{deny, "Write", filepath.Join(s.work, ".GIT", "hooks", "post-commit")},
		{deny, "Write", filepath.Join(s.work, "sub", ".git", "x")},
		{allow, "Read", filepath.Join(s.work, ".git", "HEAD")},
		{deny, "Read", "~/x"},
		{deny, "Read", "../x"},
		{deny, "Read", ""},
		{deny, "Read", filepath.Join(s.state, "person.token")},
		{deny, "Write", filepath.Join(s.root, "main.go")},
	} {
		if a := s.ask("a1", c.tool, map[string]any{"file_path": c.path}); a.Did() != c.want {
			t.Errorf("%s %s: %s, want %s (%+v)", c.tool, c.path, a.Did(), c.want, a.Specific)
		}
	}
	for pattern, want := range map[string]string{"**/*.go": allow, "../**": deny, "/etc/*": deny, "~/*": deny} {
		if a := s.ask("a1", "Glob", map[string]any{"pattern": pattern}); a.Did() != want {
			t.Errorf("Glob %s: %s, want %s", pattern, a.Did(), want)
		}
	}
	s.expect(allow, s.ask("a1", "Grep", map[string]any{"pattern": "../x", "path": s.work}))
	s.expect(deny, s.ask("a1", "Grep", map[string]any{"pattern": "x", "path": s.outsideDir}))
}

func TestAnAgentsOtherTools(t *testing.T) {
	s := newStage(t)
	for tool, want := range map[string]string{
		"Agent": deny, "Task": deny, "SendMessage": deny, "EnterWorktree": deny, "CronCreate": deny, "AskUserQuestion": deny, "Monitor": deny,
		"mcp__github__create_pull_request": deny, "WebFetch": none, "TodoWrite": none, "ToolSearch": none,
	} {
		if a := s.ask("a1", tool, map[string]any{"command": "x"}); a.Did() != want {
			t.Errorf("%s: %s, want %s", tool, a.Did(), want)
		}
	}
}

func TestAnAgentWithoutWorkCanDoNothing(t *testing.T) {
	s := newStage(t)
	for _, tool := range []string{"Bash", "Read", "Write", "TodoWrite", "WebFetch", "Agent", "Anything"} {
		s.expect(deny, s.ask("a2", tool, map[string]any{"command": "true", "file_path": filepath.Join(s.work, "x")}), "no work")
	}
}

func TestTheJournalHoldsNoWordOfWhatWasRun(t *testing.T) {
	s := newStage(t)
	data := event(t, map[string]any{"tool_name": "Bash", "tool_input": map[string]any{"command": "git push https://x:hunter2@example.org"}})
	_, entry, err := PreToolUse(s.state, data)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for range 2 {
		if err := entry.Note(s.state, began, began.Add(3*time.Millisecond)); err != nil {
			t.Fatal(err)
		}
	}
	journal := filepath.Join(s.state, "sessions", session, journalFile)
	got, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	const line = `{"at":"2026-03-01T12:00:00Z","event":"PreToolUse","tool":"Bash","did":"deny","rule":"push","ms":3}` + "\n"
	if string(got) != line+line {
		t.Errorf("got %s", got)
	}
	if err := os.WriteFile(journal, make([]byte, maxJournal+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := entry.Note(s.state, began, began); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(journal); err != nil || info.Size() > 1000 {
		t.Errorf("the journal was not put aside: %v %v", info, err)
	}
}

func TestASessionsCommandRunsIsolated(t *testing.T) {
	s := newStage(t)
	a := s.ask("", "Bash", map[string]any{"command": "bash x.sh", "description": "run it"})
	want := `"'/opt/stellwerk' 'worker' 'look' '` + s.root + `' '` + s.root + `' 'bash x.sh'"`
	if a.Did() != rewrite || a.Specific.Permission != "" || string(a.Specific.Updated["command"]) != want {
		t.Errorf("got %+v", a.Specific)
	}
	s.write(snapshot.Snapshot{Session: session, Run: "r1", Alias: "brisk-otter", Root: s.root})
	s.expect(deny, s.ask("", "Bash", map[string]any{"command": "git status"}))
	s.expect(allow, s.ask("", "Bash", map[string]any{"command": "stellwerk status"}))
}

func TestAnAgentThatOutlivedItsRunDoesNothing(t *testing.T) {
	s := newStage(t)
	s.write(snapshot.Snapshot{Session: session, Over: true})
	data := event(t, map[string]any{"agent_id": "a1", "agent_type": "stellwerk:developer", "tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}})
	if a, _, err := PreToolUse(s.state, data); err != nil || a.Did() != deny {
		t.Errorf("%+v, %v", a, err)
	}
	for _, other := range []map[string]any{
		{"agent_id": "a2", "agent_type": "explore", "tool_name": "Bash", "tool_input": map[string]any{"command": "echo stellwerk:"}},
		{"tool_name": "Bash", "tool_input": map[string]any{"command": `echo "stellwerk:x"`}},
	} {
		if a, _, err := PreToolUse(s.state, event(t, other)); err != nil || a.Did() != none {
			t.Errorf("%v: %+v, %v", other, a, err)
		}
	}
}

// TestAnAgentOutsideOfARunIsLeftAlone: in a session that never owned a run, a person
// uses the plugin's agents like any others.
func TestAnAgentOutsideOfARunIsLeftAlone(t *testing.T) {
	for _, tool := range []string{"Bash", "Read", "Write", "Grep"} {
		data := event(t, map[string]any{"agent_id": "a1", "agent_type": "stellwerk:developer", "tool_name": tool, "tool_input": map[string]any{"command": "ls"}})
		if a, _, err := PreToolUse(t.TempDir(), data); err != nil || a.Did() != none {
			t.Errorf("%s: %+v, %v", tool, a, err)
		}
	}
}

// TestASecondRunIsExplained: the command by which a run is begun, in a session that
// carries one, is answered with what the person can do.
func TestASecondRunIsExplained(t *testing.T) {
	s := newStage(t)
	answer := s.ask("", "Bash", map[string]any{"command": "stellwerk run --session=x --playbook feature - <<'STELLWERK_GOAL'\nGreet\nSTELLWERK_GOAL"})
	s.expect(deny, answer)
	for _, want := range []string{"carries run brisk-otter", "/stellwerk:resume", "/stellwerk:cancel"} {
		if !strings.Contains(answer.Specific.Why, want) {
			t.Errorf("%q is not said: %s", want, answer.Specific.Why)
		}
	}
}
