package quote_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/quote"
)

func TestFound(t *testing.T) {
	for _, c := range []struct {
		name, text, quoted string
		tier               quote.Tier
		passage            string // "" for the quotation itself
	}{
		{"the very words", "It is so. The sky is blue, they say.", "The sky is blue", quote.Exact, ""},
		{"blanks around the quotation", "The sky is blue.", "  The sky is blue \n", quote.Exact, "The sky is blue"},
		{"marks around the quotation", "The sky is blue.", `"The sky is blue."`, quote.Exact, "The sky is blue."},
		{"white space", "The sky\n  is\u00a0blue.", "The sky is blue", quote.Normalised, "The sky\n  is\u00a0blue"},
		{"quotes and dashes", "He said “no” — it’s over.", `He said "no" - it's over.`, quote.Normalised, "He said “no” — it’s over."},
		{"the other way round", `He said "no" - it's over.`, "He said “no” — it’s over.", quote.Normalised, `He said "no" - it's over.`},
		{"ellipsis", "And so on… they went.", "And so on... they went", quote.Normalised, "And so on… they went"},
		{"soft hyphen", "infor\u00admation is", "information is", quote.Normalised, "infor\u00admation is"},
		{"soft hyphen at the end of a line", "infor\u00ad\n  mation is", "information is", quote.Normalised, "infor\u00ad\n  mation is"},
		{"zero width", "in\u200bfor\ufeffmation", "information", quote.Normalised, "in\u200bfor\ufeffmation"},
		{"ligature and decomposed accent", "the ﬁrst cafe\u0301 there", "the first café there", quote.Normalised, "the ﬁrst cafe\u0301 there"},
		{"full width", "总计５００人", "总计500人", quote.Normalised, "总计５００人"},
		{"Go comment", "x\n// Foo does this\n// and that.\nfunc Foo()", "Foo does this and that.", quote.Normalised, "Foo does this\n// and that."},
		{"comment quoted with its leaders", "x\n\t// Foo does this\n\t// and that.\n", "// Foo does this\n// and that.", quote.Normalised, "Foo does this\n\t// and that."},
		{"shell comment", "# one two\n# three\n", "one two three", quote.Normalised, "one two\n# three"},
		{"block comment", "/*\n * one two\n * three\n */", "one two three", quote.Normalised, "one two\n * three"},
		{"CRLF", "one\r\ntwo", "one\ntwo", quote.Normalised, "one\r\ntwo"},
		{"without blanks between words", "我们认为中国的中产阶级正在增长。", "中国的中产阶级", quote.Exact, ""},
		{"Russian", "Это «важный» вопрос.", `"важный" вопрос`, quote.Normalised, "«важный» вопрос"},
		{"a later place when the first is cut", "It is ineffective. It is effective.", "effective", quote.Exact, ""},
		{"behind a bullet", "- 5 apples\n- 6 pears", "6 pears", quote.Exact, ""},
		{"bold", "**5 apples** a day", "5 apples", quote.Exact, ""},
		{"number at the end of a sentence", "There were 15. Then 16.", "There were 15", quote.Exact, ""},
		{"possessive", "John's car", "John", quote.Exact, ""},
		{"overlapping places", "xaa aa aa b", "aa aa b", quote.Exact, ""},
		{"entity of the first line", "# Title\ntext", "Title text", quote.Normalised, "Title\ntext"},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.True(t, ok, c.name)
		require.Equal(t, c.tier, m.Tier, c.name)
		want := c.passage
		if want == "" {
			want = c.quoted
		}
		require.Equal(t, want, c.text[m.Start:m.End], c.name)
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, text, quoted string }{
		{"nothing", "text", ""},
		{"marks alone", "a ... b", "..."},
		{"a leader alone", "// x", "//"},
		{"other words", "The sky is blue", "The sky is green"},
		{"another number", "It grew by 15 percent", "It grew by 16 percent"},
		{"decimal point lost", "It grew by 1.5 percent", "It grew by 15 percent"},
		{"decimal comma", "It grew by 1,5 percent", "It grew by 1.5 percent"},
		{"sign lost", "a change of -5 degrees", "a change of 5 degrees"},
		{"sign lost at the beginning", "-5 degrees it was", "5 degrees it was"},
		{"minus lost at the beginning", "minus 5 degrees it was", "5 degrees it was"},
		{"proper minus", "a change of −5 degrees", "5 degrees"},
		{"bound", "at p < 0.05 we", "0.05 we"},
		{"part of a number, end", "It grew by 1.5 percent", "It grew by 1"},
		{"part of a number, beginning", "It grew by 1.5 percent", "5 percent"},
		{"part of a number, thousands", "some 1,500 people", "500 people"},
		{"part of a range", "from 3-5 people", "5 people"},
		{"range taken for a sign", "from 3-5 people", "-5 people"},
		{"part of a fraction", "in 1/2 of all", "in 1"},
		{"part of a time", "at 10:30 sharp", "30 sharp"},
		{"percent sign cut", "a share of 5% of all", "a share of 5"},
		{"percent cut", "a share of 5 percent", "a share of 5"},
		{"million cut", "a sum of 5 million", "a sum of 5"},
		{"power cut", "some 10^6 people", "some 10"},
		{"superscript cut", "some 10² people", "some 10"},
		{"superscript is no digit", "some 10² people", "some 102 people"},
		{"fraction is no digit", "some 3½ people", "some 31/2 people"},
		{"negation inserted", "It is safe", "It is not safe"},
		{"negation dropped", "It is not safe", "It is safe"},
		{"negation cut off", "It can't work", "It can"},
		{"prefix cut off", "a non-linear law", "linear law"},
		{"prefix cut off by a line", "a non-\nlinear law", "linear law"},
		{"prefix cut off by a soft hyphen", "it is un\u00ad\nsafe here", "safe here"},
		{"prefix cut off by a letter", "it is unsafe", "safe"},
		{"Chinese negation cut off", "这是不可能的", "可能的"},
		{"Chinese number cut", "共有五百万人", "百万人"},
		{"number before a Chinese magnitude", "共有5万人", "共有5"},
		{"half a ligature", "the ﬁrm", "irm"},
		{"case of a name", "in the US today", "in the us today"},
		{"case of a unit", "a 5 MW plant", "a 5 mW plant"},
		{"comparison lost", "if x > 5 then", "if x 5 then"},
		{"comparison lost at a line", "if x\n> 5 then", "if x 5 then"},
		{"flag for a word", "use\n--force now", "use force now"},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.False(t, ok, "%s: %+v", c.name, m)
	}
}

