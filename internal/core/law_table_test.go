package core_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// No decider proposes what these tables hold, so no property of a decider meets
// it. A folder that is imported is judged by the law alone.

// ruling is an event that the law lets pass in a state, and what it does not let
// pass: one change of the state or of the event at a time, so that each refusal
// has one reason.
type ruling struct {
	state func() *core.Run
	actor core.Actor
	body  core.Body
	may   map[string]func(*core.Run) // changes that do no harm
	not   map[string]refusal
}

// refusal is what makes a lawful event unlawful.
type refusal struct {
	change func(*core.Run) // nil for none
	body   core.Body       // nil for the same
	actor  core.Actor      // zero for the same
	says   string
}

var decides = core.Actor{Kind: core.ActorDecider, ID: "phases"}

func rulings() map[string]ruling {
	all := map[string]ruling{}
	for _, table := range []map[string]ruling{workRulings(), gateRulings(), sessionRulings(), projectRulings(), managerRulings(), waveRulings(), leakRulings(), edgeRulings()} {
		maps.Copy(all, table)
	}
	return all
}

// judge is the verdict about an event in a state with a change.
func (g ruling) judge(change func(*core.Run), actor core.Actor, body core.Body) error {
	r := g.state()
	if change != nil {
		change(r)
	}
	if actor.Kind == "" {
		actor = g.actor
	}
	if body == nil {
		body = g.body
	}
	return core.Law(r, actor, body)
}

// TestEachClauseOfTheLaw proposes one forbidden event for each clause.
func TestEachClauseOfTheLaw(t *testing.T) {
	for event, g := range rulings() {
		wants(t, event, g.judge(nil, core.Actor{}, nil), "")
		for what, change := range g.may {
			wants(t, event+", "+what, g.judge(change, core.Actor{}, nil), "")
		}
		for what, no := range g.not {
			wants(t, event+", "+what, g.judge(no.change, no.actor, no.body), no.says)
		}
	}
}

// TestNoWordOfTheLawIsUntried reads the law's own source: every message in it is
// the answer to a forbidden event of the tables.
func TestNoWordOfTheLawIsUntried(t *testing.T) {
	var heard []string
	for _, g := range rulings() {
		for _, no := range g.not {
			if err := g.judge(no.change, no.actor, no.body); err != nil {
				heard = append(heard, err.Error())
			}
		}
	}
	for _, row := range managerRows() {
		if err := core.Law(managed(), row.actor, row.body); err != nil {
			heard = append(heard, err.Error())
		}
	}
	for _, row := range epicRows() {
		if err := row.judge(); err != nil {
			heard = append(heard, err.Error())
		}
	}
	for _, m := range messages(t) {
		if !slices.ContainsFunc(heard, m.pattern.MatchString) {
			t.Errorf("%s: nothing in the tables is answered with %q", m.at, m.text)
		}
	}
}

// message is a text of the law's source.
type message struct {
	at, text string
	pattern  *regexp.Regexp
}

// messages are the formats of all errors that the law's files make.
func messages(t *testing.T) []message {
	t.Helper()
	files, err := filepath.Glob("law*.go")
	if err != nil {
		t.Fatal(err)
	}
	verb := regexp.MustCompile(`%[-+.0-9\\]*[a-zA-Z]`)
	var all []message
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			text, ok := messageOf(n)
			if ok && text != "%s" { // which only passes on what was found elsewhere
				quoted := verb.ReplaceAllString(regexp.QuoteMeta(text), `(?s:.*)`)
				all = append(all, message{fmt.Sprint(set.Position(n.Pos())), text, regexp.MustCompile("^" + quoted + "$")})
			}
			return true
		})
	}
	if len(all) < 100 {
		t.Fatalf("%d messages were found, which cannot be all", len(all))
	}
	return all
}

// messageOf is the format of a call of unlawful or Errorf.
func messageOf(n ast.Node) (string, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "unlawful" && name.Name != "Errorf" {
		return "", false
	}
	for _, arg := range call.Args {
		if literal, ok := arg.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			return text, err == nil
		}
	}
	return "", false
}
