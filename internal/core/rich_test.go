package core_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// structural are the fields that say where a run is, or what it is made of: a state
// of the tables sets them as it means them.
var structural = []string{
	"Run.Playbook", "Run.Waves", "Run.Stages", "Managing.Delegations", "Run.Branch", "Driving.Plan", "Run.EndedAt", "Driving.PlanWrite", "Run.Questions",
	"Stage.Tasks", "Stage.Branch", "Stage.Turn", "Stage.Base", "Task.Attempts", "Task.Act", "Task.Kind", "Task.Looked", "Task.Found",
	"Attempt.Delivery", "Delivery.Commit", "Delivery.Rewritten", "Waves.Works", "Waves.Decision", "Delegated.Status",
}

// enrich sets every field that is not set, each to something of its own.
func enrich(v reflect.Value, path string) {
	name := path[strings.LastIndexByte(path, '/')+1:]
	if v.IsZero() && slices.Contains(structural, name) || v.Type() == reflect.TypeFor[core.Check]() {
		return
	}
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		if v.IsZero() {
			v.Set(reflect.ValueOf(happened.Add(-time.Hour)))
		}
	case v.Type() == reflect.TypeFor[json.RawMessage]() || v.Type() == reflect.TypeFor[*core.Playbook]():
	case v.Kind() == reflect.String:
		if v.IsZero() {
			v.SetString(sensible(v.Type(), name))
		}
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		if v.IsZero() {
			v.SetInt(3)
		}
	case v.CanFloat():
		if v.IsZero() {
			v.SetFloat(0.25)
		}
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		enrich(v.Elem(), path)
	case v.Kind() == reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			enrich(v.Index(i), path)
		}
	case v.Kind() == reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			enrich(v.Field(i), path+"/"+v.Type().Name()+"."+v.Type().Field(i).Name)
		}
	}
}

// sensible is a value of a type that is one of a few words, or the field's own name.
func sensible(kind reflect.Type, name string) string {
	switch kind {
	case reflect.TypeFor[core.RunStatus]():
		return string(core.StatusAwaiting)
	case reflect.TypeFor[core.PauseCode]():
		return string(core.PauseQuestion)
	case reflect.TypeFor[core.SkipSource]():
		return string(core.SkipPlan)
	case reflect.TypeFor[core.PullRequestState]():
		return string(core.PullRequestClosed)
	case reflect.TypeFor[core.Verdict]():
		return string(core.VerdictFailed)
	case reflect.TypeFor[core.TaskKind](), reflect.TypeFor[core.Act]():
		return ""
	}
	return "old " + name[strings.LastIndexByte(name, '.')+1:]
}

// grow gives every list room for more, as lists that were appended to have it: copies
// that share one would overwrite what the other appends.
func grow(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type() != reflect.TypeFor[*core.Playbook]() {
			grow(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				grow(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		wide := reflect.MakeSlice(v.Type(), v.Len(), v.Len()+4)
		reflect.Copy(wide, v)
		v.Set(wide)
		for i := range v.Len() {
			grow(v.Index(i))
		}
	default:
	}
}
