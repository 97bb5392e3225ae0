package cockpit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

// sheetName is the whole stylesheet: browsers ask for one file.
const sheetName = "cockpit.css"

// sheets are the parts of the stylesheet, below assets/style. What says the same of
// the same element holds by its place: later parts overrule earlier ones.
func sheets() []string {
	return []string{
		"colours", "base", "frame", "parts", "forms", "track", "lists", "narrow",
		"task", "changes", "talk", "graph", "waves", "costs", "projects", "settings", "door",
	}
}

// stylesheet joins the sheets.
func stylesheet(assets fs.FS) ([]byte, error) {
	var all []byte
	for _, name := range sheets() {
		part, err := fs.ReadFile(assets, "style/"+name+".css")
		if err != nil {
			return nil, fmt.Errorf("the cockpit's stylesheet: %w", err)
		}
		all = append(all, part...)
	}
	return all, nil
}

// assetHandler serves the embedded files, and the stylesheet in one piece. They are
// asked for anew each time and sent only when they differ: another version of the
// program has others.
func assetHandler(assets fs.FS, sheet []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data := sheet
		if r.URL.Path != sheetName {
			var err error
			if data, err = fs.ReadFile(assets, r.URL.Path); err != nil {
				http.NotFound(w, r)
				return
			}
		}
		sum := sha256.Sum256(data)
		w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
		w.Header().Set("Cache-Control", "no-cache")
		http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(data))
	})
}
