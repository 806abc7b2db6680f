package librarian

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

// ranker judges passages and sentences by what the question asks.
type ranker struct {
	concepts []concept
	total    float64 // weight of all concepts
	cues     map[string]bool
	field    map[string]float64 // words of the question's field and their weights, of which the first few make 1
}

func newRanker(concepts []concept, topic string) ranker {
	r := ranker{concepts: concepts, cues: cueWords(topic)}
	for _, c := range concepts {
		r.total += c.weight
	}
	return r
}

// Words by which a sentence answers a kind of question.
var (
	howCues  = wordSet("then when until after before each every once by first next if instead computes decides determines chooses adjusts controls ensures keeps proportional based triggers balances so")
	whyCues  = wordSet("because since so therefore reason otherwise avoid avoids prevent prevents to order purpose goal rationale")
	whatCues = wordSet("is are means represents refers called holds contains consists denotes defined describes implements provides")
	whenCues = wordSet("when once after before until while if whenever during as soon unless")
)

// cueWords are the words that answers to a topic have, by its question words.
func cueWords(topic string) map[string]bool {
	out := map[string]bool{}
	asked := strings.ToLower(topic[:min(len(topic), 4<<10)])
	for _, w := range words.Split(asked) {
		var list map[string]bool
		switch w.Text {
		case "how", "wie", "comment", "cómo", "como":
			list = howCues
		case "why", "warum", "weshalb", "pourquoi":
			list = whyCues
		case "what", "which", "was", "welche", "que", "qué":
			list = whatCues
		case "when", "wann", "quand", "cuándo":
			list = whenCues
		}
		for c := range list {
			out[c] = true
		}
	}
	if len(out) == 0 {
		return whatCues
	}
	return out
}

// coverage is the share of the question's weight that stems meet.
func (r ranker) coverage(has func(string) bool) float64 {
	if r.total == 0 {
		return 0
	}
	sum := 0.0
	for _, c := range r.concepts {
		sum += c.weight * c.coverage(has)
	}
	return sum / r.total
}

// fieldShare is how much of the question's field stems hold, from 0 to 1.
func (r ranker) fieldShare(stems map[string]bool) float64 {
	sum := 0.0
	for s := range stems {
		sum += r.field[s]
	}
	return math.Min(1, sum)
}

// candidate is a passage that has been judged.
type candidate struct {
	Passage
	stems     map[string]bool
	sentences []sentence
	from, to  int     // its best sentences, to excluded; equal when it has none
	best      int     // the best of them
	score     float64 // of the passage with its best sentences
	cover     float64 // share of the question the passage meets
	near      float64 // share of the question its best sentences meet
	field     float64 // how much of the question's field it holds
}

// judgePassage finds out how well a passage answers, and by which sentences. rel is
// its place in the search, from 1 for the first down; follow is what is
// followed, nil for the question itself.
func (r ranker) judgePassage(p Passage, rel float64, follow []string) candidate {
	c := candidate{Passage: p, stems: map[string]bool{}, sentences: sentences(p)}
	for _, s := range words.Stems(p.Text) {
		c.stems[s] = true
	}
	c.cover = r.coverage(func(s string) bool { return c.stems[s] })
	c.field = r.fieldShare(c.stems)
	r.pickSentences(&c, follow)
	head := map[string]bool{}
	for _, s := range words.Stems(p.Head + " " + p.Path) {
		head[s] = true
	}
	titled := r.coverage(func(s string) bool { return head[s] })
	if len(follow) > 0 && hasAll(head, follow) {
		titled = math.Min(1, titled+0.5)
	}
	said := 0.0
	if c.to > c.from {
		said = r.readability(c.sentences[c.best])
	}
	c.score = (0.20*c.cover + 0.40*c.near + 0.20*c.field + 0.10*titled + 0.10*said) * (0.85 + 0.15*rel)
	switch {
	case c.to == c.from:
		c.score *= 0.55 // code without a word of explanation
	case r.isDefinition(c.sentences[c.best]):
		c.score *= 1.15
	}
	if c.Shard == Community {
		c.score *= 0.85 // what surrounds a work tells less of it than the work does
	}
	return c
}

func hasAll(have map[string]bool, want []string) bool {
	for _, s := range want {
		if !have[s] {
			return false
		}
	}
	return true
}

// pickSentences chooses the sentences that answer best: the best one, what it leans on
// before it, and what goes on with it behind.
func (r ranker) pickSentences(c *candidate, follow []string) {
	top := 0.0
	for i, s := range c.sentences {
		if v := r.scoreSentence(c, s, follow); v > top {
			top, c.best = v, i
		}
	}
	if top == 0 {
		c.near = 0
		return
	}
	c.from, c.to = c.best, c.best+1
	c.widen()
	near := map[string]bool{}
	for _, s := range c.sentences[c.from:c.to] {
		for st := range s.stems {
			near[st] = true
		}
	}
	c.near = 0.6*r.coverage(func(s string) bool { return near[s] }) + 0.4*r.fieldShare(near)
	if len(follow) > 0 {
		c.near = 0.3 + 0.7*c.near
	}
}