func TestFindWithin(t *testing.T) {
	text := quote.Index("one two\nthree -\n5 two\none two\n")
	m, ok := text.FindWithin("one two", 8, 32)
	require.True(t, ok)
	require.Equal(t, 22, m.Start)
	_, ok = text.FindWithin("one two", 3, 20)
	require.False(t, ok)
	_, ok = text.FindWithin("5 two", 16, 22)
	require.False(t, ok, "the sign stands before the span")
}

func TestNearest(t *testing.T) {
	text := "Cats sleep a lot. The study followed 1,204 patients in Lyon for nine years, and it found no effect.\nDogs bark. The the the."
	for _, c := range []struct{ quoted, want string }{
		{"The study followed 1,402 patients in Lyon for ten years", "The study followed 1,204 patients in Lyon for nine years, and it found no effect."},
		{"dogs bark loudly", "Dogs bark."},
		{"Quantum entanglement of the photon pair", ""},
		{"...", ""},
	} {
		require.Equal(t, c.want, quote.Nearest(text, c.quoted), c.quoted)
	}
	require.LessOrEqual(t, len(quote.Nearest(strings.Repeat("word ", 1000), strings.Repeat("word ", 900))), quote.NearestLimit)
}

// sentence draws a sentence with a number in it, as its parts.
func sentence(t *rapid.T) []string {
	noun := rapid.SampledFrom([]string{"patients", "samples", "servers", "voters", "trees", "children"})
	verb := rapid.SampledFrom([]string{"gained", "lost", "kept", "reported", "showed"})
	number := fmt.Sprint(rapid.IntRange(1, 99999).Draw(t, "number"))
	if rapid.Bool().Draw(t, "decimal") {
		number = fmt.Sprintf("%s.%d", number, rapid.IntRange(1, 9).Draw(t, "fraction"))
	}
	if rapid.Bool().Draw(t, "negative") {
		number = "-" + number
	}
	unit := rapid.SampledFrom([]string{"%", " kg", " million", " percent", " MW", " years"}).Draw(t, "unit")
	is := rapid.SampledFrom([]string{"did", "did not", "never", "clearly"}).Draw(t, "is")
	return []string{"The " + noun.Draw(t, "noun"), " " + is + " " + verb.Draw(t, "verb") + " ", number, unit, " in the end"}
}

