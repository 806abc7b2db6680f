package guard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/internal/evidence/guard"
)

// compare are the differences between two texts.
func compare(a, b string) []guard.Finding { return guard.Compare(guard.Words(a), guard.Words(b)) }

func TestTheseAgree(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{"nothing deciding", "the sky is blue", "a blue sky"},
		{"thousands with and without marks", "some 1,000 people", "some 1000 people"},
		{"thousands of all kinds", "1,234,567 or 1 234 567 or 1.234.567", "1234567 or 1'234'567 or 1234567"},
		{"decimals with comma and point", "1,5 kg", "1.5 kg"},
		{"both marks", "1.234,56 euro", "1,234.56 euros"},
		{"number words", "three of the twenty-five", "3 of the 25"},
		{"percent", "by 5 percent", "by 5%"},
		{"per cent", "by 5 per cent", "by 5 %"},
		{"contractions", "it does not work", "it doesn't work"},
		{"curly contractions", "it can’t work", "it cannot work, it can"},
		{"symbols of units", "5 kg and 3 km", "5 kilograms and 3 kilometres"},
		{"joined units", "5kg", "5 kg"},
		{"joined magnitudes", "$5bn", "$5 billion"},
		{"possessive names", "it was Google's idea", "the idea of Google"},
		{"name at the beginning and within", "Google grew", "we saw that Google grew"},
		{"full width and Arabic digits", "共５００人", "共500人"},
		{"Arabic digits", "١٢٣ شخصا", "123 شخصا"},
		{"no signs within words", "COVID-19 is here", "COVID 19 is here"},
		{"bullets are no names", "The firm • Another day", "The firm another day"},
		{"dashes of a range", "3–5 people", "3-5 people"},
		{"minus signs", "at −5 degrees", "at -5 degrees"},
		{"at least", "≥ 5 people", ">= 5 people"},
		{"Chinese traditional numerals", "五百萬", "五百万"},
		{"full width signs of money", "￥5 and ₽7", "5 yen and 7 roubles"},
		{"signs of money, and their words", "£5, ₹6", "5 pounds, 6 rupees"},
		{"a shortened shall", "you shan't go", "you shall not go"},
		{"all of Chinese traditional numerals", "兩億零五", "两亿〇五"},
		{"Arabic decimals", "١٫٥ kg", "1.5 kg"},
		{"Arabic vowel signs", "لَيْسَ آمنا", "ليس آمنا"},
		{"Arabic words with particles", "وليس آمنا", "ليس آمنا"},
		{"arrows to the left", "a <-- b", "a b"},
		{"words that only begin like negations", "nonetheless it makes sense, nonsense or not", "it makes sense or not"},
		{"arrows", "a -> b", "a b"},
	} {
		require.Empty(t, compare(c.a, c.b), "%s: %+v, %+v", c.name, guard.Words(c.a), guard.Words(c.b))
	}
}

