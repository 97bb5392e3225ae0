package forgetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Reply writes a JSON answer, as doubles of forges do.
func Reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// Page cuts a list to the page that a request asks for and names the next and
// the last in the header Link. Size is the name of the parameter that asks for
// how many, usual and most how many there are without it and at the most.
func Page[T any](w http.ResponseWriter, r *http.Request, all []T, size string, usual, most int) []T {
	query := r.URL.Query()
	page, per := number(query.Get("page"), 1), min(number(query.Get(size), usual), most)
	last := max(1, (len(all)+per-1)/per)
	link := func(page int, rel string) string {
		query.Set("page", strconv.Itoa(page))
		return fmt.Sprintf(`<http://%s%s?%s>; rel=%q`, r.Host, r.URL.Path, query.Encode(), rel)
	}
	if page < last {
		w.Header().Set("Link", strings.Join([]string{link(page+1, "next"), link(last, "last")}, ", "))
	} else if page > 1 {
		w.Header().Set("Link", strings.Join([]string{link(page-1, "prev"), link(1, "first")}, ", "))
	}
	from := min((page-1)*per, len(all))
	return all[from:min(from+per, len(all))]
}

func number(text string, otherwise int) int {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		return n
	}
	return otherwise
}
