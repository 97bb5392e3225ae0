package broker_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
)

func priceFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "prices.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// million is a million tokens of each kind.
var million = ledger.Usage{Input: 1e6, Output: 1e6, CacheRead: 1e6, CacheWrite: 1e6, CacheWrite1h: 1e6}

func TestPublishedPrices(t *testing.T) {
	list := prices(t, "")
	for model, want := range map[string]float64{
		"claude-opus-5-5":            4 + 20 + 0.20 + 5 + 8,
		"claude-opus-5-5-20260901":   4 + 20 + 0.20 + 5 + 8,
		"claude-opus-5":              5 + 25 + 0.50 + 6.25 + 10,
		"claude-opus-4-1-20250805":   15 + 75 + 1.50 + 18.75 + 30,
		"claude-opus-4-6":            5 + 25 + 0.50 + 6.25 + 10,
		"claude-sonnet-5-5":          2 + 10 + 0.10 + 2.50 + 4,
		"claude-sonnet-4-6":          3 + 15 + 0.30 + 3.75 + 6,
		"claude-sonnet-4-5-20250929": 6 + 22.50 + 0.60 + 7.50 + 12, // so long a prompt
		"claude-haiku-4-5":           1 + 5 + 0.10 + 1.25 + 2,
		"claude-haiku-4-5@20251001":  1 + 5 + 0.10 + 1.25 + 2,
		"claude-3-5-haiku-latest":    0.80 + 4 + 0.08 + 1 + 1.60,
	} {
		price, known := list.Of(model)
		if got := price.Cost(million, 1); !known || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s costs %v, not %v", model, got, want)
		}
	}
}

func TestAnUnknownModelCostsTheDearestOfEachKind(t *testing.T) {
	list := prices(t, "")
	for _, model := range []string{"gpt-9", "", "claude", "claude-opus-4x", "claude-opus-4.9", "xclaude-opus-5"} {
		price, known := list.Of(model)
		if got := price.Cost(million, 1); known || got != 15+75+1.50+18.75+30 {
			t.Errorf("%q costs %v", model, got)
		}
	}
	dear, _ := prices(t, priceFile(t, "models: {gold: {input: 100, output: 1}}")).Of("gpt-9")
	if got := dear.Cost(million, 1); got != 100+75+100+200+200 {
		t.Errorf("beside a dearer one it costs %v", got)
	}
}

func TestAPersonsPrices(t *testing.T) {
	list := prices(t, priceFile(t, "models:\n  claude-opus-5-5: {input: 1, output: 2, cache_read: 0, cache_write: 3, cache_write_1h: 4}\n"+
		"  team/opus: {input: 5, output: 6}\nweb_search: 2\n"))
	for model, want := range map[string]float64{
		"claude-opus-5-5": 1 + 2 + 0 + 3 + 4, "team/opus-large": 5 + 6 + 5 + 10 + 10, "claude-haiku-4-5": 1 + 5 + 0.10 + 1.25 + 2,
	} {
		price, known := list.Of(model)
		if got := price.Cost(million, 1); !known || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s costs %v, not %v", model, got, want)
		}
		if got := price.Cost(ledger.Usage{Searches: 3}, 9); got != 6 {
			t.Errorf("three searches cost %v", got)
		}
	}
	without, err := broker.ReadPrices(filepath.Join(t.TempDir(), "none.yaml"), "")
	if err != nil {
		t.Errorf("without a file: %v", err)
	}
	if price, known := without.Of("claude-opus-5-5"); !known || price.Cost(million, 1) <= 1+2+0+3+4 {
		t.Error("one person's prices are another's")
	}
	if _, err := broker.ReadPrices(t.TempDir(), ""); err == nil {
		t.Error("a folder is read")
	}
}

func TestMistakesInPricesHaveTheirLine(t *testing.T) {
	for text, want := range map[string]string{
		"models:\n  a: {input: 1}":                      ":2:6: models.a: output is missing",
		"models:\n  a:\n    input: -1\n    output: 1":   `:3:12: models.a.input: "-1" is not a price`,
		"models:\n  a: {input: 1, output: cheap}":       `:2:25: models.a.output: "cheap" is not a price`,
		"models:\n  a: {input: 1, output: .nan}":        "is not a price",
		"models:\n  a: {input: 1, output: 1, inptu: 3}": ":2:28: models.a.inptu: unknown key; did you mean \"input\"?",
		"modles: {}": `:1:1: modles: unknown key; did you mean "models"?`,
		"models:\n  a: {input: 1, output: 1, long_prompt: {input: 2, output: 2}}": "above is missing",
		"models:\n  a: {input: 1, output: 1}\n  a: {input: 1, output: 1}":         "is given twice",
		"models: [1]": ":1:9: models: expected a map",
		"models:\n  a: {input: 1, output: 1, long_prompt: {above: 0, input: 1, output: 1}}": "is not a whole number between",
		"": "the file is empty",
	} {
		if _, err := broker.ReadPrices(priceFile(t, text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, not %s", text, err, want)
		}
	}
}

// TestMistakesInACopyOfTheList are told by the name that the person knows.
func TestMistakesInACopyOfTheList(t *testing.T) {
	copied := priceFile(t, "modles: {}")
	if _, err := broker.ReadPrices(copied, "/home/ada/prices.yaml"); err == nil || !strings.Contains(err.Error(), "/home/ada/prices.yaml:1:1") || strings.Contains(err.Error(), copied) {
		t.Errorf("it says %v", err)
	}
}
