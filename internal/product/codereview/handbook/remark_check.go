package handbook

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A remark enters a document in one form alone: a clause whose subject is a name
// of the code that is quoted for it and whose verb is in the third person. What
// tells a reader to do something has another form: it begins with a verb or
// speaks to somebody, it needs a second clause, or it brings commands, paths and
// addresses along that are not the code's.

// maxRemark bounds the words of a remark.
const maxRemark = 30

// RemarkProblem says why words are no remark on the code that is quoted for them, or is
// empty. lines are those of that code that tell something, see [InformativeLines].
func RemarkProblem(text string, lines []string) string {
	code := strings.Join(lines, "\n")
	names := namesOf(code)
	if len(names) == 0 {
		return "the code that is quoted tells nothing of it: quote the lines that show it, none of a package, an import, a comment or a brace"
	}
	text = strings.TrimSpace(text)
	tokens, wrong := split(strings.TrimSuffix(text, "."), code, names)
	switch {
	case strings.ContainsFunc(text, unicode.IsControl):
		return "it has more than one line"
	case wrong != "":
		return wrong
	case len(tokens) > maxRemark:
		return fmt.Sprintf("it has more than %d words", maxRemark)
	case len(tokens) < 3 || !tokens[0].code:
		return "it does not begin with a name of the code that is quoted, and go on in the third person: `Name` returns …"
	}
	at := 1
	for at < len(tokens)-1 && isOneOf(tokens[at], adverbs) {
		at++
	}
	if tokens[at].code || !isThirdPerson(tokens[at].text) {
		return fmt.Sprintf("%q behind its subject is no verb in the third person: `Name` returns …", tokens[at].text)
	}
	for i, t := range tokens {
		switch {
		case isOneOf(t, secondPerson):
			return fmt.Sprintf("%q speaks to its reader; say what the code does", t.text)
		case isOneOf(t, conjunctions) && i+1 < len(tokens) && !continuesClause(tokens[i+1]):
			return fmt.Sprintf("behind %q a second clause seems to begin; write a remark of its own", t.text)
		}
	}
	return ""
}

// token is a word of a remark; code says that the quoted code has it.
type token struct {
	text string
	code bool
}

// split takes a remark apart. What is neither a word nor the code's own is
// told.
func split(text, code string, names map[string]bool) (list []token, wrong string) {
	parts := strings.Split(text, "`")
	if len(parts)%2 == 0 {
		return nil, "it has a backtick without another"
	}
	for i, part := range parts {
		if i%2 == 1 {
			if !strings.Contains(code, part) && !isName(part, names) || strings.TrimSpace(part) == "" {
				return nil, fmt.Sprintf("the code that is quoted does not have %q", part)
			}
			list = append(list, token{part, true})
			continue
		}
		for word := range strings.FieldsSeq(part) {
			own := isName(word, names)
			if !own && !isPlainWord(word) {
				return nil, fmt.Sprintf("%q is neither a word nor of the code that is quoted: one clause of words and names alone", word)
			}
			list = append(list, token{word, own && (len(list) == 0 || !isPlainWord(word))})
		}
	}
	return list, ""
}

// isPlainWord reports whether a word is letters and digits, as in UTF-8 and caller's.
func isPlainWord(word string) bool {
	joined := true // nothing stands before a hyphen
	for _, r := range word {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !letter && (joined || r != '-' && r != '\'' && r != '\u2019') {
			return false
		}
		joined = !letter
	}
	return !joined
}

// isName reports whether a word is a name of some code, or several with dots
// between them.
func isName(word string, names map[string]bool) bool {
	word = strings.TrimSuffix(word, "()")
	for part := range strings.SplitSeq(word, ".") {
		if !names[part] {
			return false
		}
	}
	return word != ""
}

// namesOf are the names in a piece of code, what stands in quotation marks
// aside.
func namesOf(code string) map[string]bool {
	names := map[string]bool{}
	for _, word := range strings.FieldsFunc(withoutStrings(code), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) > 1 && !unicode.IsDigit(rune(word[0])) {
			names[word] = true
		}
	}
	return names
}

