package reading

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// texReader reads the source of a text set by TeX as it is printed.
type texReader struct {
	text  string
	edits []Edit
	// closers are what the braces that are open put in the place of the one that closes
	// them; keptBrace for those that stay.
	closers []string
	source  bool // it is source text of TeX, and no other with a formula or a folder's name in it
	mathEnd int  // the dollar that ends the formula, if one is open
	left    int  // bytes that may be looked through for the ends of groups
}

const keptBrace = "}"

// Commands of TeX by what is printed of their arguments.
var (
	// as they stand, in another type
	texStyles = wordSet("emph textbf textit texttt textsc textsf textrm textsl textup textmd textnormal text underline uline uwave sout xout st cancel mbox hbox mathrm mathbf mathit mathsf mathtt mathcal operatorname ac acs acl acp acf acrshort acrlong acrfull gls glspl url")
	// behind an argument that is not
	texSecond = wordSet("href textcolor colorbox foreignlanguage hyperref")
	// in a paragraph of their own
	texParagraphs = wordSet("section subsection subsubsection chapter part paragraph subparagraph caption subcaption title abstract")
	// not where they stand
	texHidden = wordSet("label index footnote footnotetext thanks marginpar todo vspace hspace pagestyle thispagestyle bibliographystyle bibliography includegraphics input include usepackage documentclass setlength graphicspath glsadd pagenumbering")
	// without an argument, a blank or nothing
	texBlank = wordSet("noindent centering maketitle newpage clearpage quad qquad hfill bigskip medskip smallskip tableofcontents small large Large normalsize footnotesize tiny left right displaystyle")
)

// texSigns are those that have a name.
var texSigns = map[string]string{
	"ldots": "…", "dots": "…", "cdots": "…", "textellipsis": "…", "textregistered": "®", "texttrademark": "™", "copyright": "©", "textgreater": ">", "textless": "<",
	"textendash": "–", "textemdash": "—", "textasciitilde": "~", "textbackslash": `\`, "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX", "S": "§", "P": "¶", "pounds": "£", "euro": "€", "texteuro": "€", "degree": "°", "textdegree": "°",
	"times": "×", "pm": "±", "mp": "∓", "cdot": "·", "div": "÷", "le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "sim": "~", "simeq": "≃", "equiv": "≡", "ll": "≪", "gg": "≫", "propto": "∝",
	"infty": "∞", "to": "→", "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐", "Leftrightarrow": "⇔", "longrightarrow": "⟶", "partial": "∂", "nabla": "∇", "sum": "∑", "prod": "∏", "int": "∫",
	"in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆", "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "emptyset": "∅", "mid": "|", "lt": "<", "gt": ">", "textmu": "μ", "AA": "Å",
	"ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "aa": "å", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ",
}

// texAccents are set above or below the letter behind them.
var texAccents = map[string]string{
	"'": "\u0301", "`": "\u0300", "^": "\u0302", `"`: "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307",
	"u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "d": "\u0323", "b": "\u0331", "r": "\u030a",
}

// texEdits reads the commands, ties, comments and formulas of TeX.
func texEdits(text string) []Edit {
	if !isTeX(text) {
		return nil
	}
	t := texReader{text: text, source: texSource().MatchString(text), mathEnd: -1, left: 8*len(text) + 1<<16}
	for i := 0; i < len(text); {
		i = t.piece(i)
	}
	return t.edits
}

// texSource is a command that source text of TeX has, and no prose with formulas.
var texSource = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?:documentclass|usepackage|begin|(?:sub)*section\*?|chapter\*?|paragraph|emph|textbf|textit|textsc|texttt|cite[a-z]*|footnote|caption|label|enquote)(?:\[[^\]\n]*\])?\{`)
})

