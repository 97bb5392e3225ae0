package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

// dead is the folder of an account whose keeper died with one request settled and two in flight.
func dead(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	l := begin(t, folder, final(10, 1e6))
	settle(t, l, reserve(t, l, ask(1, 100)), spent(0.5, 30, 20))
	reserve(t, l, ask(1, 100)) // nothing was heard of it: half of what was set aside is its prompt
	seen := reserve(t, l, ledger.Ask{Model: "n", Floor: spent(0.25, 1000, 0), Want: amount(2, 5000)})
	if err := l.Progress(seen, spent(0.125, 10, 7)); err != nil {
		t.Fatal(err)
	}
	if err := l.Progress(seen, ledger.Spent{USD: 0.75, Usage: ledger.Usage{Input: 10, CacheRead: 990, Output: 300}}); err != nil {
		t.Fatal(err)
	}
	return folder
}

var deadModels = map[string]ledger.Spent{
	"m": spent(1, 80, 20),
	"n": spent(0.75, 1000, 300), // the prompt as estimated, which is more than was said of it
}

func TestADeadKeepersAccount(t *testing.T) {
	folder := dead(t)
	s, err := ledger.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Flights) != 2 || s.Settled != amount(0.5, 50) || s.Flights[1].Held != amount(2, 5000) {
		t.Errorf("the statement is %+v", s)
	}
	if diff := cmp.Diff(deadModels, s.Closed()); diff != "" {
		t.Errorf("closed:\n%s", diff)
	}
	if s.Total() != amount(1.75, 1400) {
		t.Errorf("in total %v", s.Total())
	}
}

func TestAnotherKeeperChargesWhatWasInFlight(t *testing.T) {
	folder := dead(t)
	l := begin(t, folder, ledger.Grant{})
	if diff := cmp.Diff(deadModels, l.Statement().Models); diff != "" || len(l.Statement().Flights) != 0 {
		t.Errorf("charged:\n%s", diff)
	}
	if held := reserve(t, l, ask(1, 1)); held.ID != 4 { // the grant of the first keeper counts
		t.Errorf("set aside was %+v", held)
	}
}

func TestATornLastLineIsLeftOut(t *testing.T) {
	folder := dead(t)
	path := filepath.Join(folder, "meter.jsonl")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.LastIndexByte(strings.TrimSuffix(string(data), "\n"), '\n') + 1
	for end := before; end < len(data); end++ {
		if err := os.WriteFile(path, data[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := ledger.Read(folder)
		if err != nil || s.Flights[1].Seen != spent(0.125, 10, 7) {
			t.Fatalf("with %d bytes of the last line: %+v, %v", end-before, s, err)
		}
	}
	l := begin(t, folder, ledger.Grant{})
	settle(t, l, reserve(t, l, ask(1, 1)), spent(1, 1, 0))
	if s, err := ledger.Read(folder); err != nil || s.Models["m"] != spent(2, 81, 20) {
		t.Errorf("after more was written: %+v, %v", s, err)
	}
}

func TestATornLineIsCutOff(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "meter.jsonl")
	if err := os.WriteFile(path, []byte(`{"op":"reserve","id":1,`), 0o600); err != nil {
		t.Fatal(err)
	}
	begin(t, folder, ledger.Grant{})
	if data, err := os.ReadFile(path); err != nil || len(data) != 0 {
		t.Errorf("the journal has %q, %v", data, err)
	}
}

func TestABrokenJournalIsNotGuessedAt(t *testing.T) {
	for text, want := range map[string]string{
		"{}\n": "line 1 of meter.jsonl", "nonsense\n": "line 1 of meter.jsonl",
		`{"op":"reserve","id":1,"held":{"usd":1},"spent":{"usd":1}}` + "\n" + `{"op":"settle","id":2,"spent":{"usd":1}}` + "\n": "line 2 of meter.jsonl",
		`{"op":"reserve","id":1,"held":{"usd":1},"spent":{"usd":1}}` + "\n" + `{"op":"dance","id":1,"spent":{"usd":1}}` + "\n":  `"dance"`,
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "meter.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.Read(folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("reading %q: %v", text, err)
		}
		if _, err := ledger.Open(folder, ledger.Grant{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("opening %q: %v", text, err)
		}
	}
}

func TestAnAccountThatIsNotThere(t *testing.T) {
	folder := t.TempDir()
	if s, err := ledger.Read(folder); err != nil || s.Total() != amount(0, 0) {
		t.Errorf("without a journal: %+v, %v", s, err)
	}
	if w, err := ledger.ReadWant(folder); err != nil || w != (ledger.Want{}) {
		t.Errorf("without a want: %+v, %v", w, err)
	}
	if _, err := ledger.Read(filepath.Join(folder, "gone")); err == nil {
		t.Error("a missing folder is read")
	}
}
