package cockpit

import "net/http"

// engines is who works on the store, and what none of them can work on.
func (c *cockpit) engines(r *http.Request) (page, error) {
	list, err := c.svc.Engines(r.Context())
	if err != nil {
		return page{}, err
	}
	return page{Name: "engines", Title: "Engines", Nav: "settings", Still: true, Body: list}, nil
}