// withoutStrings is code without what stands between quotation marks.
func withoutStrings(code string) string {
	var b strings.Builder
	var open rune
	for _, r := range code {
		switch {
		case r == '\n':
			open = 0
			b.WriteRune(r)
		case open != 0:
			if r == open {
				open = 0
			}
		case r == '"' || r == '\'' || r == '`':
			open = r
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Words of English that belong to closed classes: there are no others.
var (
	secondPerson = []string{"you", "your", "yours", "yourself", "yourselves", "must", "shall", "should", "ought", "let", "let's", "please"}
	helpers      = []string{"is", "are", "was", "were", "has", "have", "does", "do", "can", "cannot", "may", "might", "will", "would", "could"}
	adverbs      = []string{"always", "never", "also", "only", "often", "sometimes", "not", "still", "already"}
	conjunctions = []string{"and", "or", "but", "so", "then", "nor", "yet"}
	small        = []string{
		"the", "a", "an", "its", "their", "this", "that", "these", "those", "it", "they", "no", "not", "none", "nothing", "each", "every", "all", "any",
		"one", "both", "either", "neither", "only", "also", "never", "with", "without", "by", "for", "from", "in", "into", "of", "on", "onto", "to", "at", "as",
		"when", "while", "where", "which", "who", "whose", "before", "after", "until", "unless", "because", "if", "than", "through", "between",
	}
)

func isOneOf(t token, words []string) bool {
	return !t.code && slices.Contains(words, strings.ToLower(strings.ReplaceAll(t.text, "\u2019", "'")))
}

// isThirdPerson reports whether a word has the form of a verb in the third person.
// English forms it with an s, and no verb that orders ends in a single one
// behind a consonant or an e.
func isThirdPerson(word string) bool {
	word = strings.ToLower(word)
	if slices.Contains(helpers, word) {
		return true
	}
	stem, is := strings.CutSuffix(word, "s")
	return is && len(stem) > 1 && !strings.ContainsRune("suia", rune(stem[len(stem)-1])) && !strings.HasSuffix(word, "ways")
}

// continuesClause reports whether a clause may go on with a word behind one that joins:
// with a verb of the same subject, a name, or what belongs to a noun. A bare
// verb would be an order.
func continuesClause(t token) bool {
	word := strings.ToLower(t.text)
	return t.code || isThirdPerson(word) || isOneOf(t, small) || strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ing") || unicode.IsDigit(rune(word[0]))
}

// InformativeLines are the lines of quoted code that can show something: none that is
// blank, a comment, a lone bracket, the name of a package or an import.
func InformativeLines(code string) []string {
	var lines []string
	block := false
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		if block || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "<!--") || strings.HasPrefix(line, `"""`) || strings.HasPrefix(line, "'''") {
			marks := strings.Count(line, "*/") + strings.Count(line, "-->") + strings.Count(line, `"""`)/2 + strings.Count(line, "'''")/2
			ends := block && (strings.Contains(line, `"""`) || strings.Contains(line, "'''"))
			block = marks == 0 && !ends
			continue
		}
		if line != "" && !strings.ContainsRune("#*;%", rune(line[0])) && !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "--") && !isImport(line) && len(namesOf(line)) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// isImport reports whether a line names a package or brings one in, by the words
// that languages have for it.
func isImport(line string) bool {
	words := strings.FieldsFunc(line, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) })
	if len(words) == 0 {
		return false
	}
	first := words[0]
	if (first == "pub" || first == "extern" || first == "global") && len(words) > 1 {
		first = words[1]
	}
	if slices.Contains([]string{"package", "import", "from", "using", "use", "include", "require", "require_relative", "module", "namespace", "mod", "crate", "library"}, first) {
		return true
	}
	return strings.Contains(strings.ReplaceAll(line, " ", ""), "=require(")
}

// ValidNotes keeps of notes what may enter documents: remarks on code that tells
// something, in the form of a description, each once. common reports a line that
// stands in many files and so shows nothing of one. What is left out is told,
// for its writer.
func ValidNotes(notes []Note, common func(line string) bool) (sound []Note, left []string) {
	seen := map[string]bool{}
	for _, n := range notes {
		lines := slices.DeleteFunc(InformativeLines(n.Code), common)
		keep := func(texts ...string) (kept []string) {
			for _, text := range texts {
				once := strings.ToLower(strings.Trim(strings.Join(strings.Fields(text), " "), ". "))
				if once == "" || seen[once] {
					continue
				}
				if why := RemarkProblem(text, lines); why != "" {
					left = append(left, fmt.Sprintf("%q: %s", text, why))
					continue
				}
				seen[once] = true
				kept = append(kept, text)
			}
			return kept
		}
		n.Note, n.Purpose = strings.Join(keep(n.Note), ""), strings.Join(keep(n.Purpose), "")
		n.Conventions, n.Pitfalls = keep(n.Conventions...), keep(n.Pitfalls...)
		if n.Note+n.Purpose != "" || len(n.Conventions)+len(n.Pitfalls) > 0 {
			sound = append(sound, n)
		}
	}
	return sound, left
}
