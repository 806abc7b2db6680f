package quote_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote"
)

// words draws words that decide nothing, so that a passage may be cut anywhere
// between them.
func words(t *rapid.T, least, most int, label string) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{
		"river", "garden", "teacher", "stone", "window", "paints", "carries", "quiet", "green", "music", "bread", "the", "of", "and", "with", "old",
		"valley", "letter", "singing", "harbour", "candle", "under-water", "café", "naïve", "река", "поле", "حديقة", "河流",
	}), least, most).Draw(t, label)
}

// What stands in a text between words is found there, exactly.
func TestWhatStandsThereIsFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := words(t, 1, 300, "words")
		text := strings.Join(all, " ")
		from := rapid.IntRange(0, len(all)-1).Draw(t, "from")
		to := rapid.IntRange(from+1, len(all)).Draw(t, "to")
		quoted := strings.Join(all[from:to], " ")
		m, ok := quote.Find(text, quoted)
		if !ok || m.Tier != quote.Exact || text[m.Start:m.End] != quoted {
			t.Fatalf("%q in %q: %v %+v", quoted, text, ok, m)
		}
	})
}

// A passage lies in its text, its segments lie in it in order, and it agrees
// with the quotation in the deciding words.
func TestWhatIsFoundAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		deciding := rapid.SampledFrom([]string{"not", "17", "1,000", "5 kg", "-3", "million", "more", "March", "Lyon", "all", "may", "%", "…", "&amp;", "**", "\u00ad", "\n", "не", "不", "<"})
		var list []string
		for _, w := range words(t, 8, 60, "words") {
			if list = append(list, w); rapid.IntRange(0, 3).Draw(t, "with") == 0 {
				list = append(list, deciding.Draw(t, "deciding"))
			}
		}
		text := strings.Join(list, " ")
		from := rapid.IntRange(0, len(list)-8).Draw(t, "from")
		asked := append([]string{}, list[from:]...)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, len(asked)-1).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "change") {
			case 0:
				asked[i] = deciding.Draw(t, "other")
			case 1:
				asked[i] = ""
			case 2:
				asked[i] = asked[i][:len(asked[i])/2] + "x" + asked[i][len(asked[i])/2:]
			case 3:
				asked[i] += asked[rapid.IntRange(0, len(asked)-1).Draw(t, "glued")]
			}
		}
		agrees(t, text, strings.Join(asked, " "))
	})
}

func agrees(t interface{ Fatalf(string, ...any) }, text, quoted string) {
	m, ok := quote.Find(text, quoted)
	if !ok {
		return
	}
	if m.Start < 0 || m.Start >= m.End || m.End > len(text) {
		t.Fatalf("span %+v of %d bytes", m, len(text))
	}
	at := m.Start
	for _, s := range m.Segments {
		if s.Start < at || s.End <= s.Start || s.End > m.End {
			t.Fatalf("segments %+v", m)
		}
		at = s.End
	}
	if m.Tier == quote.Exact && !strings.Contains(quoted, text[m.Start:m.End]) {
		t.Fatalf("%q is not exactly %q", quoted, text[m.Start:m.End])
	}
	if (m.Tier == quote.Elided) != (len(m.Segments) > 0) {
		t.Fatalf("segments of a passage that is %s: %+v", m.Tier, m)
	}
	if strings.Contains(quoted, "…") || strings.ContainsFunc(text[m.Start:m.End], func(r rune) bool { return strings.ContainsRune("&*\u00ad<", r) }) {
		return // marks that folding takes away part words
	}
	f := guard.Compare(guard.Words(plain(quoted)), guard.Words(plain(text[m.Start:m.End])))
	if slices.ContainsFunc(m.Findings, func(f guard.Finding) bool { return f.Kind == guard.Omitted }) { // words misspelt, as in a near one
		f = slices.DeleteFunc(f, func(f guard.Finding) bool {
			return slices.ContainsFunc(strings.FieldsFunc(quoted, func(r rune) bool { return r == ' ' || r == '-' }), func(word string) bool { return guard.Misspells(word, f.Text) })
		})
	}
	if len(f) > 0 && m.Tier != quote.Near && m.Tier != quote.Spaceless {
		t.Fatalf("%q is found %s as %q: %+v", quoted, m.Tier, text[m.Start:m.End], f)
	}
}

