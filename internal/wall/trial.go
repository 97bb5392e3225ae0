package wall

import (
	"fmt"
	"slices"
	"strings"
)

// State is what a trial showed.
type State string

// The states.
const (
	Holds  State = "holds"
	Broken State = "broken"
	// Unclear means that the same is impossible outside the sandbox, so the trial does not show what stopped it inside.
	Unclear State = "unclear"
)

// Trial is what came of one wall, in words for a person.
type Trial struct {
	Wall   string
	State  State
	Found  string
	Advice string // what to do about it; empty for a wall that holds
}

// seen is what a process found possible. One process inside the sandbox and one outside try the same things, so that
// something that is impossible anyway is not taken for a wall.
type seen struct {
	Reached []string          `json:"reached"` // addresses that it connected to
	Word    string            `json:"word"`    // what the file says
	Calls   map[string]string `json:"calls"`   // what the kernel says to each system call; empty for yes
	Way     string            `json:"way"`     // why it cannot use what must work inside
}

// judge compares what was possible. Program is what makes the sandbox.
func judge(o order, program string, outside, inside seen) []Trial {
	trials := []Trial{judgeNetwork(o, outside, inside), judgeWay(inside), judgeFiles(o, outside, inside)}
	if len(outside.Calls) > 0 { // this system has a filter
		trials = append(trials, judgeCalls(outside, inside))
	}
	for i, t := range trials {
		switch t.State {
		case Broken:
			trials[i].Advice = fmt.Sprintf("%s; until then, start no agent here that you would not run as yourself", mend(program, t.Wall))
		case Unclear:
			trials[i].Advice = "look at it from outside the container or service that Stellwerk runs in, or take it for a wall that is missing"
		case Holds:
		}
	}
	return trials
}

// The walls, as doctor names them.
const (
	networkWall = "net wall"
	wayOut      = "way out"
	callWall    = "call wall"
	fileWall    = "file wall"
)

func mend(program, broken string) string {
	fix := fmt.Sprintf("see that %s is your distribution's bubblewrap and not a script around it (file %[1]s), and reinstall it", program)
	if broken == callWall {
		fix += "; the kernel needs CONFIG_SECCOMP_FILTER"
	}
	return fix
}

func judgeNetwork(o order, outside, inside seen) Trial {
	switch {
	case len(inside.Reached) > 0:
		return Trial{Wall: networkWall, State: Broken, Found: "a process inside connected to " + inside.Reached[0] + ", past its proxy"}
	case !slices.Contains(outside.Reached, o.Server):
		return Trial{Wall: networkWall, State: Unclear, Found: "could not tell: a server on this machine cannot be reached outside the sandbox either"}
	}
	return Trial{Wall: networkWall, State: Holds, Found: "a process inside reached neither this machine, as one outside does, nor another"}
}

func judgeWay(inside seen) Trial {
	if inside.Way != "" {
		return Trial{Wall: wayOut, State: Broken, Found: inside.Way + ": agents reach no model, and tests no server of their own"}
	}
	return Trial{Wall: wayOut, State: Holds, Found: "a process inside reached its supervisor, and a server of its own"}
}

func judgeFiles(o order, outside, inside seen) Trial {
	switch {
	case inside.Word != "":
		return Trial{Wall: fileWall, State: Broken, Found: "a process inside read " + o.File + ", which it is not shown"}
	case outside.Word != o.Word:
		return Trial{Wall: fileWall, State: Unclear, Found: "could not tell: " + o.File + " cannot be read outside the sandbox either"}
	}
	return Trial{Wall: fileWall, State: Holds, Found: "a file that can be read outside is not there inside"}
}

// judgeCalls looks at the calls that the kernel does not refuse everybody.
func judgeCalls(outside, inside seen) Trial {
	var telling, open []string
	for call, said := range outside.Calls {
		if said == refusedCall || said == noCall {
			continue
		}
		telling = append(telling, call)
		if inside.Calls[call] != refusedCall {
			open = append(open, call)
		}
	}
	slices.Sort(telling)
	slices.Sort(open)
	switch {
	case len(open) > 0:
		return Trial{Wall: callWall, State: Broken, Found: "a process inside can call " + strings.Join(open, ", ") + ": its system calls are not filtered"}
	case len(telling) == 0:
		return Trial{Wall: callWall, State: Unclear, Found: "could not tell: outside the sandbox the kernel refuses the calls of the filter as well"}
	}
	return Trial{Wall: callWall, State: Holds, Found: "possible outside, refused inside: " + strings.Join(telling, ", ")}
}
