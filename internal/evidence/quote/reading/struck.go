package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Struck is a part of a text, with its marks, that the text itself takes back or keeps from its readers.
type Struck struct {
	From, To int
	Hidden   bool // it is not shown: hidden, or a comment; otherwise it is struck out
	Original bool // an editor gives both, what the source has and what is read in its place
}

func (s Struck) span() (from, to int) { return s.From, s.To }

// StruckIn gives what a text has struck out, as a page does or an editor finds it done in a letter, what
// stands there in place of which the editor reads something else, and what a page hides. Time is linear.
func StruckIn(text string) []Struck {
	list := append(struckIn(text, false), struckInSource(text)...)
	slices.SortStableFunc(list, func(a, b Struck) int { return a.From - b.From })
	return list
}

func struckIn(text string, replacements bool) []Struck {
	var list []Struck
	if !strings.Contains(text, "<") && !strings.Contains(text, "~~") {
		return nil
	}
	s := struckScanner{text: text, ends: closings{text: text}, originals: !replacements, edition: strings.Contains(text, "<TEI") || strings.Contains(text, "<teiHeader")}
	for i := 0; i < len(text); {
		at := strings.IndexAny(text[i:], "<~`")
		if at < 0 {
			break
		}
		i += at
		found, end := s.at(i)
		if found.To > 0 {
			list = append(list, found)
		}
		i = max(i+1, end)
	}
	return s.withoutSentences(list)
}

// struckScanner looks for struck parts of one text.
type struckScanner struct {
	text    string
	edition bool // of a source by an editor, whose <s> is a sentence
	// of an editor's choices what the source has is left out, not what is put in its place
	originals bool
	choice    int // where the <choice> or the <app> ends that was passed last
	// that is one of an editor who prefers a reading to those of other sources
	choosesReading bool
	restored       int // where the <restore> ends that was passed last: what is struck there stands again
	// what style sheets say of classes, and what ids links and buttons lead to
	isStyled       bool
	strikes, hides map[string]bool
	isLinked       bool
	isPageKnown    bool
	page           bool
	linked         map[string]bool
	ends           closings
}

// closes reports whether a mark stands behind a place, not farther than what is struck is long.
func (s *struckScanner) closes(mark string, from int) bool {
	at := s.ends.next(from, mark)
	return at >= 0 && at < from+maxStruck
}

// maxStruck is how far the marks of what is struck stand apart at most, in bytes.
const maxStruck = 8000

// at looks at a "<", "~" or "`" and tells where to look on.
func (s *struckScanner) at(i int) (Struck, int) {
	switch s.text[i] {
	case '`':
		return Struck{}, codeEnd(s.text, i)
	case '~':
		end := i + len(s.text[i:]) - len(strings.TrimLeft(s.text[i:], "~"))
		if stop := struckEnd(s.text, i, end); stop > 0 {
			return Struck{From: i, To: stop}, stop
		}
		return Struck{}, end
	}
	if strings.HasPrefix(s.text[i:], "<!--") {
		if !s.closes("-->", i) {
			return Struck{}, i + len("<!--")
		}
		stop := s.ends.next(i, "-->") + len("-->")
		if !isCommentOfText(s.text, i, stop) && !(isStatement(s.text[i+len("<!--"):stop-len("-->")]) && s.isPage()) {
			return Struck{}, stop
		}
		return Struck{From: i, To: stop, Hidden: true}, stop
	}
	name, closing, end := tag(s.text, i)
	switch {
	case name == "delspan" && !closing && end > 0:
		return s.spanOfDeletion(i, end)
	case end == 0 || closing || strings.HasSuffix(s.text[i:end], "/>"):
		return Struck{}, max(end, i+1)
	case (name == "choice" || name == "app") && s.closes("</"+name, end):
		s.choice = elementEnd(s.text, end, name)
		s.choosesReading = name == "app" && strings.Contains(s.text[end:max(end, s.choice)], "<lem")
	case name == "restore" && s.closes("</"+name, end):
		s.restored = elementEnd(s.text, end, name)
	}
	struck, hidden := s.isStruck(name, s.text[i:end])
	struck = struck && i >= s.restored
	instead := i < s.choice && s.isOther(name)
	if !struck && !hidden && !instead {
		return Struck{}, end
	}
	if !s.closes("</"+name, end) {
		return Struck{}, end
	}
	stop := elementEnd(s.text, end, name)
	if stop == 0 || name == "s" && !touchesTags(s.text[end:stop]) {
		return Struck{}, end
	}
	return Struck{From: i, To: stop, Hidden: !struck && !instead, Original: instead}, stop
}

