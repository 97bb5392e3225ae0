package network

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// document is the OpenAPI document as a person reads it.
type document struct {
	Title, Version, Description string
	Groups                      []group
	Schemas                     []schema
}

// group is the endpoints of one kind of thing.
type group struct {
	Name       string
	Operations []endpoint
}

type endpoint struct {
	ID, Method, Path, Summary string
	Parameters                []field
	Body, Answer              kind
}

type schema struct {
	Name   string
	Fields []field
}

type field struct {
	Name, In, Text string
	Kind           kind
	Required       bool
}

// kind is the type of a value; Schema, if set, is described below.
type kind struct{ Text, Schema string }

// docs shows the document.
func docs(api func() *huma.OpenAPI) http.Handler {
	described := sync.OnceValue(func() document { return describe(api()) })
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		page(w, http.StatusOK, "docs.html", described())
	})
}

func describe(api *huma.OpenAPI) document {
	d := document{Title: api.Info.Title, Version: api.Info.Version, Description: api.Info.Description}
	groups := map[string][]endpoint{}
	for _, p := range slices.Sorted(maps.Keys(api.Paths)) {
		item := api.Paths[p]
		name, _, _ := strings.Cut(strings.TrimPrefix(p, "/v1/"), "/")
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				groups[name] = append(groups[name], endpointOf(op))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		d.Groups = append(d.Groups, group{Name: name, Operations: groups[name]})
	}
	schemas := api.Components.Schemas.Map()
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		d.Schemas = append(d.Schemas, schema{Name: name, Fields: fieldsOf(schemas[name])})
	}
	return d
}

func endpointOf(op *huma.Operation) endpoint {
	e := endpoint{ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary}
	for _, p := range op.Parameters {
		e.Parameters = append(e.Parameters, field{Name: p.Name, In: p.In, Text: p.Description, Kind: kindOf(p.Schema), Required: p.Required})
	}
	if op.RequestBody != nil {
		e.Body = content(op.RequestBody.Content)
	}
	if answer := op.Responses["200"]; answer != nil {
		e.Answer = content(answer.Content)
	}
	return e
}

// content is the type of a body: its schema, or the form it comes in.
func content(by map[string]*huma.MediaType) kind {
	var k kind
	for _, form := range slices.Backward(slices.Sorted(maps.Keys(by))) {
		k = kind{Text: form}
		if m := by[form]; m != nil && m.Schema != nil {
			k = kindOf(m.Schema)
		}
	}
	return k
}

func fieldsOf(s *huma.Schema) []field {
	var list []field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		list = append(list, field{Name: name, Text: p.Description, Kind: kindOf(p), Required: slices.Contains(s.Required, name)})
	}
	return list
}

func kindOf(s *huma.Schema) kind {
	switch {
	case s == nil:
		return kind{}
	case s.Ref != "":
		return kind{Text: path.Base(s.Ref), Schema: path.Base(s.Ref)}
	case s.Items != nil:
		of := kindOf(s.Items)
		return kind{Text: "list of " + of.Text, Schema: of.Schema}
	case s.Type == "":
		return kind{Text: "any value"}
	case s.Format != "" && s.Type == huma.TypeString:
		return kind{Text: s.Format}
	}
	return kind{Text: s.Type}
}