// isTeX reports whether a text has commands of TeX, or ties between its words, throughout.
func isTeX(text string) bool {
	const apart = 8 << 10 // bytes
	n := 0
	if strings.Contains(text, `\`) {
		for _, command := range []string{"emph", "textbf", "textit", "textsc", "section", "chapter", "begin", "end", "cite", "ref", "label", "footnote", "item", "ac", "enquote", "mathrm", "frac", "times", "approx", "pm", "text{"} {
			n += strings.Count(text, `\`+command)
		}
	}
	if strings.Contains(text, "~") {
		for at := range char.Occurrences(text, "~") {
			if unicode.IsLetter(char.Last(text[:at])) && unicode.IsLetter(char.First(text[at+1:])) {
				n++
			}
		}
	}
	return n > 0 && n*apart >= len(text)
}

// Span reads what begins at i, and tells where the next piece does.
func (t *texReader) piece(i int) int {
	rest := t.text[i:]
	switch t.text[i] {
	case '\\':
		return t.command(i)
	case '~':
		letters := unicode.IsLetter(char.Last(t.text[:i])) && unicode.IsLetter(char.First(rest[1:]))
		if next := char.First(rest[1:]); (t.source || letters) && i > 0 && isPrinted(char.Last(t.text[:i])) && isPrinted(next) && !(isDigit(t.text[i-1]) && unicode.IsDigit(next)) && char.Last(t.text[:i]) != '/' {
			return t.put(i, i+1, " ")
		}
	case '%':
		if t.source {
			return t.comment(i)
		}
	case '{':
		return t.open(i)
	case '}':
		if n := len(t.closers); n > 0 {
			closer := t.closers[n-1]
			t.closers = t.closers[:n-1]
			if closer != keptBrace {
				return t.put(i, i+1, closer)
			}
		}
	case '$':
		return t.formula(i)
	case '`':
		if strings.HasPrefix(rest, "``") && !strings.HasPrefix(rest, "```") && strings.Contains(rest[:min(len(rest), 400)], "''") {
			return t.put(i, i+2, "“")
		}
	case '\'':
		if strings.HasPrefix(rest, "''") && !strings.HasPrefix(rest, "'''") {
			return t.put(i, i+2, "”")
		}
	case '-':
		n := len(rest) - len(strings.TrimLeft(rest, "-"))
		if n == 2 || n == 3 {
			before := char.Last(t.text[:i])
			if before != '!' && before != '<' && (n == 3 || char.IsOfWord(before) || unicode.IsSpace(before)) && !strings.HasPrefix(rest[n:], ">") && (!unicode.IsSpace(before) || strings.HasPrefix(rest[n:], " ")) {
				return t.put(i, i+n, map[int]string{2: "–", 3: "—"}[n])
			}
		}
		return i + n
	}
	return i + 1
}

func isPrinted(r rune) bool { return r != utf8.RuneError && !unicode.IsSpace(r) }

// put puts something in the place of a span.
func (t *texReader) put(from, to int, with string) int {
	t.edits = append(t.edits, Edit{From: from, To: to, With: with})
	return to
}

// comment takes out a comment: whole lines, and the ends of others behind a blank.
func (t *texReader) comment(i int) int {
	const near = 100 // bytes before it that are looked at
	end := len(t.text)
	if n := strings.IndexByte(t.text[i:], '\n'); n >= 0 {
		end = i + n
	}
	before := t.text[max(strings.LastIndexByte(t.text[:i], '\n')+1, words.RuneStart(t.text, i-near)):i]
	switch bare := strings.TrimRight(before, " \t"); {
	case bare == "":
		return t.put(i-len(before), min(len(t.text), end+1), "")
	case len(bare) < len(before) && !isDigit(bare[len(bare)-1]) && strings.HasPrefix(t.text[i:], "% "), strings.ContainsAny(bare[len(bare)-1:], "}{") && end == i+1:
		return t.put(i, end, "")
	}
	return i + 1
}

// open reads a brace that belongs to no command: with one of type in it, it is not printed.
func (t *texReader) open(i int) int {
	if m := texFont().FindString(t.text[i:min(len(t.text), i+20)]); m != "" {
		t.closers = append(t.closers, "")
		return t.put(i, i+len(m), "")
	}
	t.closers = append(t.closers, keptBrace)
	return i + 1
}

