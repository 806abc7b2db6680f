package relation

import (
	"slices"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
)

// A Meaning is what a sentence is compared by: its words that carry content, in
// order, each with what negates it; its quantities in units of their dimension;
// and the words that say how surely and of how much it holds. What a sentence
// merely is put together with, and in which form its words stand, is left out. Of more
// than 400 characters or 60 words it is no sentence, and the rules judge it by nothing
// but its numbers.
type Meaning struct {
	text       string
	long       bool // more than a sentence
	terms      []term
	quantities []quantity
	scope      []string // quantifiers and hedges, sorted
	besides    []string // those of them in what is put behind the sentence
	definition definition
	swapped    bool // it compares two things with "than", so that their order decides
}

// term is a word that carries content.
type term struct {
	stem    string
	text    string // as it stands there
	pole    pole
	negated bool
	aside   bool // in a clause that begins with if, unless, because and such
	prefix  bool // negated by its own beginning: unsafe
	said    bool // behind a form of be: it is what the sentence says of its subject
	placed  bool // behind in, for, at and such: it may say where, when or in which case
	joined  bool // right behind another word of content
	agent   bool // behind by: it may be who does it
	behind  bool // behind any word that says how it belongs to the rest: of, to, in, from
	tail    bool // in a clause that is put behind the sentence: ", which …", "; …"
	after   bool // behind a form of be or have, or a verb that helps another
}

// key is the same for a word and its opposite.
func (t term) key() string {
	if t.pole.axis != "" {
		return t.pole.axis
	}
	return t.stem
}

// Read reads a sentence. Time is linear in its length.
func Read(text string) Meaning { return (&Reader{}).read(text) }

// A Reader reads many sentences in the room of one, and looks a word up once. What it
// has read holds until it reads the next. Its zero value is one that looks up each anew.
type Reader struct {
	known  *knownWords
	guards []guard.Word
	words  []words.Word
	reader reader
}

// NewReader makes a reader for many sentences.
func NewReader() *Reader { return &Reader{known: &knownWords{}} }

// Another makes a reader that shares the words this one has looked up: what the one has
// read holds while the other reads. They are no more for use at the same time than one is.
func (m *Reader) Another() *Reader { return &Reader{known: m.known} }

// Read reads a sentence. Time is linear in its length.
func (m *Reader) Read(text string) Meaning { return m.read(text) }

func (m *Reader) read(text string) Meaning {
	if m.words == nil {
		m.guards, m.words = make([]guard.Word, 0, 4+len(text)/16), make([]words.Word, 0, 4+len(text)/6)
	}
	m.guards, m.words = guard.AppendWords(m.guards, text), words.AppendSplit(m.words[:0], text)
	before := m.reader.Meaning
	m.reader = reader{guards: m.guards, known: m.known}
	r := &m.reader
	r.text, r.long = text, isLong(text)
	r.terms, r.quantities, r.scope, r.besides = before.terms[:0], before.quantities[:0], before.scope[:0], before.besides[:0]
	if r.terms == nil {
		r.terms = make([]term, 0, len(m.words))
	}
	for _, w := range m.words {
		r.readWord(w)
	}
	r.readRest()
	r.endQuantity()
	r.readRanges()
	r.endNegation()
	slices.Sort(r.scope)
	r.definition = parseDefinition(text)
	return r.Meaning
}

// knownWords are the words last looked up, each where its letters put it.
type knownWords [1 << 12]knownWord

// knownWord is what is known of a word by itself.
type knownWord struct {
	raw                       string // as it was written; "" for none
	small                     string // in small letters
	ceases, beginsAside, puts bool   // see isCeasing, beginsAside, isFunctionWord
	stem                      string // "" for one that has several, or another script's
	pole                      pole
}

// newKnownWord looks a word up.
func newKnownWord(raw string) knownWord {
	small := strings.ToLower(raw)
	k := knownWord{raw: raw, small: small, ceases: isCeasing(small), beginsAside: beginsAside(small), puts: isFunctionWord(small)}
	switch {
	case isIdentifier(raw):
		k.stem = strings.ReplaceAll(small, "_", "")
	case words.IsASCII(raw):
		k.stem = words.Stem(small)
		k.pole = poleOf(small, k.stem)
		if verb := lexicon().effects[k.stem]; verb != "" && verb != small && !isEvent(k.stem) {
			k.stem = words.Stem(verb)
			k.pole = poleOf(verb, k.stem)
		}
	}
	return k
}