func TestTheseDiffer(t *testing.T) {
	for _, c := range []struct {
		kind guard.Kind
		a, b string
	}{
		{guard.Number, "by 15 percent", "by 16 percent"},
		{guard.Number, "by 1.5 percent", "by 15 percent"},
		{guard.Number, "at -5 degrees", "at 5 degrees"},
		{guard.Number, "some 3-5 people", "some 35 people"},
		{guard.Number, "some 10² people", "some 10 people"},
		{guard.Number, "some 10^6 people", "some 106 people"},
		{guard.Number, "version 1.2.3", "version 1.2.4"},
		{guard.Number, "three of them", "four of them"},
		{guard.Number, "2 times a day", "2 times 3 a day"},
		{guard.Number, "in 1/2 of cases", "in 1/3 of cases"},
		{guard.Number, "共五百人", "共六百人"},
		{guard.Number, "пять домов", "шесть домов"},
		{guard.Date, "in March 2020", "in April 2020"},
		{guard.Date, "in the year 2020", "in the year 2021"},
		{guard.Date, "on 2024-05-03", "on 2024-05-04"},
		{guard.Date, "on Monday", "on Tuesday"},
		{guard.Date, "im Januar", "im Februar"},
		{guard.Date, "en janvier", "en février"},
		{guard.Date, "в январе", "в феврале"},
		{guard.Date, "في يناير", "في فبراير"},
		{guard.Unit, "5 kg", "5 g"},
		{guard.Unit, "5 MW", "5 mW"},
		{guard.Unit, "5 percent", "5 percentage points"},
		{guard.Unit, "$5", "€5"},
		{guard.Unit, "£5", "₹5"},
		{guard.Unit, "5‰", "5%"},
		{guard.Unit, "5 km/h", "5 km/s"},
		{guard.Number, "10 ± 2", "10 ± 3"},
		{guard.Comparator, "10 ± 2", "10 2"},
		{guard.Date, "from 2019-2021", "from 2019-2022"},
		{guard.Name, "set max_size first", "set min_size first"},
		{guard.Unit, "5 years", "5 days"},
		{guard.Unit, "5 Prozent", "5 Prozentpunkte"},
		{guard.Unit, "增长5个百分点", "增长5"},
		{guard.Unit, "5 公里", "5 米"},
		{guard.Magnitude, "5 million", "5 billion"},
		{guard.Magnitude, "5 Millionen", "5 Milliarden"},
		{guard.Magnitude, "共5万人", "共5亿人"},
		{guard.Magnitude, "5 миллионов", "5 миллиардов"},
		{guard.Magnitude, "5 ملايين", "5 مليارات"},
		{guard.Comparator, "more than 5", "less than 5"},
		{guard.Comparator, "p < 0.05", "p > 0.05"},
		{guard.Comparator, "before the war", "after the war"},
		{guard.Comparator, "it increased", "it decreased"},
		{guard.Comparator, "es stieg", "es sank"},
		{guard.Comparator, "增加了", "减少了"},
		{guard.Comparator, "売上が増加した", "売上が減少した"},
		{guard.Negation, "it is safe", "it is not safe"},
		{guard.Negation, "it is safe", "it isn't safe"},
		{guard.Negation, "this was safe", "this was unsafe"},
		{guard.Negation, "a linear law", "a non-linear law"},
		{guard.Negation, "es ist sicher", "es ist nicht sicher"},
		{guard.Negation, "c'est sûr", "ce n'est pas sûr"},
		{guard.Negation, "es seguro", "no es seguro"},
		{guard.Negation, "это безопасно", "это не безопасно"},
		{guard.Negation, "هذا آمن", "هذا ليس آمنا"},
		{guard.Negation, "这是安全的", "这是不安全的"},
		{guard.Negation, "安全である", "安全ではない"},
		{guard.Quantifier, "all patients", "some patients"},
		{guard.Quantifier, "most patients", "patients"},
		{guard.Quantifier, "alle Länder", "einige Länder"},
		{guard.Quantifier, "所有国家", "一些国家"},
		{guard.Hedge, "it may cause harm", "it does cause harm"},
		{guard.Hedge, "up to 5 people", "5 people"},
		{guard.Hedge, "about 5 people", "5 people"},
		{guard.Hedge, "~5 people", "5 people"},
		{guard.Hedge, "大约五人", "五人"},
		{guard.Name, "it was Google", "it was Apple"},
		{guard.Name, "Google grew by a lot", "Apple grew by a lot"},
		{guard.Name, "in the US today", "in the us today"},
		{guard.Name, "NASA said so", "they said so"},
		{guard.Name, "то сказал Иванов", "то сказал Петров"},
	} {
		found := compare(c.a, c.b)
		require.NotEmpty(t, found, "%s, %s", c.a, c.b)
		kinds := ""
		for _, f := range found {
			kinds += string(f.Kind) + " "
		}
		require.Contains(t, kinds, string(c.kind), "%s, %s: %+v", c.a, c.b, found)
		require.NotEmpty(t, compare(c.b, c.a), "the other way round: %s, %s", c.a, c.b)
	}
}

func TestFindingsPairWhatDiffers(t *testing.T) {
	require.Equal(t, []guard.Finding{{Kind: guard.Number, Quote: "15", Text: "16"}}, compare("by 15 percent", "by 16 percent"))
	require.Equal(t, []guard.Finding{{Kind: guard.Negation, Text: "not"}}, compare("it is safe", "it is not safe"))
	require.Equal(t, []guard.Finding{{Kind: guard.Hedge, Quote: "may"}}, compare("it may be", "it be"))
}

