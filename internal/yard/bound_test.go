package yard

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPathsThatAFileCanBePutAt(t *testing.T) {
	deep := strings.TrimSuffix(strings.Repeat(strings.Repeat("d", 127)+"/", maxPath/128), "/") // one byte less than may be
	for _, good := range []string{"a", "a b", ".gitignore", ".github/x", "a..b", "...", "x.git", "-a", strings.Repeat("n", maxName), deep + "d", "a/" + strings.Repeat("n", maxName)} {
		if err := checkPath(good); err != nil {
			t.Errorf("%.40q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", ".", "..", "../a", "a/..", "a/../b", "/", "/a", "a/", "a//b", "./a", "a/./b", ".git", ".GIT", "a/.Git/config", "a\nb", "a\x00b",
		strings.Repeat("n", maxName+1), strings.Repeat("n", maxName+1) + "/a", deep + "dd",
	} {
		if err := checkPath(bad); !errors.Is(err, ErrPath) {
			t.Errorf("%.40q: %v", bad, err)
		}
	}
}

// TestTreeLimits: what is just within is listed, whatever pieces git's answer comes in.
func TestTreeLimits(t *testing.T) {
	record := func(size, path string) string {
		return "100644 blob " + strings.Repeat("0a", 20) + " " + size + "\t" + path + "\x00"
	}
	folders := "040000 tree " + strings.Repeat("0b", 20) + " -\td\x00"
	long := strings.Repeat(strings.Repeat("d", 127)+"/", maxPath/128)
	for _, c := range []struct {
		answer string
		most   extent
		want   *TooBigError
	}{
		{folders + record("10", "d/a") + record("5", "d/b"), extent{entries: 3, bytes: 15}, nil},
		{folders + record("10", "d/a") + record("5", "d/b"), extent{entries: 2, bytes: 15}, &TooBigError{What: "it", Unit: "entries", Limit: 2}},
		{folders + record("10", "d/a") + record("5", "d/b"), extent{entries: 3, bytes: 14}, &TooBigError{What: "it", Limit: 14}},
		{record("1", long[1:]+"f"), extent{entries: 1, bytes: 1}, nil},
		{record("1", long+"f"), extent{entries: 1, bytes: 1}, &TooBigError{What: fmt.Sprintf("the path %.40q… in it", long), Size: maxPath + 1, Limit: maxPath}},
		{record("1", "d/"+strings.Repeat("n", maxName)), extent{entries: 1, bytes: 1}, nil},
		{record("1", "d/"+strings.Repeat("n", maxName+1)), extent{entries: 1, bytes: 1}, &TooBigError{What: fmt.Sprintf("the name %.40q… in it", strings.Repeat("n", 99)), Size: maxName + 1, Limit: maxName}},
	} {
		for _, piece := range []int{1, 7, len(c.answer)} {
			var files []File
			r := c.most.reader("it", func(f File) { files = append(files, f) })
			var err error
			for rest := []byte(c.answer); len(rest) > 0 && err == nil; rest = rest[min(piece, len(rest)):] {
				_, err = r.Write(rest[:min(piece, len(rest))])
			}
			if c.want == nil {
				must(t, err)
				equal(t, "entries", len(files), strings.Count(c.answer, "\x00"))
				continue
			}
			if got, ok := errors.AsType[*TooBigError](err); !ok || *got != *c.want {
				t.Errorf("%.60q in pieces of %d: %v", c.answer, piece, err)
			}
		}
	}
}

// TestSizesOfAPack: one that is written as more than there can be is none, and a delta that does not say what it makes is cut off.
func TestSizesOfAPack(t *testing.T) {
	head := "PACK\x00\x00\x00\x02\x00\x00\x00\x01"
	sized := func(rest uint64) []byte { return append([]byte(head+"\xb0"), binary.AppendUvarint(nil, rest)...) }
	if err := scanPack(ctx(t), bytes.NewReader(sized(1<<59)), defaultPackLimits()); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "claims an impossible size") {
		t.Errorf("more than anything: %v", err)
	}
	if big, ok := errors.AsType[*TooBigError](scanPack(ctx(t), bytes.NewReader(sized(1<<59-1)), defaultPackLimits())); !ok || big.Size != (1<<59-1)<<4 {
		t.Errorf("just not more than anything: %+v", big)
	}
	for _, content := range []string{"", "\x80", "\x05", "\x05\x80"} {
		var b forgedBundle
		b.header(referenceDelta, len(content))
		b.pack.Write(make([]byte, hashWidth))
		b.compress([]byte(content))
		if err := scanPack(ctx(t), strings.NewReader(head+b.pack.String()), defaultPackLimits()); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a delta of %q: %v", content, err)
		}
	}
	var whole forgedBundle
	base := whole.add("blob", []byte("base"))
	whole.delta(base, 4, 1)
	whole.header(offsetDelta, 2)
	whole.pack.WriteString("\x81\x01")
	whole.compress([]byte("\x04\x04"))
	pack := "PACK\x00\x00\x00\x02\x00\x00\x00\x03" + whole.pack.String()
	must(t, scanPack(ctx(t), strings.NewReader(pack), defaultPackLimits()))
	for cut := range pack {
		if err := scanPack(ctx(t), strings.NewReader(pack[:cut]), defaultPackLimits()); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("%d of %d bytes: %v", cut, len(pack), err)
		}
	}
	for size, content := range map[int]string{3: "ab", 2: "abc"} {
		var b forgedBundle
		b.header(3, size)
		b.compress([]byte(content))
		if err := scanPack(ctx(t), strings.NewReader(head+b.pack.String()), defaultPackLimits()); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q of %d bytes: %v", content, size, err)
		}
	}
}

