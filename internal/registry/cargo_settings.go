package registry

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// cargoSettings hands in where crates come from. There is no variable for the replacement of a source, so that is a file. Of
// sources it has the replacements of the default registry; the rest has its address in the project itself.
func (f *finding) cargoSettings(c cargoConfig, environ []string) {
	var lines []string
	section := func(kind, name string) { lines = append(lines, "["+kind+"."+strconv.Quote(name)+"]") }
	entry := func(key, value string) {
		if value != "" {
			lines = append(lines, key+" = "+strconv.Quote(value))
		}
	}
	for name := cratesIo; ; name = c.Source[name].Replaced {
		source, known := c.Source[name]
		if !known {
			break
		}
		section("source", name)
		entry("registry", inside(source.Registry))
		entry("directory", source.Folder)
		entry("local-registry", source.Local)
		entry("replace-with", source.Replaced)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Registries)) {
		section("registries", name)
		entry("index", inside(c.Registries[name].Index))
		entry("protocol", c.Registries[name].Protocol)
	}
	f.file(".cargo/config.toml", lines...)
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case !strings.HasPrefix(name, "CARGO_REGISTRIES_"):
		case strings.HasSuffix(name, "_INDEX"):
			f.set(name, inside(value))
		case strings.HasSuffix(name, "_PROTOCOL"):
			f.set(name, value)
		}
	}
}

// inside is an address as it can be handed in; empty if it cannot be read, which was
// reported when its host was looked for.
func inside(address string) string {
	if _, err := hostOf(address); err != nil {
		return ""
	}
	text, _ := bare(address)
	return text
}

// cargoLogins notes the registries that cargo has a token for, in its configuration or its file for tokens.
func (f *finding) cargoLogins(home string, c cargoConfig) {
	var kept cargoConfig
	for _, name := range []string{"credentials", "credentials.toml"} {
		if data, err := os.ReadFile(filepath.Join(home, name)); err == nil {
			// What is not valid there is cargo's to say: the file has nothing that is handed in.
			_, _ = toml.Decode(string(data), &kept)
			break
		}
	}
	for name, registry := range c.Registries {
		if host, err := hostOf(registry.Index); err == nil && host != "" && registry.Token+kept.Registries[name].Token != "" {
			f.login(host)
		}
	}
}
