package shim

import (
	"slices"
	"strings"
	"testing"
)

func TestProxiesLoseTheirPasswords(t *testing.T) {
	const secret = "hunter2"
	for given, want := range map[string]string{
		"http://proxy:3128":                          "http://proxy:3128",
		"http://user:hunter2@proxy:3128":             "http://proxy:3128",
		"http://user:hunter2@proxy:3128/":            "http://proxy:3128/",
		"http://hunter2@proxy":                       "http://proxy",
		"user:hunter2@proxy:3128":                    "proxy:3128",
		"socks5h://user:hunter2@[::1]:1080":          "socks5h://[::1]:1080",
		"http://user:hun%40ter2:hunter2@proxy:3128":  "http://proxy:3128",
		"http://user:hunter2/hunter2@x@proxy:3128":   "http://proxy:3128",
		"http:user:hunter2@proxy":                    "proxy",
		"http://user:hunter2@other://hunter2@proxy1": "http://proxy1",
		"": "",
	} {
		for _, name := range []string{
			"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "Https_Proxy",
		} {
			got := HostEnvironment([]string{"OTHER=x", name + "=" + given, "NO_PROXY=a,b@c"})
			if !slices.Equal(got, []string{name + "=" + want, "NO_PROXY=a,b@c"}) || strings.Contains(strings.Join(got, " "), secret) {
				t.Errorf("%s=%s became %q, want %q", name, given, got, want)
			}
			if told := ProxiesWithPassword([]string{name + "=" + given}); (len(told) > 0) != (given != want) {
				t.Errorf("%s=%s: told of %v", name, given, told)
			}
		}
	}
}

// TestTheProgramsNameInAnSSHCommand: a shell, then ssh, then a shell read it.
func TestTheProgramsNameInAnSSHCommand(t *testing.T) {
	const want = `ssh -o 'ProxyCommand='\''/o'\''\'\'''\''x y%%z'\'' worker connect %h %p'`
	if got := sshCommand("/o'x y%z"); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
}
