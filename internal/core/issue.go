package core

import "strings"

// IssueAddress reports an issue that was given as an address instead of a number.
func IssueAddress(issue string) bool {
	return strings.HasPrefix(issue, "https://") || strings.HasPrefix(issue, "http://")
}

// IssueNumber is what an issue is called in names and titles: its number, without
// the sign before it; of an address, the last part of its path.
func IssueNumber(issue string) string {
	if !IssueAddress(issue) {
		return strings.TrimPrefix(issue, "#")
	}
	_, path, _ := strings.Cut(issue, "://")
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// IssueTitle is a title with the issue that it belongs to, if there is one.
func IssueTitle(issue, title string) string {
	if issue == "" {
		return title
	}
	return strings.TrimSpace("#" + IssueNumber(issue) + " " + title)
}
