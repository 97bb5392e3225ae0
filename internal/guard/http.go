package guard

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/guard/shell"
)

func isHTTPClient(name string) bool {
	return shell.Listed("curl wget http https xh xhs curlie aria2c wget2", name)
}

// request is the part of a call that matters: whether it writes, what, and to which addresses.
type request struct {
	writes bool
	urls   []shell.Text
	data   []shell.Text
}

// http refuses calls that write to a forge.
func (j *judge) http(r *shell.Run, p shell.Program) {
	var q request
	switch p.Name {
	case "curl", "curlie":
		if shell.Scan(p.Args, curlShort, curlLong).Has("K config") {
			r.Refuse(shell.Unresolved, "curl's option --config takes the request from a file, where it cannot be seen; write it out")
			return
		}
		q = curlRequest(p.Args)
	case "wget", "wget2", "aria2c":
		q = wgetRequest(p.Args)
	default:
		q = httpieRequest(p.Args)
	}
	for _, url := range q.urls {
		switch {
		case strings.Contains(string(url), "git-receive-pack"):
			r.Refuse(Push, "a request to git-receive-pack is a push; "+pushInstead)
		case !q.writes:
		case url == shell.Unknown() || url.Splits() && !strings.Contains(string(url), "/"):
			r.Refuse(shell.Unresolved, "where this request writes to is only known once the command runs; write the address out")
		case isForgeAPI(strings.ToLower(string(url))) && !asksGraphQL(url, q.data):
			r.Refuse(ForgeWrite, "this request would write on a forge; that is Stellwerk's own act: say in your answer what should be written there")
		}
	}
}

const (
	curlShort = "XdFTHuAebcoKmrwxyzCDEQtUYP"
	curlLong  = "request data data-raw data-binary data-ascii data-urlencode json form form-string upload-file header user user-agent referer cookie cookie-jar " +
		"output config max-time range write-out proxy url retry retry-delay retry-max-time connect-timeout cacert cert key resolve connect-to interface limit-rate oauth2-bearer " +
		"netrc-file unix-socket proto dump-header output-dir url-query aws-sigv4 variable expand-url expand-data ciphers"
)

func curlRequest(args []shell.Text) request {
	found := shell.Scan(args, curlShort, curlLong)
	q := request{urls: append(found.Operands, found.Values("url expand-url")...)}
	q.data = found.Values("d data data-raw data-binary data-ascii json expand-data")
	sends := len(q.data) > 0 || found.Has("data-urlencode F form form-string T upload-file")
	method, given := found.Value("X request")
	switch {
	case given:
		q.writes = !isReadMethod(method)
	case found.Has("G get I head"):
	default:
		q.writes = sends
	}
	return q
}

func wgetRequest(args []shell.Text) request {
	found := shell.Scan(args, "OoaiPUtTwQeABDIRXl", "method post-data post-file body-data body-file header output-document user-agent user password tries timeout directory-prefix input-file")
	method, given := found.Value("method")
	return request{
		urls:   found.Operands,
		writes: given && !isReadMethod(method) || found.Has("post-data post-file"),
		data:   found.Values("post-data body-data"),
	}
}

// httpieRequest reads [METHOD] URL [ITEM…]: items that send something make it a POST.
func httpieRequest(args []shell.Text) request {
	operands := shell.Scan(args, "aAospP", "auth auth-type output session style print raw proxy timeout").Operands
	var q request
	if len(operands) > 0 && strings.ToUpper(string(operands[0])) == string(operands[0]) && !strings.ContainsAny(string(operands[0]), ":/.") {
		q.writes = !isReadMethod(operands[0])
		operands = operands[1:]
	} else {
		for _, item := range operands[min(1, len(operands)):] {
			q.writes = q.writes || strings.Contains(string(item), "=") && !strings.Contains(string(item), "==")
		}
	}
	if len(operands) > 0 {
		q.urls = operands[:1]
	}
	return q
}

// isForgeAPI recognises the addresses of forges' APIs.
func isForgeAPI(url string) bool {
	return slices.ContainsFunc([]string{
		"api.github.com", "uploads.github.com", "/api/v3/repos", "/api/graphql", "api.bitbucket.org", "/rest/api/1.0/projects", "/api/v4/projects", "/api/v4/groups", "/api/v1/repos/",
		"/_apis/git", "codeberg.org/api/", "github.com/api", "api.gitlab.com", "/pulls", "/merge_requests",
	}, func(part string) bool { return strings.Contains(url, part) })
}

func asksGraphQL(url shell.Text, data []shell.Text) bool {
	return strings.Contains(string(url), "graphql") && len(data) > 0 && !slices.ContainsFunc(data, mayChange)
}
