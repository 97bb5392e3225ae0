package agent

// Variables by which an attempt of a project finds its tools. Others, which say
// what the attempt is about, are part of every attempt.
const (
	EnvRun     = "STELLWERK_RUN"   // that the attempt belongs to
	EnvSocket  = "STELLWERK_SOCK"  // where the engine serves the tools
	EnvToken   = "STELLWERK_TOKEN" // by which the engine knows the attempt: a secret
	EnvProgram = "STELLWERK_BIN"   // what the scripts on PATH run
	// EnvOrigin is the file that notes what a manager's copy of the plan was made
	// from.
	EnvOrigin = "STELLWERK_PLAN"
)
