package relation

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

//go:embed phrases.txt
var phrasesText string

// phrase is a run of words in small letters, and what is written for it.
type phrase struct {
	words []string
	plain string
}

// phrases are those of phrases.txt by their first words, longer ones first.
var phrases = sync.OnceValue(func() map[string][]phrase {
	all := map[string][]phrase{}
	for line := range strings.Lines(phrasesText) {
		said, plain, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || line[0] == '#' {
			continue
		}
		list := strings.Fields(said)
		at := 0
		for at < len(all[list[0]]) && len(all[list[0]][at].words) >= len(list) {
			at++
		}
		all[list[0]] = append(all[list[0]][:at:at], append([]phrase{{list, plain}}, all[list[0]][at:]...)...)
	}
	return all
})

// rewriting is a pattern and what is written for what it finds.
type rewriting struct {
	said  *regexp.Regexp
	plain string
}

// rewritings are of numbers, dates and clauses that no run of words tells.
var rewritings = sync.OnceValue(func() []rewriting {
	const month = `(January|February|March|April|May|June|July|August|September|October|November|December)`
	var list []rewriting
	for _, r := range [][2]string{
		{`\b(\d{1,2})(?:st|nd|rd|th)? ` + month + `,? (\d{4})\b`, "$2 $1, $3"},
		{`\bone (nanosecond|microsecond|millisecond|second|minute|hour|day|week|month|year)\b`, "1 $1"},
		{`(\d[\d.,]*(?: ?%| percent)?) (?:or|and) (?:more|higher|later|newer|above|greater|upwards?|over)\b`, "at least $1"},
		{`(\d[\d.,]*(?: ?%| percent)?) upwards?\b`, "at least $1"},
		{`(\d[\d.,]*(?: ?%| percent)?) (?:or|and) (?:less|fewer|lower|below)\b`, "at most $1"},
		{`(?i)\bleaves? ([^.;,]{1,80}?) unchanged\b`, "does not affect $1"},
		{`(?i)^(?:yes|no|indeed|in fact|overall|in conclusion|furthermore|moreover|additionally|similarly|however|therefore|thus|hence|also|notably|importantly), `, ""},
		{`(?i)^(?:where|when|if) (?:the two|both|they) (?:differ|conflict|disagree|clash), `, ""},
		{`(?i)^(?:the use of|use of|taking|using) `, ""},
		{`(?i)^(?:studies|research|evidence|the report|the study|the authors|experts|the documentation|the docs|the manual) (?:shows?|says?|states?|finds?|found|notes?) that `, ""},
		{`复合年增长率|年增长率|增长率`, " growthrate "},
		{`上调|上涨|上升|增长|提高|增加|扩大|壮大`, " increases "},
		{`下调|下跌|下降|下滑|降低|减少|缩小|萎缩`, " decreases "},
		{`启用|开启|打开`, " enabled "},
		{`禁用|关闭|停用`, " disabled "},
		{`默认情况下|默认`, " default "},
	} {
		list = append(list, rewriting{regexp.MustCompile(r[0]), r[1]})
	}
	return list
})

// isoMonth is a month as standards write it.
var isoMonth = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(1\d{3}|20\d{2})-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?\b`)
})

// hanNumber is a number with its magnitude in Chinese.
var hanNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+(?:\.\d+)?) ?(万亿|亿|万)`) })

// plainText writes a sentence in plain words: for set phrases what they say, dates and
// numbers in one form, without words that only introduce it. It is for comparing and
// not for reading.
func plainText(text string) string {
	text = isoMonth().ReplaceAllStringFunc(text, func(s string) string {
		parts := strings.Split(s, "-")
		months := []string{"", "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"}
		n, _ := strconv.Atoi(parts[1]) // two digits
		if len(parts) < 3 {
			return months[n] + " " + parts[0]
		}
		return months[n] + " " + strings.TrimPrefix(parts[2], "0") + ", " + parts[0]
	})
	text = hanNumber().ReplaceAllStringFunc(text, func(s string) string {
		parts := hanNumber().FindStringSubmatch(s)
		v, _ := strconv.ParseFloat(parts[1], 64) // digits
		return strconv.FormatFloat(round(v*map[string]float64{"万": 1e4, "亿": 1e8, "万亿": 1e12}[parts[2]]), 'f', -1, 64)
	})
	text = plainPhrases(text)
	for _, r := range rewritings() {
		text = r.said.ReplaceAllString(text, r.plain)
	}
	return text
}

// plainPhrases writes what phrases say for them.
func plainPhrases(text string) string {
	all := phrases()
	list := words.Split(text)
	var b strings.Builder
	done := 0
	for i := 0; i < len(list); i++ {
		for _, p := range all[strings.ToLower(list[i].Text)] {
			if !p.stands(text, list[i:]) {
				continue
			}
			last := list[i+len(p.words)-1]
			b.WriteString(text[done:list[i].Start])
			b.WriteString(p.plain)
			done = last.Start + len(last.Text)
			i += len(p.words) - 1
			break
		}
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// stands reports whether a text goes on with the phrase: its words with a blank or a
// hyphen between them.
func (p phrase) stands(text string, list []words.Word) bool {
	if len(list) < len(p.words) {
		return false
	}
	for i, w := range p.words {
		if !strings.EqualFold(list[i].Text, w) {
			return false
		}
		if i > 0 {
			if gap := text[list[i-1].Start+len(list[i-1].Text) : list[i].Start]; gap != " " && gap != "-" {
				return false
			}
		}
	}
	return true
}