// TestWhatAnAgentsRefsSay, as the whole of what is read: loose ones outrank packed ones, and only branches and the stash count.
func TestWhatAnAgentsRefsSay(t *testing.T) {
	dir := folder(t)
	hash := func(c string) string { return strings.Repeat(c, 40) }
	for name, content := range map[string]string{
		"HEAD":                "ref: refs/heads/work\n",
		"packed-refs":         "# pack-refs with: peeled\n" + hash("1") + " refs/heads/old\n" + hash("2") + " refs/heads/work\n" + hash("3") + " refs/tags/t\n^" + hash("4") + "\n" + hash("5") + " refs/remotes/o/x\n" + hash("6") + " refs/heads/same\n",
		"refs/heads/work":     hash("7") + "\n",
		"refs/heads/a/deep":   hash("8") + "\n",
		"refs/heads/as-head":  hash("7") + "\n",
		"refs/heads/as-same":  hash("6") + "\n",
		"refs/heads/nonsense": "xyz\n",
		"refs/stash":          hash("9") + "\n",
		"refs/stashed":        hash("a") + "\n",
		"refs/tags/loose":     hash("b") + "\n",
	} {
		file := filepath.Join(dir, ".git", name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, []byte(content), 0o600))
	}
	h := &handInState{spec: HandInSpec{Dir: dir}}
	want := agentRefs{head: hash("7"), others: []string{hash("8"), hash("6"), hash("1"), hash("9")}}
	if d := cmp.Diff(want, h.agentRefs(), cmp.AllowUnexported(agentRefs{})); d != "" {
		t.Error(d)
	}
	for head, want := range map[string]string{
		hash("c"): hash("c"), "ref:refs/tags/loose": hash("b"), "ref: refs/heads/a/../work": "", "ref: ../x": "", "refs/heads/work": "", "": "", "ref: refs/heads/none": "",
		"ref: refs/remotes/o/x": hash("5"),
	} {
		must(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte(head+"\n"), 0o600))
		equal(t, "HEAD "+head, h.agentRefs().head, want)
	}
	file := folder(t)
	must(t, os.WriteFile(filepath.Join(file, ".git"), []byte("gitdir: "+filepath.Join(dir, ".git")), 0o600))
	h = &handInState{spec: HandInSpec{Dir: file}}
	if refs := h.agentRefs(); refs.head != "" || len(refs.others) > 0 || len(h.notes) != 1 || !strings.Contains(h.notes[0], "replaced") {
		t.Errorf("a repository that is a file: %+v, %q", refs, h.notes)
	}
	h = &handInState{spec: HandInSpec{Dir: filepath.Join(dir, "none")}}
	if refs := h.agentRefs(); refs.head != "" || len(h.notes) != 1 {
		t.Errorf("a workspace that is gone: %+v, %q", refs, h.notes)
	}
}

