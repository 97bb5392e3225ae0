package core

import "iter"

// first is the first of a list that is meant; nil if none is.
func first[E any](list []*E, meant func(*E) bool) *E {
	for _, e := range list {
		if meant(e) {
			return e
		}
	}
	return nil
}

// find is first for a list of values: a pointer to the one in the list.
func find[E any](list []E, meant func(*E) bool) *E {
	for i := range list {
		if meant(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// tasks are those of all current rounds with their stages, in order.
func (r *Run) tasks() iter.Seq2[*Stage, *Task] {
	return func(yield func(*Stage, *Task) bool) {
		for _, s := range r.Stages {
			for _, t := range s.Tasks {
				if !yield(s, t) {
					return
				}
			}
		}
	}
}
