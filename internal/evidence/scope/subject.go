package scope

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the questions that are made of one which names several things.
const (
	leastSubjects   = 3
	mostListed      = 8 // subjects or aspects: of more one question is kept
	maxSubjectWords = 4
)

// subjectParts asks of each of several subjects what a question asks of all: "How do A, B
// and C store X?" is "How does A store X?" and so on. Nil where fewer than three are
// named, where what is asked is of all of them together, and where the list may be a
// name.
func subjectParts(question string) []string {
	list := strings.Fields(question)
	if len(list) < 6 || isTitleCase(list) || !isQuestionWord(list[0]) || slices.ContainsFunc(list[1:], asksOfAll) {
		return nil
	}
	for i := 1; i < len(list); i++ {
		if s, ok := subjectsAt(list, i); ok {
			return s.questions()
		}
	}
	return nil
}

// subjects are those of a question and what stands before and behind them.
type subjects struct {
	before, behind []string
	names          []string
	mark           string // behind the last, at the end of the question
}

// subjectsAt reads subjects that begin at a word behind a verb or a preposition.
func subjectsAt(list []string, at int) (subjects, bool) {
	lead := strings.ToLower(list[at-1])
	asked := singular[lead] != "" || lead == "did" || lead == "had" || lead == "will" || lead == "can"
	if !asked && !slices.Contains([]string{"of", "in", "for", "by", "from", "with", "at"}, lead) {
		return subjects{}, false
	}
	s := subjects{before: list[:at]}
	for i := at; ; {
		end, comma := i, false
		for ; end < len(list) && !comma && !isBareAnd(list[end]); end++ {
			comma = strings.HasSuffix(list[end], ",")
		}
		if !comma && (end == len(list) || !isBareAnd(list[end])) {
			return s, false
		}
		if end > i {
			s.names = append(s.names, strings.TrimSuffix(strings.Join(list[i:end], " "), ","))
		}
		if i = end; i == len(list) || !isBareAnd(list[i]) {
			continue
		}
		last := lastSubject(list[i+1:])
		if last == 0 {
			return s, false
		}
		name := strings.Join(list[i+1:i+1+last], " ")
		s.behind = list[i+1+last:]
		if bare := strings.TrimRight(name, "?.!"); bare != name {
			name, s.mark = bare, name[len(bare):]
		}
		s.names = append(s.names, name)
		return s, s.isSound(asked)
	}
}

func isBareAnd(word string) bool { return word == "and" || word == "&" }

// lastSubject is how many words the last of the subjects has: a run of names, or a word
// before a verb that everybody knows, or at the end.
func lastSubject(list []string) int {
	n := 0
	if len(list) > 1 && list[0] == "the" && isProper(list[1]) {
		n = 1
	}
	for n < len(list) && isProper(list[n]) {
		n++
		if strings.ContainsAny(list[n-1], "?.!,;:") && list[n-1] == strings.TrimRight(list[n-1], ".") {
			break
		}
	}
	if n == 0 && len(list) > 1 && isAskedVerb(list[1]) {
		return 1
	}
	return n
}

// isSound reports whether these are subjects of which each can be asked about alone.
func (s subjects) isSound(asked bool) bool {
	if len(s.names) < leastSubjects || len(s.names) > mostListed || asked && len(s.behind) == 0 {
		return false
	}
	if len(s.behind) > 0 && (s.mark != "" || strings.HasPrefix(s.behind[0], "(") || isBareAnd(s.behind[0]) || strings.ToLower(s.behind[0]) == "or") {
		return false
	}
	if s.isOfOneKind() || s.asksWhatTheyAre() {
		return false
	}
	proper, plural := 0, 0
	for i, name := range s.names {
		words := strings.Fields(name)
		if len(words) == 0 || len(words) > maxSubjectWords || slices.Contains(s.names[:i], name) || strings.ContainsAny(name, ",;:()?!\"“") {
			return false
		}
		whole := !slices.ContainsFunc(words, func(w string) bool { return !isProper(w) && !strings.EqualFold(w, "the") })
		switch {
		case whole:
			proper++
		case len(words) > 1 || !asked:
			return false
		}
		if strings.HasSuffix(name, "s") {
			plural++
		}
	}
	if isKnownAsOne(strings.Join(s.names, " ")) {
		return false
	}
	return proper == len(s.names) || proper > 0 && asked || plural == len(s.names)
}

// isOfOneKind reports whether what names are is said once for all of them: Java 8, 11 and
// 17; Newton's First, Second and Third Law.
func (s subjects) isOfOneKind() bool {
	bare := 0
	for _, name := range s.names {
		switch {
		case isOrdinal(name):
			return true
		case utf8.RuneCountInString(name) == 1 || strings.Trim(name, "0123456789.") == "":
			bare++
		}
	}
	return bare > 0 && bare < len(s.names)
}

