package cockpit

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
)

// assetHandler serves the embedded files. They are asked for anew each time and
// sent only when they differ: another version of the program has others.
func assetHandler(assets fs.FS) http.Handler {
	server := http.FileServerFS(assets)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, err := fs.ReadFile(assets, r.URL.Path)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		sum := sha256.Sum256(data)
		w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
		w.Header().Set("Cache-Control", "no-cache")
		server.ServeHTTP(w, r)
	})
}
