package api

import (
	"net/url"
	"strings"
)

// OwnPage reports that an address leads to a page of the site that it is used on,
// however a browser reads it: a path, and none that could name another site.
func OwnPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && !u.IsAbs() && u.Host == "" && strings.HasPrefix(address, "/") && !strings.HasPrefix(address, "//") &&
		!strings.HasPrefix(u.Path, "//") && !strings.ContainsAny(address, "\\\r\n\t")
}
