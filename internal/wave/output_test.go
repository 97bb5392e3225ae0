package wave

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const completed = `{
  "status": "completed",
  "compact_md": "The schema has three tables.",
  "detailed_md": "",
  "blocking_questions": [],
  "optional_questions": [{"text": "Which time zone?", "about": "time_zone", "default": "UTC", "after": "2h"}],
  "missing_info_requests": [],
  "assumptions_made": [{"key": "currency", "content": "Prices are in euro.", "confidence": 0.6, "source_refs": ["detail:d3"]}],
  "coverage": {"criteria_met": ["Every table has a key", "Relations are named"], "criteria_unmet": []}
}`

func criteria() []core.Criterion {
	return []core.Criterion{{Text: "Every table has a key"}, {Text: "Relations are named", Check: "make names"}}
}

// with replaces one text of a document.
func with(doc string, pairs ...string) string {
	if out := strings.NewReplacer(pairs...).Replace(doc); out != doc {
		return out
	}
	panic("nothing was replaced: " + pairs[0])
}

func TestReadOutput(t *testing.T) {
	got, findings, err := ReadOutput([]byte(completed), criteria())
	if err != nil || len(findings) > 0 {
		t.Fatal(findings, err)
	}
	want := core.WorkerOutput{
		Status: core.OutputCompleted, Compact: "The schema has three tables.", Blocking: []core.Asked{}, Missing: []core.Asked{},
		Optional:    []core.Asked{{Text: "Which time zone?", About: "time_zone", Default: "UTC", After: "2h"}},
		Assumptions: []core.Claimed{{Key: "currency", Content: "Prices are in euro.", Confidence: 0.6, Sources: []string{"detail:d3"}}},
		Coverage:    core.Coverage{Met: []string{"Every table has a key", "Relations are named"}, Unmet: []string{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOutputsThatCannotBeUsed: each mistake is told with its path.
func TestOutputsThatCannotBeUsed(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 400_000)
	for _, test := range []struct {
		name, doc string
		want      []string // a line of the error each, its beginning
	}{
		{"nothing", " \n", []string{"the document is empty; write one JSON object"}},
		{"prose", "I finished the work.\nAll is well.", []string{`the document is not JSON, it begins with "I finished the work. All is well."; write one JSON object`}},
		{"prose before", "Here it is:\n" + completed, []string{`the document is not JSON, it begins with "Here it is:`}},
		{"prose before a fence", "Here it is:\n```json\n" + completed + "\n```", []string{`the document is not JSON, it begins with "Here it is:`}},
		{"prose after a fence", "```json\n" + completed + "\n```\nDone.", []string{"the document is not JSON, it begins with \"```json"}},
		{"two objects", completed + "\n" + completed, []string{"something follows the JSON value, at line 11, column 1; write one JSON object"}},
		{"two fences", "```\n" + completed + "\n```\n```\n" + completed + "\n```", []string{"something follows the JSON value, at line 12, column 1"}},
		{"cut off", completed[:60], []string{"not valid JSON, at line 3, column 34: the document ends too early"}},
		{"a comma too many", with(completed, `"detailed_md": "",`, `"detailed_md": "",,`), []string{"not valid JSON, at line 4, column 21: invalid character ',' at start of value"}},
		{"50 MB", `{"detailed_md":"` + strings.Repeat("x", 50<<20) + `"}`, []string{"the document has 52428818 bytes; at most 1048576 are read"}},
		{"nested", deep[:900_000], []string{"the document is nested too deeply, at line 1, column 81: at most 16 levels"}},
		{"nested after a repeated key", `{"a":1,"a":` + deep[:900_000], []string{`/a: duplicate key: "a" is already set; write it once`, "the document is nested too deeply, at line 1, column 87: at most 16 levels are read"}},
		{"invalid UTF-8", with(completed, "three", "thr\xffe"), []string{"not valid JSON, at line 3, column 36: invalid UTF-8"}},
		{"half a character", with(completed, "three", `\ud800`), []string{"not valid JSON, at line 3, column 33: invalid surrogate pair"}},
		{"a list", "[" + completed + "]", []string{"must be an object, got a list"}},
		{"null", "null", []string{"must be an object, got null"}},
		{"a number beyond all", with(completed, "0.6", "1e999"), []string{"wrong type, at line 8, column "}},
		{"no fields", "{}", []string{
			"/status: is missing; it is how it ended: completed", "/compact_md: is missing; it is the result in short", "/detailed_md: is missing",
			"/blocking_questions: is missing", "/optional_questions: is missing", "/missing_info_requests: is missing",
			"/assumptions_made: is missing", "/coverage: is missing; it is which criteria were met",
		}},
		{"wrong types", with(completed, `"status": "completed"`, `"status": 7`, `"detailed_md": ""`, `"detailed_md": null`,
			`"blocking_questions": []`, `"blocking_questions": "none"`, `"missing_info_requests": []`, `"missing_info_requests": [3, {}, []]`, "0.6", `"high"`), []string{
			"/status: must be text, got a number; it is how it ended", "/detailed_md: must be text, got null",
			"/blocking_questions: must be a list, got text; it has questions it cannot continue without",
			"/missing_info_requests/0: must be an object, got a number", "/missing_info_requests/1/text: is missing; it is the question itself",
			"/missing_info_requests/2: must be an object, got a list", "/assumptions_made/0/confidence: must be a number, got text",
		}},
		{"unknown fields", with(completed, `"status"`, `"Status"`, `"key"`, `"name/of~it"`), []string{
			"/status: is missing", "/assumptions_made/0/name~1of~0it: there is no such field; there are content, confidence, key, source_refs",
			`/Status: there is no such field; it is spelt "status"`,
		}},
		{"repeated keys", with(completed, `"detailed_md": ""`, `"detailed_md": "", "detailed_md": 3`, `"about": "time_zone"`, `"about": "a", "About": "b", "about": "c"`), []string{
			`/detailed_md: duplicate key: "detailed_md" is already set; write it once`, `/optional_questions/0/About: key differs only in case: "about" and "About"`, `/optional_questions/0/about: key differs only in case: "About" and "about"`,
			"/detailed_md: must be text, got a number", "/optional_questions/0/About: there is no such field",
		}},
		{"a repeated key and no end", with(completed, `"detailed_md": ""`, `"detailed_md": "", "detailed_md": ""`)[:150], []string{
			"/detailed_md: duplicate key", "not valid JSON, at line 6, column 8: the document ends too early",
		}},
		{"a word of its own", with(completed, `"status": "completed"`, `"status": "done"`), []string{`/status: is "done"; it is one of completed, partial, blocked, failed`}},
		{"blank", with(completed, "The schema has three tables.", `\u00a0\u200b\n`), []string{"/compact_md: is empty; it is the result in short"}},
		{"what cannot be seen", with(completed, "time_zone", `time\u202ezone`), []string{"/optional_questions/0/about: has a control character or one that cannot be seen"}},
		{"figures", with(completed, "0.6", "1.5", `"2h"`, `"0s"`), []string{
			"/assumptions_made/0/confidence: is 1.5; it is a number from 0 to 1", `/optional_questions/0/after: is "0s"; it is a time above 0 and of at most 720h, such as 2h`,
		}},
		{"times", with(completed, `"2h"`, `"two hours"`), []string{`/optional_questions/0/after: is "two hours"; it must be how long to wait`}},
		{"a long time", with(completed, `"2h"`, `"9999999999999999h"`), []string{`/optional_questions/0/after: is "9999999999999999h"; it is a time`}},
		{"a time without a default", with(completed, `"default": "UTC", `, `"default": "", `), []string{"/optional_questions/0/after: is given without default, which is the answer"}},
		{"a long name", with(completed, "time_zone", strings.Repeat("z", MaxName+1)), []string{"/optional_questions/0/about: has 201 characters; at most 200 are allowed"}},
		{"a name of two lines", with(completed, "time_zone", `time\nzone`), []string{`/optional_questions/0/about: is "time zone"; it must be a name: one line`}},
		{"many questions", with(completed, `"blocking_questions": []`, `"blocking_questions": [`+strings.Repeat(`"why?",`, MaxQuestions)+`"why?"]`), []string{"/blocking_questions: has 11 entries; at most 10 are read"}},
		{"a criterion that is not there", with(completed, "Relations are named", "Relations have names"), []string{
			`/coverage/criteria_met/1: "Relations have names" is no criterion of this delegation; copy one that coverage does not mention yet, word for word: "Relations are named"`,
		}},
		{"one criterion too many", with(completed, `"Relations are named"`, `"Relations are named", "It is fast"`), []string{
			`/coverage/criteria_met/2: "It is fast" is no criterion of this delegation; leave it out`,
		}},
		{"met and unmet", with(completed, `"criteria_unmet": []`, `"criteria_unmet": ["Every  table has a key"]`), []string{
			`/coverage/criteria_unmet/0: "Every table has a key" is at /coverage/criteria_met/0, too: a criterion is met or it is not`,
		}},
		{"completed with an unmet criterion", with(completed, `, "Relations are named"], "criteria_unmet": []`, `], "criteria_unmet": ["Relations are named"]`), []string{
			`/status: is completed, but criteria are unmet: say partial. Unmet: "Relations are named"`,
		}},
		{"completed without a word on a criterion", with(completed, `, "Relations are named"`, ``), []string{
			`/status: is completed, but coverage does not mention every criterion: put those that are met into criteria_met, or say partial. Missing: "Relations are named"`,
		}},
		{"blocked by nothing", with(completed, `"status": "completed"`, `"status": "blocked"`), []string{"/status: is blocked, but nothing says by what: put a question into blocking_questions"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, findings, err := ReadOutput([]byte(test.doc), criteria())
			told(t, core.OutputArtifact, err, test.want)
			if len(findings) > 0 {
				t.Errorf("findings beside an error: %v", findings)
			}
		})
	}
}

// told holds that an error says exactly what is wanted, in its order.
func told(t *testing.T, name string, err error, want []string) {
	t.Helper()
	var refused *Error
	if !errors.As(err, &refused) {
		t.Fatalf("accepted, or another error: %v", err)
	}
	lines := refused.Lines()
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || !strings.HasPrefix(lines[i], want[i]) {
			t.Fatalf("told:\n%s\nwanted:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
	}
	if text := err.Error(); !strings.HasPrefix(text, name+" cannot be used:\n- "+lines[0]) || len(text) > 10_000 {
		t.Errorf("%d bytes: %.200s", len(text), text)
	}
}

// TestOutputsThatAreReadAllTheSame: with a note where something was put in form.
func TestOutputsThatAreReadAllTheSame(t *testing.T) {
	partial := with(completed, `"status": "completed"`, `"status": "partial"`)
	for _, test := range []struct {
		name, doc string
		notes     []string
		holds     func(core.WorkerOutput) bool
	}{
		{"a code fence", "\n```json\n" + completed + "\n```\n", []string{"the JSON object was in a Markdown code fence"}, nil},
		{"another fence", "~~~~\r\n" + completed + "\r\n~~~~", []string{"the JSON object was in a Markdown code fence"}, nil},
		{"plain texts", with(completed, `"missing_info_requests": []`, `"missing_info_requests": ["The old schema"]`, `"assumptions_made": [`, `"assumptions_made": ["It is small.", `), nil,
			func(o core.WorkerOutput) bool {
				return o.Missing[0] == (core.Asked{Text: "The old schema"}) && o.Assumptions[0].Content == "It is small." && len(o.Assumptions) == 2
			}},
		{"optional fields left open", with(completed, `"about": "time_zone"`, `"about": ""`, `"key": "currency"`, `"key": null`), nil,
			func(o core.WorkerOutput) bool { return o.Optional[0].About == "" && o.Assumptions[0].Key == "" }},
		{"criteria with other spaces", with(completed, "Every table has a key", `Every table\n  has a key `), nil,
			func(o core.WorkerOutput) bool { return o.Coverage.Met[0] == "Every table has a key" }},
		{"a criterion twice", with(completed, `"criteria_met": [`, `"criteria_met": ["Every table has a key", `), []string{"/coverage/criteria_met/1: repeats /coverage/criteria_met/0"},
			func(o core.WorkerOutput) bool { return len(o.Coverage.Met) == 2 }},
		{"no word on a criterion", with(partial, `, "Relations are named"`, ``), []string{`/coverage: does not mention the criterion "Relations are named", so it counts as unmet`},
			func(o core.WorkerOutput) bool { return slices.Equal(o.Coverage.Unmet, []string{"Relations are named"}) }},
		{"blocked by a question", with(completed, `"status": "completed"`, `"status": "blocked"`, `"blocking_questions": []`, `"blocking_questions": ["Who decides?"]`), nil,
			func(o core.WorkerOutput) bool { return o.Blocking[0].Text == "Who decides?" }},
		{"blocked by what is missing", with(completed, `"status": "completed"`, `"status": "blocked"`, `"missing_info_requests": []`, `"missing_info_requests": [{"text": "db_schema"}]`), nil, nil},
		{"what a terminal would obey", with(completed, "three tables", `three \u001b[31mtables\u202e`), nil,
			func(o core.WorkerOutput) bool { return o.Compact == "The schema has three tables." }},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, findings, err := ReadOutput([]byte(test.doc), criteria())
			if err != nil {
				t.Fatal(err)
			}
			noted(t, findings, test.notes)
			if test.holds != nil && !test.holds(got) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func noted(t *testing.T, findings []Finding, want []string) {
	t.Helper()
	for i := range max(len(findings), len(want)) {
		if i >= len(findings) || i >= len(want) || !strings.HasPrefix(findings[i].String(), want[i]) {
			t.Fatalf("noted %v, wanted %q", findings, want)
		}
	}
}

// TestProseIsCutAtAWord, says how much went and where it is.
func TestProseIsCutAtAWord(t *testing.T) {
	for name, text := range map[string]string{
		"words": strings.Repeat("größer ", 1000), "lines": strings.Repeat("a line\n", 1000), "one word": strings.Repeat("ü", MaxCompact+1),
	} {
		got, findings, err := ReadOutput([]byte(with(completed, "The schema has three tables.", strings.ReplaceAll(text, "\n", `\n`))), criteria())
		if err != nil {
			t.Fatal(name, err)
		}
		kept, note, found := strings.Cut(got.Compact, "[… ")
		length := utf8.RuneCountInString(text)
		gone := length - utf8.RuneCountInString(strings.TrimRight(kept, " \n"))
		if !found || note != fmt.Sprintf("%d more characters; the whole text is in worker_output.json]", gone) {
			t.Errorf("%s: %q", name, note)
		}
		if n := utf8.RuneCountInString(got.Compact); n > MaxCompact || n < MaxCompact-20 {
			t.Errorf("%s: %d characters are kept", name, n)
		}
		words := strings.Fields(kept)
		if last := words[len(words)-1]; name != "one word" && !slices.Contains(strings.Fields(text), last) {
			t.Errorf("%s: cut within a word: %q", name, last)
		}
		noted(t, findings, []string{fmt.Sprintf("/compact_md: had %d characters, at most 4000 are kept: %d were cut; the whole text is in worker_output.json", length, gone)})
	}
}

// TestManyMistakesAreCounted: an error stays short however bad a document is.
func TestManyMistakesAreCounted(t *testing.T) {
	var fields strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&fields, `"field%d": 1,`, i)
	}
	_, _, err := ReadOutput([]byte(with(completed, `"status"`, fields.String()+`"status"`)), criteria())
	var refused *Error
	if !errors.As(err, &refused) || len(refused.Problems) != maxProblems || refused.More != 50_000-maxProblems {
		t.Fatalf("%.300v", err)
	}
	if lines := refused.Lines(); lines[len(lines)-1] != "… and 49900 more" {
		t.Error(lines[len(lines)-1])
	}
}