// Long texts are compared in another way than short ones, with the same result:
// what differs is paired, in the order of the texts.
func TestLongTextsAreComparedLikeShortOnes(t *testing.T) {
	var a, b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&a, "%d mice, ", 100+i)
		fmt.Fprintf(&b, "%d mice, ", 159-i)
	}
	require.Empty(t, compare("5 cats, "+a.String()+"7 dogs", "5 cats, "+b.String()+"7 dogs"), "only the order differs")
	require.Equal(t, []guard.Finding{{Kind: guard.Number, Quote: "5", Text: "6"}, {Kind: guard.Number, Quote: "8", Text: "9"}, {Kind: guard.Negation, Text: "not"}},
		compare("5 cats, "+a.String()+"8 dogs", "6 cats, "+b.String()+"9 dogs, not seen"))
	require.Equal(t, []guard.Finding{{Kind: guard.Number, Quote: "100"}},
		compare("100 rats, "+a.String(), b.String()), "said twice is not said once")
}

// A misspelt word is taken for a deciding one only where nothing else can be
// meant: else a quotation could turn a million into a billion.
func TestAMisspeltWordMayStandForADecidingOne(t *testing.T) {
	for _, c := range []struct{ why, misspelt, word string }{
		{"two letters exchanged", "perecnt", "percent"},
		{"a letter missing", "milion", "million"},
		{"a letter too many", "januuary", "january"},
		{"a letter wrong", "withoot", "without"},
		{"German", "januat", "januar"},
		{"Russian, behind its ending", "милион", "миллион"},
		{"Arabic, behind the article", "المليوم", "المليون"},
	} {
		require.True(t, guard.Misspells(c.misspelt, c.word), "%s: %s, %s", c.why, c.misspelt, c.word)
	}
	for _, c := range []struct{ why, misspelt, word string }{
		{"it may be a billion too", "nillion", "million"},
		{"the same in Russian: a milliard", "миллиан", "миллиард"},
		{"too short to tell", "nit", "not"},
		{"the word is too short to tell", "mayy", "may"},
		{"two letters wrong", "perxxnt", "percent"},
		{"no letter wrong", "percent", "percent"},
		{"another deciding word", "billion", "million"},
		{"another deciding word behind a particle", "والمليار", "المليون"},
		{"a word that decides nothing", "tabel", "table"},
		{"much longer", "percentages", "percent"},
	} {
		require.False(t, guard.Misspells(c.misspelt, c.word), "%s: %s, %s", c.why, c.misspelt, c.word)
	}
}

func TestNumbersHaveOneForm(t *testing.T) {
	for text, want := range map[string]string{
		"1,000": "1000", "1 000": "1000", "1\u202f000\u202f000": "1000000", "0,125": "0.125", "1,50": "1.50", "1.000": "1.000",
		"10:30": "10:30", "1/2": "1/2", "2020–21": "2020-21", "-7": "-7", "1990s": "1990s", "1st": "1st", "३": "3",
	} {
		w := guard.Words(text)
		require.Len(t, w, 1, text)
		require.Equal(t, want, w[0].Norm, text)
	}
}

// A text agrees with itself, and its words lie in it, in order.
func TestWordsLieInTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		sane(t, text)
	})
}

