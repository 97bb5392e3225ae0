package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// errAnswer is an answer that this package does not understand. It does not repeat it.
var errAnswer = errors.New("its answer cannot be read")

// askGo reads the module proxies and the checksum database. Go asks a proxy for the database first, and the database itself
// if the proxy does not have it.
func askGo(ctx context.Context, t tool) (finding, error) {
	out, err := t.run(ctx, "go", "env", "-json", "GOPROXY", "GOSUMDB", "GONOPROXY")
	if err != nil {
		return finding{}, err
	}
	var set struct{ GOPROXY, GOSUMDB, GONOPROXY string }
	if err := json.Unmarshal([]byte(out), &set); err != nil {
		return finding{}, errAnswer
	}
	var found finding
	fetches := false
	for _, proxy := range strings.FieldsFunc(set.GOPROXY, func(r rune) bool { return r == ',' || r == '|' }) {
		switch proxy = strings.TrimSpace(proxy); proxy {
		case "", "off":
			continue
		case "direct":
			found.remark("GOPROXY contains `direct`, which opens nothing: if a module is not at a proxy, name its host in `network.allow`")
		default:
			found.url("GOPROXY", withScheme(proxy))
		}
		fetches = true
	}
	if set.GONOPROXY != "" {
		found.remark("GOPRIVATE or GONOPROXY is set, which opens nothing: name the hosts of these modules in `network.allow`")
	}
	if !fetches {
		found.remark("GOPROXY is off, so Go fetches no modules")
		return found, nil
	}
	found.checksums(set.GOSUMDB)
	return found, nil
}

// checksums adds the database: off, a name with or without a key, or that and the URL it is reached at.
func (f *finding) checksums(database string) {
	fields := strings.Fields(database)
	switch {
	case len(fields) == 0 || fields[0] == "off":
	case len(fields) > 1:
		f.url("GOSUMDB", fields[1])
	default:
		name, _, _ := strings.Cut(fields[0], "+")
		f.url("GOSUMDB", withScheme(name))
	}
}

// withScheme is an address as Go understands it: https unless it says otherwise.
func withScheme(address string) string {
	if strings.Contains(address, "://") {
		return address
	}
	return "https://" + address
}
