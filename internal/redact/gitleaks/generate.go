//go:build ignore

// Generate turns the rules of gitleaks (its file gitleaks.toml) into rules.json:
//
//	go run generate.go gitleaks.toml > rules.json
//
// It reads only the regular shape that gitleaks itself generates, and leaves out what redacting has no use for:
// descriptions, rules about file names, and the lists of allowed values.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type rule struct {
	ID       string   `json:"id"`
	Regex    string   `json:"regex"`
	Group    int      `json:"group,omitempty"`
	Entropy  float64  `json:"entropy,omitempty"`
	Keywords []string `json:"keywords"`
}

func main() {
	if len(os.Args) != 2 {
		fatal(fmt.Errorf("usage: go run generate.go gitleaks.toml"))
	}
	f, err := os.Open(os.Args[1])
	if err != nil {
		fatal(err)
	}
	rules, err := read(f)
	if err != nil {
		fatal(err)
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(rules); err != nil {
		fatal(err)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "generate:", err)
	os.Exit(1)
}

func read(r io.Reader) ([]rule, error) {
	var out []rule
	var now *rule
	inKeywords := false
	word := regexp.MustCompile(`"([^"]*)"`)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		key, value, _ := strings.Cut(line, " = ")
		switch {
		case line == "[[rules]]":
			out = append(out, rule{})
			now = &out[len(out)-1]
		case strings.HasPrefix(line, "["):
			now = nil
		case now == nil:
		case inKeywords || key == "keywords":
			for _, m := range word.FindAllStringSubmatch(line, -1) {
				now.Keywords = append(now.Keywords, m[1])
			}
			inKeywords = !strings.HasSuffix(line, "]")
		case key == "id":
			now.ID = strings.Trim(value, `"`)
		case key == "regex":
			now.Regex = strings.TrimSuffix(strings.TrimPrefix(value, "'''"), "'''")
		case key == "secretGroup" || key == "entropy":
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return nil, fmt.Errorf("rule %s: %s: %w", now.ID, key, err)
			}
			if key == "entropy" {
				now.Entropy = n
			} else {
				now.Group = int(n)
			}
		}
	}
	return keep(out), lines.Err()
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
