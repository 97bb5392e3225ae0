package registry

import (
	"strings"
	"testing"
)

func TestGem(t *testing.T) {
	need(t, "gem")
	home, environ := person(t)
	write(t, 0o600, "---\n:sources:\n- https://alice:sesame@gems.example.com/\n- http://other.example.com:9292/\n", home, ".gemrc")
	handsIn(t, expect(t, "gem", environ, noLogin+"gems.example.com", "gems.example.com", "other.example.com:9292"), map[string]string{".gemrc": gemFile})
}

const gemFile = "---\n:sources:\n- \"https://gems.example.com/\"\n- \"http://other.example.com:9292/\"\n"

// bundleList is what Bundler 2 prints.
const bundleList = `frozen=true
mirror.https://rubygems.example.org/=https://alice:sesame@mirror.example.com/gems
mirror.https://rubygems.example.org/.fallback_timeout=3
mirror.https://alice:sesame@my-gems.example.org/=http://second.example.com:9292/
gems.example.com=alice:sesame
`

// Bundler has its sources from the project, and mirrors of them from the person.
func TestBundler(t *testing.T) {
	environ := standIn(t, "gem", "[ \"$*\" = 'sources --list' ] || exit 2\nprintf '*** CURRENT SOURCES ***\\n\\nhttps://gems.example.com/\\nhttp://other.example.com:9292/\\n'")
	missing := expect(t, "gem", append(environ, "PATH="+pathOf(environ)), "", "gems.example.com", "other.example.com:9292")
	handsIn(t, missing, map[string]string{".gemrc": gemFile})

	write(t, 0o755, "#!/bin/sh\n[ \"$*\" = 'config list --parseable' ] || exit 2\ncat <<'END'\n"+bundleList+"END\n", pathOf(environ), "bundle")
	got := expect(t, "gem", environ, noLogin+"mirror.example.com", "gems.example.com", "mirror.example.com", "other.example.com:9292", "second.example.com:9292")
	handsIn(t, got, map[string]string{".gemrc": gemFile, ".bundle/config": `---
BUNDLE_MIRROR__HTTPS://RUBYGEMS__EXAMPLE__ORG/: "https://mirror.example.com/gems"
BUNDLE_MIRROR__HTTPS://MY___GEMS__EXAMPLE__ORG/: "http://second.example.com:9292/"
`})

	write(t, 0o755, "#!/bin/sh\necho alice:sesame; exit 3\n", pathOf(environ), "bundle")
	expect(t, "gem", environ, "bundle did not say whether it has mirrors", "gems.example.com", "other.example.com:9292")
}

// pathOf is the folder of the tool that stands in an environment.
func pathOf(environ []string) string {
	folder, _, _ := strings.Cut(tool{environ}.get("PATH"), ":")
	return folder
}