// isOther reports whether an element of an editor's choice has what is left out: what the source has, or else what
// the editor puts in its place.
func (s *struckScanner) isOther(name string) bool {
	if s.choosesReading {
		return s.originals && name == "rdg" || !s.originals && name == "lem"
	}
	if s.originals {
		return name == "sic" || name == "orig" || name == "abbr"
	}
	return name == "corr" || name == "reg" || name == "expan"
}

// spanOfDeletion gives what a source has struck out from one empty element to another whose name it has.
func (s *struckScanner) spanOfDeletion(from, end int) (Struck, int) {
	m := spanEnd().FindStringSubmatch(s.text[from:end])
	if m == nil {
		return Struck{}, end
	}
	for _, id := range [...]string{`id="` + m[1] + `"`, `id='` + m[1] + `'`} {
		if at := s.ends.next(end, id); at >= 0 && at < end+maxStruck {
			if stop := strings.IndexByte(s.text[at:], '>'); stop >= 0 {
				return Struck{From: from, To: at + stop + 1}, at + stop + 1
			}
		}
	}
	return Struck{}, end
}

var spanEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\sspanTo\s*=\s*["']#([\w:.-]+)`) })

// isStruck reports whether a tag strikes out its element or hides it.
func (s *struckScanner) isStruck(name, tag string) (struck, hidden bool) {
	switch {
	case hiddenElements[name] || name == "html" || name == "body" || name == "head" || name == "input":
		return false, false
	case name == "del" || name == "strike" || name == "s" && !s.edition && !sentenceAttribute().MatchString(tag):
		return true, false
	case !strings.Contains(tag, " ") && !strings.Contains(tag, "\n"):
		return false, false
	}
	small := strings.ToLower(tag)
	if containsAny(small, "through", "struck", "strike", "crossed") && struckAttribute().MatchString(tag) {
		return true, false
	}
	if containsAny(small, "hidden", "none", "font-size") && unseenAttribute().MatchString(tag) {
		return false, !s.isOpened(tag)
	}
	if strings.Contains(small, "class") {
		m := classAttribute().FindStringSubmatch(tag)
		if m == nil {
			return false, false
		}
		if !s.isStyled {
			s.isStyled = true
			s.strikes, s.hides = styledClasses(s.text)
		}
		for class := range strings.FieldsSeq(m[1]) {
			struck, hidden = struck || s.strikes[class], hidden || s.hides[class]
		}
	}
	return struck, hidden && !struck && !s.isOpened(tag)
}

func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// isOpened reports whether what a tag hides is shown to whoever asks for it: a link or a button leads
// there.
func (s *struckScanner) isOpened(tag string) bool {
	if strings.Contains(tag, "tabpanel") {
		return true
	}
	m := idAttribute().FindStringSubmatch(tag)
	if m == nil {
		return false
	}
	if !s.isLinked {
		s.isLinked = true
		s.linked = map[string]bool{}
		for _, link := range linkedID().FindAllStringSubmatch(s.text, -1) {
			s.linked[link[1]] = true
		}
	}
	return s.linked[m[1]]
}

const otherAttributes = `^<[A-Za-z][\w:.-]*(?:\s+[a-zA-Z:@_-][\w:.@-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*?\s+`

var (
	// sentenceAttribute is what a corpus counts its sentences by.
	sentenceAttribute = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\s(?:xml:)?(?:id|n|num|sid)\s*=`) })
	struckAttribute   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)` + otherAttributes + `(?:style\s*=\s*["'][^"']*\btext-decoration(?:-line)?\s*:[^;"']*\bline-through\b|rend(?:ition)?\s*=\s*["'][^"']*(?:\bstruck|\bstrike|\bcrossed[ -]?out\b|line-?through))`)
	})
	unseenAttribute = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)` + otherAttributes + `(?:hidden(?:\s*=\s*["']?(?:true|hidden)?["']?)?[\s/>]|style\s*=\s*["'](?:[^"']*;)?\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|rem|%)?)\s*(?:!important\s*)?[;"'])`)
	})
	classAttribute = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\sclass\s*=\s*["']([^"']+)["']`) })
	idAttribute    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\sid\s*=\s*["']?([\w:.-]+)`) })
	linkedID       = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\s(?:aria-controls|href|data-[\w-]*target|for)\s*=\s*["']?#?([\w:.-]+)`)
	})
	// styleOfClass is a rule of a style sheet for classes alone, which no size of a window, and nothing
	// beside them, bounds.
	styleOfClass = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([^{}]*)\{([^{}]*)\}`)
	})
	aClass   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(?:[a-zA-Z][a-zA-Z0-9]*)?\.([\w-]+)\s*$`) })
	anyClass = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.([a-zA-Z_][\w-]*)`) })
	shows    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[;\s])(?:display\s*:|visibility\s*:\s*visible)`)
	})
	strikes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)text-decoration(?:-line)?\s*:[^;}]*line-through`)
	})
	hides = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)`)
	})
	styleSheet = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?is)<style[^<>]*>(.*?)</style`) })
	mediaRule  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)@[^{};]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}`) })
	aComment   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)/\*.*?\*/|<!--|-->`) })
)

// styledClasses gives the classes that a page's own style sheets strike out or hide, wherever they stand, in
// a window of any size, and for good: no other rule shows them, as where a mouse is on them, and no script
// names them.
func styledClasses(text string) (struck, hidden map[string]bool) {
	struck, hidden = map[string]bool{}, map[string]bool{}
	for _, sheet := range styleSheet().FindAllStringSubmatch(text, -1) {
		rules := mediaRule().ReplaceAllString(aComment().ReplaceAllString(sheet[1], " "), " ")
		for _, rule := range styleOfClass().FindAllStringSubmatch(rules, -1) {
			for selector := range strings.SplitSeq(rule[1], ",") {
				m := aClass().FindStringSubmatch(selector)
				if m == nil {
					continue
				}
				struck[m[1]] = struck[m[1]] || strikes().MatchString(rule[2])
				if hides().MatchString(rule[2]) {
					hidden[m[1]] = true
				}
			}
		}
		for _, rule := range styleOfClass().FindAllStringSubmatch(rules, -1) {
			if shows().MatchString(rule[2]) && !hides().MatchString(rule[2]) {
				for _, m := range anyClass().FindAllStringSubmatch(rule[1], -1) {
					delete(hidden, m[1])
				}
			}
		}
	}
	for class := range hidden {
		if strings.Contains(text, `'.`+class) || strings.Contains(text, `".`+class) || strings.Contains(text, `'`+class+`'`) {
			delete(hidden, class)
		}
	}
	return struck, hidden
}

