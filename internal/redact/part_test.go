package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"reflect"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// TestEscapesOneByOne: how long each is, what it stands for, and which of them more input could complete.
func TestEscapesOneByOne(t *testing.T) {
	t.Parallel()
	type one struct {
		r      rune
		size   int
		isByte bool
	}
	none := one{'\\', 1, true}
	for text, want := range map[string]one{
		`\`: none, `\nn`: {'\n', 2, true}, `\rr`: {'\r', 2, true}, `\tt`: {'\t', 2, true}, `\bb`: {'\b', 2, true}, `\ff`: {'\f', 2, true}, `\a`: none, `\Z`: none, `\0`: none,
		`\x41`: {'A', 4, true}, `\xfF1`: {0xff, 4, true}, `\x4`: none, `\x4g`: none, `\u0041`: {'A', 6, false}, `\u004`: none, `\u004g`: none, `\u20aCx`: {'€', 6, false},
		`\ud83d\ude00`: {0x1f600, 12, false}, `\ud83d\u0041`: none, `\ud83dxude00`: none, `\ud83d\xde00`: none, `\ud83d`: none, `\ude00\ud83d`: none,
		`\ x`: {' ', 2, true}, `\~`: {'~', 2, true}, `\"`: {'"', 2, true}, `\\`: {'\\', 2, true}, "\\\x1f": none, "\\\x7f": none, "\\\xc3\xa4": none,
	} {
		if r, size, isByte := unescapeOne([]byte(text)); (one{r, size, isByte}) != want {
			t.Errorf("%q is %q of %d bytes, %v", text, r, size, isByte)
		}
	}
	for text, want := range map[string]bool{
		`\`: true, `%`: true, `%4`: true, `%f`: true, `\x`: true, `\x4`: true, `\u`: true, `\u004`: true, `\ud83d`: true, `\ud83d\`: true, `\ud83d\u`: true, `\ud83d\ude0`: true,
		`%41`: false, `%g`: false, `%4g`: false, `\x41`: false, `\xg`: false, `\u0041`: false, `\u00g`: false, `\n`: false, `\a`: false, `\ud83d\ude00`: false, `\ud83dx`: false,
		`\ud83d\x`: false, `\ud83d\ug`: false, `%x`: false, `\%4`: false,
	} {
		if isUnfinished([]byte(text)) != want {
			t.Errorf("%q is unfinished: %v", text, !want)
		}
	}
	for _, c := range []struct {
		text       string
		at, digits int
		want       rune
		ok         bool
	}{
		{"09", 0, 2, 9, true}, {"0a", 0, 2, 10, true}, {"0f", 0, 2, 15, true}, {"0A", 0, 2, 10, true}, {"0F", 0, 2, 15, true}, {"f0", 0, 2, 240, true}, {"xx41y", 2, 2, 65, true},
		{"0g", 0, 2, 0, false}, {"0G", 0, 2, 0, false}, {"0/", 0, 2, 0, false}, {"0:", 0, 2, 0, false}, {"0@", 0, 2, 0, false}, {"0`", 0, 2, 0, false}, {"xx4", 2, 2, 0, false}, {"", 0, 0, 0, true},
	} {
		if got, ok := parseHex([]byte(c.text), c.at, c.digits); got != c.want || ok != c.ok {
			t.Errorf("%d digits of %q from %d are %d, %v", c.digits, c.text, c.at, got, ok)
		}
	}
}

