package scope

import (
	"strings"

	"github.com/research-council/research-council/internal/base/words"
)

// Classify reads the mode off a topic's wording: words of following a rule are
// compliance, words of choosing and "this or that?" are a decision, all else is
// exploratory. It knows English and the obvious words of German, French,
// Spanish, Russian, Chinese and Japanese.
func Classify(topic string) Mode {
	topic = beginningAndEnd(topic)
	f := foldWords(topic)
	switch {
	case hasAny(f, complying()):
		return Compliance
	case hasAny(f, deciding()), asksEither(topic):
		return Decision
	}
	return Exploratory
}

// beginningAndEnd is where a long topic says what it wants: its beginning and its end.
// What stands between them is material.
func beginningAndEnd(topic string) string {
	const part = 4 << 10 // bytes
	if len(topic) <= 2*part {
		return topic
	}
	return strings.ToValidUTF8(topic[:part], "") + "\n" + strings.ToValidUTF8(topic[len(topic)-part:], "")
}

// asksEither reports whether a sentence offers a choice: "this or that?". One
// that begins with how, what or why offers none.
func asksEither(topic string) bool {
	for _, s := range sentences(topic) {
		f := foldWords(s)
		if !hasAny(f, orWords()) || beginsWithAny(f, openQuestionPhrases()) {
			continue
		}
		if endsWithQuestionMark(s) || len(strings.Fields(f)) <= 5 {
			return true
		}
	}
	return false
}

func endsWithQuestionMark(sentence string) bool { return strings.ContainsAny(sentence, "?？؟") }

// sentences are the sentences of a text, and the parts of those that semicolons
// divide.
func sentences(s string) []string {
	var list []string
	for _, one := range words.Sentences(s) {
		for part := range strings.SplitSeq(s[one.Start:one.End], "; ") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
	}
	return list
}

// Advice names a shorter way for a narrow topic. It never blocks: the research
// goes on as asked.
type Advice struct {
	Kind    Narrowness `json:"kind"`
	Command string     `json:"command"` // what to add, or to type instead
	Text    string     `json:"text"`    // for people
}

// Narrowness says in which single dimension a topic lies.
type Narrowness string

const (
	AuditOnly   Narrowness = "audit only"
	Comparison  Narrowness = "comparison of named options"
	CodeOnly    Narrowness = "code only"
	RankingOnly Narrowness = "ranking only"
)

// needsOneResearcher reports whether one researcher is enough for a topic so narrow. A
// comparison needs several: each option has its advocates.
func (n Narrowness) needsOneResearcher() bool {
	return n == AuditOnly || n == CodeOnly || n == RankingOnly
}

// Advise names the shorter way where a topic has a single dimension: an audit,
// a comparison of two or three named options, a question of the code at hand,
// a ranking. It gives one advice or none.
func Advise(topic string) []Advice {
	n, ok := narrowness(topic)
	if !ok {
		return nil
	}
	command, why := "", ""
	switch n {
	case AuditOnly:
		command, why = "--mode compliance --budget medium", "for an audit by several researchers, who debate what is open"
	case Comparison:
		command, why = "--mode decision --debate force", "for a comparison in which the options are argued out"
	case CodeOnly:
		command, why = "/research-council:full-review", "for a review of the code alone"
	case RankingOnly:
		command, why = "--mode decision --budget medium", "with the candidates named, for an order that rests on evidence"
	}
	return []Advice{{Kind: n, Command: command, Text: "Consider `" + command + "` " + why + ". Continuing with broad research..."}}
}

// narrowness says in which single dimension a topic lies, if it is one.
func narrowness(topic string) (Narrowness, bool) {
	topic = beginningAndEnd(topic)
	f := foldWords(topic)
	audit, code, rank := hasAny(f, auditing()), hasAny(f, codePhrases()), hasAny(f, rankings()) && !hasAny(f, complying())
	compared := hasAny(f, deciding()) || asksEither(topic)
	further := hasAny(f, broad())
	options := Options(topic)
	switch {
	case audit:
		return AuditOnly, !compared && !rank && !further
	case code:
		return CodeOnly, !compared && !rank && !hasAny(f, webPhrases())
	case rank:
		return RankingOnly, !compared && !further
	case compared:
		return Comparison, !further && (len(options) == 2 || len(options) == 3)
	}
	return "", false
}
