// Package wire is what engine and worker say to each other over HTTP: the routes, the messages and the parcel that an
// attempt begins with. Both sides import it. It must not keep anything or connect to anybody.
package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// Proto is the protocol that this program speaks. An engine also speaks the two before it, because workers outlive
// upgrades.
const Proto = 1

// Before is how many older protocols an engine speaks.
const Before = 2

// Header names the protocol of a request.
const Header = "Stellwerk-Protocol"

// WorkerHeader names the worker that speaks, as it claimed the attempt.
const WorkerHeader = "Stellwerk-Worker"

// The routes. Which attempt speaks follows from its token.
const (
	Prefix      = "/exchange/"
	PathObject  = Prefix + "object/" // and a digest of the offer
	PathClaim   = Prefix + "claim"   // answered with a Start
	PathWord    = Prefix + "word"    // ?after=SEQ waits for another word
	PathStream  = Prefix + "stream/" // and a name, ?offset=N&previous=M
	PathWant    = Prefix + "want"
	PathPart    = Prefix + "part/"      // and a digest
	PathSaved   = Prefix + "checkpoint" // takes an End without streams: how the attempt ends if nothing more is heard of its worker
	PathEnd     = Prefix + "end"
	PathTools   = Prefix + "tools" // in front of the routes of the attempt's tools
	MaxMessage  = 900 << 10        // bytes of a message; a store keeps it in one document
	MaxSmall    = 64 << 10         // bytes of an object that comes with the Start
	MaxChunk    = 512 << 10        // bytes of a stream at once
	MaxPart     = 4 << 20          // bytes of a file at once
	MaxStream   = 1 << 30          // bytes of a whole stream
	MaxHandedIn = 2 << 30          // bytes of all files
)

// Order is what a worker is told by whoever starts it: where engines answer, the attempt's token, and of its own machine where
// the attempt's folder is made (Dir), what isolated agents do not see (Masked), where attempts tell each other what they take of
// it (Resources), and how often work in progress is handed in at most (Checkpoint, 0 for DefaultCheckpoint, less for never).
type Order struct {
	URL        string        `json:"url"`
	Token      string        `json:"token"`
	Dir        string        `json:"dir"`
	Masked     []string      `json:"masked,omitempty"`
	Resources  string        `json:"resources,omitempty"`
	Checkpoint time.Duration `json:"checkpoint,omitempty"`
}

// SocketScheme begins a URL that is a socket's path: engine and worker are on one machine.
const SocketScheme = "unix://"

// DefaultCheckpoint is how often work in progress is handed in at most.
const DefaultCheckpoint = time.Minute

// ExitClaimed is what a worker ends with that found the attempt claimed by another.
const ExitClaimed = 75

// The streams: files of an attempt's folder that only grow.
const (
	StreamOutput = "out.jsonl"
	StreamMeter  = "meter.jsonl"
)

// Streams are all of them.
func Streams() []string { return []string{StreamOutput, StreamMeter} }

// Object is a piece of data by its digest.
type Object struct {
	Digest string `json:"digest"`
	Size   int64  `json:"size"`
}

// Offer is what an attempt begins with.
type Offer struct {
	Parcel Object `json:"parcel"`
	// Base is the commit that the attempt begins with, as a yard writes one; nil if it gets no code.
	Base *Base `json:"base,omitempty"`
}

// Objects are all that it consists of.
func (o Offer) Objects() []Object {
	if o.Base == nil {
		return []Object{o.Parcel}
	}
	return []Object{o.Parcel, o.Base.Object}
}

// Base is a commit and its history.
type Base struct {
	Object
	Commit  string `json:"commit"`
	Shallow []byte `json:"shallow,omitempty"` // git's list of where the history is cut off
}

// Claim is who wants to carry out the attempt: exactly one gets it, and what it was offered at that moment.
type Claim struct {
	Worker string `json:"worker"`
}

// Start is what a worker gets that has claimed an attempt.
type Start struct {
	Attempt Attempt `json:"attempt"`
	Offer   Offer   `json:"offer"`
	Word    Word    `json:"word"`
	// Small has, by digest, the objects of the offer that are not worth a request of their own.
	Small map[string][]byte `json:"small,omitempty"`
}

// Attempt names an attempt.
type Attempt struct {
	Run     string `json:"run"`
	Attempt string `json:"attempt"`
}

// Word is what the engine has to say to a worker. Seq is opaque; it changes with the word.
type Word struct {
	Seq    string          `json:"seq"`
	Cancel bool            `json:"cancel,omitempty"`
	Grant  json.RawMessage `json:"grant,omitempty"`
}

// File is a file of the attempt's folder that was handed in, in parts.
type File struct {
	Name  string   `json:"name"` // below the attempt's folder, with slashes
	Size  int64    `json:"size"`
	Parts []Object `json:"parts"`
}

// End is how an attempt ended: its exit.json, the files that belong to it, and how long its streams are.
type End struct {
	Exit    json.RawMessage   `json:"exit"`
	Files   []File            `json:"files,omitempty"`
	Streams map[string]Extent `json:"streams,omitempty"`
}

// Extent is how long a stream is, and where its last piece begins.
type Extent struct {
	Length int64 `json:"length"`
	Last   int64 `json:"last"`
}

// The files of an attempt's folder that are handed in: the delivery's bundle, documents, the note of a plan's desk, and, if
// the workspace could not be bundled, all of it.
const (
	FileBundle    = "out.bundle"
	FileOrigin    = originName
	FileWorkspace = "workspace.tar"
	FolderOut     = "out/"
)

// HandedIn reports a file that a worker may hand in.
func HandedIn(name string) bool {
	if name == FileBundle || name == FileOrigin || name == FileWorkspace {
		return true
	}
	document, below := strings.CutPrefix(name, FolderOut)
	return below && document != "" && path.Clean(name) == name && shim.OutputName(document)
}

// CheckProto reads which protocol a request speaks, and refuses one that its engine does not.
func CheckProto(header string, oldest, newest int) (int, error) {
	proto, err := strconv.Atoi(header)
	switch {
	case err != nil:
		return 0, fmt.Errorf("the request names no protocol in its header %s; this engine speaks %d to %d", Header, oldest, newest)
	case proto > newest:
		return 0, fmt.Errorf("the worker speaks protocol %d, which is newer than this engine, which speaks %d to %d: start workers of the engine's version", proto, oldest, newest)
	case proto < oldest:
		return 0, fmt.Errorf("the worker speaks protocol %d, which is too old for this engine, which speaks %d to %d: start the attempt again", proto, oldest, newest)
	}
	return proto, nil
}

// Digest is the hex SHA-256 of data.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
