package source

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Display gives a host's name for people: its letters as they are written,
// unless they could pass for those of another name. Then, as browsers do, the
// labels in question stand in Punycode (xn--…): those that mix scripts which
// are not written together, and those of one script that look like Latin.
func Display(host string) string {
	labels := strings.Split(host, ".")
	latin := labels[len(labels)-1] != "" && !strings.HasPrefix(labels[len(labels)-1], acePrefix)
	for i, label := range labels {
		if shown, ok := decodeLabel(label); ok && isUndeceptive(shown, latin) {
			labels[i] = shown
		}
	}
	return strings.Join(labels, ".")
}

// lookalikes are the letters of other scripts that pass for Latin ones.
const lookalikes = "асԁеһіјӏорԛѕԝхуүҽпгѵѡɡαοριυνκτ"

// isUndeceptive reports whether a label shows what it is; latin is whether the name
// ends in Latin letters.
func isUndeceptive(label string, latin bool) bool {
	scripts := map[string]bool{}
	allAlike := true
	for _, r := range label {
		if !unicode.IsLetter(r) {
			if unicode.IsMark(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
				continue
			}
			return false
		}
		scripts[scriptOf(r)] = true
		allAlike = allAlike && strings.ContainsRune(lookalikes, r)
	}
	if len(scripts) == 0 {
		return false
	}
	if !mayMix(scripts) {
		return false
	}
	return !latin || !allAlike
}

// mayMix reports whether scripts are written in one word: one alone, or those
// of Chinese, Japanese and Korean with Latin among them (Unicode Technical
// Standard 39, "highly restrictive").
func mayMix(scripts map[string]bool) bool {
	if len(scripts) == 1 {
		return true
	}
	for _, set := range []string{" Latin Han Hiragana Katakana ", " Latin Han Hangul ", " Latin Han Bopomofo "} {
		inside := true
		for s := range scripts {
			inside = inside && strings.Contains(set, " "+s+" ")
		}
		if inside {
			return true
		}
	}
	return false
}

// scriptOf names the script of a letter. Those that no name mixes need not be
// told apart by name.
func scriptOf(r rune) string {
	for _, name := range []string{"Latin", "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo", "Cyrillic", "Greek", "Arabic", "Hebrew", "Thai", "Devanagari", "Armenian", "Georgian", "Cherokee"} {
		if unicode.Is(unicode.Scripts[name], r) {
			return name
		}
	}
	return "other"
}

const acePrefix = "xn--"

// toASCII writes a host's labels in Punycode where they are not ASCII.
func toASCII(host string) string {
	if isASCII(host) {
		return host
	}
	labels := strings.Split(host, ".")
	for i, label := range labels {
		if !isASCII(label) {
			labels[i] = acePrefix + encodeLabel([]rune(label))
		}
	}
	return strings.Join(labels, ".")
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// The parameters of Punycode, RFC 3492 section 5.
const (
	base        = 36
	tMin        = 1
	tMax        = 26
	skew        = 38
	damp        = 700
	initialBias = 72
	initialN    = 128
)

const punyDigits = "abcdefghijklmnopqrstuvwxyz0123456789"

// adapt is RFC 3492 section 6.1.
func adapt(delta, points int, first bool) int {
	delta /= 2
	if first {
		delta /= damp / 2
	}
	delta += delta / points
	k := 0
	for ; delta > (base-tMin)*tMax/2; k += base {
		delta /= base - tMin
	}
	return k + (base-tMin+1)*delta/(delta+skew)
}

func threshold(k, bias int) int { return min(max(k-bias, tMin), tMax) }

// encodeLabel is RFC 3492 section 6.3.
func encodeLabel(label []rune) string {
	var b strings.Builder
	for _, r := range label {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		}
	}
	done := b.Len()
	basic := done
	if basic > 0 {
		b.WriteByte('-')
	}
	n, delta, bias := rune(initialN), 0, initialBias
	for done < len(label) {
		next := rune(unicode.MaxRune)
		for _, r := range label {
			if r >= n {
				next = min(next, r)
			}
		}
		delta += int(next-n) * (done + 1)
		n = next
		for _, r := range label {
			if r < n {
				delta++
			}
			if r == n {
				writeDelta(&b, delta, bias)
				bias = adapt(delta, done+1, done == basic)
				delta = 0
				done++
			}
		}
		delta++
		n++
	}
	return b.String()
}

func writeDelta(b *strings.Builder, delta, bias int) {
	for k := base; ; k += base {
		t := threshold(k, bias)
		if delta < t {
			b.WriteByte(punyDigits[delta])
			return
		}
		b.WriteByte(punyDigits[t+(delta-t)%(base-t)])
		delta = (delta - t) / (base - t)
	}
}

// decodeLabel is RFC 3492 section 6.2, of a label that begins with xn--. What
// would be written otherwise is none.
func decodeLabel(label string) (string, bool) {
	code, ok := strings.CutPrefix(label, acePrefix)
	if !ok || len(code) > 255 || !isASCII(code) {
		return "", false
	}
	var out []rune
	if at := strings.LastIndexByte(code, '-'); at > 0 {
		out, code = []rune(code[:at]), code[at+1:]
	}
	n, i, bias := initialN, 0, initialBias
	for code != "" {
		old, weight := i, 1
		for k := base; ; k += base {
			if code == "" {
				return "", false
			}
			digit := strings.IndexByte(punyDigits, code[0])
			code = code[1:]
			if digit < 0 || digit > (1<<31-1-i)/weight {
				return "", false
			}
			i += digit * weight
			t := threshold(k, bias)
			if digit < t {
				break
			}
			if weight > (1<<31-1)/(base-t) {
				return "", false
			}
			weight *= base - t
		}
		bias = adapt(i-old, len(out)+1, old == 0)
		n += i / (len(out) + 1)
		i %= len(out) + 1
		if n > unicode.MaxRune {
			return "", false
		}
		out = append(out[:i], append([]rune{rune(n)}, out[i:]...)...)
		i++
	}
	return string(out), !isASCII(string(out)) && acePrefix+encodeLabel(out) == label
}
