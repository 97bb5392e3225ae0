package core_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// commandLine is what a person would type: a command of ours, or a flag.
var commandLine = regexp.MustCompile(`\bstellwerk (advance|answer|approve|backup|cancel|cockpit|conversations|diff|doctor|feedback|inbox|log|merge|pause|projects|prune|replay|restore|resume|retry|rollback|run|say|serve|show|skip|status|tool|trust|tokens|watch)\b|(^|[\s(` + "`" + `])--[a-z]`)

// programs are command lines of others, which nobody but a shell understands.
var programs = regexp.MustCompile("git [a-z]+( -[^`&]*)?")

// TestNoCommandLines: what decides and what does names choices; command lines are
// made at the edge.
func TestNoCommandLines(t *testing.T) {
	read := 0
	for _, folder := range []string{
		"core", "decider", "dispatch", "engine", "admission", "store", "service", "start", "session", "show", "journal", "find", "notice",
		"access", "backup", "desk", "doctor", "doorway", "draft", "forges", "naming", "peer", "statefolder",
	} {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, _ fs.DirEntry, err error) error {
			exempt := strings.HasSuffix(path, "_test.go") || strings.Contains(path, "storetest") || strings.HasSuffix(path, "core/upcast_advice.go") || // which reads those of before
				strings.HasSuffix(path, "service/merge.go")
			if err != nil || filepath.Ext(path) != ".go" || exempt {
				return err
			}
			read++
			return literals(path, func(at token.Position, text string) {
				text = programs.ReplaceAllString(text, "")
				if commandLine.MatchString(text) && !strings.HasPrefix(text, "--yes") && text != "--resources" { // names of a standing instruction, as events have it, and of what the worker is given
					t.Errorf("%s: %q; name a core.Choice, and let internal/wording say it", at, text)
				}
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}

// literals are the strings of a file but the tags of fields.
func literals(path string, found func(token.Position, string)) error {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if _, is := n.(*ast.StructType); is {
			return false
		}
		if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING {
			text, unquoted := strconv.Unquote(literal.Value)
			if unquoted == nil {
				found(files.Position(literal.Pos()), text)
			}
		}
		return true
	})
	return nil
}
