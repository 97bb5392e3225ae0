package shell

import "runtime"

// Build is what the Go toolchain recorded in this program. A build outside of a
// git clone knows neither commit nor date.
type Build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"`     // of the commit, RFC 3339 in UTC
	Modified bool   `json:"modified,omitempty"` // the clone had changes
}

func (b Build) String() string {
	line := "stellwerk " + b.Version + "\n"
	if b.Commit != "" {
		line += "commit " + b.Commit[:min(12, len(b.Commit))]
		if b.Modified {
			line += " with changes"
		}
		line += ", " + b.Date + "\n"
	}
	return line + "built with " + runtime.Version() + " for " + Platform()
}

func Platform() string { return runtime.GOOS + "/" + runtime.GOARCH }
