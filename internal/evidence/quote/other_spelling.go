package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// What a quotation has of the same letters in another spelling: a hyphen, a blank, an apostrophe,
// a comma or a vowel sign more or less. Honest quoting does that, and yet "resign" is not "re-sign":
// so it passes and is told.

// mostTold is how many words of a quotation are told to be spelled otherwise.
const mostTold = 5

// fewestLost is how many blanks between words a text lacks that has lost them throughout, as the
// text of a PDF has.
const fewestLost = 3

// spelledOtherwise are the words of a match whose letters are those of the quotation and whose
// marks and blanks are not.
func spelledOtherwise(text string, m Match, q *query) []Misspelling {
	switch m.Tier {
	case Spaceless, Near:
		return otherSeams(q.raw, text[m.Start:m.End])
	case Elided:
		parts := splitAtEllipses(q.raw)
		if len(parts) != len(m.Segments) {
			return nil
		}
		var list []Misspelling
		for i, part := range parts {
			list = append(list, otherSeams(part, text[m.Segments[i].Start:m.Segments[i].End])...)
			list = append(list, otherWords(part, text[m.Segments[i].Start:m.Segments[i].End])...)
		}
		return list
	}
	return nil
}

// otherWords are the words that a quotation has with other letters than a passage of as many.
func otherWords(quoted, passage string) []Misspelling {
	return inOtherCase(strings.ToLower(normalise(quoted).text), strings.ToLower(normalisePart(passage, true).text))
}

// seam is what stands between two letters of a quotation and of its passage.
type seam struct {
	ours, theirs string
	left, right  rune
	our, their   int  // where it begins in both
	apart        bool // the passage has the end of a line or of a cell there
}

// otherSeams are the words between whose letters a quotation has another seam than a passage of
// the same letters, where that may make other words of them.
func otherSeams(quoted, passage string) []Misspelling {
	ours, theirs := normalise(quoted).text, normalisePart(passage, false)
	seams, same := seamsOf(ours, theirs, passage)
	if !same {
		return nil
	}
	lost, added := 0, 0 // blanks
	for _, j := range seams {
		if j.ours == "" && j.theirs == " " {
			lost++
		}
		if j.ours == " " && j.theirs == "" {
			added++
		}
	}
	var list []Misspelling
	for _, j := range seams {
		throughout := j.ours == "" && j.theirs == " " && lost >= fewestLost || j.ours == " " && j.theirs == "" && added >= fewestLost
		if throughout || !j.makesOtherWord() && !j.makesOtherClause() && !j.makesOtherSign() && !j.makesOtherOwner(ours, theirs.text) {
			continue
		}
		list = append(list, Misspelling{Quoted: wordsAround(ours, j.our, len(j.ours)), Source: wordsAround(theirs.text, j.their, len(j.theirs))})
		if len(list) == mostTold {
			break
		}
	}
	return list
}

// seamsOf are the seams of two texts that differ, and whether both have the same letters.
func seamsOf(ours string, theirs normalised, passage string) (list []seam, same bool) {
	i, k := marksEnd(ours, 0), marksEnd(theirs.text, 0)
	for i < len(ours) && k < len(theirs.text) {
		a, n := utf8.DecodeRuneInString(ours[i:])
		b, size := utf8.DecodeRuneInString(theirs.text[k:])
		if a != b && unicode.ToLower(a) != unicode.ToLower(b) {
			return nil, false
		}
		i, k = i+n, k+size
		nextI, nextK := marksEnd(ours, i), marksEnd(theirs.text, k)
		if nextI < len(ours) && nextK < len(theirs.text) && ours[i:nextI] != theirs.text[k:nextK] {
			from, to := int(theirs.at[k]), int(theirs.at[nextK])
			list = append(list, seam{
				ours: ours[i:nextI], theirs: theirs.text[k:nextK], left: a, right: char.First(ours[nextI:]),
				our: i, their: k, apart: strings.ContainsAny(passage[from:to], "\n\t|&") || strings.Contains(passage[from:to], "  "),
			})
		}
		i, k = nextI, nextK
	}
	return list, i == len(ours) && k == len(theirs.text)
}

