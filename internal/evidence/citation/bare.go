package citation

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// bareForm are numbers behind what may be the end of a sentence or clause: the
// raised numbers of a report whose raising was lost.
var bareForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([.!?。！？…,;:，；：、][)\]"”’»」』）]{0,2})([0-9]{1,3}(?:\s?[,，、;]\s?[0-9]{1,3}){0,9})(\s|$|\pL|[（(「『"“])`)
})

// Other places of bare numbers: before the stop in scripts without blanks, in
// a table's cell behind its number, before a year.
var (
	wideForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:[\p{Han}\p{Hiragana}\p{Katakana}）」』％%]) ([0-9]{1,3}(?:[,、，] ?[0-9]{1,3}){0,9})[。．！？]`)
	})
	cellForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:[0-9][%％KMBTkmbt€£¥]?|[%％)）]) ([0-9]{1,2})(?: \||$)`)
	})
	dateForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[。！？]([0-9]{1,3})(?:1[5-9]|20)[0-9]{2}年`) })
)

// otherBareNumbersIn finds those of a block.
func (r *numberReader) otherBareNumbersIn(i int) []bareNumber {
	b := &r.blocks[i]
	forms := []*regexp.Regexp{wideForm(), dateForm()}
	if b.kind == row {
		forms = []*regexp.Regexp{cellForm()}
	}
	var out []bareNumber
	for _, form := range forms {
		for _, m := range form.FindAllStringSubmatchIndex(b.text, -1) {
			n := bareNumber{block: i, piece: stated.Span{From: m[2], To: m[3]}, sure: b.kind != row}
			for l := range strings.FieldsFuncSeq(b.text[m[2]:m[3]], func(r rune) bool { return !unicode.IsDigit(r) }) {
				n.labels = append(n.labels, l)
			}
			if !slices.ContainsFunc(n.labels, func(l string) bool { return !r.hasLabel(r.scopeOf[i], l) }) {
				out = append(out, n)
			}
		}
	}
	return out
}

// A bareNumber is what may be a marker without brackets.
type bareNumber struct {
	block  int
	piece  stated.Span
	labels []string
	sure   bool   // it stands behind the end of a sentence
	amid   string // the word it stands behind in the middle of one; "" elsewhere
}

// A numberReader reads markers that are nothing but numbers.
type numberReader struct{ *documentBuilder }

// readBareNumbers finds markers that are nothing but a number behind a
// sentence, in a report that has a numbered list of sources and hardly a marker
// of another kind. A few chance numbers are none: they have to refer to a third
// of the list. Those amid a sentence are read where their order says so.
func (r *numberReader) readBareNumbers(c convention) {
	if c.labelled == 0 || c.numbers*3 > c.labelled {
		return
	}
	var found, amid []bareNumber
	meant := map[string]bool{}
	for i := range r.blocks {
		if !r.isRunning(i) {
			continue
		}
		here := append(r.bareNumbersIn(i), r.otherBareNumbersIn(i)...)
		slices.SortStableFunc(here, func(x, y bareNumber) int { return x.piece.From - y.piece.From })
		for _, n := range here {
			found = append(found, n)
			if n.sure {
				for _, l := range n.labels {
					meant[l] = true
				}
			}
		}
		amid = append(amid, withoutOverlap(r.amidIn(i), here)...)
	}
	all := append(slices.Clone(found), amid...)
	slices.SortStableFunc(all, func(x, y bareNumber) int { return cmp.Or(x.block-y.block, x.piece.From-y.piece.From) })
	switch {
	case len(amid) > 0 && r.inOrder(all, c.labelled):
		found = all
	case len(meant)*3 < c.labelled:
		return
	}
	r.markBareNumbers(found)
}

// markBareNumbers makes markers of numbers and takes them out of the text.
func (r *numberReader) markBareNumbers(found []bareNumber) {
	pieces := map[int][]stated.Span{}
	for _, n := range found {
		b := &r.blocks[n.block]
		pieces[n.block] = append(pieces[n.block], n.piece)
		b.marks = append(b.marks, mark{at: n.piece.From, end: n.piece.To, src: b.sourceOffset(n.piece.From), to: b.sourceOffset(n.piece.To-1) + 1, labels: n.labels})
	}
	for i, cuts := range pieces {
		b := &r.blocks[i]
		slices.SortStableFunc(b.marks, func(x, y mark) int { return x.at - y.at })
		b.cut(cuts)
	}
}

