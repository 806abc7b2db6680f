package guard

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"

	"golang.org/x/text/unicode/norm"
)

// Word is one deciding word of a text.
type Word struct {
	Kind       Kind
	Text       string // as it stands there
	Norm       string // the same for words that say the same: "1000" for 1,000, "not" for n't
	Start, End int    // its bytes in the text, End exclusive
	Initial    bool   // a name only because of the capital that begins its sentence
}

// Words gives the deciding words of a text in their order. Time is linear.
func Words(text string) []Word { return AppendWords(make([]Word, 0, 4+len(text)/16), text) }

// WordsIn is [Words] in a language, which is asked for when a word is met that decides in
// one language and only looks like that in another.
func WordsIn(text string, language func() string) []Word {
	s := scanner{text: text, lex: sharedLexicon(), words: make([]Word, 0, 4+len(text)/16), initial: true, symbolAt: -1, language: language}
	s.scan()
	return slices.DeleteFunc(s.words, func(w Word) bool { return isNumero(text, w) })
}

// AppendWords gives the deciding words of a text behind none, in the room of the list.
func AppendWords(room []Word, text string) []Word {
	s := scanner{text: text, lex: sharedLexicon(), words: room[:0], initial: true, symbolAt: -1}
	s.scan()
	return slices.DeleteFunc(s.words, func(w Word) bool { return isNumero(text, w) })
}

// isNumero reports whether a "no" is short for a number: "No. 4", "Note No 11".
func isNumero(text string, w Word) bool {
	if w.Kind != Negation || !strings.EqualFold(w.Text, "no") {
		return false
	}
	rest, dotted := strings.CutPrefix(text[w.End:], ".")
	rest = strings.TrimLeft(rest, " \u00a0")
	return rest != "" && rest[0] >= '0' && rest[0] <= '9' && (dotted || w.Text == "No" && !w.Initial)
}

// scanner reads one text.
type scanner struct {
	text    string
	lex     *lexicon
	words   []Word
	initial bool // the next word begins a sentence
	// symbolAt is where a unit's symbol would stand: behind a number. -1 when
	// there is none.
	symbolAt int
	language func() string // nil where it is not known
}

func (s *scanner) scan() {
	for i := 0; i < len(s.text); {
		c := s.text[i]
		switch {
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			i = s.readWord(i)
		case c >= '0' && c <= '9':
			i = s.readNumber(i)
		case c == ' ':
			i++
		case c < utf8.RuneSelf:
			i = s.readMark(i, rune(c), 1)
		default:
			i = s.readOther(i)
		}
	}
}

// readOther reads what begins with a rune beyond ASCII.
func (s *scanner) readOther(i int) int {
	r, size := utf8.DecodeRuneInString(s.text[i:])
	switch {
	case isUnspacedScript(r):
		return s.readUnspaced(i)
	case r != modifier && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return s.readWord(i)
	case unicode.IsDigit(r):
		return s.readNumber(i)
	case unicode.IsNumber(r): // ½, ², Ⅳ
		s.add(Number, s.text[i:i+size], i, i+size)
		return i + size
	}
	return s.readMark(i, r, size)
}

func (s *scanner) add(kind Kind, norm string, start, end int) {
	s.words = append(s.words, Word{Kind: kind, Text: s.text[start:end], Norm: norm, Start: start, End: end})
	s.initial = false
}

// readMark reads what is neither letter nor digit.
func (s *scanner) readMark(i int, r rune, size int) int {
	end := i + size
	switch r {
	case '.', '!', '?', '…', '。', '！', '？':
		if strings.HasPrefix(s.text[i:], "!=") {
			s.add(Comparator, "≠", i, end+1)
			return end + 1
		}
		next, _ := utf8.DecodeRuneInString(s.text[end:])
		s.initial = s.initial || !words.IsAlphanumeric(next)
	case '“', '„', '«', '•', '"':
		s.initial = true
	case '\n':
		s.initial = s.initial || strings.HasPrefix(s.text[end:], "\n")
	case '%', '٪', '％', '﹪':
		s.add(Unit, "percent", i, end)
	case '‰':
		s.add(Unit, "permille", i, end)
	case '°', 'º', '˚':
		s.add(Unit, "degree", i, end)
		s.symbolAt = end
	case '$', '€', '£', '¥', '￥', '₽', '₹', '₩', '¢':
		s.add(Unit, currency(r), i, end)
	case '±', '≠', '×', '⁻':
		s.add(Comparator, s.text[i:end], i, end)
	case '≈', '~', '∼', '≃':
		if nameInShort().MatchString(s.text[end:]) {
			break
		}
		s.add(Hedge, "about", i, end)
	case '≤', '≥', '⩽', '⩾', '<', '>', '＜', '＞':
		return s.readComparator(i, r, size)
	case '/':
		if s.symbolAt == i {
			s.symbolAt = end
		}
	}
	return end
}

