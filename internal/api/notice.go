package api

import "net/http"

// NoticeHeader has a warning for every user of the engine, whatever they ask it.
const NoticeHeader = "Stellwerk-Notice"

// Noticing adds the notice, one line of ASCII, to each answer, unless it is empty.
func Noticing(notice func() string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if text := notice(); text != "" {
			w.Header().Set(NoticeHeader, text)
		}
		next.ServeHTTP(w, r)
	})
}
