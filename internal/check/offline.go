package check

import "regexp"

// offline is what programs write that find no network.
var offline = regexp.MustCompile(`(?i)ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|temporary failure in name resolution|could not resolve host|` +
	`name or service not known|network is unreachable|failed to establish a new connection|no such host|` +
	`dial tcp .*(?:connection refused|i/o timeout)|connection refused|unknown ?host|failed to lookup address|dns error`)

// Offline reports the output of a command that failed for lack of network.
func Offline(output string) bool { return offline.MatchString(output) }