// TestViewsKnowWhereTheyAreFrom, byte by byte.
func TestViewsKnowWhereTheyAreFrom(t *testing.T) {
	t.Parallel()
	var in view
	for name, c := range map[string]struct {
		text string
		make func(v *view)
		want view
	}{
		"percent": {"a%41+%zz%4", func(v *view) { v.percentDecode(&in, false) }, view{[]byte("aA+%zz"), []int32{0, 1, 4, 5, 6, 7}, []int32{1, 4, 5, 6, 7, 8}}},
		"form":    {"a%41+", func(v *view) { v.percentDecode(&in, true) }, view{[]byte("aA "), []int32{0, 1, 4}, []int32{1, 4, 5}}},
		"escapes": {`a\n\u00e4\q\x4`, func(v *view) { v.unescape(&in) }, view{[]byte("a\nä\\q"), []int32{0, 1, 3, 3, 9, 10}, []int32{1, 3, 9, 9, 10, 11}}},
		"lines":   {"a\n  b\r\n\tcd\n", func(v *view) { v.unwrap(&in) }, view{[]byte("abcd"), []int32{0, 4, 8, 9}, []int32{1, 5, 9, 10}}},
		"source":  {"a\n  b\r\n\tcd\n", func(v *view) { v.unwrapSource([]byte("a\n  b\r\n\tcd\n")) }, view{[]byte("abcd"), []int32{0, 4, 8, 9}, []int32{1, 5, 9, 10}}},
		"shown":   {"a\u200bb\x1b[31mc\rd", func(v *view) { v.reveal([]byte("a\u200bb\x1b[31mc\rd")) }, view{[]byte("abc\rd"), []int32{0, 4, 10, 11, 12}, []int32{1, 5, 11, 12, 13}}},
	} {
		in.identity([]byte(c.text))
		var got view
		got.add('x', 7, 8) // what was there before does not count
		if c.make(&got); !bytes.Equal(got.text, c.want.text) || !slices.Equal(got.from, c.want.from) || !slices.Equal(got.to, c.want.to) {
			t.Errorf("%s: %q from %v to %v", name, got.text, got.from, got.to)
		}
	}
	var v view
	v.unwrapSource([]byte("ab\n  cd"))
	for _, c := range []struct {
		start, end int
		want       bool
	}{{0, 4, true}, {0, 2, false}, {2, 4, false}, {1, 3, true}, {1, 2, false}, {0, 3, true}} {
		if v.hasBreak(c.start, c.end) != c.want {
			t.Errorf("between %d and %d is a line end: %v", c.start, c.end, !c.want)
		}
	}
	if v.endsInBreak(7) || !v.endsInBreak(8) || (&view{}).endsInBreak(1) {
		t.Error("it ends with a line where it does not, or does not where it does")
	}
	found, begun := v.inSource([]span{{start: 1, end: 3, name: "n", rank: 4}}, 2, 9)
	if want := []span{{start: 1, end: 6, name: "n", rank: 4}}; !reflect.DeepEqual(found, want) || begun != 5 {
		t.Errorf("in the source they are %+v, and %d", found, begun)
	}
	if _, begun := v.inSource(nil, 4, 9); begun != 9 {
		t.Errorf("nothing begins at %d", begun)
	}
	for text, want := range map[string]int{"": 0, "a\n": 0, " \n": 0, "\n": 1, "\r": 1, "\n \t\r\nx": 5} {
		if got := breakLength([]byte(text)); got != want {
			t.Errorf("%q begins with %d bytes of a line end", text, got)
		}
	}
	if got := patternsOf(Secret{Value: "a\n  b\r\n"})[0]; string(got.head) != "ab" || !got.hasBreaks {
		t.Errorf("unwrapped is %q", got.head)
	}
	for text, want := range map[string]int{"\x1b[31mX": 5, "\x1b[": 2, "\x1b": 1, "\x1bM x": 2, "\x1b[@x": 3, "\x1b[~x": 3, "\x1b[\x7fmx": 4, "\x1b[?mx": 4, "\u200bx": 3, "\xe2\x80": 2, "a": 0, "\r": 0, "\xff": 0, "ä": 0} {
		if got := hiddenLength([]byte(text)); got != want {
			t.Errorf("%d bytes of %q are not seen", got, text)
		}
	}
}