// plain has single blanks, and nothing invisible.
func plain(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)), " ")
}

// What is found in a text is found in a longer one as well.
func TestMoreTextHidesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		inner := strings.Join(words(t, 8, 30, "inner"), " ") + "."
		outer := strings.Join(words(t, 0, 400, "before"), " ") + ".\n" + inner + "\n" + strings.Join(words(t, 0, 400, "behind"), " ")
		quoted := strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return rapid.SampledFrom([]rune{' ', '\n', '\u00a0'}).Draw(t, "blank")
			}
			return r
		}, inner)
		if _, ok := quote.Find(outer, quoted); !ok {
			t.Fatalf("%q in %q", quoted, outer)
		}
	})
}

func TestHostileTextsAndQuotations(t *testing.T) {
	const n = 1 << 20
	long := strings.Repeat("word ", n/5)
	for name, c := range map[string]struct{ text, quoted string }{
		"both one word":              {long, long},
		"a long quotation, no text":  {"a short text of some few words and no more", long},
		"a word of a megabyte":       {strings.Repeat("a", n), strings.Repeat("a", n-1) + "b"},
		"ellipses alone":             {long, strings.Repeat("word word word … ", n/20)},
		"few ellipses, many places":  {long, "word word word … word word word … word word word x"},
		"periods alone":              {long, strings.Repeat(".", n)},
		"no text in UTF-8":           {strings.Repeat("\xff\xfeab ", n/5), strings.Repeat("\xffab ", 100)},
		"entities":                   {strings.Repeat("&amp;", n/5), strings.Repeat("&amp;a", 1000)},
		"ampersands":                 {strings.Repeat("&", n), strings.Repeat("&", 1000) + "a"},
		"brackets":                   {strings.Repeat("[](", n/3), strings.Repeat("[a](", 1000)},
		"stars":                      {strings.Repeat("*a", n/2), strings.Repeat("*a", 1000)},
		"numbers":                    {strings.Repeat("1 000 ", n/6), strings.Repeat("1 000 ", 1000)},
		"Han":                        {strings.Repeat("不", n/3), strings.Repeat("不", 5000)},
		"blanks of one":              {strings.Repeat("a ", n/2), strings.Repeat("a", 5000)},
		"blanks lost of the other":   {strings.Repeat("ab", n/2), strings.Repeat("a b ", 5000)},
		"a period of two sentences":  {strings.Repeat("The cat sat on the mat there. The dog lay on the rug here. ", n/60), "The cat sat on the mat there. The dog lay on the mug here."},
		"hardly a difference anyway": {strings.Repeat("abcdefghij ", n/11) + "x " + strings.Repeat("abcdefghij ", 2000), strings.Repeat("abcdefghij ", 1500) + "x " + strings.Repeat("abcdefghij ", 1500)},
	} {
		r := quote.Index(c.text).FindOrExplain(c.quoted)
		require.LessOrEqual(t, r.Match.End, len(c.text), name)
		require.LessOrEqual(t, len(r.Nearest), quote.NearestLimit, name)
	}
}

func FuzzLook(f *testing.F) {
	f.Add(study, "The trial enrolled 1,204 patients … larger studies are needed before the drug")
	f.Add("AT&amp;T **said** so [here](http://a/b) in\u00ad\nfor\u0301mation 5 % −3", "AT&T said so here")
	f.Add("thequickbrownfoxjumpsoverthelazydog", "the quick brown fox jumps over the lazy dog")
	f.Add("这是不可能的事情在中国人看来", "不可能的事情在中国人看来")
	f.Fuzz(func(t *testing.T, text, quoted string) {
		agrees(t, text, quoted)
		r := quote.Index(text).FindOrExplain(quoted)
		if r.Match.Start < 0 || r.Match.End < r.Match.Start || r.Match.End > len(text) {
			t.Fatalf("span %+v of %d bytes", r.Match, len(text))
		}
	})
}
