package plain

// Manual is the address of a page of the documentation: an installed program has no docs
// folder beside it.
func Manual(page string) string {
	return "https://github.com/stellwerk-dev/stellwerk/blob/main/docs/" + page
}