func isOrdinal(name string) bool {
	return slices.Contains(strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth last next former latter"), strings.ToLower(name))
}

// asksWhatTheyAre reports whether a question begins with "are" and goes on with a noun of
// several things, which none of them is alone.
func (s subjects) asksWhatTheyAre() bool {
	lead := strings.ToLower(s.before[len(s.before)-1])
	return len(s.before) == 1 && (lead == "are" || lead == "were") && len(s.behind) > 0 && strings.HasSuffix(strings.TrimRight(s.behind[0], "?.!"), "s")
}

// endsInNoun reports whether what stands behind the last name is no verb, but what all are:
// SQL, NoSQL and NewSQL databases.
func (s subjects) endsInNoun() bool {
	if len(s.behind) < 2 {
		return false
	}
	word := s.behind[0]
	return strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !isAskedVerb(word) && word != "focus" && word == strings.ToLower(word)
}

// questions asks of each subject alone.
func (s subjects) questions() []string {
	plural := s.endsInNoun() || !slices.ContainsFunc(s.names, func(n string) bool { return !strings.HasSuffix(n, "s") })
	list := make([]string, len(s.names))
	for i, name := range s.names {
		before := slices.Clone(s.before)
		if one := ofOne(before[len(before)-1]); one != "" && !plural {
			before[len(before)-1] = one
		}
		list[i] = strings.Join(slices.Concat(before, []string{name + s.mark}, s.behind), " ")
	}
	return list
}

// singular are verbs of several, as they are of one.
var singular = map[string]string{"do": "does", "have": "has", "are": "is", "were": "was"}

// ofOne is a verb of several as it is of one, with its capital; "" for another word.
func ofOne(verb string) string {
	one := singular[strings.ToLower(verb)]
	if one != "" && verb != strings.ToLower(verb) {
		return strings.ToUpper(one[:1]) + one[1:]
	}
	return one
}

// isProper reports whether a word is written as a name is: with a capital or a figure.
func isProper(word string) bool {
	return strings.ContainsFunc(word, unicode.IsUpper) || strings.ContainsAny(word, "0123456789") && !strings.HasPrefix(word, "(")
}

// isTitleCase reports whether all longer words have capitals, so that those tell no names.
func isTitleCase(list []string) bool {
	return !slices.ContainsFunc(list[1:], func(w string) bool {
		first, _ := utf8.DecodeRuneInString(w)
		return len(w) > 4 && unicode.IsLower(first)
	})
}

// isKnownAsOne reports whether names stand for one thing.
func isKnownAsOne(names string) bool {
	return slices.Contains([]string{
		"earth wind fire", "crosby stills nash", "crosby stills nash young", "emerson lake palmer", "peter paul mary", "blood sweat tears", "tom dick harry", "bed bath beyond",
		"faith hope charity", "liberty equality fraternity", "shadrach meshach abednego", "black decker", "stock aitken waterman", "merrill lynch pierce fenner smith",
	}, strings.ToLower(names))
}

// asksOfAll reports whether with a word a question is of its subjects together, of one
// among them or of a case.
func asksOfAll(word string) bool {
	word = strings.ToLower(strings.Trim(word, ",;:.?!()\"'“”"))
	return slices.Contains([]string{
		"which", "differ", "differs", "difference", "differences", "compare", "compared", "comparison", "contrast", "versus", "vs", "between", "among", "amongst", "together", "jointly", "joint", "combined", "combine", "combination",
		"common", "shared", "share", "same", "similar", "similarities", "alike", "both", "each", "other", "others", "another", "mutual", "mutually", "relate", "related", "relation", "relationship", "interact", "interaction", "interactions",
		"integrate", "interoperate", "connect", "cooperate", "collaborate", "compete", "merge", "mixture", "mix", "sum", "total", "altogether", "order", "rank", "ranking", "choose", "choice", "than", "best", "better", "fastest", "most", "least",
		"exchange", "exchanges", "exchanged", "divide", "divides", "divided", "split", "negotiate", "negotiated", "communicate", "coordinate", "synchronise", "synchronize", "simultaneously", "swap", "coexist", "overlap", "converge",
		"when", "if", "while", "whether", "unless", "into", "all", "respectively", "meet", "agree", "disagree", "union", "alliance", "trilateral", "treaty",
	}, word)
}

// isAskedVerb reports whether a word is a verb that questions ask about, as it stands
// behind do and does.
func isAskedVerb(word string) bool {
	word = strings.ToLower(strings.TrimRight(word, "?.!"))
	return isHandling(word) || slices.Contains([]string{
		"store", "use", "work", "treat", "persist", "scale", "elect", "replicate", "encode", "decode", "encrypt", "parse", "test", "tax", "price", "define", "regulate", "fund", "report", "measure", "protect", "perform", "behave",
		"deal", "cope", "recover", "fail", "ensure", "guarantee", "provide", "offer", "allow", "need", "require", "say", "sleep", "grow", "order", "deliver", "process", "compress", "index", "cache", "schedule", "render", "compile",
		"limit", "check", "detect", "enforce", "calculate", "affect", "influence", "cause", "cost", "pay", "teach", "train", "produce", "make",
	}, word)
}
