package browser

import "testing"

// TestAnAnswerThatComesLate: the page has shown what follows a word before that word is answered. Who spoke knows that what they looked
// at is over, so the next decision on the page is free.
func TestAnAnswerThatComesLate(t *testing.T) {
	t.Parallel()
	s := &showcase{engine: newEngine(t)}
	s.repository("rocket")
	s.cli("rocket", "run", "Greet people", "--playbook", "project", "--base", "main", "--trust", "--detach")
	run := s.alias("greet-people")
	s.reaches(run, "plan", "awaiting_approval")
	ada := newPerson(chromium(t), t, desk)
	ada.signIn(s.engine)
	ada.open(s.URL + "/runs/" + run)
	ada.live()
	ada.text(`(() => {
		const real = window.fetch;
		window.fetch = async (where, how) => {
			const answer = await real(where, how);
			if (how?.method !== "POST") return answer;
			while (document.querySelector('form[action$="/approve"]')) await new Promise(requestAnimationFrame);
			window.late = true;
			return answer;
		};
	})()`)
	ada.press("#gate", "Approve")
	ada.wait("it is answered late", `window.late`)
	s.atWork(ada)()
	ada.sees("Approve and publish")
	ada.press("#gate", "Approve and publish")
	s.reaches(run, "", "awaiting_review")
}