// know gives what is known of a word.
func (r *reader) know(raw string) *knownWord {
	if r.known == nil || r.long {
		k := newKnownWord(raw)
		return &k
	}
	h := uint32(2166136261)
	for i := range len(raw) {
		h = (h ^ uint32(raw[i])) * 16777619
	}
	k := &r.known[(h^h>>15)%uint32(len(r.known))]
	if k.raw != raw {
		*k = newKnownWord(raw)
	}
	return k
}

// reader reads one sentence word by word.
type reader struct {
	Meaning
	known   *knownWords
	guards  []guard.Word // not yet passed
	upTo    int          // the sentence is read up to here
	negate  bool         // the next word of content
	aside   bool
	bound   byte   // what was said just before a number: at least, more than
	unit    string // a currency that stood before a number
	open    bool   // the last quantity may still get a magnitude or a unit
	before  string // the word before, in small letters,
	earlier string // and the one before that
	labels  bool   // the word before is one of content
	being   bool   // behind a form of be
	placing bool   // the next word of content says where, when or in which case
	version bool   // the word before says that a version follows
	agent   bool   // behind by, before any other word that only puts together
	behind  bool   // behind a preposition, before any other such word
	tail    bool   // in what is put behind the sentence,
	inset   bool   // or between its subject and what it says of that
	after   bool   // a form of be or have, or a verb that helps another, has been read
}

func (r *reader) readWord(w words.Word) {
	if w.Start < r.upTo {
		return
	}
	r.readGap(w.Start)
	for len(r.guards) > 0 && r.guards[0].Start < w.Start {
		g := r.guards[0]
		r.guards = r.guards[1:]
		r.readGuard(g)
	}
	if w.Start < r.upTo {
		return
	}
	if end, version := versionAt(r.text, w.Start, r.version); version {
		r.endQuantity()
		r.addQuantity(quantity{exact: strings.TrimLeft(strings.ToLower(r.text[w.Start:end]), "v"), sort: versionNumber, text: r.text[w.Start:end], since: r.isSince()})
		r.passed(end, false)
		return
	}
	if len(r.guards) == 0 || r.guards[0].Start >= w.Start+len(w.Text) {
		r.readPlain(w)
		return
	}
	g := r.guards[0]
	if g.Start > w.Start { // in scripts without blanks between words
		r.readPlain(words.Word{Text: r.text[w.Start:g.Start], Start: w.Start})
	}
	r.guards = r.guards[1:]
	r.readGuard(g)
	r.earlier, r.before = r.before, strings.ToLower(r.text[g.Start:g.End])
	if end := w.Start + len(w.Text); r.upTo < end && r.upTo > w.Start && words.IsPaired(w.Text) {
		r.readWord(words.Word{Text: r.text[r.upTo:end], Start: r.upTo})
	}
}

// readRest reads the signs behind the last word: 5 %.
func (r *reader) readRest() {
	for len(r.guards) > 0 {
		g := r.guards[0]
		r.guards = r.guards[1:]
		r.readGuard(g)
	}
}

// endNegation ends a negation behind which nothing of content stands: it denies the
// sentence before it, as German does.
func (r *reader) endNegation() {
	if r.negate {
		r.addScope(denied)
	}
	r.negate = false
}

// addScope adds a quantifier or a hedge.
func (r *reader) addScope(word string) {
	r.scope = append(r.scope, word)
	if r.tail {
		r.besides = append(r.besides, word)
	}
}

// denied is in the scope of a sentence that is denied as a whole.
const denied = "not"

// passed notes how far the sentence has been read.
func (r *reader) passed(end int, content bool) {
	r.upTo, r.labels, r.version = end, content, false
	for len(r.guards) > 0 && r.guards[0].Start < end {
		r.guards = r.guards[1:]
	}
}

// readGap reads the marks before a word.
func (r *reader) readGap(to int) {
	if r.upTo >= to {
		return
	}
	gap := r.text[r.upTo:to]
	if gap == " " {
		return
	}
	if strings.ContainsAny(gap, ",;:.()") {
		r.aside = false
		r.labels = false
	}
	if strings.ContainsAny(gap, ",;.") {
		r.endNegation()
	}
	if strings.ContainsAny(gap, ",;:()") {
		r.agent, r.behind = false, false
	}
	r.readTail(gap, r.text[to:])
}

