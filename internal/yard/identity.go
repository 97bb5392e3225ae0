package yard

import (
	"fmt"
	"strings"
	"time"
)

// Identity is who a commit is by.
type Identity struct{ Name, Email string }

// Complete reports whether git could commit with this identity.
func (i Identity) Complete() bool { return i.check() == nil }

func (i Identity) check() error {
	for field, value := range map[string]string{"name": i.Name, "email": i.Email} {
		if strings.TrimSpace(value) == "" {
			return fmt.Errorf("the git identity has no %s; set it with git config user.%s", field, field)
		}
		if strings.ContainsAny(value, "\x00\n\r<>") {
			return fmt.Errorf("the git identity's %s %q contains a character that git cannot store", field, value)
		}
	}
	return nil
}

// env makes commits by this identity, dated when (now, if zero).
func (i Identity) env(when time.Time) []string {
	if when.IsZero() {
		when = time.Now()
	}
	date := fmt.Sprintf("@%d +0000", when.Unix())
	return []string{
		"GIT_AUTHOR_NAME=" + i.Name, "GIT_AUTHOR_EMAIL=" + i.Email, "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=" + i.Name, "GIT_COMMITTER_EMAIL=" + i.Email, "GIT_COMMITTER_DATE=" + date,
	}
}
