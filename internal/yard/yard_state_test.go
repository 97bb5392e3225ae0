package yard

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestOpenRemovesTheRestOfTheDeadAndNothingElse has every kind of file that a yard may hold when its engine dies.
func TestOpenRemovesTheRestOfTheDeadAndNothingElse(t *testing.T) {
	f, spec := handedIn(t)
	must(t, second(f.yard.Import(ctx(t), spec)))
	sh(t, f.yard.Dir(), "git pack-refs --all")
	dir := f.yard.Dir()
	before := fingerprint(t, dir)
	rest := []string{
		"HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock", "refs/heads/a/topic.lock", "objects/pack/tmp_pack_x", "objects/pack/tmp_idx_x",
		"objects/ab/tmp_obj_x", "incoming/bundle-1", "incoming/index-1", "incoming/index-1.index", "incoming/index-1.index.lock",
		"incoming/base-1/base-x.pack",
	}
	for _, name := range rest {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	must(t, f.yard.Close())
	y, err := Open(ctx(t), dir)
	must(t, err)
	f.yard.occupancy = y.occupancy
	equal(t, "what is left", fingerprint(t, dir), before)
	equal(t, "what is incoming", sh(t, dir, "ls -A incoming"), "")
}

// TestManyMayOpenAYardThatIsNotThere: one makes it, all have it.
func TestManyMayOpenAYardThatIsNotThere(t *testing.T) {
	for range 5 {
		dir := filepath.Join(folder(t), "yard.git")
		const many = 8
		results := make([]error, many)
		var group sync.WaitGroup
		for i := range many {
			group.Go(func() {
				y, err := Open(ctx(t), dir)
				if err == nil {
					err = y.Close()
				}
				results[i] = err
			})
		}
		group.Wait()
		must(t, errors.Join(results...))
		equal(t, "what is there", sh(t, filepath.Dir(dir), "ls -A"), "yard.git")
	}
}

// TestARefusedFolderIsLeftAlone: what is not a yard stays as it is, with nothing beside it.
func TestARefusedFolderIsLeftAlone(t *testing.T) {
	dir := filepath.Join(folder(t), "thesis")
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "thesis.txt"), []byte("x"), 0o644))
	if _, err := Open(ctx(t), dir); err == nil {
		t.Error("it was opened")
	}
	equal(t, "what is there", sh(t, filepath.Dir(dir), "find . | sort"), ".\n./thesis\n./thesis/thesis.txt")
}

// TestWhoeverCallsHasNoSay has an environment that would lead git elsewhere, or have it run something.
func TestWhoeverCallsHasNoSay(t *testing.T) {
	canary := filepath.Join(folder(t), "canary")
	evil := filepath.Join(folder(t), "evil")
	must(t, os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $*\" >> "+canary+"\n"), 0o755))
	config := filepath.Join(folder(t), "config")
	must(t, os.WriteFile(config, fmt.Appendf(nil, "[core]\n\tfsmonitor = %[1]s\n[diff]\n\texternal = %[1]s\n\tnoprefix = true\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = %[1]s\n[merge]\n\trenames = false\n", evil), 0o600))
	f, spec := handedIn(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new")
	into, from := f.commit(t, "into", "echo i > i"), f.commit(t, "from", "echo f > f")
	remote := bareRemote(t, f)
	nowhere := filepath.Join(folder(t), "nowhere")
	for name, value := range map[string]string{
		"GIT_DIR": nowhere, "GIT_WORK_TREE": nowhere, "GIT_INDEX_FILE": nowhere, "GIT_OBJECT_DIRECTORY": nowhere, "GIT_COMMON_DIR": nowhere, "GIT_NAMESPACE": "x",
		"GIT_EXTERNAL_DIFF": evil, "GIT_SSH_COMMAND": evil, "GIT_ASKPASS": evil, "GIT_PAGER": evil, "GIT_EDITOR": evil, "GIT_PROXY_COMMAND": evil,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": evil, "GIT_CONFIG_PARAMETERS": "'core.fsmonitor=" + evil + "'",
		"GIT_AUTHOR_DATE": "1 +0000", "GIT_COMMITTER_NAME": "Eve", "GIT_REPLACE_REF_BASE": "refs/x", "GIT_TRACE": canary, "GIT_GRAFT_FILE": nowhere, "GIT_SHALLOW_FILE": nowhere,
	} {
		t.Setenv(name, value)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	must(t, f.yard.reader.close()) // the next one starts with this environment
	y, err := Open(ctx(t), filepath.Join(folder(t), "other.git"))
	must(t, err)
	must(t, y.Fetch(ctx(t), f.person))
	must(t, y.Close())
	must(t, f.yard.Fetch(ctx(t), f.person))
	must(t, second(f.yard.Import(ctx(t), spec)))
	merged, err := f.yard.Merge(ctx(t), mergeSpec(into, from))
	must(t, err)
	log, err := f.yard.Log(ctx(t), into, merged.Commit)
	must(t, err)
	equal(t, "date", log[0].AuthoredAt, noon())
	var patch bytes.Buffer
	must(t, second(f.yard.Diff(ctx(t), &patch, into, merged.Commit, DiffOptions{})))
	if !strings.Contains(patch.String(), "+++ b/f\n") {
		t.Errorf("the patch is %s", patch.String())
	}
	must(t, f.yard.Checkout(ctx(t), filepath.Join(folder(t), "w"), merged.Commit))
	must(t, f.yard.Push(ctx(t), PushSpec{Remote: remote, Ref: "refs/heads/x", Commit: merged.Commit}))
	must(t, second(HandIn(ctx(t), f.handInSpec(t, dir))))
	_, err = Locate(ctx(t), f.person)
	must(t, err)
	if trace, err := os.ReadFile(canary); err == nil {
		t.Errorf("this ran, or was traced:\n%s", trace)
	}
}

// TestOutputIsCutWhereItMust: what fits exactly fits, and the reason of a failure is at the end of what git says.
func TestOutputIsCutWhereItMust(t *testing.T) {
	for _, c := range []struct {
		writes   []string
		want     string
		exceeded bool
	}{
		{[]string{"12345"}, "12345", false}, {[]string{"123", "45"}, "12345", false}, {[]string{"123456"}, "12345", true},
		{[]string{"123", "456"}, "12345", true}, {[]string{"12345", "6"}, "12345", true}, {[]string{"12345", ""}, "12345", false},
	} {
		var out bytes.Buffer
		l := &limitedWriter{w: &out, left: 5}
		var err error
		for _, text := range c.writes {
			if _, err = io.WriteString(l, text); err != nil {
				break
			}
		}
		if out.String() != c.want || l.exceeded != c.exceeded || (err != nil) != c.exceeded {
			t.Errorf("%q: %q, %t, %v", c.writes, out.String(), l.exceeded, err)
		}
	}
	said := &tail{max: 6}
	for _, text := range []string{"warning: much\n", "fatal:", " why\n"} {
		must(t, second(io.WriteString(said, text)))
	}
	equal(t, "what is kept", said.String(), ": why")
}

// TestMoreOutputThanAnybodyReads ends git instead of filling the memory.
func TestMoreOutputThanAnybodyReads(t *testing.T) {
	f := newFixture(t)
	head := f.commit(t, "big", fmt.Sprintf("head -c %d /dev/zero > zeros", maxOutput+1))
	big, ok := errors.AsType[*TooBigError](second(f.yard.git().run(ctx(t), "cat-file", "blob", head+":zeros")))
	if !ok || big.Limit != maxOutput {
		t.Errorf("got %v", big)
	}
}
