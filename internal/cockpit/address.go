package cockpit

import "net/url"

func runPath(alias string) string { return "/runs/" + url.PathEscape(alias) }

func taskPath(alias, task string) string { return runPath(alias) + "/tasks/" + url.PathEscape(task) }

func projectPath(name string) string { return "/projects/" + url.PathEscape(name) }

// address is a path with parameters, given as names and values in turn. Those
// without a value are left out.
func address(path string, parameters ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		if parameters[i+1] != "" {
			q.Set(parameters[i], parameters[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
