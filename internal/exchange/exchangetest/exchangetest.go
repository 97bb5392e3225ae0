package exchangetest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// Harness gives the suite one form of an exchange, with real workers behind it.
type Harness struct {
	// Engine returns the exchange of a newly started engine, which knows nothing of the others, and its spawner.
	Engine func() (exchange.Exchange, spawn.Spawner)
	// Prepare makes the attempt First at running a shell script, and offers it. SHARED names a folder to it, which is
	// returned.
	Prepare func(script string, changes ...func(*shim.Spec)) (shared string)
}

// Run runs the suite.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	for name, test := range map[string]func(*testing.T, Harness){
		"an attempt gets its prompt, inputs and base":   gets,
		"what it hands in arrives whole":                handsIn,
		"a wordy end arrives":                           wordy,
		"an agent that says nothing has said nothing":   says,
		"output is read while it is written":            grows,
		"leave to spend arrives":                        granted,
		"what is wanted is asked for and answered":      wanted,
		"nobody knows an attempt that was not offered":  unknown,
		"an exit means that everything else is there":   last,
		"what was forgotten can be forgotten once more": forgotten,
	} {
		t.Run(name, func(t *testing.T) { test(t, newHarness(t)) })
	}
}

func unknown(t *testing.T, h Harness) {
	x, _ := h.Engine()
	folder, err := x.Receive(t.Context(), spawn.ID{Run: "none", Attempt: "none"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "exit.json")); err == nil {
		t.Error("it ended")
	}
}

