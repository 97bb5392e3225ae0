package leak_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/leak"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

const token = "gh" + "p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ"

// repository is a real one, with a commit for each set of files.
func repository(t *testing.T, commits ...map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "commit", "-q", "--allow-empty", "-m", "base")
	git(t, dir, "tag", "base")
	for i, files := range commits {
		message := fmt.Sprintf("change %d", i+1)
		for name, content := range files {
			if name == "MESSAGE" {
				message = content
				continue
			}
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		git(t, dir, "add", "-A")
		git(t, dir, "commit", "-q", "--allow-empty", "-m", message)
	}
	return dir
}

func git(t *testing.T, dir string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v", args, err)
	}
	return out
}

// scan reads what git prints in pieces of the given size.
func scan(t *testing.T, output []byte, size int) []string {
	t.Helper()
	s := leak.New(redact.New(redact.Options{}).Thread)
	for piece := range slices.Chunk(output, size) {
		if _, err := s.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	var out []string
	for _, f := range s.Finds() {
		out = append(out, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Rule))
	}
	slices.Sort(out)
	return out
}

func TestScannerFindsWhatIsAdded(t *testing.T) {
	key := "-----BEGIN RSA PRIV" + "ATE KEY-----\n" + strings.Repeat(strings.Repeat("aB3xK9+/", 8)+"\n", 6) + "-----END RSA PRIV" + "ATE KEY-----\n"
	dir := repository(t,
		map[string]string{"a.txt": "one\ntwo\n", "gone.txt": token + "\n", "MESSAGE": "use " + token + "\n\nand more"},
		map[string]string{
			"a.txt": "one\n+++ b/c.txt\n@@ -1 +1 @@\nx = " + token + "\n", "b/deploy.key": "\n" + key, "gone.txt": "nothing\n",
			"binary": "\x00\x01" + token + "\x00", "long": strings.Repeat("x ", 3<<20) + token, "with " + token: "x\n", "ä.txt": "password = \"hunter2hunter2\"\n",
		})
	want := []string{
		"a.txt:4 github-token", "b/deploy.key:3 private-key", "binary:1 github-token", "long:1 github-token",
		"with " + token + ":0 github-token", "ä.txt:1 hashicorp-tf-password",
	}
	slices.Sort(want)
	for _, size := range []int{7, 4096, 1 << 30} {
		out := git(t, dir, "diff-tree", "-r", "-p", "--text", "-U0", "--no-renames", "base", "main")
		if got := scan(t, out, size); !slices.Equal(got, want) {
			t.Errorf("in pieces of %d:\n%q, want\n%q", size, got, want)
		}
	}
	history := scan(t, git(t, dir, "log", "-p", "--text", "-U0", "--no-renames", "--format="+leak.Format, "base..main"), 1000)
	for _, f := range append(want, "gone.txt:1 github-token") {
		if !slices.Contains(history, f) {
			t.Errorf("the history has no %s: %q", f, history)
		}
	}
}

func TestScannerSparesWhatIsTakenAway(t *testing.T) {
	dir := repository(t, map[string]string{"a.txt": token + "\nb\n"}, map[string]string{"a.txt": "b\nc\n"})
	if got := scan(t, git(t, dir, "diff-tree", "-r", "-p", "--text", "-U0", "--no-renames", "main~1", "main"), 100); len(got) > 0 {
		t.Errorf("found %q", got)
	}
}

func TestScannerFindsNamesOfEmptyFiles(t *testing.T) {
	names := []string{token, "x b/" + token, "ä \"" + token + "\""}
	dir := repository(t, map[string]string{names[0]: "", names[1]: "", names[2]: "", "plain": ""}, map[string]string{"plain": "x\n"})
	var want []string
	for _, name := range names {
		want = append(want, name+":0 github-token")
	}
	slices.Sort(want)
	for _, out := range [][]byte{
		git(t, dir, "diff-tree", "-r", "-p", "--text", "-U0", "--no-renames", "base", "main"),
		git(t, dir, "log", "-p", "--text", "-U0", "--no-renames", "--format="+leak.Format, "base..main"),
	} {
		if got := scan(t, out, 100); !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	}
	if got := scan(t, git(t, dir, "diff-tree", "-r", "-p", "--text", "-U0", "--no-renames", "main", "base"), 100); len(got) > 0 {
		t.Errorf("taken away: found %q", got)
	}
}