// TestHowSpansAreJoined: in their order, each text once, by the better name, and never within a marker.
func TestHowSpansAreJoined(t *testing.T) {
	t.Parallel()
	r := New(Options{Secrets: []Secret{{Name: "S", Value: "swordfish"}}, Rules: NewRuleSet(nil)})
	one := func(start, end, rank int, name string) span {
		return span{start: start, end: end, rank: rank, name: name}
	}
	for name, c := range map[string]struct {
		given, want []span
	}{
		"sorted":             {[]span{one(5, 6, 1, "b"), one(1, 2, 1, "a")}, []span{one(1, 2, 1, "a"), one(5, 6, 1, "b")}},
		"side by side":       {[]span{one(1, 3, 1, "a"), one(3, 5, 1, "b")}, []span{one(1, 3, 1, "a"), one(3, 5, 1, "b")}},
		"one over another":   {[]span{one(1, 4, 1, "a"), one(3, 6, 1, "b")}, []span{one(1, 6, 1, "a")}},
		"one in another":     {[]span{one(1, 9, 1, "a"), one(3, 6, 0, "b")}, []span{one(1, 9, 1, "a")}},
		"the longer":         {[]span{one(1, 3, 0, "a"), one(1, 5, 1, "b")}, []span{one(1, 5, 1, "b")}},
		"the first rule":     {[]span{one(1, 5, 2, "a"), one(1, 5, 1, "b")}, []span{one(1, 5, 1, "b")}},
		"the exact":          {[]span{one(1, 5, 1, "a"), one(2, 3, exactRank, "S"), one(4, 6, 1, "c")}, []span{one(1, 6, exactRank, "S")}},
		"the earlier exact":  {[]span{one(1, 5, exactRank, "S"), one(2, 6, exactRank, "T")}, []span{one(1, 6, exactRank, "S")}},
		"within a marker":    {[]span{one(20, 32, 1, "a"), one(21, 25, 1, "b"), one(31, 32, 1, "c")}, nil},
		"out of a marker":    {[]span{one(19, 22, 1, "a")}, []span{one(19, 22, 1, "a")}},
		"over its end":       {[]span{one(31, 33, 1, "a")}, []span{one(31, 33, 1, "a")}},
		"behind it":          {[]span{one(32, 33, 1, "a")}, []span{one(32, 33, 1, "a")}},
		"in no marker of us": {[]span{one(45, 48, 1, "a")}, []span{one(45, 48, 1, "a")}},
	} {
		text := []byte("01234567890123456789[redacted:S] x[redacted:other] [redacted:S")
		if got := r.merge(text, slices.Clone(c.given)); len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: they are %+v, want %+v", name, got, c.want)
		}
	}
	if got := r.markerSpans([]byte("[redacted:S][redacted:[redacted:S]x[redacted:S[redacted:private-key]")); !reflect.DeepEqual(got, []span{{start: 0, end: 12}, {start: 22, end: 34}, {start: 46, end: 68}}) {
		t.Errorf("its markers are %+v", got)
	}
}

