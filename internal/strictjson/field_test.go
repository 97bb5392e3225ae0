package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

type inner struct {
	Deep string `json:"deep"`
}

type opaque struct{ raw string }

func (o *opaque) UnmarshalJSON(b []byte) error { o.raw = string(b); return nil }

type report struct {
	inner
	Status  string           `json:"status"`
	Plain   int              // read under its Go name
	Hidden  string           `json:"-"`
	Invalid string           `json:"in,valid\"name"` //nolint:staticcheck // the tag is wrong on purpose: names are read as encoding/json reads them
	List    []*inner         `json:"list"`
	Pair    [2]inner         `json:"pair"`
	ByName  map[string]inner `json:"by_name"`
	Any     any              `json:"any"`
	Opaque  *opaque          `json:"opaque"`
	At      time.Time        `json:"at"`
	Self    *report          `json:"self"`
	secret  string
}

func TestFieldNamesAreExact(t *testing.T) {
	t.Parallel()
	for in, path := range map[string]string{
		`{"Status":"approved"}`:            "/Status",
		`{"\u0053tatus":"approved"}`:       "/Status",
		`{"\u017ftatus":"approved"}`:       "/\u017ftatus",
		`{"plain":1}`:                      "/plain",
		`{"IN":1}`:                         "/IN",
		`{"DEEP":"promoted"}`:              "/DEEP",
		`{"list":[null,{"Deep":"x"}]}`:     "/list/1/Deep",
		`{"pair":[{},{"Deep":"x"}]}`:       "/pair/1/Deep",
		`{"by_name":{"Deep":{"Deep":""}}}`: "/by_name/Deep/Deep",
		`{"self":{"self":{"sTatus":""}}}`:  "/self/self/sTatus",
	} {
		var r report
		err := strictjson.Unmarshal([]byte(in), &r)
		var got *strictjson.Error
		if !errors.As(err, &got) || !errors.Is(err, strictjson.ErrCaseKey) || got.Path != path {
			t.Errorf("Unmarshal(%s) = %v, want %v at %s", in, err, strictjson.ErrCaseKey, path)
		}
		if diff := cmp.Diff(report{}, r, cmp.AllowUnexported(report{}, opaque{}, inner{})); diff != "" {
			t.Errorf("Unmarshal(%s) wrote although it refused:\n%s", in, diff)
		}
	}
}

func TestUnmarshalFills(t *testing.T) {
	t.Parallel()
	const in = `{"status":"ok","Plain":3,"hidden":"x","secret":"x","deep":"d","unknown":{"Status":1},"list":[{"deep":"l"}],
		"by_name":{"Status":{"deep":"m"}},"any":{"Status":1},"opaque":{"Status":1},"at":"2026-01-02T03:04:05Z","self":{"status":"in"}}`
	var got, want report
	if err := strictjson.Unmarshal([]byte(in), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(in), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(report{}, opaque{}, inner{})); diff != "" {
		t.Error(diff)
	}
	if got.Status != "ok" || got.Deep != "d" || got.secret != "" {
		t.Errorf("got %+v", got)
	}
}

func TestTypeErrorHasPath(t *testing.T) {
	t.Parallel()
	var r report
	err := strictjson.Unmarshal([]byte(`{"self":{"status":1}}`), &r)
	if !errors.Is(err, strictjson.ErrType) || !strings.Contains(err.Error(), "/self/status (byte ") {
		t.Errorf("got %v", err)
	}
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		t.Errorf("the cause is lost: %v", err)
	}
	if _, err := strictjson.Decode([]byte(`[1e999]`)); !errors.Is(err, strictjson.ErrType) {
		t.Errorf("a number beyond float64: %v", err)
	}
}