// readTail notes where what is put behind a sentence begins and ends: another sentence, a
// clause that only adds to it, what stands in brackets.
func (r *reader) readTail(gap, rest string) {
	switch {
	case len(r.terms) == 0:
	case strings.ContainsAny(gap, ".;(") && gap != ".":
		r.tail, r.inset = true, strings.Contains(gap, "(")
	case r.tail && r.inset && strings.ContainsAny(gap, "),"):
		r.tail = false
	case strings.Contains(gap, ",") && addsOn(rest):
		r.tail, r.inset = true, !r.after && len(r.terms) < 4
	}
}

// addsOn reports whether behind a comma a clause begins that only adds to what was said.
func addsOn(rest string) bool {
	word, _, _ := strings.Cut(rest, " ")
	switch word = strings.ToLower(word); word {
	case "which", "who", "whose", "because", "since", "as", "so", "including", "making", "with", "while", "whereas", "although", "though":
		return true
	}
	return len(word) > 5 && strings.HasSuffix(word, "ing")
}

func (r *reader) readPlain(w words.Word) {
	k := r.know(w.Text)
	small := k.small
	end := w.Start + len(w.Text)
	defer func() { r.earlier, r.before = r.before, small }()
	switch {
	case r.deniesBefore(small, r.text[end:]):
		r.passed(end, false)
	case k.ceases && (strings.HasPrefix(r.text[end:], " being ") || strings.HasPrefix(r.text[end:], " to be ")):
		r.endQuantity()
		r.negate = !r.negate
		r.passed(end, false)
	case k.beginsAside:
		r.aside = true
		r.tail = r.tail || small == "because" && len(r.terms) > 2
		r.passed(end, false)
	case k.puts && !(small == "on" && isBeing(r.before)):
		if !connectsQuantity(small) {
			r.endQuantity()
		}
		r.placing = r.placing || places(small)
		r.being = r.being && !isArticle(small) || isBeing(small)
		r.after = r.after || helps(small)
		r.tail = r.tail || small == "as" && len(r.terms) > 2 && givesReason(r.text[end:])
		if !isArticle(small) {
			r.agent, r.behind = small == "by", isPreposition(small)
		}
		r.passed(end, false)
	default:
		r.addTerm(w.Text, end)
	}
}

// addTerm adds a word of content.
func (r *reader) addTerm(raw string, end int) {
	k := r.know(raw)
	small := k.small
	if r.open {
		r.closeWith(words.Stem(small))
	}
	t := term{text: raw, stem: k.stem, pole: k.pole, aside: r.aside, negated: r.negate, placed: r.placing, said: r.being, joined: r.labels, agent: r.agent, behind: r.behind, tail: r.tail, after: r.after}
	r.negate, r.placing, r.being = false, false, false
	if t.stem == "" && !words.IsASCII(raw) {
		for _, t.stem = range words.StemsOf(raw) {
			r.terms = append(r.terms, t)
			t.negated = false
		}
	} else if t.stem != "" {
		r.terms = append(r.terms, t)
	}
	r.bound, r.unit = 0, ""
	r.passed(end, true)
	r.version = small == "version" || small == "release" || small == "versions"
}

// isIdentifier reports whether a word is written as no ordinary word is: with
// digits, underscores or capitals inside.
func isIdentifier(raw string) bool {
	upper, lower := false, false
	for i, c := range raw {
		switch {
		case c == '_' || c >= '0' && c <= '9':
			return true
		case i > 0:
			upper, lower = upper || unicode.IsUpper(c), lower || unicode.IsLower(c)
		}
	}
	return upper && lower
}

// readGuard reads a word that decides.
func (r *reader) readGuard(g guard.Word) {
	switch {
	case g.Start < r.upTo:
		return
	case r.deniesBefore(strings.ToLower(r.text[g.Start:g.End]), r.text[g.End:]):
		r.passed(g.End, false)
		return
	}
	switch g.Kind {
	case guard.Number, guard.Date:
		r.readNumber(g)
	case guard.Magnitude:
		r.readMagnitude(g)
	case guard.Unit:
		r.readUnit(g)
	case guard.Comparator:
		r.readComparator(g)
	case guard.Negation:
		r.readNegation(g)
	case guard.Quantifier, guard.Hedge:
		r.readScope(g)
	default:
		r.addTerm(g.Text, g.End)
	}
}