// TestWhatReadsLikeASecret, and what reads like a word, a name or a computation: on both sides of each bound.
func TestWhatReadsLikeASecret(t *testing.T) {
	t.Parallel()
	b64 := base64.StdEncoding.EncodeToString
	long := "abcdefghijklmnopqrstuvwxyz"
	for what, c := range map[string]struct {
		is      func(value string) bool
		yes, no []string
	}{
		"random": {func(v string) bool { return isRandom([]byte(v)) },
			[]string{"abcdefg1", "ABCDEFG1", long[:12] + "ABCDEFGHIJKL", long[:5] + strings.ToUpper(long[:19]), long[:19] + "ABCDE"},
			[]string{"", "abcdefgh", "12345678", "abcdef1a", "aaaaaaa1", long[:12] + "ABCDEFGHIJK", long[:4] + strings.ToUpper(long[:20]), long[:20] + "ABCD", strings.Repeat("abcdeABCDE", 3)}},
		"a placeholder": {func(v string) bool { return isPlaceholder([]byte(v)) },
			[]string{"$X", "{{x}}", "<x>", "%(x)s", "%s1", "%v1", "***a", "xxxa", "XXXa", "...a", "aaaa", "q8EXAMPLE", "q8EXAMPLEKEY", "q[redacted:x]"}, []string{"x$", "x{{", "%d", "**a", "xxa", "..a", "aaab", "EXAMPLEx", "q8"}},
		"a short number": {func(v string) bool { return isShortNumber([]byte(v)) }, []string{"0x1", "0x", "0x1234567890abcdef", "0x_1234_5678_90ab_cdef", "0x1234567zz"}, []string{"1234", "0xzz", "0x123456z", "0x1234567890abcdef1", "x0x1"}},
		"a name":         {func(v string) bool { return isDotted([]byte(v)) }, []string{"a.b/c-d:e_f9", "ä9", "_", ".x"}, []string{"9a", "a b", "a+b", "a=b", "a!"}},
		"a word for a password": {func(v string) bool { return isPasswordWord([]byte(v)) },
			[]string{"", "abc", "äöü", "password", "Password1234", "p%40ssword", "p@ssword", "my-password", "yourpass", "the_secret", "dbpw1", "username", "opensesame", "1234", "ab%20", "changeme", "example", "user-token", "foo1"},
			[]string{"abcd", "äöüß", "password12345", "hunter2", "12345", "passwords", "xpassword", "passwordmy", "pp%4", "p%4x"}},
		"another thing's name": {func(v string) bool { return namesOther([]byte(v)) }, []string{"Name", "_names", "Type", "_file", "PATH", "url", "URI", "prefix"}, []string{"", "named", "x", "urlx"}},
		"its own name":         {func(v string) bool { return isNamesake([]byte(v), []byte("PrivateKey")) }, []string{"testP256PrivateKey", "privatekey", long[:12] + "privatekey", "PRIVATEKEYtest1"}, []string{"a1b2privatekey", long[:13] + "privatekey", "private key", "other", "my private key=privatekey", "x!privatekey"}},
		"computed":             {func(v string) bool { return isExpression([]byte(v), false) }, []string{"size+5", "size*2)", "size/other", "5%size", "a.size+b.size"}, []string{"abc+5", "size", "5+6", "size2+5", "si ze+5", "size+5a", "a+b"}},
		"joined":               {func(v string) bool { return isExpression([]byte(v), true) }, []string{"+cmd.Dir", "+size+5"}, []string{"cmd.Dir", "+abc", "+5", "size+other"}},
		"text in base64":       {func(v string) bool { return decodeText([]byte(v)) != nil }, []string{b64([]byte("user:pass")), b64([]byte(" ~")), "fn5-", strings.TrimRight(b64([]byte("a")), "=")}, []string{"", "====", "!!!!", b64([]byte("a\x1f")), b64([]byte("a\x7f")), "A"}},
		"credentials":          {func(v string) bool { return basicCredentials(Match{Secret: []byte(b64([]byte(v)))}) }, []string{"user:pw", "u:p", "u::"}, []string{":pw", "user:", "userpw", ":"}},
		"basic": {func(v string) bool { return isBasic([]byte(v)) }, []string{b64([]byte("me:q8Zrt5Lk")), b64([]byte("q8Zrt5LkW2Vx")), "q8Zrt5LkW2Vx7m9BdFg4hJkPz/+Q"},
			[]string{b64([]byte("me:password")), b64([]byte("just some words")), "Q" + b64([]byte("2 words, here I am now")), "Qx" + b64([]byte("2 words, here I am now")), "Qxy" + b64([]byte("2 words, here I am now")), "abcdefgh"}},
		"within base64": {func(v string) bool { return isWithinBase64([]byte(v)) }, []string{"!" + long[:16] + "+", " " + long[:14] + "+/+", long[:16] + "+"}, []string{"", long[:15] + "+", long[:20], long[:16] + "/", "abcd-" + long[:14] + "+", "+", "a-" + long[:15] + "+"}},
	} {
		for want, values := range map[bool][]string{true: c.yes, false: c.no} {
			for _, v := range values {
				if c.is(v) != want {
					t.Errorf("%q is %s: %v", v, what, !want)
				}
			}
		}
	}
	for text, want := range map[string]float64{"": 0, "aaaa": 0, "ab": 1, "abcd": 2, "aabb": 1} {
		if got := entropy([]byte(text)); got != want {
			t.Errorf("the entropy of %q is %v", text, got)
		}
	}
	if got, want := classesOf([]byte("aB1 2_33az09AZ")), (classes{lower: 3, upper: 3, digits: 6, symbols: 2, digitRuns: 4}); got != want || got.letters() != 6 {
		t.Errorf("it has %+v, want %+v", got, want)
	}
	for _, c := range []struct {
		part, quote string
		want        int
	}{
		{`"ab&cd" x`, `"`, 6}, {`"ab&cd" x`, "", 3}, {`"ab.cd" x`, `"`, 3}, {`"ab& cd"`, `"`, 3}, {`"ab&cd'`, `"`, 3}, {`"ab;cd'`, `\'`, 6}, {`"ab`, `"`, 3}, {`"ab|c,d" x`, `"`, 7},
		{`"ab,` + strings.Repeat("x", 254) + `"`, `"`, 258}, {`"ab,` + strings.Repeat("x", 255) + `"`, `"`, 3},
	} {
		if got := endOfQuoted([]byte(c.part), 3, []byte(c.quote)); got != c.want {
			t.Errorf("%.20q in %q ends at %d, want %d", c.part, c.quote, got, c.want)
		}
	}
}