// Every alteration of a number, its sign, its point, its unit or a negation is
// refused, wherever the quotation is cut.
func TestAlterationsAreRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sentence(t)
		text := "Before it came this. " + strings.Join(s, "") + ". Behind it came that."
		from := rapid.IntRange(0, 2).Draw(t, "from")
		to := rapid.IntRange(3, 5).Draw(t, "to")
		altered := append([]string{}, s...)
		switch rapid.SampledFrom([]string{"digit", "sign", "point", "negation", "unit"}).Draw(t, "altered") {
		case "digit":
			i := strings.LastIndexAny(s[2], "0123456789")
			altered[2] = s[2][:i] + string('0'+(s[2][i]-'0'+byte(rapid.IntRange(1, 9).Draw(t, "by")))%10) + s[2][i+1:]
		case "sign":
			if altered[2] = strings.TrimPrefix(s[2], "-"); altered[2] == s[2] {
				altered[2] = "-" + s[2]
			}
		case "point":
			if altered[2] = strings.Replace(s[2], ".", "", 1); altered[2] == s[2] {
				altered[2] = s[2] + ".5"
			}
		case "negation":
			from = 0
			altered[1] = strings.NewReplacer(" did not ", " did ", " did ", " did not ", " never ", " ever ", " clearly ", " not clearly ").Replace(s[1])
		case "unit":
			to = max(to, 4)
			altered[3] = map[string]string{"%": "", " kg": " g", " million": " billion", " percent": " percentage points", " MW": " mW", " years": " days"}[s[3]]
		}
		quoted := strings.Join(altered[from:to], "")
		if m, ok := quote.Find(text, quoted); ok {
			t.Fatalf("%q was found as %q in %q", quoted, text[m.Start:m.End], text)
		}
	})
}

// What typesetting does to a text hides no quotation.
func TestTypesettingIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plain := strings.Join(sentence(t), "") + `, "they" said - it's so...`
		set := plain
		for _, with := range []*strings.Replacer{
			strings.NewReplacer(" ", "\u00a0"), strings.NewReplacer(" ", "\n  "), strings.NewReplacer(" - ", " — ", "'", "’"),
			strings.NewReplacer(`"they"`, "“they”", "...", "…"), strings.NewReplacer("tr", "t\u00adr", "ers", "e\u200brs"), strings.NewReplacer(" ", "\n// "),
		} {
			if rapid.Bool().Draw(t, "set") {
				set = with.Replace(set)
			}
		}
		text := "Before. " + set + " After."
		m, ok := quote.Find(text, plain)
		if !ok || text[m.Start:m.End] != set {
			t.Fatalf("%q in %q: %v %+v", plain, text, ok, m)
		}
	})
}

func TestTimeIsLinear(t *testing.T) {
	const n = 1 << 20
	for name, c := range map[string]struct{ text, quoted string }{
		"one letter":      {strings.Repeat("a", n), strings.Repeat("a", n/2)},
		"never whole":     {strings.Repeat("a", n), "a"},
		"zero width":      {strings.Repeat("a\u200b", n/4), strings.Repeat("a", 1000)},
		"accents":         {"e" + strings.Repeat("\u0301", n/2), "e"},
		"lines":           {strings.Repeat("\n// \n", n/5), "x"},
		"soft hyphens":    {strings.Repeat("\u00ad", n/2), "x"},
		"soft and blanks": {strings.Repeat("\u00ad \t", n/4), "x"},
		"common words":    {strings.Repeat("the of and ", n/11), "the and of the"},
	} {
		start := time.Now()
		text := quote.Index(c.text)
		text.Find(c.quoted)
		text.Nearest(c.quoted)
		require.Less(t, time.Since(start), 5*time.Second, name) // tenths of a second; quadratic takes minutes
	}
}

