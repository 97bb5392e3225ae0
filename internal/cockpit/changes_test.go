package cockpit_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

const smallDiff = `diff --git a/cmd/main.go b/cmd/main.go
--- a/cmd/main.go
+++ b/cmd/main.go
@@ -1,3 +1,3 @@ package main
 package main
-func old() {}
+func fresh() {} // <script>alert(1)</script>
 // end
diff --git a/logo.bin b/logo.bin
Binary files a/logo.bin and b/logo.bin differ
diff --git a/a.sh b/b.sh
old mode 100644
new mode 100755
similarity index 90%
rename from a.sh
rename to b.sh
`

// reviewed is a run whose changes wait for a person.
func reviewed(diff string) *apitest.Service {
	svc := &apitest.Service{Documents: map[string]string{"diff": diff}}
	svc.ProjectAnswer.Name = "shop"
	svc.Put(api.RunDetail{
		Run:  api.Run{ID: "r1", Alias: "r1", Title: "Greet", Kind: "rules", Status: core.StatusReview, Branch: "feature/x", Base: "main"},
		Head: strings.Repeat("a", 40), Onward: true,
	})
	svc.MergeAnswer = api.Mergeable{Commit: strings.Repeat("a", 40), Branch: "feature/x", Base: "main", Tip: strings.Repeat("b", 40), Can: true}
	return svc
}

func field(t *testing.T, body, name string) string {
	t.Helper()
	m := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
	if m == nil {
		t.Fatalf("there is no field %s", name)
	}
	return strings.NewReplacer("&#34;", `"`, "&amp;", "&", "&lt;", "<", "&gt;", ">", "&#43;", "+").Replace(m[1])
}

func TestChangesAreShown(t *testing.T) {
	h := serve(t, reviewed(smallDiff), api.RoleApprover)
	for _, view := range []string{"", "?view=split"} {
		code, body := get(t, h, "/runs/r1/changes"+view)
		if code != http.StatusOK {
			t.Fatalf("%d: %s", code, body)
		}
		for _, want := range []string{
			"cmd/main.go", `<i class="h-k">func</i>`, `<i class="h-f">fresh</i>`, "Not a text file", "renamed from a.sh", "mode 100644 became 100755", "3 files",
			"&lt;script&gt;", "Merge into main",
		} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: there is no %q", view, want)
			}
		}
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "style=") {
			t.Errorf("%s: the page obeys what it shows, or has styles of its own", view)
		}
	}
	if _, body := get(t, serve(t, reviewed(smallDiff), api.RoleViewer), "/runs/r1/changes"); strings.Contains(body, "comment=") || strings.Contains(body, "/merge") {
		t.Error("who may only look is offered to comment or to merge")
	}
}

// TestWhoMergedAndWhatToTypeAreShown: the line is there whole, however long.
func TestWhoMergedAndWhatToTypeAreShown(t *testing.T) {
	svc := reviewed(smallDiff)
	command := "git -C '/home/ada/" + strings.Repeat("long ", 200) + "' merge --no-edit feature/x"
	svc.MergeAnswer = api.Mergeable{Commit: "a", Branch: "feature/x", Base: "main", Tip: "b", Reason: "main is checked out", Next: "merge it yourself", Command: command}
	h := serve(t, svc, api.RoleApprover)
	if _, body := get(t, h, "/runs/r1/changes"); !strings.Contains(body, "<code>"+strings.ReplaceAll(command, "'", "&#39;")+"</code>") || strings.Contains(body, "/merge\"") {
		t.Error("the line to type is not there, or a button that would be refused is")
	}
	for _, here := range []bool{true, false} {
		run := api.Run{ID: "r1", Alias: "r1", Status: core.StatusReview, MergesHere: here}
		svc.Put(api.RunDetail{Run: run})
		svc.Waiting = []api.Waiting{{Kind: api.WaitReview, Run: run}}
		for _, path := range []string{"/runs/r1", "/inbox"} {
			if _, body := get(t, h, path); strings.Contains(strings.ToLower(body), "review and merge") != here {
				t.Errorf("%s: merges here: %v", path, here)
			}
		}
	}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Status: core.StatusCompleted, MergedBy: evil, Merge: strings.Repeat("c", 40)}})
	if _, body := get(t, h, "/runs/r1"); !strings.Contains(body, "merged by &lt;script&gt;") || !strings.Contains(body, "<code>cccccccccc</code>") {
		t.Error("it is not said who merged, or obeyed")
	}
}

