// Package prompt writes the prompts of agents from templates, without a model: the same state gives the same text. A
// prompt names files instead of containing them, so it stays as short in the last phase as in the first. It must not let
// text from outside (a goal, a finding, the output of a check) act as instructions: such text is made plain, bounded,
// fenced and labelled, and the whole of it is in a file beside the inputs.
package prompt
