package dispatch

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
)

func TestMain(m *testing.M) {
	shimtest.Intercept()
	m.Run()
}