// TestTheFormsOfAValue, and how far each of them reaches.
func TestTheFormsOfAValue(t *testing.T) {
	t.Parallel()
	for shift, want := range []pattern{
		{head: []byte("c3dvcmRma"), rest: []byte{}, mixedAfter: true}, {head: []byte("N3b3JkZm"), rest: []byte{}, mixedBefore: true, mixedAfter: true}, {head: []byte("zd29yZGZp"), rest: []byte{}, mixedBefore: true},
	} {
		if got := base64Pattern("", base64.RawStdEncoding, "swordfi", shift); !reflect.DeepEqual(got, want) {
			t.Errorf("shifted by %d it is %+v, want %+v", shift, got, want)
		}
	}
	if got, want := newPattern("n", strings.Repeat("x", headLength)+"y"), (pattern{name: "n", head: bytes.Repeat([]byte("x"), headLength), rest: []byte("y")}); !reflect.DeepEqual(got, want) || got.size() != headLength+1 {
		t.Errorf("it is %+v, want %+v", got, want)
	}
	line := "q8Zrt5LkW2Vx7m9BdFg4hJkPzQ1cY6nT"
	for value, want := range map[string][]string{
		line: nil, line + "\nx": {line}, "x\n  " + line + "\r": {line}, line[1:] + "\nx": nil, "a b" + line + "\nx": nil, "a\t" + line + "\nx": nil, strings.Repeat("ab", 20) + "\nx": nil, line + "\n" + line + "x": {line, line + "x"},
	} {
		if got := keyLines(value); !slices.Equal(got, want) {
			t.Errorf("secret lines of %q are %q", value, got)
		}
	}
	merged := dedupe([]pattern{{head: []byte("a")}, {head: []byte("b"), mixedAfter: true}, {head: []byte("a"), mixedBefore: true}, {head: []byte("b")}, {head: []byte("a"), mixedAfter: true}, {head: []byte("a")}})
	if want := []pattern{{head: []byte("a"), mixedBefore: true, mixedAfter: true}, {head: []byte("b"), mixedAfter: true}}; !reflect.DeepEqual(merged, want) {
		t.Errorf("without repetitions they are %+v", merged)
	}
	if (&pattern{head: make([]byte, 15)}).allowsBreaks() || !(&pattern{head: make([]byte, 10), rest: make([]byte, 6)}).allowsBreaks() || !(&pattern{hasBreaks: true}).allowsBreaks() {
		t.Error("a short value is found in two lines, or a long one is not")
	}
	for _, c := range []struct {
		p          pattern
		text       string
		start, end int
	}{
		{pattern{}, "xABx==", 1, 3}, {pattern{mixedBefore: true}, "xABx==", 0, 3}, {pattern{mixedBefore: true}, " AB==", 1, 5}, {pattern{mixedAfter: true}, "xABx===", 1, 6}, {pattern{mixedAfter: true}, "xAB x", 1, 3},
		{pattern{mixedAfter: true}, "xAB", 1, 3}, {pattern{mixedBefore: true, mixedAfter: true}, "xABx=", 0, 5},
	} {
		if start, end := c.p.widen([]byte(c.text), 1, 3); start != c.start || end != c.end {
			t.Errorf("%+v in %q goes from %d to %d", c.p, c.text, start, end)
		}
	}
	if start, _ := (&pattern{mixedBefore: true}).widen([]byte("AB"), 0, 2); start != 0 {
		t.Error("it begins before the text")
	}
	values := []Secret{{Name: "A", Value: "two words"}, {Name: "B", Value: "swordfish-and-a-half"}, {Name: "C", Value: "pepper"}}
	for range 3 {
		r := New(Options{Secrets: values, Rules: NewRuleSet(nil)})
		if got := r.String("x=two+words&y=swordfish-and-a-half&z=pepper"); got != "x=[redacted:A]&y=[redacted:B]&z=[redacted:C]" {
			t.Errorf("with %v: %q", values, got)
		}
		if want := 2 * len("swordfish-and-a-half"); r.exact.longest != want || r.exact.reach() != 16*want+4096 {
			t.Errorf("the longest form has %d bytes", r.exact.longest)
		}
		values = append(values[1:], values[0])
	}
}

