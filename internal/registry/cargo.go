package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// cratesIo is what cargo calls its default registry.
const cratesIo = "crates-io"

// cargoConfig is the part of cargo's configuration that says where crates come from.
type cargoConfig struct {
	Source     map[string]cargoSource   `toml:"source"`
	Registries map[string]cargoRegistry `toml:"registries"`
}

type cargoSource struct {
	Registry string `toml:"registry"`
	Replaced string `toml:"replace-with"`
	Folder   string `toml:"directory"`
	Local    string `toml:"local-registry"`
}

type cargoRegistry struct {
	Index    string `toml:"index"`
	Protocol string `toml:"protocol"`
	Token    string `toml:"token"`
}

// askCargo reads cargo's own configuration: cargo has no stable command that prints it. The host of the crates themselves
// stands in the index, of which cargo keeps a copy once it has used it.
func askCargo(ctx context.Context, t tool) (finding, error) {
	if _, err := program.Look(t.get("PATH"), "cargo"); err != nil {
		return finding{}, err
	}
	home := t.get("CARGO_HOME")
	if home == "" {
		home = filepath.Join(t.get("HOME"), ".cargo")
	}
	if !filepath.IsAbs(home) {
		return finding{}, errors.New("neither CARGO_HOME nor HOME names a folder")
	}
	config, err := readCargo(home)
	if err != nil {
		return finding{}, err
	}
	indexes, err := config.indexes(t.environ)
	if err != nil {
		return finding{}, err
	}
	var found finding
	if slices.Contains(indexes, "") { // crates-io as cargo has it
		if cmp.Or(t.get("CARGO_REGISTRIES_CRATES_IO_PROTOCOL"), config.Registries[cratesIo].Protocol) == "git" {
			return finding{}, errors.New("it fetches the default index by git, which takes it to several hosts; set the protocol of crates-io to sparse")
		}
		index, err := cargoDefault(ctx, t)
		if err != nil {
			return finding{}, err
		}
		indexes = append(indexes, index)
	}
	for _, index := range indexes {
		if index != "" {
			found.cargoIndex(home, index)
		}
	}
	found.cargoSettings(config, t.environ)
	found.cargoLogins(home, config)
	return found, nil
}

// readCargo reads the configuration in cargo's home. Of two files cargo takes the one with the older name.
func readCargo(home string) (cargoConfig, error) {
	var config cargoConfig
	for _, name := range []string{"config", "config.toml"} {
		data, err := os.ReadFile(filepath.Join(home, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return config, err
		}
		if _, err := toml.Decode(string(data), &config); err != nil { // the error would quote the line
			return config, fmt.Errorf("%s is not valid", filepath.Join(home, name))
		}
		break
	}
	return config, nil
}

// indexes are the addresses of all registries; an empty one stands for cargo's default.
func (c cargoConfig) indexes(environ []string) ([]string, error) {
	named := map[string]string{}
	for name, registry := range c.Registries {
		named[variable(name)] = registry.Index
	}
	for _, entry := range environ {
		key, value, _ := strings.Cut(entry, "=")
		if name, ok := strings.CutPrefix(key, "CARGO_REGISTRIES_"); ok && strings.HasSuffix(name, "_INDEX") {
			named[strings.TrimSuffix(name, "_INDEX")] = value
		}
	}
	main, err := c.resolve(named)
	if err != nil {
		return nil, err
	}
	delete(named, variable(cratesIo))
	list := slices.DeleteFunc(slices.Collect(maps.Values(named)), func(index string) bool { return index == "" })
	if main != nil {
		list = append(list, *main)
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// resolve follows the replacements of the default registry to an address; nil for a folder, empty for cargo's default.
func (c cargoConfig) resolve(named map[string]string) (*string, error) {
	name := cratesIo
	for range len(c.Source) + 1 {
		source, known := c.Source[name]
		switch {
		case known && source.Replaced != "":
			name = source.Replaced
		case source.Folder != "" || source.Local != "":
			return nil, nil
		case source.Registry != "":
			return &source.Registry, nil
		case name == cratesIo:
			return new(string), nil
		default:
			index, ok := named[variable(name)]
			if !ok || index == "" {
				return nil, errors.New("its configuration replaces the default registry with one that it does not define")
			}
			return &index, nil
		}
	}
	return nil, errors.New("its configuration replaces registries in a circle")
}

// variable is the name of a registry as it stands in an environment variable.
func variable(registry string) string {
	return strings.ToUpper(strings.ReplaceAll(registry, "-", "_"))
}

// hash is what cargo appends to a host to name the folder of an index.
var hash = regexp.MustCompile(`^-[0-9a-f]{16}$`)

// cargoIndex adds the host of an index and the hosts that its copy names for downloads.
func (f *finding) cargoIndex(home, index string) {
	host, err := hostOf(index)
	f.url("the address of a registry", index)
	if err != nil || host == "" {
		return
	}
	known := false
	for _, download := range downloads(home, host) {
		f.url("the download address of "+host, download)
		known = true
	}
	if !known {
		f.remark("cargo has not used %s yet, so Stellwerk cannot know where its crates are: run `cargo fetch` once in a project of yours, or name their host in `network.allow`", host)
	}
}

// downloads are the addresses that copies of a host's indexes name. A folder's name has no port.
func downloads(home, host string) []string {
	folder := filepath.Join(home, "registry", "index")
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	}
	var list []string
	for _, entry := range entries {
		rest, ours := strings.CutPrefix(entry.Name(), name)
		if !ours || !hash.MatchString(rest) {
			continue
		}
		var copied struct {
			Download string `json:"dl"`
		}
		data, err := os.ReadFile(filepath.Join(folder, entry.Name(), "config.json"))
		if err == nil && json.Unmarshal(data, &copied) == nil && copied.Download != "" {
			list = append(list, copied.Download)
		}
	}
	return list
}
