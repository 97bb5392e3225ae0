package browser

import (
	"slices"
	"strings"
	"testing"
)

// Whatever an agent or a repository writes is shown and not obeyed, on every page
// that links lead to, under the policy that the engine really sends.
func TestHostileContent(t *testing.T) {
	t.Parallel()
	s := &showcase{engine: newEngine(t)}
	s.repository("hostile")
	const title = `<img src=x onerror="window.hacked='title'"><script>window.hacked='title'</script>`
	s.cli("hostile", "run", title+"\n\n[goal](javascript:window.hacked=1) <svg onload=window.hacked=1>", "--base", "main", "--trust", "--detach")
	run := s.statuses()[0].Alias
	s.reaches(run, "", "awaiting_approval")
	p := newPerson(chromium(t), t, phone)
	p.signIn(s.engine)
	p.sees(`<img src=x onerror="window.hacked='title'">`)

	// Everything that can be reached from here, once; what is downloaded is not opened.
	seen, next := map[string]bool{}, []string{"/", "/inbox", "/projects/hostile", "/projects/hostile/new", "/runs/" + run}
	for len(next) > 0 && len(seen) < 60 {
		address := next[0]
		next = next[1:]
		if seen[address] {
			continue
		}
		seen[address] = true
		p.open(s.URL + address)
		p.text(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`)
		p.healthy()
		links := p.text(`[...document.querySelectorAll("main a[href]:not([download])")].map((a) => a.getAttribute("href")).join("\n")`)
		for link := range strings.Lines(links) {
			link, _, _ = strings.Cut(strings.TrimSpace(link), "#")
			if strings.HasPrefix(link, "javascript:") || strings.HasPrefix(link, "data:") {
				t.Errorf("%s leads to %s", address, link)
			}
			if strings.HasPrefix(link, "/runs/"+run) && !strings.Contains(link, "/raw") && !strings.Contains(link, "at=") && !strings.Contains(link, "c=") && !slices.Contains(next, link) {
				next = append(next, link)
			}
		}
	}
	for _, page := range []string{"/changes", "/timeline", "/effects", "/tasks/", "/transcript", "/view"} {
		if !slices.ContainsFunc(keys(seen), func(address string) bool { return strings.Contains(address, page) }) {
			t.Errorf("no page %s was reached: %v", page, keys(seen))
		}
	}
}

func keys(m map[string]bool) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
