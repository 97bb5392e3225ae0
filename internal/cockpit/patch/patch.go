// Package patch reads a difference as git writes it: files, hunks and lines. It takes
// the text piece by piece and keeps no more than its bounds allow, so that a
// difference of any size can be shown. It never fails on the content: it skips what it
// does not understand.
package patch

// Status says what happened to a file.
type Status string

const (
	Modified Status = "modified"
	Added    Status = "added"
	Deleted  Status = "deleted"
	Renamed  Status = "renamed"
	Copied   Status = "copied"
)

// File is one file that differs.
type File struct {
	Old, New         string // paths; the same unless it was renamed or copied
	Status           Status
	OldMode, NewMode string // as git names them, if they differ or are new
	Binary           bool
	Added, Deleted   int   // lines
	Bytes            int64 // of its lines
	Hunks            []Hunk
	Cut              bool // lines were left out of Hunks, or all of them

	kept int64 // what Hunks cost
}

// Path is the file's name now, or before if it was deleted.
func (f *File) Path() string {
	if f.Status == Deleted {
		return f.Old
	}
	return f.New
}

// Hunk is a piece of a file around a change.
type Hunk struct {
	OldStart, OldCount int
	NewStart, NewCount int
	Section            string // what git says it is in
	Lines              []Line
}

// Kind says what happened to a line.
type Kind byte

const (
	Same Kind = ' '
	Plus Kind = '+'
	Less Kind = '-'
)

// Line is a line of a hunk.
type Line struct {
	Kind     Kind
	Old, New int // numbers; 0 if it is not in that version
	Text     string
	Cut      bool // Text is only its beginning
	Open     bool // the file ends with it, without a line break
}

// Bounds are how much is kept. What is beyond is counted only.
type Bounds struct {
	Files int   // files named at all
	File  int64 // bytes of the lines of one file, and some for each; a larger one is kept without any
	All   int64 // the same of all files
	Line  int   // bytes of a line
	Read  int64 // bytes read before giving up
	// Whole is the path of the one file of which lines are kept, up to All.
	Whole string
}

// Usual are the bounds for a page.
func Usual() Bounds {
	return Bounds{Files: 3000, File: 64 << 10, All: 256 << 10, Line: 2000, Read: 256 << 20}
}

// Patch is what was read.
type Patch struct {
	Files          []File
	Unnamed        int // files beyond the bound
	Added, Deleted int
	Full           bool // reading was given up; more may follow
}
