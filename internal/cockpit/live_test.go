package cockpit_test

import (
	"net/http"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

func TestWhatWaitsIsCounted(t *testing.T) {
	svc := hostile()
	svc.Scenes.At = "engine.1"
	if code, body := get(t, serve(t, svc, api.RoleViewer), "/waiting"); code != http.StatusOK || body != "1" {
		t.Errorf("%d %q", code, body)
	}
}