var texFont = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{\\(?:em|bf|it|tt|sc|sl|sf|rm|bfseries|itshape|ttfamily|scshape)(?:\s+|\b)`)
})

// formula takes off the dollars around a formula within a line; prices have none.
func (t *texReader) formula(i int) int {
	const longest = 200
	if i == t.mathEnd {
		t.mathEnd = -1
		return t.put(i, i+1, "")
	}
	if strings.HasPrefix(t.text[i:], "$$") {
		return i + 2
	}
	inner, _, closed := strings.Cut(t.text[i+1:min(len(t.text), i+longest)], "$")
	behind := i + 1 + len(inner) + 1
	isFormula := strings.ContainsAny(inner, `\^_={<>`) || inner != "" && !strings.ContainsAny(inner, " \n") && !isDigit(inner[0])
	if !closed || !isFormula || strings.Contains(inner, "\n\n") || behind < len(t.text) && isDigit(t.text[behind]) || raisedMark().MatchString(t.text[i:behind]) {
		return i + 1
	}
	t.mathEnd = behind - 1
	return t.put(i, i+1, "")
}

// command reads what begins with a backslash.
func (t *texReader) command(i int) int {
	rest := t.text[i+1:]
	n := strings.IndexFunc(rest, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') })
	if n < 0 {
		n = len(rest)
	}
	if n == 0 {
		return t.mark(i)
	}
	name, end := rest[:n], i+1+n
	if strings.HasPrefix(t.text[end:], "*") && (texParagraphs[name] || texHidden[name]) {
		end++
	}
	argument := end + options(t.text[end:])
	braced := strings.HasPrefix(t.text[argument:], "{")
	switch {
	case texStyles[name] && braced:
		t.closers = append(t.closers, "")
		return t.put(i, argument+1, "")
	case name == "enquote" && braced:
		t.closers = append(t.closers, "”")
		return t.put(i, argument+1, "“")
	case texParagraphs[name] && braced:
		t.closers = append(t.closers, "\n\n")
		return t.put(i, argument+1, "\n\n")
	case texSecond[name] && braced:
		if second := t.groupEnd(argument); second > 0 && strings.HasPrefix(t.text[second:], "{") {
			t.closers = append(t.closers, "")
			return t.put(i, second+1, "")
		}
	case (name == "textsuperscript" || name == "textsubscript") && braced:
		if stop := t.groupEnd(argument); stop > 0 && strings.ContainsFunc(t.text[argument:stop], unicode.IsDigit) && i > 0 && isDigit(t.text[i-1]) {
			return t.put(i, argument, map[string]string{"textsuperscript": "^", "textsubscript": "_"}[name]) // as a formula has it
		}
		t.closers = append(t.closers, "")
		return t.put(i, argument+1, "")
	case texFractions[name] && braced:
		if with, stop := t.fraction(i, argument); stop > 0 {
			return t.put(i, stop, with)
		}
	case texHidden[name] && braced:
		if stop := t.groupEnd(argument); stop > 0 {
			return t.put(i, stop, "")
		}
	case (name == "begin" || name == "end") && braced:
		if stop := t.groupEnd(argument); stop > 0 {
			return t.put(i, stop+options(t.text[stop:]), "\n\n")
		}
	case name == "item":
		return t.put(i, end, "\n\n")
	case name == "par":
		return t.put(i, end, "\n\n")
	case texBlank[name]:
		return t.put(i, end, "")
	case texAccents[name] != "" && strings.HasPrefix(t.text[end:], "{"):
		return t.accent(i, end, texAccents[name])
	case name == "circ" && strings.HasSuffix(t.text[:i], "^"):
		return t.put(i-1, end, "°")
	}
	sign := cmp.Or(texSigns[name], texLetter(name))
	if sign == "" {
		return end
	}
	if strings.HasPrefix(t.text[end:], "{}") {
		end += 2
	}
	return t.put(i, end, sign)
}

// texFractions are the commands that write one number above another.
var texFractions = map[string]bool{"frac": true, "tfrac": true, "dfrac": true, "nicefrac": true, "sfrac": true}

// fraction reads two numbers, the first of which stands in braces at a place, as they are typed, and
// tells where they end; 0 where other things stand there.
func (t *texReader) fraction(from, argument int) (string, int) {
	const longest = 16 // bytes
	m := numbersInBraces().FindStringSubmatch(t.text[argument:min(len(t.text), argument+longest)])
	if m == nil {
		return "", 0
	}
	with := m[1] + "/" + m[2]
	if from > 0 && isDigit(t.text[from-1]) {
		with = " " + with
	}
	return with, argument + len(m[0])
}

var numbersInBraces = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{(\d{1,4})\}\{(\d{1,4})\}`) })

