package shim

import (
	"strings"
	"testing"
)

// TestAMovedPriceList keeps the name that its person knows, however often it is moved.
func TestAMovedPriceList(t *testing.T) {
	spec := Spec{Model: &Model{Prices: "/home/ada/prices.yaml"}}
	for range 2 {
		same := spec.Moved(func(path string) string { return path })
		if *same.Model != *spec.Model {
			t.Errorf("what stays is %+v", same.Model)
		}
		spec = spec.Moved(func(path string) string { return strings.Replace(path, "/", "/there/", 1) })
		if spec.Model.PricesName != "/home/ada/prices.yaml" || !strings.HasPrefix(spec.Model.Prices, "/there/") {
			t.Errorf("it is %+v", spec.Model)
		}
	}
}
