package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
)

// TestLinesOfKeysOneByOne: where they end, which part of them is a body, and what may stand between them.
func TestLinesOfKeysOneByOne(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 0, "A": 1, "z": 1, "9": 1, "+": 1, "/": 1, "=": 1, "-": 0, "_": 0, " ": 0, `\/`: 2, `\\/`: 3, `\=`: 2, `\A`: 0, `\u002bx`: 6, `\u0041`: 0, `\`: 0,
		strings.Repeat(`\`, maxEscape+1) + "/": maxEscape + 2, strings.Repeat(`\`, maxEscape+2) + "/": 0,
	} {
		if digit, got := digitAt([]byte(text)); got != want || (digit == 0) != (want == 0) {
			t.Errorf("%q begins with the digit %q of %d bytes", text, digit, got)
		}
	}
	if size, digits := digitRun([]byte(`AB\/C-D`), 99); size != 5 || digits != 4 || digitsIn([]byte(`AB C\/=`)) != 5 {
		t.Errorf("%d digits in %d bytes", digits, size)
	}
	if size, digits := digitRun([]byte("ABCD"), 2); size != 2 || digits != 2 {
		t.Errorf("%d digits in %d bytes", digits, size)
	}
	for text, want := range map[string][2]int{
		"ab\ncd": {2, 3}, "ab\r\n": {2, 3}, `ab\ncd`: {2, 4}, `ab\rcd`: {2, 4}, `ab\\ncd`: {2, 5}, `ab\x`: {4, 4}, `ab\`: {3, 3}, "ab": {2, 2}, `a\tb\n`: {4, 6}, `a\\tn`: {5, 5}, "": {0, 0},
	} {
		if end, next := lineEnd([]byte(text), 0); end != want[0] || next != want[1] {
			t.Errorf("%q ends at %d, and the next begins at %d", text, end, next)
		}
	}
	if end, next := lineEnd([]byte("ab\ncd"), 3); end != 5 || next != 5 {
		t.Errorf("the second line ends at %d, and the next begins at %d", end, next)
	}
	for text, want := range map[string]int{"": 0, "a": 0, "a\n": 1, "\r": 1, `a\n`: 2, `a\\n`: 3, "n": 0, "an": 0, `\t`: 0, `\r`: 2, `\\\n`: 4} {
		if got := breakBefore([]byte(text)); got != want {
			t.Errorf("%q ends with %d bytes of a line end", text, got)
		}
	}
	for _, c := range []struct {
		text        string
		from, until int
		start, end  int
	}{{"ab\ncd\n", 0, 6, 3, 5}, {"ab\n\ncd", 0, 4, 0, 2}, {"ab\ncd\n", 4, 6, 4, 5}, {`ab\ncd\n`, 0, 8, 4, 6}, {"\n\n", 0, 2, 0, 0}, {"ab", 0, 2, 0, 2}} {
		if start, end := lineBefore([]byte(c.text), c.from, c.until); start != c.start || end != c.end {
			t.Errorf("before %d in %q is the line from %d to %d", c.until, c.text, start, end)
		}
	}
	run := "ABCDEFGHIJKLMNOP"
	for line, want := range map[string][2]int{
		run: {0, 16}, run[:15]: {0, 0}, "  " + run + " ": {2, 18}, run + " " + run: {0, 33}, run + " " + strings.Repeat("!", 15): {0, 16}, run + " " + strings.Repeat("!", 16): {0, 0},
		"!" + run[:12] + " " + run: {14, 30}, run + " " + run[:15]: {0, 16},
	} {
		if first, last := bodyOf([]byte(line)); first != want[0] || last != want[1] {
			t.Errorf("the body of %q is from %d to %d", line, first, last)
		}
	}
	for _, c := range []struct {
		line          string
		indent, width int
		first, last   int
	}{
		{"  AB==", 2, 64, 2, 6}, {"  AB==", 2, 4, 2, 6}, {"  AB==", 2, 3, 0, 0}, {"AB==", 2, 64, 2, 4}, {"AB", 2, 64, 0, 2}, {" AB", 3, 64, 1, 3}, {"  AB, ;+", 2, 64, 2, 4}, {"  AB x", 2, 64, 0, 0},
		{`  AB" x`, 2, 64, 2, 4}, {`  AB\" x`, 2, 64, 2, 4}, {"  AB' x", 2, 64, 2, 4}, {"  AB` x", 2, 64, 2, 4}, {`  AB\`, 2, 64, 2, 4}, {"", 0, 64, 0, 0}, {"  ", 1, 64, 0, 0}, {"-AB", 0, 64, 0, 0},
	} {
		if first, last := tailOf([]byte(c.line), c.indent, c.width); first != c.first || last != c.last {
			t.Errorf("the tail of %q behind %d is from %d to %d", c.line, c.indent, first, last)
		}
	}
	for line, want := range map[string]bool{
		"": true, "   ": true, "> 12": true, "12a": false, "DEK-Info: AES": true, "Proc-Type: 4,X": true, "a b: c": false, "word": false, "Name:x": false, "- '\"`,;\\": true,
		"N: " + strings.Repeat("x", 196): true, "N: " + strings.Repeat("x", 197): false, "1/": false, "1:": false,
	} {
		if isFiller([]byte(line)) != want {
			t.Errorf("%q may stand between the lines of a key: %v", line, !want)
		}
	}
	if !isBetween(bytes.Repeat([]byte(" "), 512)) || isBetween(bytes.Repeat([]byte(" "), 513)) {
		t.Error("more or less than 512 bytes may stand between two bodies")
	}
	for _, c := range "\"'`{}[]<>" {
		if isBetween([]byte{' ', byte(c)}) {
			t.Errorf("%q may stand between two bodies", c)
		}
	}
}

