package notify

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReach(t *testing.T) {
	address, got := server(t, nil)
	if err := Reach(t.Context(), address+"/very-secret", []string{"127.0.0.1"}); err != nil {
		t.Error(err)
	}
	self := httptest.NewTLSServer(http.NotFoundHandler())
	defer self.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, c := range []struct{ address, want string }{
		{address + "/very-secret", "notify_private_hosts"}, {self.URL + "/very-secret", "certificate"},
		{gone.URL + "/very-secret", "refused"}, {"ftp://very-secret", "https://"},
	} {
		hosts := []string{"127.0.0.1"}
		if c.want == "notify_private_hosts" {
			hosts = nil
		}
		if err := Reach(t.Context(), c.address, hosts); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "very-secret") {
			t.Errorf("%s: %v", c.want, err)
		}
	}
	if len(*got) != 0 {
		t.Errorf("something was said: %v", *got)
	}
}
