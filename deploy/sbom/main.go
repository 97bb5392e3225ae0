// Command sbom writes what a program was built from as a CycloneDX document,
// read from the program itself:
//
//	go run ./deploy/sbom PROGRAM FILE
//
// The same program gives the same bytes.
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/renameio/v2"
	"github.com/google/uuid"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run ./deploy/sbom PROGRAM FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(program, file string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	out, err := renameio.NewPendingFile(file, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer func() { _ = out.Cleanup() }() // after the replacement there is nothing left to remove
	if err := encode(out, info); err != nil {
		return err
	}
	return out.CloseAtomicallyReplace()
}

func encode(w io.Writer, info *buildinfo.BuildInfo) error {
	bom := cyclonedx.NewBOM()
	// A name made from the program's own record, where a random one would differ every time.
	bom.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, []byte(info.String())).URN()
	product := component(cyclonedx.ComponentTypeApplication, &info.Main)
	bom.Metadata = &cyclonedx.Metadata{Component: &product}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			bom.Metadata.Timestamp = s.Value
		}
	}
	library := []cyclonedx.Component{component(cyclonedx.ComponentTypeLibrary, &debug.Module{Path: "std", Version: info.GoVersion})}
	needs := []string{library[0].BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(cyclonedx.ComponentTypeLibrary, m)
		library, needs = append(library, c), append(needs, c.BOMRef)
	}
	bom.Components = &library
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: product.BOMRef, Dependencies: &needs}}
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

func component(kind cyclonedx.ComponentType, m *debug.Module) cyclonedx.Component {
	url := fmt.Sprintf("pkg:golang/%s@%s", m.Path, m.Version)
	return cyclonedx.Component{Type: kind, BOMRef: url, Name: m.Path, Version: m.Version, PackageURL: url}
}
