package guard_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

func TestToolList(t *testing.T) {
	tests := []struct {
		list guard.ToolList
		tool string
		ok   bool
	}{
		{nil, "Write", true},
		{guard.ToolList{"Read", "Write"}, "Write", true},
		{guard.ToolList{"Read"}, "Write", false},
		{guard.ToolList{"Read"}, "ReadMore", false},
		{guard.ToolList{"Agent"}, "Task", true},
		{guard.ToolList{"mcp__docs__*"}, "mcp__docs__search", true},
		{guard.ToolList{"mcp__docs__*"}, "mcp__mail__send", false},
		{guard.ToolList{"Read(src/**)"}, "Read", false},
		{guard.ToolList{"Read(src/**)", "Read"}, "Read", true},
	}
	for _, test := range tests {
		if v := test.list.Tool(test.tool, false); v.Deny == test.ok || v.Deny && (v.Rule != guard.Unlisted || v.Reason == "") {
			t.Errorf("%v and %s: %+v", test.list, test.tool, v)
		}
	}
	if v := (guard.ToolList{"Read(src/**)"}).Tool("Read", true); v.Deny {
		t.Errorf("a rule that somebody else sees to: %+v", v)
	}
}

func TestToolListCommands(t *testing.T) {
	rules := guard.ToolList{"Read", "Bash(git log *)", "Bash(npm run test:*)", "Bash(make)", "Bash(go test ./*)"}
	tests := []struct {
		line string
		ok   bool
	}{
		{"git log", true},
		{"git log --oneline -5", true},
		{"git log 'a b'", true},
		{"npm run test", true},
		{"npm run test --watch", true},
		{"make", true},
		{"go test ./internal/x", true},
		{"git log | make; make && git log", true},
		{"", false},
		{"git status", false},
		{"git", false},
		{"gitlog", false},
		{"'git log' x", false},
		{"make install", false},
		{"go test ./a ./b", false},
		{"npm run tests", false},
		{"git log && touch x", false},
		{"git log | sh", false},
		{"git log > x", false},
		{"git log $(touch x)", false},
		{"git log `touch x`", false},
		{"git log $X", false},
		{"git log &", false},
		{"! git log", false},
		{"(git log)", false},
		{"if git log; then make; fi", false},
		{"X=1 git log", false},
		{"f() { git log; }", false},
		{"git log <(touch x)", false},
		{"git log \"$(touch x)\"", false},
		{"git log *", false},
		{"git log 'unclosed", false},
	}
	for _, test := range tests {
		if v := rules.Command("Bash", test.line); v.Deny == test.ok || v.Deny && (v.Rule != guard.Unlisted || v.Reason == "") {
			t.Errorf("%q: %+v", test.line, v)
		}
	}
	for _, free := range []guard.ToolList{nil, {"Bash"}, {"Bash", "Bash(git log *)"}} {
		if v := free.Command("Bash", "touch x > y"); v.Deny || free.Rules("Bash") {
			t.Errorf("%v: %+v", free, v)
		}
	}
	if v := (guard.ToolList{"Read"}).Command("Bash", "git log"); !v.Deny {
		t.Error("a shell that is not listed was allowed")
	}
	if !rules.Rules("Bash") || rules.Rules("Read") || rules.Rules("Write") {
		t.Error("the list does not know what it holds to rules")
	}
}
