package redact

import "testing"

// TestWhatAValueLooksLike decides about an assignment to a name of a secret: passwords go, names, paths and prose stay.
func TestWhatAValueLooksLike(t *testing.T) {
	t.Parallel()
	r := New(Options{Rules: NewRuleSet(contextRules())})
	for text, goes := range map[string]bool{
		`password = "Correct-Horse!Battery"`: true, `password = "correct-horse!battery"`: false, `password = "CORRECT!HORSE!BATTERY"`: false, `password = "CorrectHorseBattery"`: false,
		`password = "Correct.Horse-Battery"`: false, `password = "Aa!Aa!Aa!"`: false, `password = "correct4horse"`: true, `password = "44444441"`: false, `password = "aaaaaaa1"`: false,
		"secret_key=/q8Zrt5LkW2Vx7m9BdFg4hJk/PzQ1cY6/nT3s": true, "secret_key=/q8Zrt5LkW2Vx7m9Bd/g/hJk": false, "secret_key=/qazrtaLkWaVxamaBdFgahJk/PzQacYa/nTas": false,
		"secret_key=/q8zrt5lkw2vx7m9bdfg4hjk/pzq1cy6/nt3s": false, "secret_key=/home/me/projects/secret/a1/b2/c3/file": false, "secret_key=/q8Zrt5LkW2": true,
		"token: abc1.def2.ghi3": false, "token: q8Zrt5Lk": true, "token: aaaa1111": false, "token = q8Zrt5Lkw2Vx7m9B": true, "token = q8Zrt5Lkw2Vx7m9": false, "token = someName2InCode": false,
		"token=q8Zrt5Lk": true, "token=aaaaaaa1": false, "token=f(q8Zrt5Lk)": false, "token=0xc0506617": false, "token=0xc0506617c0506617": false, "token=0xc0506617c0506617a": true,
		"token=12345678": false, "token=abcdefgh": false, "token=qwertzu1": true, "token=aabbcde1": true, "token=aabbccd1": false, `token="aabbcde1"`: true, `token="aabbccd1"`: false, `token="12345678"`: false,
		"token = q8Zrt5Lkwabcdefgh": false, "token = q8Zrt5Lkw2VxAmQB": true, "token = a1a1a1a1a1a1a1a1": false, "token: abcdefgh1": true, "token: abcdefghi": false, "token: q8Z!r.t5Lk": true,
		"token=0xzzq8Zrt5Lk": true, "secret_key=/q8ZrtaLkW2VxamaBdFgahJk/PzQ1cYa/nTas": true, "secret_key=/q8ZrtaLkW2VxamaBdFgahJk/PzQacYa/nTas": false,
		"secret_key=/aA1aA1aA1aA1aA1aA1aA1/aA1aA1aA1/aA1aA1": false,
	} {
		if got := r.String(text); (got != text) != goes {
			t.Errorf("%q became %q", text, got)
		}
	}
}
