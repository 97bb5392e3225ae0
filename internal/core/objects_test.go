package core_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// naming are names of fields that hold digests of objects, as far as bodies have any.
var naming = regexp.MustCompile(`^(.*pack|base_rests|digest|transcript|workspace|artifact|compact|detailed|prompt|output)$`)

// otherwise are fields of such names that hold something else.
var otherwise = []string{
	"RunStarted.playbook", "PlaybookSwapped.playbook", // what a person wrote
	"TaskAdmitted.prompt", "TaskProposed.proposal", "BriefAdmitted.brief", "VerifyConcluded.decision", // what is to be done
}

// TestObjects: each field of an event that holds the digest of an object is among those that Objects names, so that no check of a
// store passes it over.
func TestObjects(t *testing.T) {
	found := 0
	for _, sample := range samples() {
		full := reflect.New(reflect.TypeOf(sample)).Elem()
		fill(full, 0)
		want := plantDigests(full, string(core.TypeOf(sample)), nil)
		body, _ := full.Interface().(core.Body)
		got := core.Objects(body)
		for where, digest := range want {
			if !slices.Contains(got, digest) {
				t.Errorf("%s is not among the objects that %s names", where, core.TypeOf(sample))
			}
		}
		found += len(want)
	}
	if found < 20 {
		t.Errorf("only %d digests were found", found)
	}
}

// plantDigests sets each field that may hold a digest to one of its own, and returns where it is.
func plantDigests(v reflect.Value, path string, into map[string]string) map[string]string {
	if into == nil {
		into = map[string]string{}
	}
	if slices.ContainsFunc(otherwise, func(name string) bool { return strings.HasPrefix(path, name) }) {
		return into
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			plantDigests(v.Elem(), path, into)
		}
	case reflect.Slice:
		for i := range v.Len() {
			plantDigests(v.Index(i), path, into)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			plantDigests(v.Field(i), path+"."+name, into)
		}
	case reflect.String:
		if name := path[strings.LastIndexByte(path, '.')+1:]; v.CanSet() && naming.MatchString(name) {
			into[path] = fmt.Sprintf("%064x", len(into)+1)
			v.SetString(into[path])
		}
	default: // holds no digest
	}
	return into
}