func (r *reader) readNegation(g guard.Word) {
	r.endQuantity()
	small := strings.ToLower(g.Text)
	switch {
	case g.Norm == "in-" || g.Norm == "dis-" || g.Norm == "un-" && !strings.EqualFold(small, "non"):
		root := small
		for _, prefix := range []string{"non", "dis", "un", "in", "im", "ir", "il"} {
			if rest, ok := strings.CutPrefix(small, prefix); ok && len(rest) > 2 {
				root = rest
				break
			}
		}
		if p := poleOf(small, words.Stem(small)); p.axis != "" {
			r.addTerm(g.Text, g.End)
			return
		}
		r.negate = !r.negate
		r.addTerm(root, g.End)
		r.terms[len(r.terms)-1].text, r.terms[len(r.terms)-1].prefix = g.Text, true
		return
	case g.Norm == "fail" && !strings.HasPrefix(strings.TrimLeft(r.text[g.End:], " "), "to "):
		r.addTerm(g.Text, g.End)
		return
	case g.Norm == "unless" || g.Norm == "except":
		r.addScope(g.Norm)
		r.aside = true
		r.passed(g.End, false)
		return
	case g.Norm == "hardly" || g.Norm == "rarely":
		r.addScope(g.Norm)
		r.passed(g.End, false)
		return
	}
	if strings.HasPrefix(strings.TrimLeft(r.text[g.End:], " "), "only ") {
		r.passed(g.End, false) // not only
		return
	}
	if next := strings.TrimLeft(r.text[g.End:], " "); g.Norm == "no" && (strings.HasPrefix(next, "more than") || strings.HasPrefix(next, "less than") || strings.HasPrefix(next, "fewer than")) {
		r.bound = '!'
		r.passed(g.End, false)
		return
	}
	r.negate = !r.negate
	r.being = r.being || strings.HasPrefix(small, "is") || strings.HasPrefix(small, "are") || strings.HasPrefix(small, "was") || strings.HasPrefix(small, "were")
	r.passed(g.End, false)
}

func (r *reader) readScope(g guard.Word) {
	small := strings.ToLower(g.Text)
	switch {
	case g.Norm == "up to" || small == "at most":
		r.endQuantity()
		r.bound = 'm'
	case g.Norm == "about" && nextIsNumber(r.text[g.End:]):
		r.endQuantity()
		r.bound = '~'
	case g.Norm == "if":
		r.endQuantity()
		r.aside = true
	default:
		r.endQuantity()
		norm := g.Norm
		if r.negate {
			norm, r.negate = "not "+norm, false
		}
		r.addScope(norm)
	}
	r.passed(g.End, false)
}

func (r *reader) readComparator(g guard.Word) {
	r.endQuantity()
	if b := boundOf(g.Norm, strings.ToLower(g.Text)); b != 0 && nextIsNumber(strings.TrimPrefix(strings.TrimLeft(r.text[g.End:], " "), "than")) {
		if r.bound == '!' {
			b = map[byte]byte{'>': 'm', '<': 'l'}[b]
		}
		r.bound = b
		r.passed(g.End, false)
		return
	}
	if g.Norm == "than" {
		r.swapped = r.swapped || r.bound == 0
		r.passed(g.End, false)
		return
	}
	small := strings.ToLower(g.Text)
	if isFunctionComparator(small) && poleOf(small, words.Stem(small)).axis == "" {
		r.placing = true
		r.passed(g.End, false)
		return
	}
	if g.Norm != small && words.IsASCII(g.Norm) {
		bound := r.bound
		r.addTerm(g.Norm, g.End)
		r.bound = bound
		r.terms[len(r.terms)-1].text = g.Text
	} else {
		r.addTerm(g.Text, g.End)
	}
	if small == "since" || small == "until" || small == "before" || small == "after" {
		r.labels = false
	}
}

// isFunctionComparator reports words that compare and carry nothing by
// themselves.
func isFunctionComparator(small string) bool {
	switch small {
	case "since", "during", "between", "within", "until", "till", "additional":
		return true
	}
	return false
}