// TestImportWantsEveryPrerequisite, not only the first.
func TestImportWantsEveryPrerequisite(t *testing.T) {
	f, spec := handedIn(t)
	content, err := os.ReadFile(spec.Bundle)
	must(t, err)
	nobody := "-" + strings.Repeat("1", 40) + " \n"
	for _, header := range []string{"# v2 git bundle\n" + nobody, "# v2 git bundle\n-" + f.base + " \n" + nobody} {
		rewrite(t, &spec, bytes.Replace(content, []byte("# v2 git bundle\n"), []byte(header), 1))
		if _, err := f.yard.Import(ctx(t), spec); !errors.Is(err, ErrPrerequisites) {
			t.Errorf("%q: %v", header, err)
		}
	}
}

// TestAddedCommitsAreThoseFromBaseToHead, each as it is, and cut where there is more.
func TestAddedCommitsAreThoseFromBaseToHead(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "echo a > a; git add a; git commit -qm one; echo b > b")
	want := sh(t, f.yard.Dir(), "git rev-list "+head+" ^"+f.base+" | git cat-file --batch")
	var out bytes.Buffer
	cut, err := f.yard.AddedCommits(ctx(t), &out, f.base, head, enough)
	must(t, err)
	equal(t, "cut", cut, false)
	equal(t, "commits", strings.TrimSpace(out.String()), want)
	size := int64(out.Len())
	for most, want := range map[int64]bool{size: false, size - 1: true} {
		out.Reset()
		cut, err := f.yard.AddedCommits(ctx(t), &out, f.base, head, most)
		must(t, err)
		equal(t, fmt.Sprintf("cut at %d of %d", most, size), cut, want)
		equal(t, "printed", int64(out.Len()), most)
	}
	out.Reset()
	must(t, second(f.yard.Added(ctx(t), &out, f.base, head, AddedOptions{History: "format:commit %s", MaxBytes: enough})))
	equal(t, "history", out.String(), "commit topic\ndiff --git a/b b/b\nnew file mode 100644\nindex 0000000..6178079\n--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+b\n\n"+
		"commit one\ndiff --git a/a b/a\nnew file mode 100644\nindex 0000000..7898192\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+a\n")
}

func TestErrorsSayWhatToWhat(t *testing.T) {
	for want, err := range map[string]error{
		"x is larger than the limit of 5 bytes":                          &TooBigError{What: "x", Limit: 5},
		"x is larger than the limit of 5 entries":                        &TooBigError{What: "x", Unit: "entries", Limit: 5},
		"x has 6 bytes, the limit is 5":                                  &TooBigError{What: "x", Size: 6, Limit: 5},
		"r is at h, expected w":                                          &MovedError{Ref: "r", Want: "w", Have: "h"},
		"r is at nothing, expected nothing":                              &MovedError{Ref: "r"},
		"r on the remote is at h, expected w; fetch and ask again":       &LeaseError{Ref: "r", Want: "w", Have: "h"},
		"r on the remote is at nothing, expected w; fetch and ask again": &LeaseError{Ref: "r", Want: "w"},
		"git push: why":       &CommandError{Args: []string{"push", "x"}, cause: errors.New("why")},
		"git push: why: said": &CommandError{Args: []string{"push", "x"}, cause: errors.New("why"), Stderr: "said"},
	} {
		equal(t, "message", err.Error(), want)
	}
	got := redactAll([]string{"push", "https://u:p@example.org/a", "from ssh://git@example.org/b to http://t@example.org/c"})
	if d := cmp.Diff([]string{"push", "https://example.org/a", "from ssh://example.org/b to http://example.org/c"}, got); d != "" {
		t.Error(d)
	}
	equal(t, "none", fmt.Sprintf("%v %#v", Credential{User: "u"}, Credential{}), "no credential no credential")
	if _, _, _, err := takeCredential("https://u:s3cret@%zz/"); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("no address: %v", err)
	}
}

