package relation

import "strings"

// definition is what a text says its subject is: "A mutex is a lock that …"
// has the subject mutex and the head lock. Both are "" in a text that defines
// nothing. English alone is understood.
type definition struct{ subject, head string }

// maxSubject bounds the subject of a definition, in bytes.
const maxSubject = 60

// Defines reports whether a text says what its subject is.
func Defines(text string) bool { return parseDefinition(text).head != "" }

func parseDefinition(text string) definition {
	for at := 1; at < len(text) && at <= maxSubject; at++ {
		switch text[at] {
		case ',', ';', ':':
			return definition{}
		case ' ':
			if verb := defining(text[at:]); verb > 0 {
				return definition{strings.ToLower(withoutArticle(text[:at])), headNoun(withoutArticle(text[at+verb:]))}
			}
		}
	}
	return definition{}
}

// defining is the length of the words that define, if the text begins with
// any.
func defining(text string) int {
	for _, verb := range []string{" is a ", " is an ", " is the ", " are the ", " means ", " refers to ", " denotes ", " stands for ", " is defined as "} {
		if len(text) > len(verb) && text[1] == verb[1] && text[:len(verb)] == verb {
			return len(verb)
		}
	}
	return 0
}

func withoutArticle(s string) string {
	for _, article := range []string{"a ", "an ", "the "} {
		if len(s) > len(article) && strings.EqualFold(s[:len(article)], article) {
			return s[len(article):]
		}
	}
	return s
}

// headNoun is the last word of the noun phrase that a text begins with.
func headNoun(predicate string) string {
	last := ""
	for word := range strings.FieldsSeq(predicate) {
		bare := strings.ToLower(strings.Trim(word, `,;:.!?()"'`))
		if endsNounPhrase(bare) {
			break
		}
		last = bare
		if strings.ContainsAny(word, ",;:.!?(") {
			break
		}
	}
	return strings.TrimSuffix(last, "s")
}

// endsNounPhrase reports whether a word ends a noun phrase.
func endsNounPhrase(word string) bool {
	switch word {
	case "that", "which", "who", "whose", "where", "when", "while", "if", "of", "for", "to", "in", "on", "at", "as", "with", "without", "by", "from",
		"and", "or", "but", "is", "are", "was", "were", "can", "may", "must", "has", "have", "between", "into", "over", "under", "through", "used", "than", "because":
		return true
	}
	return false
}