// Words up to which a quotation goes on with the sentences around the best one:
// to what that leans on, and to the rest of a paragraph.
const (
	maxWords = 90
	minWords = 60
)

// widen takes in sentences around the best one: what it leans on, a paragraph's
// beginning, what goes on behind.
func (c *candidate) widen() {
	size := c.sentences[c.best].size
	for c.from > 0 && c.isConnected(c.from-1, c.from) {
		before := c.sentences[c.from-1].size
		if size+before > maxWords || size+before > minWords && !refersBack(c.sentences[c.from]) {
			break
		}
		c.from--
		size += before
	}
	for c.to < len(c.sentences) && c.isConnected(c.to-1, c.to) {
		next := c.sentences[c.to]
		if size+next.size > maxWords || size+next.size > minWords && !refersBack(next) {
			break
		}
		c.to++
		size += next.size
	}
}

// isConnected reports whether two sentences belong to one train of thought.
func (c *candidate) isConnected(a, b int) bool {
	one, next := c.sentences[a], c.sentences[b]
	return one.block == next.block || next.item && next.first-one.last <= 1 && !one.item
}

// scoreSentence is how well a sentence answers; 0 for one that does not.
func (r ranker) scoreSentence(c *candidate, s sentence, follow []string) float64 {
	met := 0.65*r.coverage(func(st string) bool { return s.stems[st] }) + 0.35*r.fieldShare(s.stems)
	if len(follow) > 0 {
		if !hasAll(s.stems, follow) {
			return 0
		}
		met = 0.4 + 0.6*met
	}
	note := c.isWorkNote(s)
	if met == 0 || !standsAlone(s, c.Head) || note && isStep(s.text) {
		return 0
	}
	switch {
	case note:
		met *= 0.6
	case r.isDefinition(s):
		met *= 1.3
	}
	return met * (0.35 + 0.65*r.readability(s)) * (0.7 + 0.3*c.cover)
}

// isWorkNote reports whether a sentence is a comment within the body of a function: it
// tells what the next lines do.
func (c *candidate) isWorkNote(s sentence) bool {
	i := s.first - c.First
	if formOf(c.Path).document || i < 0 || i >= len(c.Kinds) || c.Kinds[i] != commentLine || !declaresFunction(c.Head) {
		return false
	}
	at := strings.LastIndexByte(c.Text[:min(s.from, len(c.Text))], '\n') + 1
	return at < len(c.Text) && (c.Text[at] == ' ' || c.Text[at] == '\t')
}

// declaresFunction reports whether a line of code declares something with a body of
// statements, and no type or list of names.
func declaresFunction(head string) bool {
	first, _, _ := strings.Cut(head, " ")
	return strings.Contains(head, "(") && !typeWords()[first]
}

var typeWords = sync.OnceValue(func() map[string]bool {
	return wordSet("type struct class interface enum const var import trait union typedef")
})

// isDefinition reports whether a sentence says what a name means that the question
// asks about, the way comments of declarations begin: the name, then a verb.
func (r ranker) isDefinition(s sentence) bool {
	name, rest, _ := strings.Cut(s.text, " ")
	verb, _, _ := strings.Cut(rest, " ")
	if !words.IsCodeName(name) || len(verb) < 2 || !strings.HasSuffix(verb, "s") {
		return false
	}
	stems := words.Stems(name)
	return r.coverage(func(st string) bool { return slices.Contains(stems, st) }) > 0
}

// saysWhatIs reports whether a sentence says of a thing the question asks about what
// it is: "A debate is …", "Jitter means …".
func (r ranker) saysWhatIs(s sentence) bool {
	list := strings.Fields(s.text)
	for i, w := range list[:min(len(list), subjectWords+1)] {
		if i == 0 || !definingVerbs()[strings.ToLower(w)] {
			continue
		}
		subject := StemSet(strings.Join(list[:i], " "))
		return r.coverage(func(st string) bool { return subject[st] }) > 0
	}
	return false
}

// subjectWords is how many words the thing has at most that a sentence defines.
const subjectWords = 5

var definingVerbs = sync.OnceValue(func() map[string]bool {
	return wordSet("is are means denotes describes represents defines ist sind bedeutet bezeichnet est sont signifie désigne es son significa")
})

// readability is how well a sentence reads by itself, from 0 to 1.
func (r ranker) readability(s sentence) float64 {
	q := lengthFactor(s.size)
	list := strings.Fields(strings.ToLower(s.text))
	answers := 0
	for _, w := range list {
		if r.cues[strings.Trim(w, ".,;:()")] {
			answers++
		}
	}
	q *= 0.75 + 0.25*math.Min(1, float64(answers)/2)
	if refersBack(s) {
		q *= 0.6
	}
	if !HasSentenceEnd(s.text) {
		q *= 0.6
	}
	return q * letterShare(s.text) * audienceFactor(list)
}

