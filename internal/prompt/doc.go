// Package prompt writes what an agent is told: from templates, without a model, the same text for the same state. A
// prompt names files and never holds their contents, so it stays as short in the last phase as in the first. It must not
// let text from outside (a goal, a finding, the output of a check) speak as instructions: such text is made plain,
// bounded, fenced and labelled, and the whole of it lies in a file beside the inputs.
package prompt
