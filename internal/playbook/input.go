package playbook

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config/yamlfile"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"go.yaml.in/yaml/v3"
)

// inputFields describe an input that is written as a map: an artifact, or the files that an earlier phase changed.
func inputFields(in *core.Input) yamlfile.Fields {
	return yamlfile.Fields{
		yamlfile.At("name", "", &in.Name, yamlfile.Word(artifactSchema(), readArtifact)),
		yamlfile.At("optional", "", &in.Optional, yamlfile.Flag).If(in.Files == ""),
		yamlfile.At("files", "An earlier phase: the files that it changed, by their paths.", &in.Files, yamlfile.AnyText),
	}
}

// inputsField holds the inputs of the phase.
func (d *draft) inputsField() yamlfile.Field {
	files := yamlfile.Schema{"required": []string{"files"}, "not": yamlfile.Schema{"required": []string{"optional"}}}
	object := inputFields(&core.Input{}).Schema(yamlfile.Schema{"oneOf": []yamlfile.Schema{{"required": []string{"name"}}, files}})
	return yamlfile.Field{
		Key: "inputs", Schema: yamlfile.OneOrMore(yamlfile.Schema{"oneOf": []yamlfile.Schema{artifactSchema(), object}}),
		Read: func(v yamlfile.Value) bool {
			for _, item := range v.Each() {
				d.readInput(item)
			}
			return true
		},
		Node: func() *yaml.Node {
			return yamlfile.ListOf(yamlfile.Form[core.Input]{Write: writeInput}).Write(d.Inputs)
		},
	}
}

func writeInput(in core.Input) *yaml.Node {
	if !in.Optional {
		return yamlfile.Text(in.Name)
	}
	return inputFields(&in).Node()
}

func (d *draft) readInput(item yamlfile.Value) {
	in, place := core.Input{}, item
	if item.IsMap() {
		fields := inputFields(&in)
		o, _ := item.Object(fields.Keys()...)
		fields.Read(o)
		if v, files := o.Get("files"); files {
			d.addFiles(o, v, in.Files)
			return
		}
		if place, _ = o.Need("name", ""); in.Name == "" {
			return
		}
	} else if in.Name, _ = readArtifact(item); in.Name == "" {
		return
	}
	if slices.ContainsFunc(d.Inputs, func(other core.Input) bool { return other.Files == "" && other.Name == in.Name }) {
		place.Fail("the input "+yamlfile.Quote(in.Name)+" is listed twice", "")
		return
	}
	d.Inputs = append(d.Inputs, in)
	d.inputs = append(d.inputs, place)
}

// addFiles adds the files that an earlier phase changed as an input.
func (d *draft) addFiles(o yamlfile.Object, v yamlfile.Value, phase string) {
	for _, key := range []string{"name", "optional"} {
		if o.Has(key) {
			o.Key(key).Fail("files names an earlier phase, whose changed files this one is told; they are never required", "remove "+key)
		}
	}
	if phase != "" {
		d.Inputs = append(d.Inputs, core.Input{Files: phase, Optional: true})
		d.inputs = append(d.inputs, v)
	}
}
