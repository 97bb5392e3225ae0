package courier

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestACheckpointThatIsRefused is not brought again; the next one is.
func TestACheckpointThatIsRefused(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		http.Error(w, "too large", http.StatusRequestEntityTooLarge)
	}))
	defer server.Close()
	a := &attempt{client: newClient(server.URL, "token", "w1"), root: t.TempDir()}
	last := ""
	for n, name := range []string{"checkpoint-1", "checkpoint-2"} {
		dir := filepath.Join(a.root, name)
		if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, exitFile), []byte(`{"proto":1,"attempt":"a1","reason":"lost"}`), 0o600)); err != nil {
			t.Fatal(err)
		}
		var err error
		if last, err = a.saveNew(t.Context(), last); !errors.Is(err, errRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if last, err = a.saveNew(t.Context(), last); err != nil || asked != n+1 {
			t.Errorf("%s once more: %v, and the engine was asked %d times", name, err, asked)
		}
	}
}
