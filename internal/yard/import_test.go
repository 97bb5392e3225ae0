package yard

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// handedIn is a bundle with one commit, and how it is to be imported.
func handedIn(t testing.TB) (fixture, ImportSpec) {
	t.Helper()
	f := newFixture(t)
	dir := f.workspace(t)
	sh(t, dir, "echo n > new")
	spec := f.handInSpec(t, dir)
	_, err := HandIn(ctx(t), spec)
	must(t, err)
	return f, ImportSpec{Bundle: spec.Bundle, Ref: Attempts + "r/1", Base: f.base, MaxBytes: enough}
}

func TestImportTwiceIsImportOnce(t *testing.T) {
	f, spec := handedIn(t)
	first, err := f.yard.Import(ctx(t), spec)
	must(t, err)
	again, err := f.yard.Import(ctx(t), spec)
	must(t, err)
	if d := cmp.Diff(first, again); d != "" {
		t.Fatal(d)
	}
	refs, err := f.yard.Refs(ctx(t), "refs/")
	must(t, err)
	if !slices.Equal(refs, []Ref{{spec.Ref, first.Commit}, {UpstreamHeads + "main", f.base}}) {
		t.Fatalf("got %v", refs)
	}
	copies, err := os.ReadDir(filepath.Join(f.yard.Dir(), incomingDir))
	must(t, err)
	equal(t, "copies left", len(copies), 0)
	spec.Ref = UpstreamHeads + "main"
	if _, ok := errors.AsType[*MovedError](second(f.yard.Import(ctx(t), spec))); !ok {
		t.Fatal("an existing ref was moved")
	}
}

func TestImportInParallel(t *testing.T) {
	f, spec := handedIn(t)
	const many = 6
	results := make([]error, many)
	var group sync.WaitGroup
	for i := range many {
		group.Go(func() {
			mine := spec
			mine.Ref = fmt.Sprintf("%sp/%d", Attempts, i/2) // two for each ref
			_, results[i] = f.yard.Import(ctx(t), mine)
		})
	}
	group.Wait()
	must(t, errors.Join(results...))
	refs, err := f.yard.Refs(ctx(t), Attempts)
	must(t, err)
	equal(t, "refs", len(refs), many/2)
}

func TestImportRefusesBadFiles(t *testing.T) {
	f, good := handedIn(t)
	content, err := os.ReadFile(good.Bundle)
	must(t, err)
	for name, day := range map[string]struct {
		spoil func(t *testing.T, spec *ImportSpec, content []byte)
		want  error
	}{
		"cut off": {func(t *testing.T, s *ImportSpec, c []byte) { rewrite(t, s, c[:len(c)-30]) }, ErrCorrupt},
		"flipped": {func(t *testing.T, s *ImportSpec, c []byte) { c[len(c)-40] ^= 1; rewrite(t, s, c) }, ErrCorrupt},
		"header":  {func(t *testing.T, s *ImportSpec, c []byte) { rewrite(t, s, c[:30]) }, ErrCorrupt},
		"empty":   {func(t *testing.T, s *ImportSpec, _ []byte) { rewrite(t, s, nil) }, ErrCorrupt},
		"garbage": {func(t *testing.T, s *ImportSpec, _ []byte) { rewrite(t, s, []byte("PK\x03\x04\n\n")) }, ErrCorrupt},
		"other ref": {func(t *testing.T, s *ImportSpec, c []byte) {
			rewrite(t, s, bytes.Replace(c, []byte(bundleHead), []byte("refs/heads/main"), 1))
		}, ErrCorrupt},
		"filter": {func(t *testing.T, s *ImportSpec, c []byte) {
			rewrite(t, s, bytes.Replace(c, []byte("# v2 git bundle\n"), []byte("# v3 git bundle\n@filter=blob:none\n"), 1))
		}, ErrCorrupt},
		"folder": {func(_ *testing.T, s *ImportSpec, _ []byte) { s.Bundle = filepath.Dir(s.Bundle) }, ErrCorrupt},
		"symlink": {func(t *testing.T, s *ImportSpec, _ []byte) {
			must(t, os.Symlink(s.Bundle, s.Bundle+".link"))
			s.Bundle += ".link"
		}, nil},
		"pipe":    {func(t *testing.T, s *ImportSpec, _ []byte) { sh(t, "/", "mkfifo "+s.Bundle+".p"); s.Bundle += ".p" }, ErrCorrupt},
		"missing": {func(_ *testing.T, s *ImportSpec, _ []byte) { s.Bundle += ".none" }, os.ErrNotExist},
		"base":    {func(_ *testing.T, s *ImportSpec, _ []byte) { s.Base = strings.Repeat("1", 40) }, ErrNotFound},
		"ref":     {func(_ *testing.T, s *ImportSpec, _ []byte) { s.Ref = "main" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			spec := good
			spec.Bundle = filepath.Join(folder(t), "spoilt.bundle")
			rewrite(t, &spec, content)
			day.spoil(t, &spec, slices.Clone(content))
			_, err := f.yard.Import(ctx(t), spec)
			if err == nil || day.want != nil && !errors.Is(err, day.want) {
				t.Fatalf("got %v", err)
			}
			refs, err := f.yard.Refs(ctx(t), Attempts)
			must(t, err)
			equal(t, "refs", len(refs), 0)
			equal(t, "copies left", sh(t, f.yard.Dir(), "ls -A "+incomingDir), "")
		})
	}
}