// elementEnd is where an element ends whose content begins at a place, 0 where that is not near.
// Elements of the same name may stand in it, some within another.
func elementEnd(text string, from int, name string) int {
	const deepest = 16
	window := text[from:min(len(text), from+maxStruck)]
	open := 1
	for i := 0; ; {
		at := strings.IndexByte(window[i:], '<')
		if at < 0 {
			return 0
		}
		i += at
		other, closing, end := tag(window, i)
		switch {
		case end == 0:
			i++
			continue
		case other != name || strings.HasSuffix(window[i:end], "/>"):
		case closing:
			if open--; open == 0 {
				return from + end
			}
		default:
			if open++; open > deepest {
				return 0
			}
		}
		i = end
	}
}

// touchesTags reports whether what <s> and </s> enclose is set as a struck word is: models of
// languages write "<s> I am </s>" for the ends of a sentence.
func touchesTags(inside string) bool {
	inside = inside[:max(0, strings.LastIndexByte(inside, '<'))]
	return inside != "" && inside == strings.TrimSpace(inside)
}

// withoutSentences leaves out the <s> of a text most of which stands in such, as it does in
// a corpus.
func (s *struckScanner) withoutSentences(list []Struck) []Struck {
	const share = 3
	total := 0
	for _, p := range list {
		if strings.HasPrefix(s.text[p.From:], "<s>") {
			total += p.To - p.From
		}
	}
	if total == 0 || total*share < len(s.text) || strings.Contains(s.text, "<p") {
		return list
	}
	kept := list[:0]
	for _, p := range list {
		if !strings.HasPrefix(s.text[p.From:], "<s>") {
			kept = append(kept, p)
		}
	}
	return kept
}

