package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// file is one that goes into an archive or a package.
type file struct{ Src, Dst string }

// release is what .goreleaser.yaml says of the things that docs/install.md promises.
type release struct {
	Before struct{ Hooks []string }
	Builds []struct {
		ID, Main, Binary  string
		Env, Flags        []string
		ModTimestamp      string `yaml:"mod_timestamp"`
		GoOS              []string
		GoArch            []string
		Ignore, Overrides []any
	}
	Archives []struct {
		Formats    []string
		BuildsInfo struct{ MTime string } `yaml:"builds_info"`
		Files      []file
	}
	Packages []struct {
		Formats      []string
		MTime        string
		Dependencies []string
		Recommends   []string
		RPM          struct{ BuildHost string }
		Contents     []file
	} `yaml:"nfpms"`
	SBOMs []struct {
		Artifacts string
		Args      []string
		Documents []string
	}
	Checksum struct {
		Name      string `yaml:"name_template"`
		Disable   bool
		Algorithm string
	}
	Signs []struct {
		Cmd, Artifacts, Signature string
		Args                      []string
	}
	Brews []struct {
		Repository    struct{ Owner, Name string }
		Install, Test string
	}
}

// read fills a value from a file of the repository.
func read(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", path))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func readRelease(t *testing.T) release {
	t.Helper()
	var r release
	read(t, ".goreleaser.yaml", &r)
	return r
}

// same reports a difference between lists whose order means nothing.
func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

const commitTime, commitDate = "{{ .CommitTimestamp }}", "{{ .CommitDate }}"

func TestAReleaseIsBuiltForEveryPlatformAndReproducibly(t *testing.T) {
	r := readRelease(t)
	var programs []string
	for _, b := range r.Builds {
		programs = append(programs, b.Binary)
		if b.Main != "./cmd/"+b.Binary {
			t.Errorf("%s is built from %s", b.Binary, b.Main)
		}
		same(t, b.ID+": systems", b.GoOS, "linux", "darwin")
		same(t, b.ID+": processors", b.GoArch, "amd64", "arm64")
		if len(b.Ignore)+len(b.Overrides) > 0 {
			t.Errorf("%s is another program on some platforms, or none: %v %v", b.ID, b.Ignore, b.Overrides)
		}
		if !slices.Contains(b.Flags, "-trimpath") || !slices.Contains(b.Env, "CGO_ENABLED=0") || b.ModTimestamp != commitTime {
			t.Errorf("%s depends on the machine it is built on: flags %q, variables %q, time %q", b.ID, b.Flags, b.Env, b.ModTimestamp)
		}
		if !slices.Contains(b.Flags, "-buildvcs=true") {
			t.Errorf("`%s version` cannot tell its commit: %q", b.Binary, b.Flags)
		}
	}
	same(t, "programs", programs, "stellwerk", "stellwerk-hook", "stellwerk-worker")
}

func TestArchivesHoldManPagesCompletionsAndTheLicence(t *testing.T) {
	r := readRelease(t)
	manual(t, r)
	if len(r.Archives) != 1 {
		t.Fatalf("there are %d kinds of archives", len(r.Archives))
	}
	a := r.Archives[0]
	same(t, "formats", a.Formats, "tar.gz")
	if a.BuildsInfo.MTime != commitDate {
		t.Errorf("programs in archives are dated %q", a.BuildsInfo.MTime)
	}
	holds(t, a.Files,
		file{"LICENSE", ""}, file{"NOTICE", ""}, file{"README.md", ""}, file{"CHANGELOG.md", ""}, file{"deploy/stellwerk.service", ""},
		file{"bin/manual/man1/*", "man/man1"}, file{"bin/manual/completions/*", "completions"})
}

func TestPackagesHoldManPagesCompletionsAndTheService(t *testing.T) {
	r := readRelease(t)
	if len(r.Packages) != 1 {
		t.Fatalf("there are %d kinds of packages", len(r.Packages))
	}
	p := r.Packages[0]
	same(t, "formats", p.Formats, "deb", "rpm")
	same(t, "needed", p.Dependencies, "git")
	same(t, "recommended", p.Recommends, "bubblewrap")
	if p.MTime != commitDate || p.RPM.BuildHost == "" {
		t.Errorf("packages depend on the machine they are made on: dated %q, host %q", p.MTime, p.RPM.BuildHost)
	}
	holds(t, p.Contents,
		file{"LICENSE", "/usr/share/doc/stellwerk/copyright"},
		file{"deploy/stellwerk.service", "/usr/lib/systemd/system/stellwerk.service"},
		file{"deploy/sysusers.conf", "/usr/lib/sysusers.d/stellwerk.conf"},
		file{"bin/manual/man1/*", "/usr/share/man/man1/"},
		file{"bin/manual/completions/stellwerk.bash", "/usr/share/bash-completion/completions/stellwerk"},
		file{"bin/manual/completions/_stellwerk", "/usr/share/zsh/site-functions/_stellwerk"},
		file{"bin/manual/completions/stellwerk.fish", "/usr/share/fish/vendor_completions.d/stellwerk.fish"})
}