// numbered is a text of about n bytes in which each sentence has a number of its own.
func numbered(n int, format string) string {
	var text strings.Builder
	for i := 0; text.Len() < n; i++ {
		fmt.Fprintf(&text, format, i)
	}
	return text.String()
}

func FuzzFind(f *testing.F) {
	f.Add("a “b” c", `a "b" c`)
	f.Add("x\n// y\u00ad\n// z ﬁ ½", "y z fi")
	f.Add("\xff\xfe e\u0301", "é")
	f.Add("不可能 5万", "可能")
	f.Add("敕\u06700", "0")
	f.Add("y\u00ad\n* 0", "y\u00ad*0")
	f.Add("(1+r)))))))^20 days", "20 days")
	f.Add("The fever lasted up to 50 days.", "The fever lasted … to 50 days.")
	f.Add("They built another one, and left.", "They built another [,], and left.")
	f.Add("0"+strings.Repeat("\xad", 700), "0") // bytes that begin no letter
	f.Fuzz(func(t *testing.T, text, quoted string) {
		m, ok := quote.Find(text, quoted)
		if ok {
			if m.Start < 0 || m.Start >= m.End || m.End > len(text) {
				t.Fatalf("span %+v of %d bytes", m, len(text))
			}
			again, ok := quote.Find(text[m.Start:m.End], quoted)
			if !ok || again.Tier != m.Tier {
				t.Fatalf("%q is in %q and not in its passage %q", quoted, text, text[m.Start:m.End])
			}
		}
		near := quote.Nearest(text, quoted)
		if len(near) > quote.NearestLimit || !utf8.ValidString(near) {
			t.Fatalf("nearest %q", near)
		}
	})
}

// BenchmarkFindForms finds quotations with brackets and ellipses, and one that is nowhere, in
// long documents of several shapes.
func BenchmarkFindForms(b *testing.B) {
	for name, format := range map[string]string{
		"html":   "<p class=\"x\"> <b>Item %d</b> of the list was measured by the %[1]dth crew in the harbour of Bergen.</p>\n",
		"thread": "> Item %d of the list was measured by the %[1]dth crew in the harbour.\n\nI saw it, and it was so.\n\n",
		"pages":  "Item %d of the list was measured by the %[1]dth crew in the harbour.\n\nPage %[1]d of 20000\nHARBOUR REVIEW\n\n",
		"forum":  "AB: Item %d of the list was measured by the %[1]dth crew in the harbour.\nCD: Yes, I saw it.\n",
		"line":   "It was measured by the %dth crew in the harbour of Bergen - and the crew of ship %[1]d left. ",
	} {
		b.Run(name, func(b *testing.B) {
			text := quote.Index(numbered(2<<20, format))
			text.Find("nowhere")
			for i := 0; b.Loop(); i++ {
				for _, form := range []string{
					"Item %d of the list was measured by the %[1]dth crew", "[The ship] was measured by the %dth crew in the harbour",
					"measured by the %dth crew … left.", "It [the ship] was measured by the %dth crew", "sank by the %dth crew of 12 men",
				} {
					text.Find(fmt.Sprintf(form, i*7%20000))
				}
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	page := strings.Repeat("The quick brown fox jumps over the lazy dog, 17 times a day. ", 5<<20/61)
	text := quote.Index(page + "A needle’s eye is 3 mm wide.")
	b.Run("index", func(b *testing.B) {
		b.SetBytes(int64(len(page)))
		for b.Loop() {
			quote.Index(page)
		}
	})
	b.Run("find", func(b *testing.B) {
		for b.Loop() {
			text.Find("A needle's eye is 3 mm wide.")
		}
	})
	b.Run("nearest", func(b *testing.B) {
		for b.Loop() {
			text.Nearest("A needle's eye was 4 mm wide.")
		}
	})
}