// TestWhereAKeyBegins: by its first line, by its last, and by what the first digits of its body stand for.
func TestWhereAKeyBegins(t *testing.T) {
	t.Parallel()
	const what = "PRIV" + "ATE KEY"
	begin, end := "-----BEGIN "+what+"-----", "-----END "+what+"-----"
	for text, want := range map[string]mark{
		"x " + begin + " y": {start: 2, end: 2 + len(begin), line: 2}, end: {end: len(end), isEnd: true}, "---- BEGIN SSH2 " + what + " ----": {end: len("---- BEGIN SSH2  ----") + len(what)},
		"BEGIN " + what + "-----": {}, "-----BEGIN " + what: {}, "-----BEGIN " + what + "--": {}, "-- OTHER " + what + "---": {}, "-----BEGIN PUBLIC KEY-----": {},
		"-----BEGIN " + what + strings.Repeat(" ", 13) + "---": {end: 11 + len(what) + 16}, "-----BEGIN " + what + strings.Repeat(" ", 14) + "---": {},
		"-----BEGIN" + strings.Repeat(" ", 41) + what + "-----": {end: 51 + len(what) + 5}, "-----BEGIN" + strings.Repeat(" ", 42) + what + "-----": {},
		"x Private-Lines: 4": {start: 2, end: 17, line: 2},
	} {
		if got, ok := newMarkReader([]byte(text)).after(0); got != want || ok != (want != mark{}) {
			t.Errorf("%q has the mark %+v, %v", text, got, ok)
		}
	}
	both := []byte(begin + "\n" + end)
	if got, ok := newMarkReader(both).after(12); !ok || !got.isEnd || got.start != len(begin)+1 {
		t.Errorf("behind the first is %+v, %v", got, ok)
	}
	if got, ok := newMarkReader(both).after(len(both)); ok {
		t.Errorf("behind the last is %+v", got)
	}
	for _, c := range []struct {
		der  []byte
		want int
	}{
		{[]byte{0x30, 40, 2, 1, 0, 0x30}, 42}, {[]byte{0x30, 39, 2, 1, 0, 0x30}, 0}, {[]byte{0x31, 40, 2, 1, 0, 0x30}, 0}, {[]byte{0x30, 40, 3, 1, 0, 0x30}, 0}, {[]byte{0x30, 40, 2, 2, 0, 0x30}, 0},
		{[]byte{0x30, 40, 2, 1, 1, 2}, 42}, {[]byte{0x30, 40, 2, 1, 2, 2}, 0}, {[]byte{0x30, 40, 2, 1, 0, 4}, 42}, {[]byte{0x30, 40, 2, 1, 0, 3}, 0},
		{[]byte{0x30, 0x81, 200, 2, 1, 0, 0x30}, 203}, {[]byte{0x30, 0x81, 39, 2, 1, 0, 0x30}, 0}, {[]byte{0x30, 0x82, 1, 2, 2, 1, 0, 2}, 262},
		{[]byte{0x30, 0x82, 0x80, 0, 2, 1, 0, 2}, keyReach/2 + 4}, {[]byte{0x30, 0x82, 0x80, 1, 2, 1, 0, 2}, 0},
	} {
		text := base64.StdEncoding.EncodeToString(append(c.der, make([]byte, 9-len(c.der))...))
		want := 0
		if c.want > 0 {
			want = base64.StdEncoding.EncodedLen(c.want)
		}
		if got := keyDigits([]byte(text)); got != want {
			t.Errorf("% x is the beginning of %d digits, want %d", c.der, got, want)
		}
		if got := keyDigits([]byte(text[:11])); got != 0 {
			t.Errorf("% x, cut, is the beginning of %d digits", c.der, got)
		}
	}
}