func boundOf(norm, small string) byte {
	switch {
	case norm == "least" && strings.HasPrefix(small, "at"):
		return 'l'
	case norm == "more" || norm == "over" || norm == "above" || norm == ">":
		return '>'
	case norm == "less" || norm == "fewer" || norm == "under" || norm == "below" || norm == "<":
		return '<'
	case norm == ">=" || norm == "minimum":
		return 'l'
	case norm == "<=" || norm == "maximum":
		return 'm'
	}
	return 0
}

// nextIsNumber reports whether a number is the next thing in a text, a currency
// sign apart.
func nextIsNumber(text string) bool {
	text = strings.TrimLeft(text, " $€£¥")
	if text == "" {
		return false
	}
	if text[0] >= '0' && text[0] <= '9' {
		return true
	}
	word, _, _ := strings.Cut(text[:min(len(text), 24)], " ")
	found := guard.Words(strings.TrimRight(word, ",.;"))
	return len(found) > 0 && found[0].Kind == guard.Number
}

// isCeasing reports verbs that say of what follows that it is so no longer.
func isCeasing(small string) bool {
	switch small {
	case "stop", "stops", "stopped", "cease", "ceases", "ceased":
		return true
	}
	return false
}

// beginsAside reports whether a word begins a clause that says when or why, and
// not what.
func beginsAside(small string) bool {
	switch small {
	case "if", "when", "whenever", "while", "because", "although", "though", "whether", "where", "otherwise", "else", "lest":
		return true
	}
	return false
}

func isArticle(small string) bool { return small == "a" || small == "an" || small == "the" }

// isPreposition reports words that say how what follows belongs to the rest.
func isPreposition(small string) bool {
	switch small {
	case "of", "to", "from", "by", "as", "into", "onto", "upon", "about", "toward", "towards", "along", "than":
		return true
	}
	return places(small)
}

// givesReason reports whether behind "as" a clause begins that says why.
func givesReason(rest string) bool {
	for _, begin := range []string{" it ", " they ", " the ", " this ", " these ", " its "} {
		if strings.HasPrefix(rest, begin) {
			return true
		}
	}
	return false
}

// helps reports verbs that help another, and forms of be and have.
func helps(small string) bool {
	switch small {
	case "has", "have", "had", "do", "does", "did", "will", "would", "shall", "don", "doesn", "didn", "won":
		return true
	}
	return isBeing(small)
}

// isBeing reports forms of be.
func isBeing(small string) bool {
	switch small {
	case "is", "are", "was", "were", "be", "been", "being", "isn", "aren", "wasn", "weren":
		return true
	}
	return false
}

// places reports words before what says where, when or in which case.
func places(small string) bool {
	switch small {
	case "in", "for", "at", "on", "with", "among", "during", "within", "through", "across", "between", "via", "since", "per":
		return true
	}
	return false
}

// connectsQuantity reports words that may stand between a number and what it
// counts.
func connectsQuantity(small string) bool { return small == "of" || small == "a" || small == "an" }

// isFunctionWord reports whether a word only puts a sentence together.
func isFunctionWord(small string) bool {
	switch small {
	case "a", "an", "the", "this", "that", "these", "those", "it", "its", "itself", "they", "them", "their", "theirs", "he", "she", "his", "her", "hers", "him", "we", "our", "us", "you", "your", "i", "my", "me", "one's",
		"is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "has", "have", "had", "having", "s", "t", "re", "ve", "ll", "d", "m", "don", "doesn", "didn", "isn", "aren", "wasn", "weren", "won", "hasn", "haven", "hadn",
		"of", "to", "in", "on", "at", "by", "for", "with", "from", "as", "into", "onto", "upon", "about", "via", "per", "through", "across", "among", "toward", "towards", "within", "during", "between", "since", "along",
		"and", "or", "but", "so", "then", "thus", "therefore", "hence", "also", "too", "both", "either", "than", "such", "which", "who", "whom", "whose", "what", "how", "why", "there", "here",
		"will", "would", "shall", "own", "other", "very", "just", "even", "still", "already", "indeed", "clearly", "actually", "really", "simply", "basically", "essentially", "furthermore", "moreover", "however", "additionally", "overall", "specifically", "namely", "respectively", "well":
		return true
	}
	return false
}
