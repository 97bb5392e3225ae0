package cockpit

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

// sheetName is the whole stylesheet: browsers ask for one file.
const sheetName = "cockpit.css"

// sheets are the parts of the stylesheet, below assets/style. Later parts override
// earlier ones.
func sheets() []string {
	return []string{
		"colours", "base", "frame", "parts", "forms", "track", "lists", "narrow",
		"task", "changes", "talk", "graph", "waves", "costs", "projects", "settings", "door", "verdict",
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

// asset is an embedded file as it is sent: plain, and compressed if that is smaller.
type asset struct{ plain, zipped variant }

// variant is one form of a file's content, with its ETag.
type variant struct {
	data []byte
	tag  string
}

// loadAssets prepares the embedded files, and the stylesheet in one piece.
func loadAssets(assets fs.FS) (map[string]asset, error) {
	sheet, err := stylesheet(assets)
	if err != nil {
		return nil, err
	}
	all := map[string]asset{}
	if all[sheetName], err = makeAsset(sheet); err != nil {
		return nil, err
	}
	names, err := fs.Glob(assets, "*.*")
	if err != nil {
		return nil, fmt.Errorf("the cockpit's assets: %w", err)
	}
	for _, name := range names {
		data, err := fs.ReadFile(assets, name)
		if err == nil {
			all[name], err = makeAsset(data)
		}
		if err != nil {
			return nil, fmt.Errorf("the cockpit's asset %s: %w", name, err)
		}
	}
	return all, nil
}

func makeAsset(data []byte) (asset, error) {
	sum := sha256.Sum256(data)
	tag := hex.EncodeToString(sum[:16])
	a := asset{plain: variant{data: data, tag: `"` + tag + `"`}}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return asset{}, err
	}
	if _, err := z.Write(data); err != nil {
		return asset{}, err
	}
	if err := z.Close(); err != nil {
		return asset{}, err
	}
	if packed.Len() < len(data) {
		a.zipped = variant{data: packed.Bytes(), tag: `"` + tag + `-gzip"`}
	}
	return a, nil
}

// assetHandler serves the assets, compressed if the client accepts that. Browsers ask
// each time whether an asset has changed: another version of the program has others.
func assetHandler(assets map[string]asset) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := assets[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h, sent := w.Header(), a.plain
		h.Set("Vary", "Accept-Encoding")
		if a.zipped.data != nil && takesGzip(r) {
			sent = a.zipped
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("ETag", sent.tag)
		h.Set("Cache-Control", "no-cache")
		http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(sent.data))
	})
}
