package client

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// encode puts a request where its tags say: into the path, the query or the body.
// A parameter that says nothing is left out.
func encode(r api.Route, in any) (target string, body any, err error) {
	target = r.Path
	query := url.Values{}
	v := reflect.ValueOf(in).Elem()
	for _, field := range reflect.VisibleFields(v.Type()) {
		value := v.FieldByIndex(field.Index)
		if name := field.Tag.Get("path"); name != "" {
			given := fmt.Sprint(value)
			if given == "" || given == "." || given == ".." || name == "session" && !snapshot.IsSession(given) {
				return "", nil, unnamed(name, given)
			}
			target = strings.ReplaceAll(target, "{"+name+"}", url.PathEscape(given))
		}
		if name := field.Tag.Get("query"); name != "" && (!value.IsZero() || field.Tag.Get("required") != "") {
			query.Set(name, fmt.Sprint(value))
		}
		if field.Name == "Body" {
			body = value.Interface()
		}
	}
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	return target, body, nil
}

// unnamed refuses a name that would lead to another address.
func unnamed(what, name string) error {
	if what == "session" {
		return core.Errorf(core.CodeInvalid, "%.80q is not the name of a session", name)
	}
	err := core.Errorf(core.CodeNotFound, "there is no %s %q", what, name)
	switch what {
	case "project":
		return err.Offer(core.Choice{Verb: core.VerbProjects})
	case "token":
		return err.Offer(core.Choice{Verb: core.VerbTokens})
	}
	return err
}
