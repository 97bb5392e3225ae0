package strictjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in     string
		kind   error
		path   string
		offset int
	}{
		"duplicate key":            {`{"a":1,"a":2}`, strictjson.ErrDuplicateKey, "/a", 7},
		"duplicate through escape": {`{"a":1,"\u0061":2}`, strictjson.ErrDuplicateKey, "/a", 7},
		"case":                     {`{"status":1,"STATUS":2}`, strictjson.ErrCaseKey, "/STATUS", 12},
		"Kelvin sign":              {"{\"k\":1,\"\u212a\":2}", strictjson.ErrCaseKey, "/\u212a", 7},
		"nested duplicate":         {`{"x":[0,{"y z":{"a":1,"a":2}}]}`, strictjson.ErrDuplicateKey, "/x/1/y z/a", 22},
		"invalid UTF-8 value":      {"[\"ok\",\"\xff\"]", strictjson.ErrSyntax, "/1", 7},
		"invalid UTF-8 key":        {"{\"\xc3\":1}", strictjson.ErrSyntax, "the document", 2},
		"encoded surrogate":        {"\"\xed\xa0\x80\"", strictjson.ErrSyntax, "the document", 1},
		"lone high surrogate":      {`"\ud800"`, strictjson.ErrSyntax, "the document", 1},
		"lone low surrogate":       {`"a\udc00"`, strictjson.ErrSyntax, "the document", 2},
		"high then not low":        {`"\ud800\u0041"`, strictjson.ErrSyntax, "the document", 1},
		"surrogate in key":         {`{"\udfff":1}`, strictjson.ErrSyntax, "the document", 2},
		"trailing value":           {`{} {}`, strictjson.ErrTrailing, "the document", 3},
		"trailing NUL":             {"1\x00", strictjson.ErrTrailing, "the document", 1},
		"depth":                    {strings.Repeat("[", 65) + strings.Repeat("]", 65), strictjson.ErrDepth, strings.Repeat("/0", 38) + "/…", 64},
		"depth of a bomb":          {strings.Repeat("[", 1<<20), strictjson.ErrDepth, strings.Repeat("/0", 38) + "/…", 64},
		"NaN":                      {`{"n":NaN}`, strictjson.ErrSyntax, "/n", 5},
		"infinity":                 {`-Infinity`, strictjson.ErrSyntax, "the document", 1},
		"empty":                    {``, strictjson.ErrSyntax, "the document", 0},
		"leading zero":             {`01`, strictjson.ErrTrailing, "the document", 1},
		"bare point":               {`1.`, strictjson.ErrSyntax, "the document", 0},
		"bare exponent":            {`1e+`, strictjson.ErrSyntax, "the document", 0},
		"control character":        {"\"a\nb\"", strictjson.ErrSyntax, "the document", 2},
		"bad escape":               {`"\x41"`, strictjson.ErrSyntax, "the document", 1},
		"short escape":             {`"\u12"`, strictjson.ErrSyntax, "the document", 1},
		"signed escape":            {`"\u+123"`, strictjson.ErrSyntax, "the document", 1},
		"byte order mark":          {"\ufeff{}", strictjson.ErrSyntax, "the document", 0},
		"comment":                  {`/**/1`, strictjson.ErrSyntax, "the document", 0},
		"trailing comma":           {`[1,]`, strictjson.ErrSyntax, "the document", 2},
		"missing colon":            {`{"a" 1}`, strictjson.ErrSyntax, "/a", 5},
		"unfinished":               {`{"a":[1,{"b":"`, strictjson.ErrSyntax, "/a/1/b", 14},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := strictjson.Decode([]byte(tc.in))
			var got *strictjson.Error
			if !errors.As(err, &got) {
				t.Fatalf("Decode(%.60q) = %v, want a *strictjson.Error", tc.in, err)
			}
			if !errors.Is(err, tc.kind) || got.Path != tc.path || got.Offset != tc.offset {
				t.Errorf("Decode(%.60q) = %v, want %v at %s (byte %d)", tc.in, err, tc.kind, tc.path, tc.offset)
			}
		})
	}
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`null`, ` true `, `-0.5e-3`, `0`, `""`, `[]`, `{}`, "\t{\"a\" : [ 1 , { } ]\r\n}",
		`"\ud83d\ude00 \u0000 \/ é"`, `{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}`, `{"":1}`,
		strings.Repeat("[", 64) + strings.Repeat("]", 64),
	} {
		got, err := strictjson.Decode([]byte(in))
		if err != nil {
			t.Errorf("Decode(%q): %v", in, err)
			continue
		}
		var want any
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(want, got) {
			t.Errorf("Decode(%q) = %#v, encoding/json says %#v", in, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	l := strictjson.Limits{Depth: 2, Bytes: 8}
	if _, err := l.Decode([]byte(`[[1234]]`)); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := l.Decode([]byte(`[[[1]]]`)); !errors.Is(err, strictjson.ErrDepth) {
		t.Errorf("three levels of two: %v", err)
	}
	if _, err := l.Decode([]byte(`[[12345]]`)); !errors.Is(err, strictjson.ErrSize) {
		t.Errorf("nine bytes of eight: %v", err)
	}
	big := make([]byte, strictjson.DefaultBytes+1)
	if _, err := strictjson.Decode(big); !errors.Is(err, strictjson.ErrSize) {
		t.Errorf("over the default size: %v", err)
	}
}

func TestErrorIsBounded(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("k", 1<<20)
	_, err := strictjson.Decode([]byte(`{"` + key + `":1,"` + key + `":2}`))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("error of %d bytes", len(err.Error()))
	}
}

// TestRepeatedKeysCanBeTold: a caller that wants to hear of all of them still gets the document.
func TestRepeatedKeysCanBeTold(t *testing.T) {
	var told []string
	limits := strictjson.Limits{Repeated: func(e *strictjson.Error) { told = append(told, e.Path+" "+e.Kind.Error()) }}
	got, err := limits.Decode([]byte(`{"a":1,"b":[{"c":1,"C":2}],"a":2}`))
	want := map[string]any{"a": 2.0, "b": []any{map[string]any{"c": 1.0, "C": 2.0}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if all := strings.Join(told, "; "); all != "/b/0/C key differs only in case; /a duplicate key" {
		t.Errorf("told %s", all)
	}
	if _, err := limits.Decode([]byte(`{"a":1,"a":`)); !errors.Is(err, strictjson.ErrSyntax) {
		t.Errorf("a document without an end: %v", err)
	}
}