// withoutOverlap are those numbers that are not among others of the block.
func withoutOverlap(list, others []bareNumber) []bareNumber {
	return slices.DeleteFunc(list, func(n bareNumber) bool {
		return slices.ContainsFunc(others, func(o bareNumber) bool { return o.piece.From < n.piece.To && n.piece.From < o.piece.To })
	})
}

// bareNumbersIn finds what may be markers without brackets in a block.
func (r *numberReader) bareNumbersIn(i int) []bareNumber {
	b := &r.blocks[i]
	var out []bareNumber
	for at := 0; at < len(b.text); {
		m := bareForm().FindStringSubmatchIndex(b.text[at:])
		if m == nil {
			break
		}
		n := bareNumber{block: i, piece: stated.Span{From: at + m[4], To: at + m[5]}}
		stop := b.text[at+m[2] : at+m[3]]
		at += m[5]
		for l := range strings.FieldsFuncSeq(b.text[n.piece.From:n.piece.To], func(r rune) bool { return !unicode.IsDigit(r) }) {
			n.labels = append(n.labels, l)
		}
		if slices.ContainsFunc(n.labels, func(l string) bool { return !r.hasLabel(r.scopeOf[i], l) }) {
			continue
		}
		mark, _ := utf8.DecodeRuneInString(stop)
		n.sure = isStop(mark)
		if b.mayBeBare(n.piece, mark, len(stop) > utf8.RuneLen(mark)) {
			out = append(out, n)
		}
	}
	return out
}

// mayBeBare reports whether a number behind a stop or comma can be a marker, and
// not the fraction of a number, the part of a version, or the beginning of what
// follows. Closed says that a quotation or bracket was closed before it.
func (b *block) mayBeBare(p stated.Span, stop rune, closed bool) bool {
	head := b.text[:strings.LastIndexFunc(b.text[:p.From], func(r rune) bool { return r == stop })]
	before, _ := utf8.DecodeLastRuneInString(head)
	rest := b.text[p.To:]
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " "))
	apart := rest == "" || rest[0] == ' '
	if stop >= utf8.RuneSelf { // a script without blanks
		return apart || !unicode.IsDigit(next) && !isCounter(next) && isStop(stop)
	}
	if !apart || unicode.IsSpace(before) || head == "" {
		return false
	}
	if !isStop(stop) {
		return !unicode.IsDigit(before) && (unicode.IsLower(next) || closed)
	}
	if rest != "" && !unicode.IsUpper(next) && !unicode.IsDigit(next) && !strings.ContainsRune("\"“„«‘'([|*¿¡€$£", next) && !words.Unspaced(next) {
		return false
	}
	return closed || !unicode.IsDigit(before) || isWholeNumber(head) || !isNought(head) && !isMeasured(rest)
}

// isCounter reports letters that make a number before them a date or an amount.
func isCounter(r rune) bool {
	return strings.ContainsRune("年月日号時时分秒人个個件次位条条項项章节節回本点点倍岁歳代%％℃度万億亿千百", r)
}

// isWholeNumber reports whether the number a text ends with needs no fraction: a
// year, one with a fraction of its own, the end of a name.
func isWholeNumber(head string) bool {
	digits := head[len(strings.TrimRightFunc(head, func(r rune) bool { return unicode.IsDigit(r) || r == '.' || r == ',' })):]
	before, _ := utf8.DecodeLastRuneInString(head[:len(head)-len(digits)])
	return unicode.IsLetter(before) || strings.ContainsAny(digits, ".,") || yearForm().MatchString(digits) && len(digits) == 4
}

// isMeasured reports whether what follows a number is a unit or a scale of it.
func isMeasured(rest string) bool {
	if length, _ := stated.ParseScale(rest); length > 0 {
		return true
	}
	word, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	word = strings.TrimRight(word, ".,;:!?")
	if len(word) == 1 {
		return strings.Contains("BCFHJKMNPTVW", word) // A is an article as well
	}
	return len(word) > 1 && len(word) < 6 && strings.ContainsFunc(word[1:], unicode.IsUpper)
}

// isNought reports whether a text ends with a nought of its own: what follows it
// is its fraction.
func isNought(head string) bool {
	rest, ok := strings.CutSuffix(head, "0")
	before, _ := utf8.DecodeLastRuneInString(rest)
	return ok && !words.IsAlphanumeric(before)
}