// TestWhichLinesWait for what may follow them.
func TestWhichLinesWait(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("ABCDEFGH", 66)
	for line, want := range map[string]bool{
		digits[:47]: false, digits[:48]: true, digits[:512]: true, digits[:513]: false, digits[:39] + strings.Repeat("!", 9): false, digits[:40] + strings.Repeat("!", 8): true,
		digits[:40] + strings.Repeat("!", 13): true, digits[:40] + strings.Repeat("!", 14): false, "  " + digits[:48]: true, "  " + digits[:47]: false,
	} {
		if isEncodedLine([]byte(line)) != want {
			t.Errorf("%q is encoded: %v", line, !want)
		}
	}
	for line, want := range map[string]bool{
		"login me": true, " login me ": true, "machine h login me": true, "login": false, "x login me": false, "machine h x login me": false, "other h login me": false, "login me x": false, "": false,
	} {
		if isNetrcLogin([]byte(line)) != want {
			t.Errorf("%q comes before a password: %v", line, !want)
		}
	}
	for at, want := range map[int]int{-1: 0, 0: 0, 2: 0, 3: 3, 5: 3, 99: 3} {
		if got := lineStart([]byte("ab\ncd"), at); got != want {
			t.Errorf("the line of %d begins at %d", at, got)
		}
	}
	secret := base64.StdEncoding.EncodeToString([]byte("token ghp_" + "q8Zrt5LkW2Vx7m9BdFg4hJkPzQ1cY6nT3s0w end."))
	other := strings.Repeat("q8Zr", 8)
	for _, c := range []struct {
		text  string
		inKey bool
		want  int
	}{
		{"no end", false, 6}, {"plain\n", false, 6}, {"plain\nhalf", false, 6}, {"login me\n", false, 0}, {"a\nlogin me\n", false, 2}, {"login me\nx\n", false, 11},
		{digits[:64] + "\n", false, 0}, {digits[:64] + "\n", true, 65}, {"plain\n" + digits[:64] + "\n" + digits[:64] + "\n", false, 6}, {digits[:64] + "\nplain\n", false, 71},
		{"x ghp_abc\n", false, 0}, {"x\nx ghp_abc\nq8Zr\n", false, 2}, {"x ghp_abc\nq8 Zr\n", false, 16}, {"x ghp_abc\nq8Z\n", false, 14}, {"x ghp_abc \r\n > q8Zr\n", false, 0},
		{"ghp_a\n" + strings.Repeat("q8Zr\n", 7), false, 0}, {"ghp_a\n" + strings.Repeat("q8Zr\n", 8), false, 46}, {"ghp_ a\n", false, 7},
		{"x: " + secret + "\n", true, 0}, {secret[:40] + "\n" + other + "\n", true, 0}, {secret[:40] + "\n" + other[1:] + "\n", true, 41 + 32}, {secret[:40] + "\n  " + other + "\n", true, 0},
		{secret[:40] + "\nx " + other + "\n", true, 41 + 35}, {"some words that stand in front of it: Z2hwX3E4\n", true, 47}, {"x\n{\"kty\": 1,\n", false, 2}, {"{\"kty\": 1}\nx\n", false, 13}, {"{\"other\": 1,\n", false, 13}, {"{\"n\": 1,\n\"d\": 2,\n\"kty\": 3,\n", false, 9},
	} {
		if got := openEnd([]byte(c.text), c.inKey); got != c.want {
			t.Errorf("%q, in a key: %v, waits from %d, want %d", c.text, c.inKey, got, c.want)
		}
	}
	b := []byte("one\ntwo three\nfour")
	for _, c := range []struct {
		cut  int
		at   span
		want int
	}{
		{8, span{start: 8, end: 13}, 4}, {4, span{start: 8, end: 13}, 4}, {14, span{start: 8, end: 13}, 14}, {13, span{start: 8, end: 13}, 13}, {10, span{start: 8, end: 13}, 4}, {8, span{start: 14, end: 18}, 8},
		{8, span{start: 2, end: 6}, 8}, {5, span{start: 2, end: 6}, 0}, {6, span{start: 2, end: 6}, 6}, {8, span{start: 13, end: 18}, 8},
	} {
		if got := clearOf(b, c.cut, []span{c.at}); got != c.want {
			t.Errorf("cut at %d, clear of %d to %d: %d, want %d", c.cut, c.at.start, c.at.end, got, c.want)
		}
	}
	for text, want := range map[string]string{
		"abc": "abc", "abc\n": "abc\n", "abc \t\r\n\n": "abc\n", "abc  ": "abc  ", digits[:maxBefore]: digits[:maxBefore], "x" + digits[:maxBefore]: digits[:maxBefore], "x" + digits[:maxBefore] + "\n\n": digits[1:maxBefore] + "\n",
	} {
		if got := string(endOf([]byte(text))); got != want {
			t.Errorf("of %q is remembered %q", text, got)
		}
	}
}

// TestWhereALongLineIsCut: between words, not after the beginning of a key, and with a tail behind it.
func TestWhereALongLineIsCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at      int
		put     string
		pending int
		want    int
	}{
		{0, "", 0, 1000}, {0, "", 700, 700}, {0, "", 1700, 1000}, {899, " ", 0, 900}, {999, " ", 0, 1000}, {1000, " ", 0, 1000}, {500, " ", 0, 501}, {499, " ", 0, 1000}, {898, "é", 0, 1000}, {899, "\x7f", 0, 900},
		{950, "--", 0, 947}, {936, "--", 0, 933}, {935, "--", 0, 1000}, {998, "--", 0, 995}, {999, "--", 0, 1000},
	} {
		w := &writer{held: bytes.Repeat([]byte("a"), tailSize+1000)}
		copy(w.held[c.at:], c.put)
		if got := w.gap(c.pending); got != c.want {
			t.Errorf("with %q at %d and %d pending: cut at %d, want %d", c.put, c.at, c.pending, got, c.want)
		}
	}
}