// codeEnd is where code ends that begins with a "`" of Markdown, or where the text goes on.
func codeEnd(text string, i int) int {
	const longest = 300
	end := i + len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
	run := text[i:end]
	if n := len(run); n >= 3 && strings.TrimLeft(text[strings.LastIndexByte(text[:i], '\n')+1:i], " ") == "" {
		if stop := strings.Index(text[end:], "\n"+run); stop >= 0 {
			return end + stop + 1 + n
		}
		return end
	}
	window := text[end:min(len(text), end+longest)]
	if stop := strings.Index(window, "\n\n"); stop >= 0 {
		window = window[:stop]
	}
	if stop := strings.Index(window, run); stop > 0 && !strings.HasPrefix(window[stop+len(run):], "`") {
		return end + stop + len(run)
	}
	return end
}

// struckEnd is where what "~~" of Markdown strikes out ends, 0 for none. The mark begins between two
// bytes.
func struckEnd(text string, i, end int) int {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	first := char.First(text[end:])
	if end-i != 2 || i > 0 && char.IsOfWord(before) || end == len(text) || unicode.IsSpace(first) {
		return 0
	}
	window := text[end:min(len(text), end+maxStruck)]
	if stop := strings.Index(window, "\n\n"); stop >= 0 {
		window = window[:stop]
	}
	stop := strings.Index(window, "~~")
	if stop <= 0 || unicode.IsSpace(char.Last(window[:stop])) || !strings.ContainsFunc(window[:stop], char.IsOfWord) {
		return 0
	}
	behind := window[stop+2:]
	if next := char.First(behind); behind != "" && (next == '~' || char.IsOfWord(next)) {
		return 0
	}
	return end + stop + 2
}

// isStatement reports whether a comment is a sentence, as one that was taken out of a page.
func isStatement(comment string) bool {
	const fewest = 5 // words
	said := strings.TrimSpace(saidWithin(comment))
	return char.IsSentenceStop(char.Last(said)) && unicode.IsUpper(char.First(said)) && countOfWords(said) >= fewest
}

// isPage reports whether a text is a page or an edition, or one of Markdown, whose readers do not see its comments.
func (s *struckScanner) isPage() bool {
	if !s.isPageKnown {
		s.isPageKnown, s.page = true, s.edition || pageElement().MatchString(s.text)
	}
	return s.page
}

var pageElement = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)<(?:body|p)[\s>]|^#{1,3} \S`) })

// isCommentOfText reports whether a comment stands among the words of a text that is read, not in a
// file for a program.
func isCommentOfText(text string, from, to int) bool {
	const near = 400 // bytes
	before, behind := text[max(0, from-near):from], text[to:min(len(text), to+near)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ = strings.Cut(behind, "\n")
	return strings.ContainsFunc(saidWithin(before)+saidWithin(behind), char.IsOfWord)
}

// What of struck and hidden parts, and of an editor's choices, a reading leaves out.
const (
	withoutStruck       = iota // and of choices what the source has
	withoutReplacements        // and of choices what the editor puts in its place
	withStruck                 // all is kept
)

// struckEdits takes out what a text has struck out or hides.
func struckEdits(text string, without int) []Edit {
	if without == withStruck {
		return nil
	}
	var list []Edit
	for _, p := range struckIn(text, without == withoutReplacements) {
		list = append(list, Edit{From: p.From, To: p.To})
	}
	return list
}