// TestWhereAValueMayBegin at the end of a text, however long that is.
func TestWhereAValueMayBegin(t *testing.T) {
	t.Parallel()
	e := newExact([]Secret{{Name: "S", Value: "swordfish-and-a-half"}})
	for _, before := range []int{0, 3, segmentSize + 100} {
		text := strings.Repeat(".", before)
		for rest, want := range map[string]int{
			"": before, "swordfish-and-a-hal": before, "sw": before, "swordfish-and-a-half": before + 20, "swordfish-and-a-half.": before + 21, "sworn": before + 5, "swor\n": before, "swo\n": before + 4, "swo": before,
			"c3dvcmRmaXNoLWFuZC1hLWhhbG": before, "c3dvcmRmaXNoLWFuZC1hLWhhbGY": before, "c3dvcmRmaXNoLWFuZC1hLWhhbGY=....": before + 32,
		} {
			_, pending := e.find([]byte(text+rest), new(viewBuffers))
			if pending != want {
				t.Errorf("behind %d bytes, in %q: from %d, want %d", before, rest, pending-before, want-before)
			}
		}
	}
	if spans, pending := newExact(nil).find([]byte("text"), new(viewBuffers)); spans != nil || pending != 4 {
		t.Errorf("of no values are found %v, %d", spans, pending)
	}
}

