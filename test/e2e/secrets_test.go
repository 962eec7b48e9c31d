package e2e

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
)

// shortestLeak is the length from which a run of a secret's bytes counts as shown.
const shortestLeak = 4

// secrets makes values that nobody may see, and finds them again in a text.
type secrets struct {
	random *rand.Rand
	// runs are all runs of the secrets, raw and as base64, with the value they are of.
	runs map[string]string
	// public are runs that were in a text before there were secrets.
	public map[string]bool
}

func newSecrets(seed uint64) *secrets {
	return &secrets{random: rand.New(rand.NewPCG(seed, 7)), runs: map[string]string{}, public: map[string]bool{}}
}

// letters are such that four of them in a row are in nothing that is public: no
// word, no hash, no name has them.
const letters = "QXZJKVWY"

func (s *secrets) word(n int) string {
	var out strings.Builder
	for range n {
		out.WriteByte(letters[s.random.IntN(len(letters))])
	}
	return out.String()
}

// next is another secret, in one of the shapes that secrets have.
func (s *secrets) next() string {
	w := s.word
	shapes := []string{
		w(20),
		w(4),
		w(8) + "\n" + w(5) + "\n",
		`{"` + w(3) + `":"` + w(9) + `","` + w(4) + `":["` + w(6) + `"]}`,
		w(3) + "://" + w(4) + ":" + w(6) + "@" + w(5) + "/" + w(3) + "?" + w(4) + "=" + w(5) + "%2F" + w(3),
		base64.StdEncoding.EncodeToString([]byte(w(15))),
		"-----" + w(3) + " " + w(4) + "-----\n" + w(16) + "\n" + w(16) + "==\n-----" + w(3) + "-----",
		w(3) + `"` + w(4) + `\` + w(4) + "'" + w(3) + "\t" + w(3) + "<" + w(2) + ">" + w(4) + "&" + w(4),
		w(4) + ": " + w(4) + " # " + w(5) + "\n- " + w(4),
	}
	return s.keep(shapes[s.random.IntN(len(shapes))])
}

// keep remembers a value as secret.
func (s *secrets) keep(value string) string {
	for i := range len(value) {
		s.add(value, i, value[i:min(i+shortestLeak, len(value))], value)
	}
	// As base64, at each of the places where it may stand in something longer.
	for shift := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), value...))
		from, to := []int{0, 2, 3}[shift], len(encoded)
		if (len(value)+shift)%3 != 0 {
			to-- // the last character also depends on what follows
		}
		for i := from; i+shortestLeak <= to; i++ {
			first, last := i*6/8-shift, (i*6+shortestLeak*6-1)/8-shift
			s.add(encoded, i, value[max(first, 0):min(last+1, len(value))], value)
		}
	}
	return value
}

// add notes a run of a text, which gives bytes of a value away. Runs that are
// mostly punctuation, as of JSON, are no secret.
func (s *secrets) add(text string, at int, bytes, value string) {
	if at+shortestLeak > len(text) || lettersIn(bytes) <= shortestLeak/2 {
		return
	}
	if run := text[at : at+shortestLeak]; !s.public[run] {
		s.runs[run] = value
	}
}

// lettersIn counts what makes a run more than punctuation.
func lettersIn(run string) int {
	n := 0
	for i := range len(run) {
		if c := run[i] | 0x20; 'a' <= c && c <= 'z' {
			n++
		}
	}
	return n
}

// publish notes what a text says already, with which nothing is given away.
func (s *secrets) publish(text string) {
	for i := 0; i+shortestLeak <= len(text); i++ {
		s.public[text[i:i+shortestLeak]] = true
	}
}

// leak finds a run of a secret in a text; "" for none.
func (s *secrets) leak(text string) string {
	for i := 0; i+shortestLeak <= len(text); i++ {
		value, ok := s.runs[text[i:i+shortestLeak]]
		if !ok {
			continue
		}
		return fmt.Sprintf("%q of %q, in: …%s…", text[i:i+shortestLeak], value, text[max(0, i-200):min(len(text), i+200)])
	}
	return ""
}
