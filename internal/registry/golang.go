package registry

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// errAnswer is an answer that this package does not understand. It does not repeat it.
var errAnswer = errors.New("its answer cannot be read")

// goNames are what Go is asked for. A repository can set none of them.
func goNames() []string {
	return []string{"GOPROXY", "GOSUMDB", "GOPRIVATE", "GONOPROXY", "GONOSUMDB", "GOINSECURE"}
}

// askGo reads the module proxies and the checksum database. Go asks a proxy for the database first, and the database itself
// if the proxy does not have it.
func askGo(ctx context.Context, t tool) (finding, error) {
	set, err := goSettings(ctx, t)
	if err != nil {
		return finding{}, err
	}
	defaults, err := goSettings(ctx, t.without(append(goNames(), "GOENV")...).with("GOENV=off"))
	if err != nil {
		return finding{}, err
	}
	var found finding
	inside := map[string]string{"GOPRIVATE": set["GOPRIVATE"], "GOINSECURE": set["GOINSECURE"]}
	proxies, fetches := found.goProxies(set["GOPROXY"])
	inside["GOPROXY"] = proxies
	if set["GONOPROXY"] != "" {
		found.remark("GOPRIVATE or GONOPROXY is set, which opens no hosts: name the hosts of these modules in `network.allow`")
	}
	if fetches {
		inside["GOSUMDB"] = found.checksums(set["GOSUMDB"])
	} else {
		found.remark("GOPROXY is off, so Go fetches no modules")
	}
	for _, name := range []string{"GONOPROXY", "GONOSUMDB"} {
		if set[name] != set["GOPRIVATE"] { // which they follow
			inside[name] = set[name]
		}
	}
	for name, value := range inside {
		if set[name] != defaults[name] {
			found.set(name, value)
		}
	}
	return found, nil
}

func goSettings(ctx context.Context, t tool) (map[string]string, error) {
	out, err := t.run(ctx, "go", append([]string{"env", "-json"}, goNames()...)...)
	if err != nil {
		return nil, err
	}
	var set map[string]string
	if err := json.Unmarshal([]byte(out), &set); err != nil {
		return nil, errAnswer
	}
	return set, nil
}

// goProxies adds the proxies and returns the list as it can be handed in. It reports whether Go fetches anything with it.
func (f *finding) goProxies(list string) (inside string, fetches bool) {
	joint := ""
	for rest := list; rest != ""; {
		entry, separator := rest, ""
		if end := strings.IndexAny(rest, ",|"); end >= 0 {
			entry, separator = rest[:end], rest[end:end+1]
		}
		rest = rest[len(entry)+len(separator):]
		entry = strings.TrimSpace(entry)
		fetches = fetches || entry != "" && entry != "off"
		if address := f.goProxy(entry); address != "" {
			inside, joint = inside+joint+address, separator
		}
	}
	return inside, fetches
}

// goProxy adds one entry of the list of proxies.
func (f *finding) goProxy(entry string) string {
	switch entry {
	case "", "off":
		return entry
	case "direct":
		f.remark("GOPROXY contains `direct`, which opens no hosts: if no proxy has a module, name its host in `network.allow`")
		return entry
	}
	return f.url("GOPROXY", withScheme(entry))
}

// checksums adds the database and returns it as it can be handed in: off, a name with or without a key, or that and the URL
// it is reached at.
func (f *finding) checksums(database string) string {
	fields := strings.Fields(database)
	if len(fields) == 0 || fields[0] == "off" {
		return database
	}
	name, _, _ := strings.Cut(fields[0], "+")
	address := withScheme(name)
	if len(fields) > 1 {
		address = fields[1]
	}
	address = f.url("GOSUMDB", address)
	switch {
	case address == "" || strings.Contains(fields[0], "@"):
		return ""
	case len(fields) > 1:
		return fields[0] + " " + address
	}
	return fields[0]
}

// withScheme is an address as Go understands it: https unless it says otherwise.
func withScheme(address string) string {
	if strings.Contains(address, "://") {
		return address
	}
	return "https://" + address
}
