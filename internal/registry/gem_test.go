package registry

import "testing"

func TestGem(t *testing.T) {
	need(t, "gem")
	home, environ := person(t)
	write(t, 0o600, "---\n:sources:\n- https://alice:sesame@gems.example.com/\n- http://other.example.com:9292/\n", home, ".gemrc")
	expect(t, "gem", environ, "", "gems.example.com", "other.example.com:9292")
}