func rewrite(t testing.TB, spec *ImportSpec, content []byte) {
	t.Helper()
	must(t, os.WriteFile(spec.Bundle, content, 0o600))
}

func TestImportRefusesTooBig(t *testing.T) {
	f, spec := handedIn(t)
	spec.MaxBytes = 10
	if big, ok := errors.AsType[*TooBigError](second(f.yard.Import(ctx(t), spec))); !ok || big.Size <= 10 {
		t.Fatalf("got %v", big)
	}
	info, err := os.Stat(spec.Bundle)
	must(t, err)
	spec.MaxBytes = info.Size()
	must(t, second(f.yard.Import(ctx(t), spec)))
}

func TestImportNeedsItsPrerequisites(t *testing.T) {
	_, spec := handedIn(t)
	other := person(t)
	sh(t, other, "git commit -q --amend -m elsewhere")
	y := openYard(t)
	must(t, y.Fetch(ctx(t), other))
	spec.Base = UpstreamHeads + "main"
	if _, err := y.Import(ctx(t), spec); !errors.Is(err, ErrPrerequisites) {
		t.Fatalf("got %v", err)
	}
}

// TestImportRefusesForgedObjects has bundles no honest git would write.
func TestImportRefusesForgedObjects(t *testing.T) {
	f := newFixture(t)
	for name, script := range map[string]string{
		"tree entry .git":    `b=$(echo x | git hash-object -w --stdin); t=$(printf '100644 blob %s\t.git\n' $b | git mktree); forge $t`,
		"tree entry .GIT":    `b=$(echo x | git hash-object -w --stdin); s=$(printf '100644 blob %s\tconfig\n' $b | git mktree); t=$(printf '040000 tree %s\t.GIT\n' $s | git mktree); forge $t`,
		"tree entry ..":      `b=$(echo x | git hash-object -w --stdin); s=$(printf '100644 blob %s\tx\n' $b | git mktree); t=$(printf '040000 tree %s\t..\n' $s | git mktree); forge $t`,
		"symlink .gitmodule": `b=$(printf /etc/passwd | git hash-object -w --stdin); t=$(printf '120000 blob %s\t.gitmodules\n' $b | git mktree); forge $t`,
		"evil .gitmodules":   `b=$(printf '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=evil\n' | git hash-object -w --stdin); t=$(printf '100644 blob %s\t.gitmodules\n' $b | git mktree); forge $t`,
		"bad time zone":      `c=$(printf 'tree %s\nparent %s\nauthor A <a@b> 0 +051800\ncommitter A <a@b> 0 +051800\n\nx\n' $(git rev-parse HEAD^{tree}) $(git rev-parse HEAD) | git hash-object -t commit -w --literally --stdin); git update-ref refs/handin/head $c`,
		"a blob as head":     `git update-ref refs/handin/head $(echo x | git hash-object -w --stdin)`,
		"a tag as head":      `git commit -q --allow-empty -m x; git tag -a -m x x; git update-ref refs/handin/head refs/tags/x`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := f.workspace(t)
			bundle := filepath.Join(folder(t), "forged.bundle")
			sh(t, dir, fmt.Sprintf(`forge() { git update-ref refs/handin/head $(git commit-tree -p %s -m x $1); }
				%s; git bundle create -q %s refs/handin/head ^%s`, f.base, script, bundle, f.base))
			_, err := f.yard.Import(ctx(t), ImportSpec{Bundle: bundle, Ref: Attempts + "r/1", Base: f.base, MaxBytes: enough})
			if !errors.Is(err, ErrCorrupt) {
				t.Fatalf("got %v", err)
			}
			refs, err := f.yard.Refs(ctx(t), Attempts)
			must(t, err)
			equal(t, "refs", len(refs), 0)
		})
	}
}

func TestTidyKeepsEverything(t *testing.T) {
	f, spec := handedIn(t)
	imported, err := f.yard.Import(ctx(t), spec)
	must(t, err)
	f.commit(t, "more", "echo more > more")
	sh(t, f.yard.Dir(), "git update-ref -d "+spec.Ref)
	must(t, f.yard.Tidy(ctx(t)))
	packs, err := filepath.Glob(filepath.Join(f.yard.Dir(), "objects/pack/*.pack"))
	must(t, err)
	equal(t, "packs", len(packs), 1)
	ok, err := f.yard.Exists(ctx(t), imported.Commit)
	must(t, err)
	equal(t, "an unreferenced commit is still there", ok, true)
}