func TestWhichAttributesAreOfLFS(t *testing.T) {
	for attributes, want := range map[string]bool{
		"*.bin filter=lfs": true, "a b\n*.bin text filter=lfs -text\n": true, "# *.bin filter=lfs": false, "#x filter=lfs": false, "filter=lfs text": false,
		"*.bin filter=lfsx": false, "*.bin -filter": false, "": false,
	} {
		equal(t, attributes, usesLFS(attributes), want)
	}
}

// TestOpenLeavesFoldersAlone: but for what was coming in, only files are left over by those who died.
func TestOpenLeavesFoldersAlone(t *testing.T) {
	dir := filepath.Join(folder(t), "yard.git")
	y, err := Open(ctx(t), dir)
	must(t, err)
	must(t, y.Close())
	sh(t, dir, "mkdir -p incoming/sub refs/heads/x.lock objects/tmp_dir; touch incoming/sub/bundle refs/heads/x.lock/keep objects/tmp_dir/keep")
	y, err = Open(ctx(t), dir)
	must(t, err)
	must(t, y.Close())
	equal(t, "what is left", sh(t, dir, "find incoming refs/heads objects/tmp_dir | sort | tr '\\n' ' '"),
		"incoming objects/tmp_dir objects/tmp_dir/keep refs/heads refs/heads/x.lock refs/heads/x.lock/keep")
}