func gets(t *testing.T, h Harness) {
	shared := h.Prepare(`cat > "$SHARED/stdin"; cat "$STELLWERK_PROMPT" > "$SHARED/prompt"; cat "$STELLWERK_IN/plan.md" > "$SHARED/plan"
		cat README > "$SHARED/readme"; git rev-parse HEAD > "$SHARED/head"; git rev-parse --abbrev-ref HEAD > "$SHARED/branch"`)
	exit, _ := finish(t, h)
	if exit.Reason != shim.ReasonExited || exit.ExitCode != 0 || exit.Killed != 0 {
		t.Fatalf("it ended as %+v", exit)
	}
	for name, want := range map[string]string{"stdin": "the prompt\n", "prompt": "the prompt\n", "plan": "the plan", "readme": "hello\n"} {
		if got := content(t, filepath.Join(shared, name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// secret must not be kept.
const secret = "a-secret-that-must-not-be-kept-8f3b"

// big is larger than a part of a file, so that it comes in several.
const big = 5 << 20

func handsIn(t *testing.T, h Harness) {
	h.Prepare(`echo work > new.txt; echo said; mkdir "$STELLWERK_OUT/below"; echo deep > "$STELLWERK_OUT/below/a.md"; : > "$STELLWERK_OUT/empty.md"
		head -c 5242880 /dev/zero | tr '\0' x > "$STELLWERK_OUT/big.md"; printf %s "$TOKEN" > "$STELLWERK_OUT/secret.md"`)
	exit, folder := finish(t, h)
	if exit.HandIn == nil || exit.HandIn.Error != "" || len(exit.Outputs) != 4 {
		t.Fatalf("handed in is %+v, %+v", exit.HandIn, exit)
	}
	for _, out := range exit.Outputs {
		got := content(t, filepath.Join(folder, "out", filepath.FromSlash(out.Name)))
		if int64(len(got)) != out.Size || out.Name == "big.md" && got != strings.Repeat("x", big) || strings.Contains(got, secret) {
			t.Errorf("%s has %d bytes, want %d", out.Name, len(got), out.Size)
		}
	}
	if info, err := os.Stat(filepath.Join(folder, exit.HandIn.Bundle)); err != nil || info.Size() != exit.HandIn.Size {
		t.Errorf("the bundle is %v, %v", info, err)
	}
	if said := texts(t, folder); len(said) != 1 || said[0] != "said" {
		t.Errorf("it said %q", said)
	}
}

// wordy: an agent decides how much there is to say about its end, and gets it across nevertheless.
func wordy(t *testing.T, h Harness) {
	h.Prepare(`echo work > new.txt; name=$(printf '%0200d' 0 | tr 0 '<'); mkdir -p "$STELLWERK_OUT/$name/$name/$name"; cd "$STELLWERK_OUT/$name/$name/$name"
		i=0; while [ $i -lt 990 ]; do echo $i > $i.md; i=$((i+1)); done; head -c 2000000 /dev/zero | tr '\0' x; echo`)
	exit, folder := finish(t, h)
	if exit.HandIn == nil || exit.HandIn.Error != "" || exit.Reason != shim.ReasonExited {
		t.Fatalf("it ended by %s, handed in is %+v", exit.Reason, exit.HandIn)
	}
	if info, err := os.Stat(filepath.Join(folder, exit.HandIn.Bundle)); err != nil || info.Size() != exit.HandIn.Size {
		t.Errorf("the bundle is %v, %v", info, err)
	}
}

// says: that there is no output is known, which is not the same as that nothing is known of it.
func says(t *testing.T, h Harness) {
	h.Prepare("true")
	exit, folder := finish(t, h)
	if said := texts(t, folder); exit.Reason != shim.ReasonExited || len(said) > 0 {
		t.Errorf("it ended by %s and said %q", exit.Reason, said)
	}
	if _, err := os.Stat(filepath.Join(folder, "out.jsonl")); err != nil {
		t.Error(err)
	}
}

func grows(t *testing.T, h Harness) {
	shared := h.Prepare(`echo one; until [ -e "$SHARED/go" ]; do sleep 0.05; done; echo two`)
	x, s := h.Engine()
	start(t, s)
	var folder string
	shimtest.Await(t, "the first line", func() bool {
		var err error
		folder, err = x.Receive(t.Context(), First)
		return err != nil || len(texts(t, folder)) > 0
	})
	if said := texts(t, folder); len(said) != 1 || said[0] != "one" {
		t.Errorf("so far it said %q", said)
	}
	shimtest.Write(t, filepath.Join(shared, "go"), "")
	wait(t, s)
	if _, err := x.Receive(t.Context(), First); err != nil {
		t.Fatal(err)
	}
	if said := texts(t, folder); strings.Join(said, " ") != "one two" {
		t.Errorf("in the end it said %q", said)
	}
}

func granted(t *testing.T, h Harness) {
	shared := h.Prepare(`until grep -qs 7.5 "$STELLWERK_OUT/../grant.json"; do sleep 0.05; done; echo yes > "$SHARED/granted"`)
	x, s := h.Engine()
	start(t, s)
	if err := x.Grant(t.Context(), First, ledger.Grant{Seq: 1, Amount: ledger.Amount{USD: 1}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Grant(t.Context(), First, ledger.Grant{Seq: 2, Amount: ledger.Amount{USD: 7.5}}); err != nil {
		t.Fatal(err)
	}
	wait(t, s)
	if got := content(t, filepath.Join(shared, "granted")); got != "yes\n" {
		t.Errorf("granted is %q", got)
	}
}

// wanted: a broker asks for more than it has, twice, and each is answered; what is refused stays with what there was.
func wanted(t *testing.T, h Harness) {
	shared := h.Prepare(`cd "$STELLWERK_OUT/.."
		want() { printf '{"seq":%s,"amount":{"usd":%s}}' $1 $2 > .want; mv .want want.json; until grep -qs "\"seq\":$1" grant.json; do sleep 0.05; done; cat grant.json >> "$SHARED/grants"; }
		want 1 5; want 2 100`)
	x, s := h.Engine()
	start(t, s)
	for seq, answer := range []float64{5, 5} { // the second is over the budget
		seq := int64(seq + 1)
		var want ledger.Want
		shimtest.Await(t, "what it wants", func() bool {
			folder, err := x.Receive(t.Context(), First)
			if err == nil {
				want, err = ledger.ReadWant(folder)
			}
			return err == nil && want.Seq == seq
		})
		if err := x.Grant(t.Context(), First, ledger.Grant{Seq: seq, Amount: ledger.Amount{USD: answer}}); err != nil {
			t.Fatal(err)
		}
	}
	wait(t, s)
	if got := content(t, filepath.Join(shared, "grants")); strings.Count(got, `"usd":5`) != 2 {
		t.Errorf("it was granted %s", got)
	}
}

func last(t *testing.T, h Harness) {
	h.Prepare(`i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; echo doc > "$STELLWERK_OUT/a.md"`)
	x, s := h.Engine()
	start(t, s)
	for done := false; !done; { // as an engine that is not told when it ends
		folder, err := x.Receive(t.Context(), First)
		if err != nil {
			t.Fatal(err)
		}
		exit, err := shim.ReadExit(folder)
		if done = err == nil; !done {
			continue
		}
		if said := texts(t, folder); len(said) != 3000 || len(exit.Outputs) != 1 || content(t, filepath.Join(folder, "out", "a.md")) != "doc\n" {
			t.Errorf("at its end %d lines are there, and %+v", len(said), exit.Outputs)
		}
	}
	wait(t, s)
}

func forgotten(t *testing.T, h Harness) {
	h.Prepare("true")
	x, s := h.Engine()
	start(t, s)
	wait(t, s)
	folder, err := x.Receive(t.Context(), First)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []spawn.ID{First, First, {Run: First.Run}, {Run: "none"}} {
		if err := x.Forget(t.Context(), id); err != nil {
			t.Errorf("forget %s: %v", id, err)
		}
	}
	if _, err := shim.ReadExit(folder); err != nil {
		t.Errorf("what was received is forgotten, too: %v", err)
	}
}

func start(t *testing.T, s spawn.Spawner) {
	t.Helper()
	if err := s.Start(t.Context(), spawn.Order{ID: First, Env: []string{"TOKEN=" + secret, shimtest.QuickExit}}); err != nil {
		t.Fatal(err)
	}
}

func wait(t *testing.T, s spawn.Spawner) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	if status, err := s.Wait(ctx, First); err != nil || status != spawn.Exited {
		t.Fatalf("waiting gives %s, %v", status, err)
	}
}

// finish runs the attempt, and receives it as an engine that heard nothing of it.
func finish(t *testing.T, h Harness) (shim.Exit, string) {
	t.Helper()
	_, s := h.Engine()
	start(t, s)
	wait(t, s)
	other, _ := h.Engine()
	folder, err := other.Receive(t.Context(), First)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := shim.ReadExit(folder)
	if err != nil {
		t.Fatal(err)
	}
	return exit, folder
}

func texts(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := shim.Tail(folder, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Record.Kind == agent.KindText {
			out = append(out, e.Record.Text)
		}
	}
	return out
}

func content(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
