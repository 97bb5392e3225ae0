package strictjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// FuzzDecode holds that what strictjson accepts, encoding/json accepts with the same meaning, that accepting survives
// writing the value out again, and that no acceptable document fills a struct by a name that is not its own.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"status":"a","STATUS":"b"}`, `{"a":[1,2.5e3,{"b":null}],"c":"\ud83d\ude00"}`, `"\ud800"`, "\"\xff\"", `[[[[]]]]`,
		`{"Status":1}`, `{"ſtatus":1}`, `1 2`, `-0`, `NaN`, `{"a":1,"a":1}`, `{"status":"x","list":[{"deep":"y"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := strictjson.Decode(data)
		if err == nil {
			checkSameMeaning(t, data, got)
		}
		var r, empty report
		if err := strictjson.Unmarshal(data, &r); err != nil {
			return
		}
		object, isObject := got.(map[string]any)
		if _, has := object["status"]; isObject && !has && r.Status != empty.Status {
			t.Errorf("%q filled status without the key", data)
		}
	})
}

func checkSameMeaning(t *testing.T, data []byte, got any) {
	t.Helper()
	var want any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatalf("accepted %q, encoding/json says %v", data, err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q means %#v here, %#v to encoding/json", data, got, want)
	}
	if !utf8.Valid(data) {
		t.Fatalf("accepted invalid UTF-8 %q", data)
	}
	again, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := strictjson.Decode(again); err != nil {
		t.Fatalf("%q accepted, its own rendering %q refused: %v", data, again, err)
	}
}

// FuzzSyntax holds that strictjson and encoding/json agree on what is JSON, apart from what strictjson adds.
func FuzzSyntax(f *testing.F) {
	for _, seed := range []string{`{}`, `[1,]`, `01`, `1e5`, `"\u12G4"`, `tru`, "\"\x01\"", ` [ ] `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		err := strictjson.Unmarshal(data, new(json.RawMessage))
		if err == nil && !json.Valid(data) {
			t.Fatalf("accepted %q, which is not JSON", data)
		}
		if errors.Is(err, strictjson.ErrSyntax) && json.Valid(data) {
			t.Fatalf("called %q a syntax error: %v", data, err)
		}
	})
}