// makesOtherWord reports whether two letters are of one word on one side, and of two or of a
// compound on the other. A hyphen at the end of a line tells nothing.
func (j seam) makesOtherWord() bool {
	if j.atLineEnd() || !unicode.IsLetter(j.left) || !unicode.IsLetter(j.right) || words.Unspaced(j.left) || words.Unspaced(j.right) {
		return false
	}
	is := func(s string) bool { return s == "" || s == " " || s == "-" || s == "'" }
	return is(j.ours) && is(j.theirs)
}

// makesOtherSign reports whether a number that stands right behind a letter of a script without
// blanks has a minus, or a dash, on one side alone.
func (j seam) makesOtherSign() bool {
	return words.Unspaced(j.left) && unicode.IsDigit(j.right) && strings.Contains(j.ours, "-") != strings.Contains(j.theirs, "-")
}

// atLineEnd reports whether a hyphen divides a word there, with or without the end of a line behind it.
func (j seam) atLineEnd() bool { return j.ours == "- " || j.theirs == "- " }

// makesOtherClause reports whether the marks between two words part what they say otherwise. A
// comma behind a full stop, as in "e.g.,", and a colon that a quotation has for the end of a line or
// of a cell part nothing.
func (j seam) makesOtherClause() bool {
	ours, theirs := clauseMarks(j.ours), clauseMarks(j.theirs)
	switch {
	case ours == theirs, !unicode.IsLetter(j.left) && !unicode.IsLetter(j.right):
		return false
	case !strings.Contains(j.ours+j.theirs, " ") && !words.Unspaced(j.left):
		return false
	case j.apart && theirs == "":
		return false
	}
	return !strings.Contains(j.ours, ".") || !strings.Contains(j.theirs, ".")
}

// clauseMarks are the marks of a seam that part clauses or end a question.
func clauseMarks(seam string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(",;:?!、،؛؟;·", r) {
			return r
		}
		return -1
	}, seam)
}

// makesOtherOwner reports whether a word that ends with an s has the apostrophe of an owner on one
// side alone: "the boys' boat". One that closes what it opens is a mark of quotation.
func (j seam) makesOtherOwner(ours, theirs string) bool {
	isOwner := func(a, b, text string, at int) bool {
		return a == "' " && b == " " && !strings.Contains(" "+text[:at], " '")
	}
	return (j.left == 's' || j.left == 'S') && (isOwner(j.ours, j.theirs, ours, j.our) || isOwner(j.theirs, j.ours, theirs, j.their))
}

// wordsAround are the words on both sides of a seam, with what stands between them.
func wordsAround(text string, at, size int) string {
	isOfWord := func(r rune) bool { return char.IsOfWord(r) || r == '\'' }
	before, behind := text[:at], text[at+size:]
	start := len(strings.TrimRightFunc(before, isOfWord))
	end := len(text) - len(strings.TrimLeftFunc(behind, isOfWord))
	if words.Unspaced(char.Last(before)) { // they have no words to be seen
		start, end = words.RuneStart(text, max(start, at-3*utf8.UTFMax)), words.RuneStart(text, min(end, at+size+3*utf8.UTFMax))
	}
	return text[start:end]
}

// otherVowels are the words of a quotation that have other vowel signs than those of a passage,
// which is read without them: Russian ё and the signs of Arabic. A quotation without any has lost
// them as a whole.
func otherVowels(quoted, passage string) []Misspelling {
	if !strings.ContainsFunc(quoted, isVowelSign) {
		return nil
	}
	quoted, passage = normalise(quoted).text, normalise(anyTag().ReplaceAllString(passage, "")).text
	ours, theirs := tokens(quoted), tokens(passage)
	if len(ours) != len(theirs) {
		return nil
	}
	var list []Misspelling
	for i, our := range ours {
		switch their := theirs[i]; {
		case withoutVowelSigns(our.low) != withoutVowelSigns(their.low):
			return nil
		case our.low != their.low && len(list) < mostTold:
			list = append(list, Misspelling{Quoted: quoted[our.start:our.end], Source: passage[their.start:their.end]})
		}
	}
	return list
}

func isVowelSign(r rune) bool {
	return r == 'ё' || r == 'Ё' || r >= 0x64b && r <= 0x652 || r == 0x670
}

// withoutVowelSigns is a word in small letters as it is written without them.
func withoutVowelSigns(word string) string {
	const lengthening = 0x640
	return strings.Map(func(r rune) rune {
		switch {
		case r == 'ё':
			return 'е'
		case isVowelSign(r), r == lengthening:
			return -1
		}
		return r
	}, word)
}
