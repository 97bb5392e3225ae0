package core

import (
	"slices"
	"time"
	"unicode"
)

// Project is the state of one repository under Stellwerk.
type Project struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"` // by which commands know it, of one project only
	Path     string       `json:"path,omitempty"`
	URL      string       `json:"url,omitempty"`
	Playbook string       `json:"playbook,omitempty"` // that drives it if none is named
	Trusted  []string     `json:"trusted,omitempty"`  // hashes of content a person trusts
	Pause    *Standstill  `json:"pause,omitempty"`
	Archived *Standstill  `json:"archived,omitempty"`
	Resumed  string       `json:"resumed,omitempty"` // who let it go on last
	Queue    []QueuedEpic `json:"queue,omitempty"`
	Epics    int          `json:"epics,omitempty"` // ever queued
	// Conversations were opened beside the first, which every project has.
	Conversations []Conversation `json:"conversations,omitempty"`
	Stream        Head           `json:"stream"`
}

// Standstill is a person's word that nothing begins in a project.
type Standstill struct {
	By     string    `json:"by"`
	Reason string    `json:"reason,omitempty"`
	At     time.Time `json:"at"`
}

// Trusts reports that a person trusted content of this hash.
func (p *Project) Trusts(hash string) bool {
	return slices.Contains(p.Trusted, hash)
}

// MaxProjectName bounds the name of a project.
const MaxProjectName = 64

// ProjectName reports whether a project can have this name: small letters of any
// script, digits, dots, dashes and underscores, the first a letter or a digit. The key
// of a project, sixteen hexadecimal digits, is nobody's name.
func ProjectName(name string) bool {
	hex := len(name) == 16
	for i, c := range name {
		letter := unicode.IsLetter(c) && !unicode.IsUpper(c) && !unicode.IsTitle(c) || unicode.IsDigit(c)
		if !letter && (i == 0 || !unicode.In(c, unicode.Mn, unicode.Mc) && c != '.' && c != '-' && c != '_') {
			return false
		}
		hex = hex && (c >= '0' && c <= '9' || c >= 'a' && c <= 'f')
	}
	return name != "" && len(name) <= MaxProjectName && !hex
}