// TestACommitNeedsEverythingItIsMadeOf.
func TestACommitNeedsEverythingItIsMadeOf(t *testing.T) {
	good := testIdentity()
	must(t, checkCommit("m", good, noon()))
	for name, err := range map[string]error{
		"no message":   checkCommit(" \n", good, noon()),
		"no date":      checkCommit("m", good, time.Time{}),
		"no name":      checkCommit("m", Identity{Email: good.Email}, noon()),
		"no address":   checkCommit("m", Identity{Name: good.Name}, noon()),
		"a line break": checkCommit("m", Identity{Name: "A\nB", Email: good.Email}, noon()),
		"a bracket":    checkCommit("m", Identity{Name: good.Name, Email: "a@b>"}, noon()),
	} {
		if err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
}

// TestCommonDirFollowsRelativeNames, as git writes them for submodules and, where told to, for worktrees.
func TestCommonDirFollowsRelativeNames(t *testing.T) {
	top := folder(t)
	sh(t, top, "mkdir -p repo/.git/worktrees/w tree sub")
	for file, content := range map[string]string{
		"tree/.git": "gitdir: ../repo/.git/worktrees/w\n", "repo/.git/worktrees/w/commondir": "../..\n", "sub/.git": "gitdir: ../repo/.git\n",
	} {
		must(t, os.WriteFile(filepath.Join(top, file), []byte(content), 0o600))
	}
	for _, dir := range []string{"tree", "sub"} {
		equal(t, dir, CommonDir(filepath.Join(top, dir)), filepath.Join(top, "repo/.git"))
	}
	must(t, os.WriteFile(filepath.Join(top, "repo/.git/worktrees/w/commondir"), []byte("../../gone/"), 0o600))
	equal(t, "one that is gone", CommonDir(filepath.Join(top, "tree")), filepath.Join(top, "repo/.git/gone"))
}

// TestExtractWantsAPlaceOfItsOwn.
func TestExtractWantsAPlaceOfItsOwn(t *testing.T) {
	f := newFixture(t)
	if err := f.yard.Extract(ctx(t), f.base, "src", "relative"); err == nil {
		t.Error("a relative path is taken")
	}
	if err := f.yard.Extract(ctx(t), f.base, "src", filepath.Join(folder(t), "none", "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a place in no folder: %v", err)
	}
	taken := folder(t)
	must(t, os.WriteFile(filepath.Join(taken, "mine"), nil, 0o600))
	if err := f.yard.Extract(ctx(t), f.base, "src", taken); err == nil {
		t.Error("a folder with something in it is taken")
	}
	equal(t, "what was there", sh(t, taken, "ls -A"), "mine")
}

// TestWhatAPackMayHoldIsCounted object by object.
func TestWhatAPackMayHoldIsCounted(t *testing.T) {
	most := packLimits{objects: 2, object: 10, total: 15}
	var seen packLimits
	must(t, seen.add("it", 10, most))
	must(t, seen.add("it", 5, most))
	equal(t, "seen", seen, packLimits{objects: 2, total: 15})
	for _, c := range []struct {
		seen packLimits
		size int64
		want TooBigError
	}{
		{packLimits{}, 11, TooBigError{What: "an object in it", Size: 11, Limit: 10}},
		{packLimits{objects: 1, total: 10}, 6, TooBigError{What: "it, unpacked,", Limit: 15}},
		{packLimits{objects: 2, total: 10}, 5, TooBigError{What: "it", Unit: "objects", Limit: 2}},
	} {
		if got, ok := errors.AsType[*TooBigError](c.seen.add("it", c.size, most)); !ok || *got != c.want {
			t.Errorf("%d bytes after %+v: %+v", c.size, c.seen, got)
		}
	}
}

// TestWhatACommitHolds, to the last field.
func TestWhatACommitHolds(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "topic", "ln -s README.md link; printf x > run; chmod +x run; git update-index --add --cacheinfo 160000,"+f.base+",sub; mkdir sub")
	got, err := f.yard.Files(ctx(t), head)
	must(t, err)
	hash := func(path string) string { return sh(t, f.yard.Dir(), "git rev-parse "+head+":"+path) }
	want := []File{
		{".gitignore", "100644", Regular, 6, hash(".gitignore")}, {"README.md", "100644", Regular, 6, hash("README.md")}, {"link", "120000", Symlink, 9, hash("link")},
		{"run", "100755", Executable, 1, hash("run")}, {"src/a.txt", "100644", Regular, 8, hash("src/a.txt")}, {"sub", "160000", Submodule, 0, f.base},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, file := range want {
		file.Size = 0
		if found, err := f.yard.entry(ctx(t), head, file.Path); err != nil || found != file {
			t.Errorf("%s: %+v, %v", file.Path, found, err)
		}
	}
	for path, want := range map[string]string{"link": "README.md", "run": "x", "README.md": "hello\n"} {
		content, err := f.yard.Show(ctx(t), head, path, 10)
		must(t, err)
		equal(t, path, string(content), want)
	}
	if _, err := f.yard.ReadFile(ctx(t), head, "link", 10); !errors.Is(err, ErrNotFound) {
		t.Errorf("a link is read as a file: %v", err)
	}
	if _, err := f.yard.ReadFile(ctx(t), head, "README.md", 6); err != nil {
		t.Errorf("just as large as may be: %v", err)
	}
	if _, err := f.yard.ReadFile(ctx(t), head, "README.md", 5); !errors.As(err, new(*TooBigError)) {
		t.Errorf("larger than may be: %v", err)
	}
}

// TestWhatIsSpecialAboutACommit: one thing at a time.
func TestWhatIsSpecialAboutACommit(t *testing.T) {
	f := newFixture(t)
	const lfs = "'*.bin filter=lfs'"
	for name, c := range map[string]struct {
		script string
		want   Special
	}{
		"nothing":            {"echo x > x", Special{}},
		"a submodule":        {"git update-index --add --cacheinfo 160000," + f.base + ",sub; mkdir sub", Special{Submodules: true}},
		"at the top":         {"echo " + lfs + " > .gitattributes", Special{LFS: true}},
		"below":              {"mkdir d; echo " + lfs + " > d/.gitattributes; echo '* text' > .gitattributes; mkdir z; echo '* text' > z/.gitattributes", Special{LFS: true}},
		"a hollow link":      {hollow + `; git commit -qm hollow; touch after`, Special{Hollow: "d/hollow"}},
		"of no matter":       {"echo " + lfs + " > x.gitattributes; ln -s x.gitattributes .gitattributes", Special{}},
		"as long as is read": {fmt.Sprintf("(echo %s; (yes '#' || true) | head -c $((%d-17))) > .gitattributes", lfs, 1<<20), Special{LFS: true}},
		"longer":             {fmt.Sprintf("(echo %s; (yes '#' || true) | head -c $((%d-16))) > .gitattributes", lfs, 1<<20), Special{}},
	} {
		branch := strings.ReplaceAll(name, " ", "-")
		f.commit(t, branch, c.script)
		found, err := f.yard.Special(ctx(t), UpstreamHeads+branch)
		must(t, err)
		equal(t, name, found, c.want)
	}
}
