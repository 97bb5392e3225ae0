package tools

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/bridge"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestVariables: every tool finds the proxy under the name it looks for.
func TestVariables(t *testing.T) {
	t.Parallel()
	proxy := "http://" + bridge.Address
	host, port, _ := strings.Cut(bridge.Address, ":")
	java := fmt.Sprintf("-Dhttp.proxyHost=%s -Dhttp.proxyPort=%s -Dhttps.proxyHost=%[1]s -Dhttps.proxyPort=%[2]s", host, port)
	want := map[string]string{
		"NODE_USE_ENV_PROXY": "1", "NO_PROXY": "localhost,127.0.0.1,::1", "no_proxy": "localhost,127.0.0.1,::1", "JAVA_TOOL_OPTIONS": java,
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY"} {
		want[name] = proxy
	}
	said := trial{line: "env"}.run(t).said
	for name, value := range want {
		if !strings.Contains("\n"+said+"\n", "\n"+name+"="+value+"\n") {
			t.Errorf("%s is not %q in\n%s", name, value, said)
		}
	}
	own := trial{line: `echo "$JAVA_TOOL_OPTIONS"`, set: map[string]string{"JAVA_TOOL_OPTIONS": "-Xmx64m"}}.run(t)
	if own.said != "-Xmx64m "+java {
		t.Errorf("of a person's own options Java gets %q", own.said)
	}
}

// TestNoNames: a program that resolves a name by itself learns at once that there is none.
func TestNoNames(t *testing.T) {
	t.Parallel()
	need(t, "getent")
	r := trial{line: "start=$(date +%s%N); getent ahosts leak.example.com; echo code $?; echo $(( ($(date +%s%N) - start) / 1000000 )) ms"}.run(t)
	var code, took int
	if _, err := fmt.Sscanf(r.said, "code %d\n%d ms", &code, &took); err != nil || code == 0 || took > 2000 {
		t.Errorf("it said %q: %v", r.said, err)
	}
}

// TestNodeFetch: Node finds the proxy by itself from 22.21 and 24.0 on. An older one has no such setting, and fails at once.
func TestNodeFetch(t *testing.T) {
	t.Parallel()
	node := need(t, "node")
	var major, minor int
	out, err := exec.Command(node, "--version").Output()
	if _, scanned := fmt.Sscanf(string(out), "v%d.%d.", &major, &minor); err != nil || scanned != nil {
		t.Fatalf("node says %q: %v", out, err)
	}
	f := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	tr := trial{
		line: `node -e 'fetch("` + f.link + `").then(r => r.text()).then(console.log, e => { console.log(e.cause); process.exit(1) })'`,
		env:  f.env, network: f.listed(shim.Network{Allow: []string{f.host}}),
	}
	if major >= 24 || major == 22 && minor >= 21 {
		both(t, tr, f.host, true, "403")
		return
	}
	if r := tr.run(t); r.ok || len(r.rows) > 0 || r.took > atOnce || !strings.Contains(r.said, "ECONNREFUSED") {
		t.Errorf("node %d took %v for %d connections and said\n%s", major, r.took, len(r.rows), r.said)
	}
}
