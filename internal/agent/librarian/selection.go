package librarian

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// standsAlone reports whether a sentence of a file can be a claim: it is a whole
// sentence, says something by itself, and is no debris of markup. Head is the
// heading or declaration above it. Of scripts and languages whose grammar it does
// not know it asks only for an end.
func standsAlone(s sentence, head string) bool {
	text := readable(s.text)
	switch {
	case s.size < minClaimWords, !endsAsStatement(text), isMarkup(text), isForAuthors(text):
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	if first >= utf8.RuneSelf {
		return true
	}
	list := strings.Fields(text)
	return beginsAsSentence(list, head) && !lacksSubject(list) && !isNounPhrase(list)
}

// minClaimWords is the least a sentence has to say.
const minClaimWords = 5

// endsAsStatement reports whether a sentence is closed, and neither asks nor only
// announces what follows.
func endsAsStatement(s string) bool {
	s = strings.TrimRight(s, "\"'`*_)”’»")
	return strings.HasSuffix(s, ".") && !strings.HasSuffix(s, "..") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "！")
}

// isMarkup reports whether a text is what tags, tables, badges or notes of a list
// have left, rather than words.
func isMarkup(s string) bool {
	switch {
	case strings.Contains(s, "</"), strings.Contains(s, "/>"), strings.Contains(s, "!["), strings.Contains(s, "]("), strings.Contains(s, "](#"):
		return true
	case strings.Count(s, "|") > 1, strings.HasPrefix(s, "[ ]"), strings.HasPrefix(s, "[x]"), strings.HasPrefix(s, "#"):
		return true
	case strings.Contains(s, "://"):
		return true
	}
	return strings.Count(s, "(") != strings.Count(s, ")") || letterShare(s) < minLetters
}

// minLetters is the share of letters and blanks, squared, from which a text reads as
// words: figures, signs and code have less.
const minLetters = 0.6

// isForAuthors reports whether a sentence is a note of the authors to themselves.
func isForAuthors(s string) bool {
	first := strings.ToLower(strings.Trim(strings.Fields(s + " .")[0], ".,;:()*"))
	return first == "todo" || first == "xxx" || first == "fixme" || first == "hack" || strings.HasPrefix(first, "todo(") || strings.HasPrefix(first, "bug(")
}

// beginsAsSentence reports whether a text begins with a capital, a number, a sign of
// its own, or a name: of code, or the one that is declared here.
func beginsAsSentence(list []string, head string) bool {
	first := strings.Trim(list[0], "`'\"“*_(")
	if first == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(first)
	if !unicode.IsLower(r) || list[0][0] == '`' {
		return true
	}
	name := strings.Trim(first, ".,;:()`")
	if words.IsCodeName(name) {
		return true
	}
	return slices.ContainsFunc(words.Split(head), func(w words.Word) bool { return w.Text == name })
}

// lacksSubject reports whether a sentence begins with its verb in the third person:
// "Returns the result", "Updates all entries". Whose verb it is stands elsewhere.
func lacksSubject(list []string) bool {
	if len(list) < 3 || words.IsCodeName(list[0]) || !isPlainWord(list[0]) || !strings.HasSuffix(list[0], "s") || strings.HasSuffix(list[0], "ss") {
		return false
	}
	next := strings.ToLower(list[1])
	return determiners()[next]
}

func isPlainWord(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c < 'a' || c > 'z' {
			return false
		}
	}
	return s != ""
}

var determiners = sync.OnceValue(func() map[string]bool {
	return wordSet("a an the all any each every some whether if true false nil null its their this that these those support")
})

// isNounPhrase reports whether an English text names a thing and says nothing of it:
// "The number of bytes that were scanned in the last cycle." It has no verb but
// in clauses of its nouns. What may be a verb counts as one.
func isNounPhrase(list []string) bool {
	first := strings.ToLower(list[0])
	if !articles()[first] && !nounStarts()[first] && !strings.HasSuffix(first, "ing") {
		return false
	}
	inside := false // a clause of a noun
	for i, w := range list[1:] {
		word := bareWord(w)
		switch {
		case relatives()[word]:
			inside = true
		case auxiliaries()[word] && !inside:
			return false
		case auxiliaries()[word]:
			inside = false
		case !inside && isLikelyVerb(list[1:], i):
			return false
		}
	}
	return true
}

func bareWord(w string) string { return strings.ToLower(strings.Trim(w, ",.;:()`\"'“”")) }