func sane(t interface{ Fatalf(string, ...any) }, text string) {
	for _, w := range guard.Words(text) {
		if w.Start < 0 || w.Start >= w.End || w.End > len(text) || text[w.Start:w.End] != w.Text || w.Norm == "" || w.Kind == "" {
			t.Fatalf("%+v in %q", w, text)
		}
	}
	if f := compare(text, text); len(f) != 0 {
		t.Fatalf("%q differs from itself: %+v", text, f)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("at least 1,000.5 kg or −5 °C in May 2020, n't ½ ")
	f.Add("共五百万人，至少5万 \xff'\u0301 no'")
	f.Fuzz(func(t *testing.T, text string) { sane(t, text) })
}

func TestHostileTextIsReadOnce(t *testing.T) {
	for _, piece := range []string{"1", "1,", "a'", "1 000 ", "不", "五", "twenty-", "at ", "^1", "\xff", "e\u0301", "<", ".", "a٣"} {
		words := guard.Words(strings.Repeat(piece, 1<<20/len(piece)))
		require.LessOrEqual(t, len(words), 1<<20)
	}
}

func BenchmarkCompare(b *testing.B) {
	x := "The International Energy Agency reported that global demand for coal rose by 1.4 percent in 2023 to about 8.5 billion tonnes."
	y := strings.Replace(x, "1.4", "1.6", 1)
	b.Run("words", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			guard.Words(x)
		}
	})
	b.Run("agree", func(b *testing.B) {
		for b.Loop() {
			compare(x, x)
		}
	})
	b.Run("differ", func(b *testing.B) {
		for b.Loop() {
			compare(x, y)
		}
	})
}

// U+02BC is a letter to Unicode; a word that is nothing but it is none.
func TestAModifierApostropheBeginsNoWord(t *testing.T) {
	for _, text := range []string{"ʼ", "ʼtis", "a ʼ b", "it was ʼ 12 ʼʼ", "памʼять ʼ"} {
		require.NotPanics(t, func() { guard.Words(text) }, text)
	}
}

// A negation, a magnitude or a number that differs is seen in every language.
func TestDecidingWordsOfManyLanguages(t *testing.T) {
	for _, pair := range [][2]string{
		{"os produtores não recebem crédito", "os produtores recebem crédito"},
		{"4,7 bilhões de reais", "4,7 milhões de reais"},
		{"il ponte non è sicuro senza luce", "il ponte non è sicuro con luce"},
		{"7,5 miliardi di euro", "7,5 milioni di euro"},
		{"de dijk is niet veilig", "de dijk is veilig"},
		{"skogen är inte skadad", "skogen är skadad"},
		{"järvi ei ole jäässä", "järvi on jäässä"},
		{"szpital nie został zamknięty", "szpital został zamknięty"},
		{"3 miliony złotych", "3 miliardy złotych"},
		{"bina güvenli değil", "bina güvenli"},
		{"5 milyon lira", "5 milyar lira"},
		{"panen tidak gagal", "panen gagal"},
		{"5 juta ton", "5 miliar ton"},
		{"rừng không cháy", "rừng cháy"},
		{"1,8 triệu đồng", "1,8 tỷ đồng"},
		{"बाँध सुरक्षित नहीं है", "बाँध सुरक्षित है"},
		{"5 लाख रुपये", "5 करोड़ रुपये"},
		{"다리는 안전하지 않았다", "다리는 안전했다"},
	} {
		require.NotEmpty(t, guard.Compare(guard.Words(pair[0]), guard.Words(pair[1])), pair[0])
	}
}

// A word that decides in one language and only looks like that in another decides in its
// own alone.
func TestWordsOfALanguage(t *testing.T) {
	for _, c := range []struct{ language, text, decides string }{
		{"pl", "Stary most i ten brzeg, no tak", ""},
		{"en", "Most of the ten banks said no", "Most ten no"},
		{"pl", "nie ma dziesięć", "nie dziesięć"},
		{"nl", "over de last, ten slotte pas", ""},
		{"en", "over the last ten", "over last ten"},
		{"pt", "no centro dos alunos", ""},
		{"es", "no hay dos", "no dos"},
		{"sv", "till sin mor, i så fall", ""},
		{"it", "si dice che non", "non"},
		{"fi", "ne tulivat", ""},
		{"fr", "ton livre, le dos rose", ""},
		{"de", "im Fall der Not", ""},
		{"en", "fast boats to Lima", "Lima"},
	} {
		var list []string
		for _, w := range guard.WordsIn(c.text, func() string { return c.language }) {
			list = append(list, w.Text)
		}
		list = slices.DeleteFunc(list, func(w string) bool { return c.language != "en" && (w == "Not" || w == "Fall" || w == "Stary") }) // names by their capital
		require.Equal(t, c.decides, strings.Join(list, " "), "%s: %s", c.language, c.text)
	}
}