func TestCommentsBecomeOneRequest(t *testing.T) {
	svc := reviewed(smallDiff)
	h := serve(t, svc, api.RoleApprover)
	_, body := get(t, h, "/runs/r1/changes")
	places := regexp.MustCompile(`href="([^"]*comment=[^"]*)" aria-label="Comment on line 2( as it was)?"`).FindAllStringSubmatch(body, -1)
	if len(places) != 2 {
		t.Fatalf("%d places", len(places))
	}
	for i, place := range places {
		address, _, _ := strings.Cut(strings.ReplaceAll(place[1], "&amp;", "&"), "#")
		_, open := get(t, h, address)
		form := url.Values{"text": {fmt.Sprintf("words %d", i)}, "back": {"/runs/r1/changes"}}
		_, box, _ := strings.Cut(open, `id="comment"`)
		for _, name := range []string{"key", "path", "line", "quote", "commit"} {
			form.Set(name, field(t, box, name))
		}
		if box, _, _ = strings.Cut(box, "</form>"); strings.Contains(box, `name="gone"`) {
			form.Set("gone", "1")
		}
		if w := post(h, "/runs/r1/changes/comment", form); w.Code != http.StatusSeeOther {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
	}
	_, body = get(t, h, "/runs/r1/changes")
	if !strings.Contains(body, "Send 2 comments as one request") || strings.Count(body, "not sent yet") != 4 { // below their lines, and in the list
		t.Errorf("the comments are not shown: %d", strings.Count(body, "not sent yet"))
	}
	send := url.Values{"subject": {field(t, body, "subject")}, "text": {"Nearly there."}}
	if w := post(h, "/runs/r1/changes/send", send); w.Code != http.StatusSeeOther {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	calls := svc.Calls()
	req, ok := calls[len(calls)-1].Req.(api.Feedback)
	want := "Nearly there.\n\ncmd/main.go:2 (as it was before)\n> func old() {}\nwords 0\n\ncmd/main.go:2\n> func fresh() {} // <script>alert(1)</script>\nwords 1"
	if !ok || req.Text != want || req.Subject == nil || req.Subject.Commit != strings.Repeat("a", 40) {
		t.Errorf("the engine was told %q about %+v", req.Text, req.Subject)
	}
	if _, body = get(t, h, "/runs/r1/changes"); strings.Contains(body, "not sent yet") {
		t.Error("what was sent is still there")
	}
}

// TestCommentsOutliveTheEngine: what was typed is there for who typed it, and for
// nobody else, when another engine serves the pages.
func TestCommentsOutliveTheEngine(t *testing.T) {
	svc, path := reviewed(smallDiff), filepath.Join(t.TempDir(), "stellwerk.db")
	form := url.Values{"key": {"k"}, "path": {"a.go"}, "line": {"2"}, "quote": {"x"}, "text": {"not like this"}, "commit": {strings.Repeat("a", 40)}}
	if w := post(serveWith(t, svc, api.RoleApprover, sqlitetest.Open(t, path)), "/runs/r1/changes/comment", form); w.Code != http.StatusSeeOther {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	next := serveWith(t, svc, api.RoleApprover, sqlitetest.Open(t, path))
	_, body := get(t, next, "/runs/r1/changes")
	if !strings.Contains(body, "not like this") {
		t.Error("the words are lost")
	}
	send := url.Values{"subject": {field(t, body, "subject")}}
	if w := post(next, "/runs/r1/changes/send", send); w.Code != http.StatusSeeOther {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	if left, err := sqlitetest.Open(t, path).Documents(t.Context(), "draft", "", "", 0); err != nil || len(left) > 0 {
		t.Errorf("what was sent is kept: %v, %v", left, err)
	}
}

func TestCommentsOnWhatHasChangedAreNotSent(t *testing.T) {
	svc := reviewed(smallDiff)
	h := serve(t, svc, api.RoleApprover)
	form := url.Values{"key": {"k"}, "path": {evil}, "line": {"2"}, "quote": {evil}, "text": {evil}, "commit": {"0123456789abcdef"}}
	if w := post(h, "/runs/r1/changes/comment", form); w.Code != http.StatusSeeOther {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	_, body := get(t, h, "/runs/r1/changes")
	if !strings.Contains(body, "not about the version shown") || strings.Contains(body, "<img") || strings.Contains(body, "\u202e") {
		t.Errorf("the comment is not shown as one on something else, or obeyed")
	}
	before := len(svc.Calls())
	send := url.Values{"subject": {field(t, body, "subject")}}
	if w := post(h, "/runs/r1/changes/send", send); w.Code != http.StatusConflict {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
	form.Set("text", "")
	post(h, "/runs/r1/changes/comment", form)
	if w := post(h, "/runs/r1/changes/send", send); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("without words: %d", w.Code)
	}
	for _, call := range svc.Calls()[before:] {
		if call.Verb == "feedback" {
			t.Error("the engine was told something")
		}
	}
	if _, body := get(t, serve(t, svc, api.RoleViewer), "/runs/r1/changes"); strings.Contains(body, "/changes/comment") {
		t.Error("a viewer can comment")
	}
	if w := post(serve(t, svc, api.RoleViewer), "/runs/r1/changes/comment", form); w.Code != http.StatusConflict {
		t.Errorf("a viewer's comment: %d", w.Code)
	}
}

// TestCommentsAreBounded: no field of one takes whatever is sent.
func TestCommentsAreBounded(t *testing.T) {
	h := serve(t, reviewed(smallDiff), api.RoleApprover)
	form := url.Values{"key": {"k"}, "path": {"a.go"}, "line": {"2"}, "quote": {"x"}, "text": {"words"}}
	for _, commit := range []string{strings.Repeat("a", 900_000), "HEAD", evil} {
		form.Set("commit", commit)
		if w := post(h, "/runs/r1/changes/comment", form); w.Code != http.StatusUnprocessableEntity {
			t.Errorf("a comment on commit %.20q: %d", commit, w.Code)
		}
	}
	form.Set("commit", strings.Repeat("a", 40))
	for _, field := range []string{"key", "path", "quote", "text"} {
		form.Set(field, strings.Repeat("x", 200_000))
	}
	if w := post(h, "/runs/r1/changes/comment", form); w.Code != http.StatusSeeOther {
		t.Errorf("a long comment: %d", w.Code)
	}
	if _, body := get(t, h, "/runs/r1/changes"); !strings.Contains(body, "1 comment") || strings.Contains(body, strings.Repeat("x", 20_001)) {
		t.Error("the comment is not there, or not cut")
	}
}

// TestWordsGoToWhoCanActOnThem: a stage that the engine does itself has nobody who
// reads; the words go back to one that has.
func TestWordsGoToWhoCanActOnThem(t *testing.T) {
	svc := reviewed(smallDiff)
	subject := core.Subject{Stage: "publish", Round: 1, Commit: strings.Repeat("a", 40)}
	svc.Put(api.RunDetail{
		Run: api.Run{ID: "r1", Alias: "r1", Kind: "phases", Status: core.StatusAwaiting, Stage: "publish"}, Gate: &core.Gate{Subject: subject},
		Stages: []api.Stage{{ID: "spec", Status: core.StageDone}, {ID: "build", Status: core.StageDone}, {ID: "publish", Status: core.StageGated, Tasks: []api.Task{{ID: "publish.r1", Act: "pull-request"}}}},
	})
	h := serve(t, svc, api.RoleApprover)
	_, body := get(t, h, "/runs/r1/changes")
	if !strings.Contains(body, `<option value="build">`) || !strings.Contains(body, "/runs/r1/approve") {
		t.Fatal("no stage is offered, or no approval")
	}
	post(h, "/runs/r1/changes/send", url.Values{"subject": {field(t, body, "subject")}, "text": {"again"}, "to": {"build"}})
	calls := svc.Calls()
	if req, ok := calls[len(calls)-1].Req.(api.Rollback); !ok || req.To != "build" || req.Text != "again" || req.Subject == nil || *req.Subject != subject {
		t.Errorf("the engine was told %+v", calls[len(calls)-1])
	}
}

func TestMergeIsBoundToWhatWasShown(t *testing.T) {
	svc := reviewed(smallDiff)
	h := serve(t, svc, api.RoleApprover)
	if w := post(h, "/runs/r1/merge", url.Values{}); w.Code != http.StatusUnprocessableEntity {
		t.Errorf("without saying what was shown: %d", w.Code)
	}
	_, body := get(t, h, "/runs/r1/changes")
	_, form, _ := strings.Cut(body, `action="/runs/r1/merge"`)
	w := post(h, "/runs/r1/merge", url.Values{"commit": {field(t, form, "commit")}, "tip": {field(t, form, "tip")}})
	calls := svc.Calls()
	if req, ok := calls[len(calls)-1].Req.(api.Merge); w.Code != http.StatusSeeOther || !ok || req.Commit != svc.MergeAnswer.Commit || req.Tip != svc.MergeAnswer.Tip {
		t.Errorf("%d: the engine was told %+v", w.Code, calls[len(calls)-1])
	}
	svc.MergeAnswer = api.Mergeable{Reason: evil, Next: "git merge " + evil, Conflicts: []string{evil}}
	if _, body := get(t, h, "/runs/r1/changes"); strings.Contains(body, `action="/runs/r1/merge"`) || strings.Contains(body, "<img") {
		t.Error("what cannot be merged is offered, or what stands against it is obeyed")
	}
}

func TestHostileChangesStayText(t *testing.T) {
	name := `a/"><img src=x onerror=alert(1)>` + "\u202e"
	diff := "diff --git " + name + " b" + name[1:] + "\n--- " + name + "\n+++ b" + name[1:] + "\n@@ -1 +1 @@ " + evil + "\n-" + evil + "\n+" + evil + "</code></td>\n" +
		"diff --git \"a/x\\033[31m\\\"\" \"b/x\\033[31m\\\"\"\nnew file mode 100644\n"
	h := serve(t, reviewed(diff), api.RoleApprover)
	for _, address := range []string{"/runs/r1/changes", "/runs/r1/changes?view=split", "/runs/r1/changes?stage=" + url.QueryEscape(evil) + "&file=" + url.QueryEscape(name[2:]) + "&comment=" + url.QueryEscape(evil)} {
		staysText(t, h, address, http.StatusOK, 300_000)
		if _, body := get(t, h, address); strings.Contains(body, "</code></td></code>") {
			t.Errorf("%s is closed by what it shows", address)
		}
	}
}

// TestChangesThatCannotBeSentSayWhy: a browser is told what is wrong as long as it
// has nothing yet, and later that what came is not all.
func TestChangesThatCannotBeSentSayWhy(t *testing.T) {
	svc := reviewed(smallDiff)
	svc.On = func(apitest.Call) error { return core.Errorf(core.CodeNotFound, "the run has no stage none") }
	site := httptest.NewServer(serve(t, svc, api.RoleViewer))
	defer site.Close()
	read := func() (int, string, error) {
		resp, err := site.Client().Get(site.URL + "/runs/r1/changes/raw?stage=none")
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = resp.Body.Close() }() // only read from
		body, err := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body), err
	}
	if code, body, err := read(); code != http.StatusNotFound || !strings.Contains(body, "The run has no stage none") {
		t.Errorf("status %d, %v: %.200s", code, err, body)
	}
	svc.On, svc.DocumentError = nil, io.ErrUnexpectedEOF
	svc.Documents["diff"] = strings.Repeat(smallDiff, 1000)
	if code, _, err := read(); err == nil {
		t.Errorf("half of the changes came with status %d and no error", code)
	}
}

func TestLargeChangesAreBounded(t *testing.T) {
	var diff strings.Builder
	for i := range 40 {
		fmt.Fprintf(&diff, "diff --git a/f%d.go b/f%d.go\n--- a/f%d.go\n+++ b/f%d.go\n@@ -0,0 +1,13000 @@\n", i, i, i, i)
		for range 13_000 {
			diff.WriteString("+" + strings.Repeat("func x() ", 11) + "\n")
		}
	}
	h := serve(t, reviewed(diff.String()), api.RoleApprover)
	code, body := get(t, h, "/runs/r1/changes")
	if code != http.StatusOK || len(body) > 1<<20 || !strings.Contains(body, "+13000") || !strings.Contains(body, "data-still") {
		t.Errorf("%d MB became %d kB, status %d", diff.Len()>>20, len(body)>>10, code)
	}
	if !strings.Contains(body, `href="/runs/r1/changes?file=f7.go#f-`) {
		t.Error("a file cannot be shown by itself")
	}
	if code, body = get(t, h, "/runs/r1/changes?file=f7.go"); code != http.StatusOK || len(body) > 4<<20 || !strings.Contains(body, "too long to show") || strings.Count(body, `class="file"`) != 1 {
		t.Errorf("alone: %d kB, status %d", len(body)>>10, code)
	}
	if code, body = get(t, h, "/runs/r1/changes/raw"); code != http.StatusOK || body != diff.String() {
		t.Errorf("as text: %d bytes, status %d", len(body), code)
	}
}

// TestColoursCanBeRead holds every colour of source text against every ground it
// stands on, in both themes.
func TestColoursCanBeRead(t *testing.T) {
	css, err := os.ReadFile("assets/style/colours.css")
	if err != nil {
		t.Fatal(err)
	}
	light, dark := map[string]string{}, map[string]string{}
	variable := regexp.MustCompile(`--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`)
	for _, m := range variable.FindAllStringSubmatch(string(css), -1) {
		light[m[1]], dark[m[1]] = m[2], m[3]
	}
	for theme, colours := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, ink := range []string{"h-k", "h-t", "h-f", "h-s", "h-m", "h-c", "ink"} {
			for _, ground := range []string{"card", "add", "del", "soft"} {
				if c := contrast(t, colours[ink], colours[ground]); c < 4.5 {
					t.Errorf("%s: %s on %s is %.2f", theme, ink, ground, c)
				}
			}
		}
		for _, pair := range [][2]string{{"quiet", "card"}, {"quiet", "soft"}, {"plus", "card"}, {"minus", "card"}, {"plus", "ground"}, {"minus", "ground"}, {"ink", "add-n"}, {"ink", "del-n"}, {"card", "link"}} {
			if c := contrast(t, colours[pair[0]], colours[pair[1]]); c < 4.5 {
				t.Errorf("%s: %s on %s is %.2f", theme, pair[0], pair[1], c)
			}
		}
	}
}