// TestHowFarSomethingEncodedGoes: to the line that is no part of it, and to the end of a token that was wrapped.
func TestHowFarSomethingEncodedGoes(t *testing.T) {
	t.Parallel()
	ofLines := func(most int) func([]byte) bool {
		return func(b []byte) bool { return bytes.Count(b, []byte("\n")) < most }
	}
	line := strings.Repeat("A", 40)
	for _, c := range []struct {
		found string
		most  int // lines that hold a secret together
		want  int
	}{
		{line + "\nshort", 2, 46}, {line + "\nshort", 1, 40}, {line + "\nshort", 0, 0}, {line + "\n" + line[:15], 1, 40}, {line + "\n" + line[:16], 1, 0}, {line, 1, 40}, {line, 0, 0},
		{line + "\n" + line + " \r\n  short", 2, 81}, {line + "\n" + line + "\nshort", 1, 0},
	} {
		if got := encodedExtent(ofLines(c.most))([]byte(c.found)); got != c.want {
			t.Errorf("%q goes to %d, want %d", c.found, got, c.want)
		}
	}
	const digits = "q8Zrt5LkW2Vx7m9BdFg4hJkPzQ1cY6nT3s0wE5rU"
	for found, want := range map[string]int{
		"sk-ant-" + digits[:25]: 0, "sk-ant-" + digits[:25] + "\n" + digits[25:33]: 41, "sk-ant-" + digits[:24] + "\n" + digits[25:33]: 0, "sk-ant-" + digits[:25] + "\n" + digits[25:32]: 0,
		"sk-ant-" + digits[:25] + "\nabcdefgh": 0, "sk-ant-" + digits[:10] + "\n" + digits[10:25] + "\ncontinue": 33, "sk-ant-" + digits[:10] + "\n" + digits[10:25] + "\n" + digits[25:35]: 44,
		"sk-ant-" + digits[:10] + "\n" + digits[10:15]: 0, "sk-ant-abcdefghij\nklmnopqrst": 0, "sk-ant-" + digits[:10] + " \n > " + digits[10:25]: 37,
	} {
		if got := wrappedExtent([]byte(found)); got != want {
			t.Errorf("%q goes to %d, want %d", found, got, want)
		}
	}
	for token, want := range map[string]bool{"ghp_" + digits[:36]: true, "x-ghp_" + digits[:36]: false, "ghp_" + digits[:36] + "-": false, "ghp_" + digits[:35]: false} {
		if isWhole([]byte(token)) != want {
			t.Errorf("%s is whole: %v", token, !want)
		}
	}
	const key = "PRIV" + "ATE KEY-----"
	for text, want := range map[string]bool{
		"x -----BEGIN " + key: true, "-----END " + key + "\n-----BEGIN CERTIFICATE-----": false, "-----BEGIN CERTIFICATE-----": false, "x ghp_" + digits[:36]: true, "plain": false,
	} {
		if holdsSecret([]byte(text)) != want {
			t.Errorf("%q has a secret in it: %v", text, !want)
		}
	}
	secret := []byte("???>>> ghp_" + digits[:36] + " ???>>>")
	for shift := range 5 {
		for name, enc := range map[string]*base64.Encoding{"standard": base64.RawStdEncoding, "for URLs": base64.RawURLEncoding} {
			if text := strings.Repeat("x", shift) + enc.EncodeToString(secret); !holdsBase64([]byte(text)) {
				t.Errorf("in base64, %s, behind %d digits, it is not seen: %s", name, shift, text)
			}
		}
		if text := strings.Repeat("0", shift) + hex.EncodeToString(secret); !holdsHex([]byte(text)) {
			t.Errorf("in hexadecimal, behind %d digits, it is not seen", shift)
		}
	}
	for text, want := range map[string]string{"AB\nCD": "ABCD", `AB\nCD`: "ABCD", `AB\\nCD`: "ABCD", `AB\`: "AB", "A=B -_": "AB-_", "": ""} {
		if got := string(digitsOf([]byte(text))); got != want {
			t.Errorf("the digits of %q are %q", text, got)
		}
	}
}

// TestPatternsOfEveryByte have no column left for others.
func TestPatternsOfEveryByte(t *testing.T) {
	t.Parallel()
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, n := range []int{254, 255, 256} {
		a := newAutomaton([][]byte{all[256-n:], all[250:253]}, false)
		var got [][2]int
		depth := a.scan(append(slices.Clone(all), all[250:252]...), func(pattern, end int) { got = append(got, [2]int{pattern, end}) })
		if want := [][2]int{{1, 253}, {0, 256}}; !reflect.DeepEqual(got, want) || depth != 2 {
			t.Errorf("of %d different bytes: found are %v, %d are begun", n, got, depth)
		}
	}
	a := newAutomaton([][]byte{[]byte("az")}, true)
	for text, want := range map[string]int{"az": 1, "AZ": 1, "aZ": 1, "Az az": 2, "a{": 0, "`z": 0, "@z": 0, "a[": 0} {
		n := 0
		if a.scan([]byte(text), func(int, int) { n++ }); n != want {
			t.Errorf("in %q it is found %d times", text, n)
		}
	}
}

// TestWhatAPatternCannotDoWithout is never missing where it matches, and says of other text that it cannot.
func TestWhatAPatternCannotDoWithout(t *testing.T) {
	t.Parallel()
	for pattern, texts := range map[string]map[string]bool{
		"x[0-9]{3}": {"x12": false, "x123": true, "1x2x3x": false, "123": false}, "(?:ab|c)[d-f]+": {"d": false, "cd": true, "cf": true}, "(?i)key[0-9]{2}": {"KEY12": true, "key1": false},
		"[a-c]{2,}": {"ab": true, "a.b": false}, "[0-9]*": {"": true}, "(?:x[0-9]{4}|y[0-9]{2})": {"y12": true, "y1": false}, "(?:x|y?)": {"": true}, "é{1}[0-9]{2}": {"é12": true, "1é2": false}, "(q)": {"q": true, "": false},
		"[0-9]{2}[a-z]{2}": {"12ab": true, "ab": false},
	} {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range texts {
			if possible([]byte(text), needsOf(tree)) != want {
				t.Errorf("%s may match %q: %v", pattern, text, !want)
			}
		}
	}
}