// texLetter is the Greek letter of a name.
func texLetter(name string) string {
	low := strings.ToLower(name)
	letters := Greek(low)
	switch {
	case letters == "" || name[1:] != low[1:]:
		return ""
	case name == low:
		return string(char.First(letters))
	}
	return string(char.Last(letters))
}

// mark reads a command that is one sign: a blank, a sign that is printed, or an accent.
func (t *texReader) mark(i int) int {
	if i+1 == len(t.text) {
		return i + 1
	}
	next := t.text[i+1]
	switch next {
	case '%', '&', '_', '#', '$':
		return t.put(i, i+1, "") + 1
	case ',', ' ', ';', ':', '\\':
		return t.put(i, i+2, " ")
	case '-', '/', '!':
		if t.source && !(i+2 < len(t.text) && isDigit(t.text[i+2])) {
			return t.put(i, i+2, "")
		}
	}
	if above := texAccents[string(next)]; above != "" {
		return t.accent(i, i+2, above)
	}
	return i + 2
}

// accent reads the letter that an accent stands above or below.
func (t *texReader) accent(from, at int, above string) int {
	inner, braced := strings.CutPrefix(t.text[at:], "{")
	dotless := strings.HasPrefix(inner, `\i`)
	inner = strings.TrimPrefix(inner, `\`)
	letter := char.First(inner)
	end := len(t.text) - len(inner) + utf8.RuneLen(letter)
	if !unicode.IsLetter(letter) || braced && !strings.HasPrefix(t.text[end:], "}") || !braced && strings.HasPrefix(t.text[at:], `\`) && !dotless {
		return at
	}
	if braced {
		end++
	}
	return t.put(from, end, norm.NFC.String(string(letter)+above))
}

// options is how long the options in square brackets are that a text begins with.
func options(text string) int {
	const longest = 200
	if !strings.HasPrefix(text, "[") {
		return 0
	}
	return strings.IndexByte(text[:min(len(text), longest)], ']') + 1
}

// groupEnd is where the group of braces ends that begins at i, 0 for none.
func (t *texReader) groupEnd(i int) int {
	const longest = 4000
	depth := 0
	for at := i; at < min(len(t.text), i+longest) && t.left > 0; at++ {
		t.left--
		switch t.text[at] {
		case '\\':
			at++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return 0
}

// Greek are the letter of Greek that a name in small letters stands for, small and capital,
// "αΑ" for "alpha"; "" for no name of one. It may begin with "var", as forms of letters do.
func Greek(name string) string { return greek[strings.TrimPrefix(name, "var")] }

// greek are the letters, small and capital, by the names that are typed for them.
var greek = map[string]string{
	"alpha": "αΑ", "beta": "βΒ", "gamma": "γΓ", "delta": "δΔ", "epsilon": "εΕ", "zeta": "ζΖ", "eta": "ηΗ", "theta": "θΘ", "iota": "ιΙ", "kappa": "κΚ",
	"lambda": "λΛ", "mu": "μΜ", "nu": "νΝ", "xi": "ξΞ", "omicron": "οΟ", "pi": "πΠ", "rho": "ρΡ", "sigma": "σΣ", "tau": "τΤ", "upsilon": "υΥ", "phi": "φΦ",
	"chi": "χΧ", "psi": "ψΨ", "omega": "ωΩ", "infty": "∞∞", "infinity": "∞∞",
}