func currency(r rune) string {
	switch r {
	case '$':
		return "dollar"
	case '€':
		return "euro"
	case '£':
		return "pound"
	case '¥', '￥':
		return "yen"
	case '₽':
		return "rouble"
	case '₹':
		return "rupee"
	}
	return string(r)
}

// nameInShort is a name of code behind a tilde, which has Sphinx show its last part alone: "~pool.Lease".
var nameInShort = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+`) })

// readComparator reads a sign that compares. What an arrow or a tag has is none.
func (s *scanner) readComparator(i int, r rune, size int) int {
	end := i + size
	sign := map[rune]string{'≤': "<=", '⩽': "<=", '≥': ">=", '⩾': ">=", '＜': "<", '＞': ">"}[r]
	if sign == "" {
		sign = string(r)
		if strings.HasPrefix(s.text[end:], "=") {
			end++
			sign += "="
		}
		before := strings.TrimRight(s.text[:i], " ")
		after := strings.TrimLeft(s.text[end:], " ")
		if strings.HasSuffix(before, "-") || strings.HasSuffix(before, "=") || after == "" || before == "" && len(sign) == 1 || after[0] == '-' || after[0] == '/' {
			return end
		}
	}
	s.add(Comparator, sign, i, end)
	return end
}

// modifier is a letter to Unicode and an apostrophe to writers: no word begins
// with it.
const modifier = 'ʼ'

// shape is what a word looks like.
type shape struct {
	end    int
	split  int  // where an apostrophe stands in it, 0 for none
	upper  bool // the first letter is a capital
	inner  bool // a later one is
	digits bool
	ascii  bool
	marks  bool // it has combining marks
}

// maxWord bounds the words looked up, in bytes.
const maxWord = 48

// readWord reads a run of letters.
func (s *scanner) readWord(i int) int {
	sh := s.shape(i)
	if sh.split > 0 {
		return s.readApostrophe(i, sh)
	}
	s.classify(i, sh)
	s.initial = false
	if n := len(s.words); n > 0 {
		return max(sh.end, s.words[n-1].End) // of a phrase
	}
	return sh.end
}

func (s *scanner) shape(i int) shape {
	sh := shape{ascii: true}
	j := i
	for j < len(s.text) && s.text[j] >= 'a' && s.text[j] <= 'z' {
		j++
	}
	for j < len(s.text) {
		c := s.text[j]
		switch {
		case c == ' ':
			sh.end = j
			return sh
		case c >= 'a' && c <= 'z':
			j++
			continue
		case c >= 'A' && c <= 'Z':
			sh.capital(j == i)
			j++
			continue
		case c >= '0' && c <= '9':
			sh.digits = true
			j++
			continue
		case c == '_' && sh.split == 0 && j > i && j+1 < len(s.text) && words.IsAlphanumeric(rune(s.text[j+1])):
			sh.digits = true // an identifier
			j++
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[j:])
		if r == '\'' || r == '’' || r == modifier {
			next, _ := utf8.DecodeRuneInString(s.text[j+size:])
			if sh.split > 0 || !unicode.IsLetter(next) || j == i {
				break
			}
			sh.split = j
			j += size
			continue
		}
		if c < utf8.RuneSelf || isUnspacedScript(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		sh.ascii = false
		sh.marks = sh.marks || unicode.IsMark(r)
		if unicode.IsUpper(r) {
			sh.capital(j == i)
		}
		j += size
	}
	sh.end = j
	return sh
}

func (sh *shape) capital(first bool) {
	if first {
		sh.upper = true
	} else {
		sh.inner = true
	}
}

// readApostrophe reads a word with one inside: n't, a possessive, or an article.
func (s *scanner) readApostrophe(i int, sh shape) int {
	_, size := utf8.DecodeRuneInString(s.text[sh.split:])
	right := s.text[sh.split+size : sh.end]
	left := s.text[i:sh.split]
	switch strings.ToLower(right) {
	case "t":
		if last := left[len(left)-1]; last == 'n' || last == 'N' {
			s.addContraction(i, sh.end, left)
			return sh.end
		}
	case "s", "m", "re", "ve", "d", "ll":
		sh.end, sh.split = sh.split, 0
		s.classify(i, s.partShape(i, sh.end))
		s.initial = false
		return sh.end + size + len(right)
	}
	s.classify(i, s.partShape(i, sh.split))
	s.initial = s.initial && len(left) <= 2
	return sh.split + size
}

// partShape is the shape of a part of a word.
func (s *scanner) partShape(i, end int) shape {
	part := scanner{text: s.text[:end]}
	return part.shape(i)
}

// addContraction adds what a word ending with n't says besides its "not".
func (s *scanner) addContraction(start, end int, left string) {
	verb := strings.ToLower(left[:len(left)-1])
	switch verb {
	case "ca":
		verb = "can"
	case "sha":
		verb = "shall"
	}
	if w := s.lex.words[verb]; w != nil && w.kind != "" {
		s.add(w.kind, w.norm, start, end)
	}
	s.add(Negation, "not", start, end)
}

// classify adds a word if it decides anything.
func (s *scanner) classify(i int, sh shape) {
	raw := s.text[i:sh.end]
	if s.symbolAt >= 0 && (s.symbolAt == i || s.symbolAt+1 == i && s.text[i-1] == ' ') {
		if u := s.lex.symbols[raw]; u != nil {
			s.add(u.kind, u.norm, i, sh.end)
			s.symbolAt = sh.end
			return
		}
	}
	if len(raw) <= maxWord && s.addKnown(i, raw, sh) {
		return
	}
	s.addName(i, raw, sh)
}

// addKnown adds a word of the lexicon.
func (s *scanner) addKnown(i int, raw string, sh shape) bool {
	if sh.ascii && !s.lex.seen[lookupKey(raw)] && !isNegatedByPrefix(raw) {
		return false
	}
	var buf [maxWord]byte
	low := raw
	switch {
	case sh.ascii && (sh.upper || sh.inner):
		b := buf[:len(raw)]
		for k := range b {
			b[k] = raw[k] | 0x20
		}
		low = string(b) // digits have that bit, and no word of the lexicon a mark
	case sh.marks:
		low = stripVowelMarks(raw)
	case !sh.ascii && (sh.upper || sh.inner):
		low = strings.ToLower(raw)
	}
	w := s.lookUp(low, raw, sh)
	if w == nil || s.looksAlike(low) {
		return false
	}
	return s.addSense(i, sh.end, w)
}

// looksAlike reports whether a word decides in other languages than the text's alone.
func (s *scanner) looksAlike(low string) bool {
	others := s.lex.friends[low]
	return s.language != nil && len(others) > 0 && slices.Contains(others, s.language())
}

// lookUp gives the sense of a word, nil for none.
func (s *scanner) lookUp(low, raw string, sh shape) *sense {
	if sh.upper || sh.inner {
		if w := s.lex.exact[raw]; w != nil {
			return w
		}
		if w := s.lex.capital[low]; w != nil && !(s.initial && s.lex.words[low] != nil) {
			return w
		}
	}
	if w := s.lex.words[low]; w != nil && !(w.lower && sh.upper) {
		return w
	}
	if !sh.ascii {
		if r, _ := utf8.DecodeRuneInString(low); r >= 0x600 && r < 0x780 {
			return s.lex.arabic(low)
		} else if r >= 0x400 && r < 0x530 || r >= 0xac00 && r <= 0xd7a3 {
			return s.lex.stem(low)
		}
	}
	if isNegatedByPrefix(low) {
		return &sense{kind: Negation, norm: "un-"}
	}
	return nil
}

// addSense adds a word or the phrase it begins.
func (s *scanner) addSense(start, end int, w *sense) bool {
	for _, p := range w.phrases {
		if to, ok := phraseFollows(s.text, end, p.rest); ok {
			s.add(p.kind, p.norm, start, to)
			return true
		}
	}
	if w.kind == "" {
		return w.norm != "" // a plain one is settled, the head of a phrase is not
	}
	if w.kind == Number {
		s.addNumeral(start, end, w.norm)
		return true
	}
	s.add(w.kind, w.norm, start, end)
	return true
}

// addNumeral adds a number word, or joins it to the tens before it.
func (s *scanner) addNumeral(start, end int, norm string) {
	if n := len(s.words); n > 0 && len(norm) == 1 {
		last := &s.words[n-1]
		tens := last.Kind == Number && len(last.Norm) == 2 && last.Norm[1] == '0' && words.IsAlphanumeric(rune(last.Text[0])) && last.Text[0] > '9'
		if tens && last.End+1 == start && s.text[last.End] == '-' {
			last.Norm, last.Text, last.End = last.Norm[:1]+norm, s.text[last.Start:end], end
			return
		}
	}
	s.add(Number, norm, start, end)
	s.symbolAt = -1
}

// phraseFollows reports whether the words of a phrase stand behind a place, one
// blank or line end between them, and where they end. The last word may go on
// with an s.
func phraseFollows(text string, at int, rest string) (int, bool) {
	for word := range strings.SplitSeq(rest, " ") {
		gap := at
		for at < len(text) {
			r, size := utf8.DecodeRuneInString(text[at:])
			if !unicode.IsSpace(r) && r != '\'' && r != '’' && r != '-' {
				break
			}
			at += size
		}
		if at == gap || at-gap > 4 || len(text)-at < len(word) || !strings.EqualFold(text[at:at+len(word)], word) {
			return 0, false
		}
		at += len(word)
	}
	next, _ := utf8.DecodeRuneInString(text[at:])
	return at, !words.IsAlphanumeric(next)
}

// addName adds a word that is a name by its looks.
func (s *scanner) addName(i int, raw string, sh shape) {
	if !sh.upper && !sh.inner && !sh.digits || len(raw) < 2 {
		return
	}
	if s.initial && sh.upper && !sh.inner && !sh.digits {
		if !function(raw) {
			s.add(Name, raw, i, sh.end)
			s.words[len(s.words)-1].Initial = true
		}
		return
	}
	if sh.upper && !sh.inner && !sh.digits && function(raw) {
		return
	}
	s.add(Name, raw, i, sh.end)
}

// function reports the words that most often begin a sentence and are no
// names.
func function(word string) bool {
	switch word {
	case "The", "A", "An", "In", "On", "At", "By", "For", "From", "To", "Of", "With", "As", "And", "But", "Or", "So", "Yet",
		"This", "That", "These", "Those", "It", "Its", "We", "Our", "They", "Their", "He", "His", "She", "Her", "You", "Your", "My",
		"There", "Here", "When", "Where", "While", "Although", "Though", "Because", "However", "Moreover", "Thus", "Then", "What",
		"Who", "How", "Why", "Which", "Such", "Is", "Are", "Was", "Were", "Has", "Have", "Had", "Do", "Does", "Did", "Be", "Not",
		"Der", "Die", "Das", "Den", "Dem", "Des", "Ein", "Eine", "Einer", "Einem", "Im", "Am", "Bei", "Mit", "Für", "Von", "Zu", "Und", "Es", "Sie", "Er", "Wir", "Auf", "Aus", "Nach",
		"Le", "La", "Les", "L", "Un", "Une", "Du", "De", "Ce", "Cette", "Ces", "Il", "Elle", "Ils", "Elles", "Nous", "En", "Dans", "Pour", "Par", "Avec", "Et", "Mais",
		"El", "Los", "Las", "Una", "Unos", "Lo", "Con", "Por", "Para", "Y", "Pero", "Se", "Su", "Sus", "Este", "Esta", "Estos", "Estas",
		"В", "На", "По", "С", "Из", "К", "О", "Об", "От", "За", "И", "А", "Но", "Это", "Эти", "Этот", "Эта", "Он", "Она", "Они", "Мы", "Как", "Что", "Для", "При", "У":
		return true
	}
	return false
}

// stripVowelMarks composes a word and takes off the vowel signs of Arabic.
func stripVowelMarks(word string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r >= 0x64b && r <= 0x65f || r == 0x640 {
			return -1
		}
		return r
	}, norm.NFC.String(word)))
}

// isNegatedByPrefix reports a word that its prefix negates. Words like under and unit
// are none.
func isNegatedByPrefix(word string) bool {
	if len(word) < 5 || word[1]|0x20 != 'n' && word[1]|0x20 != 'o' {
		return false
	}
	word = strings.ToLower(word)
	if rest, ok := strings.CutPrefix(word, "non"); ok {
		return len(rest) > 3 && !strings.HasPrefix(rest, "e") && !strings.HasPrefix(rest, "sens")
	}
	rest, ok := strings.CutPrefix(word, "un")
	if !ok || len(rest) < 4 {
		return false
	}
	for _, none := range [...]string{"der", "ter", "til", "it", "io", "iq", "if", "iv", "is", "ic", "idir", "ilat", "imod", "ipol", "cle", "anim", "dul", "gef", "ser", "as", "os"} {
		if strings.HasPrefix(rest, none) {
			return false
		}
	}
	return true
}
