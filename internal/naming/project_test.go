package naming

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestProjectNamesOfPlaces(t *testing.T) {
	for where, want := range map[string]string{
		"/srv/shop": "shop", "/srv/shop/.git": "shop", "/srv/shop.git": "shop", "/srv/Corner Shop": "corner-shop", "/srv/.dot": "dot",
		"https://git.example.org/team/shop.git": "shop", "git@example.org:shop": "shop", "git@example.org:team/shop.git": "shop",
		"/": "project", "/srv/商店": "商店", "/srv/Gruß Läden": "gruss-laeden", "/srv/✨": "project", "/srv/0123456789abcdef": "project", "/srv/--": "project",
		"/" + strings.Repeat("a", 100): strings.Repeat("a", core.MaxProjectName-8),
	} {
		got := Project(where)
		if got != want || !core.ProjectName(got+"-1000") {
			t.Errorf("%s: %q, want %q", where, got, want)
		}
	}
}