// manual: what is packed from bin/manual was written there before.
func manual(t *testing.T, r release) {
	t.Helper()
	const hook = "env SOURCE_DATE_EPOCH=" + commitTime + " go run ./deploy/manual bin/manual"
	if !slices.Contains(r.Before.Hooks, hook) {
		t.Errorf("%q is not among %q", hook, r.Before.Hooks)
	}
}

// holds compares files with those there must be, and looks for those that are not made for the release.
func holds(t *testing.T, files []file, want ...file) {
	t.Helper()
	for _, f := range want {
		if !slices.Contains(files, f) {
			t.Errorf("%+v is missing", f)
		}
	}
	for _, f := range files {
		if !slices.Contains(want, f) {
			t.Errorf("%+v is more than docs/install.md says", f)
		}
		if strings.HasPrefix(f.Src, "bin/manual/") {
			continue
		}
		if _, err := os.Stat(filepath.Join("..", f.Src)); err != nil {
			t.Error(err)
		}
	}
}

func TestHomebrewInstallsWhatIsInTheArchive(t *testing.T) {
	r := readRelease(t)
	if len(r.Brews) != 1 || r.Brews[0].Repository.Owner != "stellwerk-dev" || r.Brews[0].Repository.Name != "homebrew-tap" {
		t.Fatalf("the formula is not where `brew install stellwerk-dev/tap/stellwerk` looks: %+v", r.Brews)
	}
	var lines []string
	for line := range strings.Lines(r.Brews[0].Install) {
		lines = append(lines, strings.TrimSpace(line))
	}
	same(t, "the formula installs", lines,
		`bin.install "stellwerk", "stellwerk-hook", "stellwerk-worker"`, `man1.install Dir["man/man1/*"]`,
		`bash_completion.install "completions/stellwerk.bash" => "stellwerk"`,
		`zsh_completion.install "completions/_stellwerk"`, `fish_completion.install "completions/stellwerk.fish"`)
	if !strings.Contains(r.Brews[0].Test, "stellwerk version") {
		t.Errorf("the formula tests %q", r.Brews[0].Test)
	}
}

func TestReleasesCanBeVerified(t *testing.T) {
	r := readRelease(t)
	if r.Checksum.Name != "SHA256SUMS" || r.Checksum.Disable || (r.Checksum.Algorithm != "" && r.Checksum.Algorithm != "sha256") {
		t.Errorf("checksums: %+v", r.Checksum)
	}
	if len(r.SBOMs) != 1 || r.SBOMs[0].Artifacts != "binary" || !slices.Contains(r.SBOMs[0].Args, "../deploy/sbom") ||
		len(r.SBOMs[0].Documents) != 1 || !strings.HasSuffix(r.SBOMs[0].Documents[0], ".cdx.json") {
		t.Errorf("lists of parts: %+v", r.SBOMs)
	}
	if len(r.Signs) != 1 {
		t.Fatalf("signatures: %+v", r.Signs)
	}
	s := r.Signs[0]
	if s.Cmd != "cosign" || s.Artifacts != "checksum" || s.Signature != "${artifact}.sigstore.json" ||
		!slices.Equal(s.Args, []string{"sign-blob", "--bundle=${signature}", "${artifact}", "--yes"}) {
		t.Errorf("signature: %+v", s)
	}
}

// workflow is a file of .github/workflows.
type workflow struct {
	On   struct{ Push struct{ Tags []string } }
	Jobs map[string]struct {
		Permissions map[string]string
		Steps       []step
	}
}

type step struct {
	Uses, Run string
	With      map[string]string
}

// what a step does, without the version of the action that does it.
func (s step) what() string {
	action, _, _ := strings.Cut(s.Uses, "@")
	return action + s.Run
}

// TestTheWorkflowTestsSignsAndAttests in an order that publishes nothing untested.
func TestTheWorkflowTestsSignsAndAttests(t *testing.T) {
	var w workflow
	read(t, ".github/workflows/release.yml", &w)
	same(t, "tags", w.On.Push.Tags, "v*")
	job := w.Jobs["release"]
	for _, right := range []string{"contents", "id-token", "attestations"} {
		if job.Permissions[right] != "write" {
			t.Errorf("%s: %q: the workflow can no longer publish, sign or attest", right, job.Permissions[right])
		}
	}
	const publish, attest = "goreleaser/goreleaser-action", "actions/attest-build-provenance"
	last := -1
	for _, what := range []string{"actions/checkout", "bash .ci/run", "make snapshot", "sigstore/cosign-installer", publish, attest} {
		at := slices.IndexFunc(job.Steps, func(s step) bool { return s.what() == what })
		if at <= last {
			t.Fatalf("%s is step %d, and what must come before it step %d", what, at, last)
		}
		last = at
		switch with := job.Steps[at].With; what {
		case publish:
			if with["args"] != "release --clean" || with["version"] != pinned(t) {
				t.Errorf("published with %q, and `make snapshot` tests %s", with, pinned(t))
			}
		case attest:
			if with["subject-checksums"] != "dist/"+readRelease(t).Checksum.Name {
				t.Errorf("attested is %q", with)
			}
		}
	}
}

// pinned is the version of goreleaser that `make snapshot` uses.
func pinned(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^GORELEASER *:= *(\S+)$`).FindSubmatch(data)
	if found == nil {
		t.Fatal("the Makefile names no version of goreleaser")
	}
	return string(found[1])
}