// isLikelyVerb reports whether a word is a verb in the third person, by its form and
// by what stands around it: no preposition before it, nothing behind it that only
// goes on with a list or a noun.
func isLikelyVerb(list []string, i int) bool {
	w := bareWord(list[i])
	if i == 0 || i+1 == len(list) || len(w) < 4 || !strings.HasSuffix(w, "s") || strings.HasSuffix(w, "ss") || strings.HasSuffix(list[i], ",") {
		return false
	}
	before, next := bareWord(list[i-1]), bareWord(list[i+1])
	return !joints()[before] && !determiners()[before] && !articles()[before] && !joints()[next] && !relatives()[next]
}

var (
	articles    = sync.OnceValue(func() map[string]bool { return wordSet("a an the") })
	nounStarts  = sync.OnceValue(func() map[string]bool { return wordSet("number amount list set name size memory time total count") })
	relatives   = sync.OnceValue(func() map[string]bool { return wordSet("that which who whose where") })
	joints      = sync.OnceValue(func() map[string]bool { return wordSet("and or of in for by with from on at between per") })
	auxiliaries = sync.OnceValue(func() map[string]bool {
		return wordSet("is are was were be has have had does do did can cannot could may might must shall should will would isn't aren't wasn't doesn't don't can't won't didn't")
	})
)

// isStep reports whether a sentence of a comment tells what the next lines do, as an
// order: "Update the trigger for the next cycle."
func isStep(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	first = strings.ToLower(first)
	return commandWords()[first] || askingVerbs()[first] || stepWords()[first]
}

var stepWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`apply convert copy drop enter exit ignore include increase lock unlock log mirror move notify only parse pass prepare print process reduce
register report restore save select send sort sweep switch sync trigger try walk grab acquire release load store swap push pop append attempt retry skip
first next then finally now once okay ok sanity fast slow`)
})

// readable is a sentence without the marks of Markdown: links as their words, no
// emphasis.
func readable(s string) string {
	if strings.Contains(s, "](") {
		s = linkForm().ReplaceAllString(s, "$1")
	}
	return strings.ReplaceAll(s, "**", "")
}

var linkForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()\s]*\)`) })

// isAside reports whether a file says nothing of its subject: tests and what they
// use, licences, who wrote it and how to take part. A question that asks for it
// gets it.
func (r ranker) isAside(p Passage) bool {
	name := strings.ToLower(p.Path)
	switch {
	case isTest(name):
		return !r.asksFor("test", "testing", "benchmark", "fixture")
	case isLegal(name, p.Head):
		return !r.asksFor("license", "licence", "copyright", "legal", "patent")
	case hasStem(name, "contributing", "code_of_conduct", "authors", "contributors", "maintainers", "codeowners", "security", "issue_template", "pull_request_template"):
		return !r.asksFor("contribute", "contributor", "author", "maintainer", "security", "vulnerability", "conduct")
	}
	return false
}

func (r ranker) asksFor(list ...string) bool {
	return slices.ContainsFunc(list, func(w string) bool {
		return slices.ContainsFunc(r.concepts, func(c concept) bool { return slices.Contains(c.stems, words.Stem(w)) })
	})
}

// hasStem reports whether a file's name begins with one of the names.
func hasStem(name string, list ...string) bool {
	base := path.Base(name)
	return slices.ContainsFunc(list, func(one string) bool { return strings.HasPrefix(base, one) })
}

func isLegal(name, head string) bool {
	if hasStem(name, "license", "licence", "copying", "notice", "patents", "copyright") {
		return true
	}
	levels := strings.Split(strings.ToLower(head), " › ")
	last := strings.Trim(levels[len(levels)-1], " #:")
	return last == "license" || last == "licence" || last == "copyright" || last == "licensing"
}

// testFolders hold tests and what they use.
const testFolders = " test tests testdata __tests__ specs_test fixtures bench benches benchmark benchmarks e2e integration "

// isTest reports whether a file is a test or belongs to one. The name is in small
// letters.
func isTest(name string) bool {
	for _, d := range strings.Split(path.Dir(name), "/") {
		if hasExtension(testFolders, d) {
			return true
		}
	}
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	for _, end := range []string{"_test", "-test", ".test", ".spec", "_spec", "_bench"} {
		if strings.HasSuffix(stem, end) {
			return true
		}
	}
	return strings.HasPrefix(base, "test_")
}
