package citation

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// A note of those at the end of a text may stand for one before it: Ibid., 12; Smith, supra
// note 3, at 9; a. a. O. (Fn. 3), S. 14; Smith, Short Title, 14. Markers of it mean the
// source that was named in full.

var (
	backLead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:(?:see|see also|cf|vgl|siehe|so auch|so|ebenso|auch|dazu|voir|ver|véase|vedi|accord|but see|e\.\s?g)[.:,]*\s+)+`)
	})
	backSame = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:id|ibid|ibidem|ebd|ebenda|idem|ib|a\.\s?a\.\s?o|l\.\s?c|loc\.\s?cit|同上|同書)(?:[.,;:\s]|$)`)
	})
	backNote = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:\bsupra,?\s+(?:notes?|nn?\.?|fn\.?)\s*|\(\s*(?:oben\s+)?(?:fn|fußn|fußnote|anm|note|nota|noot|n|nt)\.?\s*)([0-9]{1,3})\b`)
	})
	backShort = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\s*,?\s*\b(?:a\.\s?a\.\s?o|op\.\s?cit|loc\.\s?cit|art\.\s?cit)\b\.?`)
	})
	locatorWord = sync.OnceValue(func() map[string]bool {
		return wordSet(`at p pp page pages s seite seiten f ff rn rz bl art n no nr ch chap kap vol bd section sec para paras and und et y e § ¶ to a fn note`)
	})
)

// A noteReader reads notes in order and knows those that were read.
type noteReader struct {
	r     *documentBuilder
	last  int   // the source named last; -1 for none
	notes []int // the entries that name their own
}

// read gives what a note that is entry n, or is none yet, stands for besides itself; own
// reports whether it names a source of its own.
func (n *noteReader) read(e Reference, scope int) (stands []int, own bool) {
	if e.Label == "" {
		return nil, true
	}
	for i, piece := range splitNote(e.Text) {
		if ref, ok := n.back(piece, e, scope); ok && (i > 0 || e.URL == "") {
			n.last = ref
			if !slices.Contains(stands, ref) {
				stands = append(stands, ref)
			}
			continue
		}
		if i == 0 || words.Count(piece) > 3 {
			own, n.last = true, len(n.r.doc.References)
		}
	}
	return stands, own
}

// splitNote gives what stands between semicolons, outside brackets.
func splitNote(text string) []string {
	depth, from := 0, 0
	var out []string
	for i, c := range text {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ';':
			if depth <= 0 {
				out, from = append(out, strings.TrimSpace(text[from:i])), i+1
			}
		}
	}
	return append(out, strings.TrimSpace(text[from:]))
}

// back gives the entry that a piece of a note stands for.
func (n *noteReader) back(piece string, e Reference, scope int) (int, bool) {
	piece = backLead().ReplaceAllString(piece, "")
	if len(piece) > 200 || piece == "" || strings.Contains(piece, "://") {
		return 0, false
	}
	if backSame().MatchString(piece) && n.last >= 0 && words.Count(piece) < 12 {
		return n.last, true
	}
	if m := backNote().FindStringSubmatch(piece); m != nil && m[1] != e.Label && words.Count(piece) < 16 {
		if to := n.r.standing(labelled{scope, m[1]}); len(to) > 0 {
			return to[0], true
		}
	}
	return n.short(piece)
}

// short gives the entry whose author and title a piece names in short: a name, words of
// the entry, and a place in it.
func (n *noteReader) short(piece string) (int, bool) {
	plain := backShort().ReplaceAllString(piece, "")
	name, rest, ok := strings.Cut(plain, ",")
	first, _ := utf8.DecodeRuneInString(name)
	names := words.Tokens(name)
	if !ok || !unicode.IsUpper(first) || len(names) == 0 || len(names) > 5 {
		return 0, false
	}
	tokens := slices.DeleteFunc(words.Tokens(rest), func(t string) bool { return locatorWord()[t] })
	placed := plain != piece
	for len(tokens) > 0 && isNumeric(tokens[len(tokens)-1]) {
		tokens, placed = tokens[:len(tokens)-1], true
	}
	if !placed || entryYear().MatchString(rest) && len(tokens) == 0 && plain == piece {
		return 0, false
	}
	for i := len(n.notes) - 1; i >= 0; i-- {
		of := words.Tokens(n.r.doc.References[n.notes[i]].Text)
		head := of[:min(len(of), 10)]
		if len(of) > len(names)+len(tokens) && areAllIn(names, head) && areAllIn(tokens, of) {
			return n.notes[i], true
		}
	}
	return 0, false
}

// areAllIn reports whether a list has all of some words.
func areAllIn(some, list []string) bool {
	return !slices.ContainsFunc(some, func(w string) bool { return !slices.Contains(list, w) })
}

func isNumeric(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
}

// standing are the entries that a label means.
func (r *documentBuilder) standing(l labelled) []int {
	if to, ok := r.backs[l]; ok {
		return to
	}
	if n, ok := r.byLabel[l]; ok {
		return []int{n}
	}
	return nil
}

// indexBack notes what a note stands for.
func (r *documentBuilder) indexBack(label string, b *block, scope int, to []int) {
	l := labelled{scope, strings.ToLower(label)}
	if _, known := r.byLabel[l]; !known {
		r.byLabel[l] = to[0]
	} else if r.byLabel[l] != to[0] {
		return
	}
	r.backs[l] = to
	for _, id := range b.ids {
		r.byID[id] = to
	}
}