// summaryScore is how well a sentence would do in a summary, given the score of its
// passage: it has to be about the question and to be understood by itself.
func (r ranker) summaryScore(s sentence, score float64) float64 {
	if refersBack(s) || !HasSentenceEnd(s.text) || s.size < 7 || s.size > 60 {
		return 0
	}
	return score * commandFactor(s.text) * r.readability(s) * (0.3 + r.coverage(func(st string) bool { return s.stems[st] }))
}

// commandWords begin the sentences that tell what the next lines of code do, not
// how things are.
var commandWords = sync.OnceValue(func() map[string]bool {
	return wordSet("update ensure make compute check set get add remove use start stop run wait find keep don't assume if call see do try take put let record handle avoid force finish clear reset must allocate free return flush initialize init increment mark skip test verify")
})

// commandFactor lowers a sentence that begins with one of them.
func commandFactor(text string) float64 {
	first, _, _ := strings.Cut(text, " ")
	if commandWords()[strings.ToLower(first)] {
		return 0.65
	}
	return 1
}

// lengthFactor favours sentences of eight to forty words.
func lengthFactor(words int) float64 {
	switch {
	case words < 4:
		return 0.15
	case words < 8:
		return 0.3 + 0.15*float64(words-4)
	case words <= 40:
		return 1
	}
	return math.Max(0.3, 1-float64(words-40)/60)
}

// HasSentenceEnd reports whether a sentence ends like one.
func HasSentenceEnd(s string) bool {
	return s != "" && strings.ContainsAny(s[len(s)-1:], ".!?:)") || strings.HasSuffix(s, "。") || strings.HasSuffix(s, "！") || strings.HasSuffix(s, "？")
}

// letterShare is the share of a text that is letters and blanks, squared: code
// and tables have little.
func letterShare(s string) float64 {
	letters, all := 0, 0
	for _, r := range s {
		all++
		if r == ' ' || words.IsPart(r) && r != '_' {
			letters++
		}
	}
	share := float64(letters) / float64(max(all, 1))
	return share * share
}

// audienceFactor lowers what speaks to the authors rather than to a reader: plans and
// questions.
func audienceFactor(list []string) float64 {
	if len(list) == 0 {
		return 0
	}
	first := strings.Trim(list[0], ".,;:()")
	switch {
	case strings.HasPrefix(first, "todo"), first == "xxx", first == "fixme", strings.HasPrefix(first, "bug"):
		return 0.35
	case strings.HasSuffix(list[len(list)-1], "?"):
		return 0.5
	}
	return 1
}

// referringWords begin a sentence that is not understood without the one
// before.
var referringWords = sync.OnceValue(func() map[string]bool {
	return wordSet("it its this that these those they them their he she we then thus hence therefore however but also otherwise instead so such similarly moreover furthermore additionally today now finally lastly and or likewise here there again note both")
})

// backReferences are the beginnings of several words that point back as well.
var backReferences = []string{"From this ", "In this ", "The latter", "The former", "Same as ", "Compared to ", "Because of this", "For this ", "One is ", "One of these ", "One of them "}

// refersBack reports whether a sentence is not understood without the one before.
func refersBack(s sentence) bool {
	first, rest, _ := strings.Cut(s.text, " ")
	first = strings.ToLower(strings.Trim(first, ",.;:("))
	if first == "note" && strings.HasPrefix(rest, "that ") {
		return false
	}
	return referringWords()[first] || slices.ContainsFunc(backReferences, func(p string) bool { return strings.HasPrefix(s.text, p) })
}

// maxSimilarity is the likeness from which a passage adds nothing.
const maxSimilarity = 0.6

// chooseDiverse takes up to n candidates, the best first, and no more of one kind
// than it must: a candidate loses by its likeness to those taken (maximal
// marginal relevance) and by the passages taken of its file.
func chooseDiverse(candidates []candidate, taken []Finding, n int, floor float64) []candidate {
	var out []candidate
	files := map[string]int{}
	for _, f := range taken {
		files[f.Path]++
	}
	left := slices.Clone(candidates)
	for len(out) < n {
		best, at := 0.0, -1
		for i, c := range left {
			like := greatestSimilarity(c, out, taken)
			if v := c.score * (1 - like) * math.Pow(0.97, float64(files[c.Path])); v > best && c.score > floor && like < maxSimilarity {
				best, at = v, i
			}
		}
		if at < 0 {
			break
		}
		c := left[at]
		out = append(out, c)
		files[c.Path]++
		left = slices.DeleteFunc(left, func(o candidate) bool { return o.Path == c.Path && o.First <= c.Last && c.First <= o.Last })
	}
	return out
}

// greatestSimilarity is how like a candidate is to the likest one taken.
func greatestSimilarity(c candidate, out []candidate, taken []Finding) float64 {
	most := 0.0
	for _, o := range out {
		most = math.Max(most, Similarity(c.stems, o.stems))
	}
	for _, f := range taken {
		most = math.Max(most, Similarity(c.stems, f.stems))
	}
	return most
}

// Similarity is the share of all members of two sets that are in both (Jaccard).
func Similarity(a, b map[string]bool) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	n := 0
	for s := range a {
		if b[s] {
			n++
		}
	}
	return float64(n) / float64(len(a)+len(b)-n)
}
