package cockpit

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestTheStylesheetIsServedInOnePiece(t *testing.T) {
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := stylesheet(assets)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := fs.Glob(assets, "style/*.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range parts {
		if !slices.Contains(sheets(), strings.TrimSuffix(path.Base(part), ".css")) {
			t.Errorf("%s is no part of the stylesheet", part)
		}
	}
	all, err := loadAssets(assets)
	if err != nil {
		t.Fatal(err)
	}
	answer := fetch(assetHandler(all), sheetName, "", "")
	if answer.Code != http.StatusOK || answer.Body.String() != string(sheet) || !strings.HasPrefix(answer.Header().Get("Content-Type"), "text/css") {
		t.Errorf("status %d, %d bytes, %v", answer.Code, answer.Body.Len(), answer.Header())
	}
}

// What a browser loads is sent compressed to who takes that, under a tag of its
// own, and not again to who has it.
func TestAssetsAreSentCompressed(t *testing.T) {
	assets, err := fs.Sub(files, "assets")
	if err != nil {
		t.Fatal(err)
	}
	all, err := loadAssets(assets)
	if err != nil {
		t.Fatal(err)
	}
	h := assetHandler(all)
	for name := range all {
		plain, zipped := fetch(h, name, "gzip;q=0", ""), fetch(h, name, "br, GZip;q=0.8", "")
		for _, w := range []*httptest.ResponseRecorder{plain, zipped} {
			if w.Code != http.StatusOK || w.Header().Get("Vary") != "Accept-Encoding" || w.Header().Get("Cache-Control") != "no-cache" {
				t.Errorf("%s: status %d, %v", name, w.Code, w.Header())
			}
		}
		if got := plain.Header().Get("Content-Encoding"); got != "" {
			t.Errorf("%s: %s was not asked for", name, got)
		}
		if got := unpacked(t, zipped); got != plain.Body.String() {
			t.Errorf("%s: unpacked it is another one, of %d bytes", name, len(got))
		}
		tags := map[string]string{plain.Header().Get("ETag"): "", zipped.Header().Get("ETag"): "gzip"}
		if zipped.Header().Get("Content-Encoding") == "gzip" && len(tags) != 2 {
			t.Errorf("%s: both forms have the tag %v", name, tags)
		}
		for tag, encoding := range tags {
			if again := fetch(h, name, encoding, tag); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
				t.Errorf("%s asked for again as %q: status %d, %d bytes", name, encoding, again.Code, again.Body.Len())
			}
		}
	}
	if plain, zipped := fetch(h, sheetName, "", "").Body.Len(), fetch(h, sheetName, "gzip", "").Body.Len(); zipped*3 > plain {
		t.Errorf("of %d bytes %d are left", plain, zipped)
	}
	for _, name := range []string{"", "style", "style/base.css", "../page.go"} {
		if w := fetch(h, name, "gzip", ""); w.Code != http.StatusNotFound {
			t.Errorf("%q: status %d", name, w.Code)
		}
	}
}

func fetch(h http.Handler, name, encoding, tag string) *httptest.ResponseRecorder {
	r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
	r.URL.Path = name
	r.Header.Set("Accept-Encoding", encoding)
	r.Header.Set("If-None-Match", tag)
	h.ServeHTTP(w, r)
	return w
}

// unpacked is the body of an answer as the browser uses it.
func unpacked(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	if w.Header().Get("Content-Encoding") != "gzip" {
		return w.Body.String()
	}
	z, err := gzip.NewReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