// scanCommits reads the commits since base as objects, in pieces of the given size.
func scanCommits(t *testing.T, dir string, size int) []string {
	t.Helper()
	s := leak.New(redact.New(redact.Options{}).Thread)
	cmd := exec.CommandContext(t.Context(), "git", "-C", dir, "cat-file", "--batch")
	cmd.Stdin = bytes.NewReader(git(t, dir, "rev-list", "base..main"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	w := s.Commits()
	for piece := range slices.Chunk(out, size) {
		if _, err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	var found []string
	for _, f := range s.Finds() {
		found = append(found, fmt.Sprintf("%s %s:%d %s", strings.TrimSpace(string(git(t, dir, "rev-parse", "--short=4", f.Commit))), f.File, f.Line, f.Rule))
	}
	return found
}

func TestScannerFindsWhoMadeACommit(t *testing.T) {
	for _, who := range []string{"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"} {
		t.Run(who, func(t *testing.T) {
			t.Setenv(who, token)
			dir := repository(t, map[string]string{"a.txt": "x\n"})
			commit := strings.TrimSpace(string(git(t, dir, "rev-parse", "--short=4", "main")))
			for _, size := range []int{1, 7, 1 << 20} {
				if got, want := scanCommits(t, dir, size), []string{commit + " :0 github-token"}; !slices.Equal(got, want) {
					t.Errorf("found %q, want %q", got, want)
				}
			}
		})
	}
}

// TestScannerFindsInAllOfACommit: git shows neither other headers than its own nor what follows a zero byte, and pushes both.
func TestScannerFindsInAllOfACommit(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(commit string) string{
		"the message":               func(c string) string { return c + "Use " + token + "\n" },
		"behind a zero byte":        func(c string) string { return c + "Nothing\x00" + token + "\n" },
		"a header":                  func(c string) string { return strings.Replace(c, "\n\n", "\nnote "+token+"\n\n", 1) },
		"a second line of a header": func(c string) string { return strings.Replace(c, "\n\n", "\nnote x\n "+token+"\n\n", 1) },
		"an encoding":               func(c string) string { return strings.Replace(c, "\n\n", "\nencoding UTF-16\n\n"+token, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repository(t, map[string]string{"a.txt": "x\n"})
			object := filepath.Join(t.TempDir(), "commit")
			if err := os.WriteFile(object, []byte(change(string(git(t, dir, "cat-file", "commit", "main")))), 0o600); err != nil {
				t.Fatal(err)
			}
			commit := strings.TrimSpace(string(git(t, dir, "hash-object", "-t", "commit", "--literally", "-w", object)))
			git(t, dir, "update-ref", "refs/heads/main", commit)
			short := strings.TrimSpace(string(git(t, dir, "rev-parse", "--short=4", commit)))
			if got, want := scanCommits(t, dir, 64), []string{short + " :0 github-token"}; !slices.Equal(got, want) {
				t.Errorf("found %q, want %q", got, want)
			}
		})
	}
}

// TestScannerCountsOnceAtSeams: a file is searched in pieces that overlap, and each find has its line.
func TestScannerCountsOnceAtSeams(t *testing.T) {
	t.Parallel()
	const lines = 1000
	var text strings.Builder
	var want []string
	text.WriteString(strings.Repeat("a harmless line\n", 1<<16-500)) // the seam is at a mebibyte
	for i := range lines {
		fmt.Fprintf(&text, "%03d %s\n", i, token)
		want = append(want, fmt.Sprintf("big.txt:%d github-token", 1<<16-500+i+1))
	}
	slices.Sort(want)
	dir := repository(t, map[string]string{"big.txt": text.String()})
	out := git(t, dir, "diff-tree", "-r", "-p", "--text", "-U0", "--no-renames", "base", "main")
	got := scan(t, out, 4096)
	if !slices.Equal(got, want) {
		t.Errorf("%d finds, want %d", len(got), len(want))
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("the first that differs is %s, want %s", got[i], want[i])
			}
		}
	}
}

// TestScannerCountsBeyondItsBound: what is not kept is counted.
func TestScannerCountsBeyondItsBound(t *testing.T) {
	t.Parallel()
	dir := repository(t, map[string]string{"many.txt": strings.Repeat("x = "+token+";\n", 1234)})
	s := leak.New(redact.New(redact.Options{}).Thread)
	if _, err := s.Write(git(t, dir, "diff-tree", "-r", "-p", "--text", "-U0", "--no-renames", "base", "main")); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if len(s.Finds()) != 1000 || s.More() != 234 {
		t.Errorf("%d finds and %d more", len(s.Finds()), s.More())
	}
}
