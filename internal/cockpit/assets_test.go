package cockpit

import (
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
	h := assetHandler(assets, sheet)
	ask := func(tag string) *httptest.ResponseRecorder {
		r, w := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		r.URL.Path = sheetName
		r.Header.Set("If-None-Match", tag)
		h.ServeHTTP(w, r)
		return w
	}
	first := ask("")
	if first.Code != http.StatusOK || first.Body.String() != string(sheet) || !strings.HasPrefix(first.Header().Get("Content-Type"), "text/css") {
		t.Errorf("status %d, %d bytes, %v", first.Code, first.Body.Len(), first.Header())
	}
	if again := ask(first.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("asked again: status %d, %d bytes", again.Code, again.Body.Len())
	}
}
