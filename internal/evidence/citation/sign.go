package citation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// Slides and tables have signs for markers: * † ‡, or raised letters, which stand for the
// notes below them and mean others on the next slide.

// A sign is written as it stands in the text: "*", "†", "^a".
var (
	signStart = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:([†‡¶]{1,3})\s?|\\?(\*{1,3})\s?|\^([a-z])\s+)(\S.*)$`)
	})
	letterSigns = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\^([a-z](?:,\s?[a-z]){0,5})(?:[^\pL\pN^]|$)`) })
	namedStart  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Z][0-9]{1,2})(?:\t| {2,})\s*(\S.*)$`) })
)

// readSign reads the sign at the beginning of a line that is a note, and how long it is. A
// star begins many things: it has to name a source.
func readSign(line string) (sign string, length int) {
	m := signStart().FindStringSubmatchIndex(line)
	if m == nil {
		return "", 0
	}
	rest := line[m[8]:]
	switch {
	case m[2] >= 0:
		sign = line[m[2]:m[3]]
	case m[4] >= 0:
		if sign = line[m[4]:m[5]]; strings.Contains(rest, "*") || !attribution().MatchString(rest) {
			return "", 0
		}
	default:
		sign = "^" + line[m[6]:m[7]]
	}
	return sign, m[8]
}

// readNamed reads the name at the beginning of a line below the name of a list, or below
// another such line, where blanks part it from the rest: S1  Title.
func (l *markdownSplitter) readNamed(line string) (name string, length int) {
	m := namedStart().FindStringSubmatchIndex(line)
	if m == nil || len(l.blocks) == 0 {
		return "", 0
	}
	last := &l.blocks[len(l.blocks)-1]
	if !l.isBelowListName() && !(last.marked && last.label != "" && last.label[0] == line[0]|0x20) {
		return "", 0
	}
	return line[m[2]:m[3]], m[4]
}

// readSigns reads signs behind a word of running text from i on; 0 where none stand.
func (s *inlineReader) readSigns(i int) int {
	before, _ := utf8.DecodeLastRuneInString(s.raw[:i])
	if i == 0 || isSpace(before) || before == '(' || before == '[' {
		return 0
	}
	if m := letterSigns().FindStringSubmatch(s.raw[i:min(len(s.raw), i+30)]); m != nil {
		var labels []string
		for l := range strings.SplitSeq(m[1], ",") {
			labels = append(labels, "^"+strings.TrimSpace(l))
		}
		return s.addSigns(i, i+1+len(m[1]), labels)
	}
	end := i
	for end < len(s.raw) {
		r, size := utf8.DecodeRuneInString(s.raw[end:])
		if !strings.ContainsRune("†‡¶", r) {
			break
		}
		end += size
	}
	if s.raw[i] == '*' {
		end = i + runLength(s.raw[i:], '*')
		if s.stars > end-i {
			return 0 // emphasis
		}
	}
	if next, _ := utf8.DecodeRuneInString(s.raw[end:]); end == i || words.IsAlphanumeric(next) {
		return 0
	}
	return s.addSigns(i, end, []string{s.raw[i:end]})
}

func (s *inlineReader) addSigns(from, to int, labels []string) int {
	s.addLoose(s.raw[from:to], from, to, labels, true)
	s.w.marks[len(s.w.marks)-1].sign = true
	return to
}

// slides numbers the parts of a report that headings and rules set apart.
func slides(blocks []block) []int {
	out, n := make([]int, len(blocks)), 0
	for i := range blocks {
		if blocks[i].kind == heading || blocks[i].kind == rule {
			n++
		}
		out[i] = n
	}
	return out
}

// signed is a sign on one slide.
type signed struct {
	slide int
	sign  string
}

// dropLoneSigns takes their signs from notes that no mark of their slide has.
func (r *documentBuilder) dropLoneSigns() {
	meant := map[signed]bool{}
	for i := range r.blocks {
		for _, m := range r.blocks[i].marks {
			for _, l := range m.labels {
				if m.sign {
					meant[signed{r.slideOf[i], l}] = true
				}
			}
		}
	}
	for i := range r.blocks {
		if b := &r.blocks[i]; b.sign != "" && !meant[signed{r.slideOf[i], b.sign}] {
			b.sign = ""
		}
	}
}

// resolveSigns gives the marks of a block that are signs the notes of their slide.
func (r *documentBuilder) resolveSigns(i int, b *block) {
	for k := range b.marks {
		m := &b.marks[k]
		if !m.sign {
			continue
		}
		for _, l := range m.labels {
			if n, ok := r.bySign[signed{r.slideOf[i], l}]; ok {
				m.known = append(m.known, n)
			}
		}
		if m.known == nil {
			m.labels = nil
		}
	}
	b.marks = slices.DeleteFunc(b.marks, func(m mark) bool { return m.sign && m.known == nil })
}
