// Package githttptest serves git repositories over HTTP with git's own program. Only tests use it.
package githttptest

import (
	"context"
	"fmt"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Handler serves the bare repositories below root. A user may push to them; nobody ("") only fetches. The error says that git
// is installed without its server.
func Handler(ctx context.Context, root, user string) (*cgi.Handler, error) {
	folder, err := exec.CommandContext(ctx, "git", "--exec-path").Output()
	program := filepath.Join(strings.TrimSpace(string(folder)), "git-http-backend")
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		return nil, fmt.Errorf("git serves no HTTP on this machine: %w", err)
	}
	env := []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
	}
	if user != "" {
		env = append(env, "REMOTE_USER="+user)
	}
	return &cgi.Handler{Path: program, Env: env}, nil
}
