//go:build ignore

// Generate turns the rules of gitleaks (its file gitleaks.toml) into rules.json:
//
//	go run generate.go gitleaks.toml > rules.json
//
// It leaves out what redacting has no use for: descriptions, rules about file names, and the lists of allowed values.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/BurntSushi/toml"
)

type rule struct {
	ID       string   `json:"id" toml:"id"`
	Regex    string   `json:"regex" toml:"regex"`
	Group    int      `json:"group,omitempty" toml:"secretGroup"`
	Entropy  float64  `json:"entropy,omitempty" toml:"entropy"`
	Keywords []string `json:"keywords" toml:"keywords"`
}

func main() {
	if len(os.Args) != 2 {
		fatal(fmt.Errorf("usage: go run generate.go gitleaks.toml"))
	}
	var table struct {
		Rules []rule `toml:"rules"`
	}
	if _, err := toml.DecodeFile(os.Args[1], &table); err != nil {
		fatal(err)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(keep(table.Rules)); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "generate:", err)
	os.Exit(1)
}

// keep drops rules without a pattern or keyword, those that Stellwerk has a rule of its own for and whose keywords are
// in every second line ("ey", "sk", "key"), and such keywords of other rules.
func keep(in []rule) []rule {
	var out []rule
	for _, r := range in {
		switch r.ID {
		case "generic-api-key", "private-key", "jwt", "twilio-api-key":
			continue
		}
		r.Keywords = slices.DeleteFunc(r.Keywords, func(w string) bool { return len(w) == 2 && w != "q~" })
		if r.Regex != "" && len(r.Keywords) > 0 {
			r.Regex = trim(r.Regex)
			out = append(out, r)
		}
	}
	return out
}

// trim drops what a pattern may begin with and need not: "[\w.-]{0,50}?", the rest of the name before the keyword. It
// decides nothing, because only what a group holds is hidden, and costs microseconds for every byte of a long token.
func trim(pattern string) string {
	name := regexp.MustCompile(`^((?:\(\?[a-z-]*[:)]|\()*)\[\\w\.-\]\{0,50\}\?`)
	for name.MatchString(pattern) {
		pattern = name.ReplaceAllString(pattern, "$1")
	}
	return pattern
}
