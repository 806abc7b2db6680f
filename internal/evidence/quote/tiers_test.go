package quote_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote"
)

const study = "The trial enrolled 1,204 patients in Lyon between March 2019 and May 2021. Treated patients recovered about 3.5 days faster than others, " +
	"although the difference was not significant in people over 65 years. The authors suggest that larger studies are needed before the drug is approved."

func TestLessSureTiers(t *testing.T) {
	for _, c := range []struct {
		name, text, quoted string
		tier               quote.Tier
	}{
		{"blanks lost in the text", strings.ReplaceAll(study, " ", ""), "Treated patients recovered about 3.5 days faster than others, although the difference was not significant", quote.Spaceless},
		{"some blanks lost in the text", strings.ReplaceAll(study, "recovered about", "recoveredabout"), "Treated patients recovered about 3.5 days faster than others", quote.Spaceless},
		{"blanks lost in the quotation", study, "Treatedpatientsrecoveredabout3.5daysfasterthanothers,althoughthedifferencewasnotsignificant", quote.Spaceless},
		{"a comma less", study, "faster than others although the difference was not significant in people over 65 years", quote.Spaceless},
		{"divided at the end of a line", strings.ReplaceAll(study, "significant", "signif-\nicant"), "the difference was not significant", quote.Normalised},
		{"an entity", study, "recovered about 3.5&nbsp;days faster than others, although the difference was not significant", quote.Normalised},
		{"entities in the text", "AT&amp;T said &ldquo;no&rdquo;", `AT&T said "no"`, quote.Normalised},
		{"entities in both", "AT&amp;T said no", `AT&amp;T said no`, quote.Exact},
		{"part of an entity", "write &amp;x here", `amp;x here`, quote.Exact},
		{"emphasis", study, "**Treated patients** recovered about _3.5 days_ faster than `others`", quote.Normalised},
		{"emphasis in the text", "**Treated patients** recovered *fast* and [well](https://example.org/a) in `all` cases", "Treated patients recovered fast and well in all cases", quote.Normalised},
		{"a full stop for a comma", study, "Treated patients recovered about 3.5 days faster than others.", quote.Normalised},
		{"ellipses at the ends", study, "… Treated patients recovered about 3.5 days faster than others, although the difference was not significant …", quote.Exact},
		{"one typo", study, "Treated pateints recovered about 3.5 days faster than others", quote.Near},
		{"two typos", study, "Treated pateints recovred about 3.5 days faster than others", quote.Near},
		{"a typo in a deciding word", study, "Treated patients recovered about 3.5 days fastter than others", quote.Near},
		{"a typo in the first word", study, "Traeted patients recovered about 3.5 days faster than others", quote.Near},
		{"a small first letter", study, "treated patients recovered about 3.5 days faster than others", quote.Normalised},
		{"a large first letter", study, "[A]lthough the difference was not significant in people over 65 years", quote.Normalised},
		{"two plain words dropped", study, "The authors suggest larger studies are needed before drug is approved.", quote.Elided},
		{"elided", study, "The trial enrolled 1,204 patients … between March 2019 and May 2021", quote.Elided},
		{"elided in brackets", study, "The trial enrolled 1,204 patients [...] between March 2019 and May 2021", quote.Elided},
		{"numbers with and without marks", study, "The trial enrolled 1204 patients in Lyon between March 2019 and May 2021", quote.Spaceless},
		{"German typo in a noun", "Der Bericht nennt die steigenden Temperaturen in den Alpen eine ernste Gefahr für die Landwirtschaft.", "Der Bericht nennt die steigenden Tempertauren in den Alpen eine ernste Gefahr", quote.Near},
		{"Russian typo", "В докладе говорится, что население города выросло на пять процентов за последний год.", "В докладе говорится, что насиление города выросло на пять процентов", quote.Near},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.True(t, ok, "%s: %+v", c.name, quote.Index(c.text).FindOrExplain(c.quoted))
		require.Equal(t, c.tier, m.Tier, c.name)
		for _, f := range m.Findings { // cut before "although", and words dropped
			require.Contains(t, []guard.Kind{guard.GoesOn, guard.Omitted}, f.Kind, c.name)
		}
	}
}

// Where a word has other letters than its source, both are told.
func TestAMisspeltWordIsTold(t *testing.T) {
	for quoted, told := range map[string][]quote.Misspelling{
		"Treated pateints recovred about 3.5 days faster than others":  {{"pateints", "patients"}, {"recovred", "recovered"}},
		"treated patients recovered about 3.5 days faster than others": nil,
	} {
		m, ok := quote.Find(study, quoted)
		require.True(t, ok, quoted)
		require.Equal(t, told, m.Misspelt, quoted)
	}
}

func TestRefusedInEveryTier(t *testing.T) {
	spaceless := strings.ReplaceAll(study, " ", "")
	for _, c := range []struct{ name, text, quoted string }{
		{"another number", study, "Treated patients recovered about 4.5 days faster than others, although the difference was not"},
		{"a point lost without blanks", spaceless, "Treated patients recovered about 35 days faster than others, although the difference"},
		{"a number for another without blanks", spaceless, "Treated patients recovered about 3.6 days faster than others, although the difference"},
		{"a negation lost", study, "although the difference was significant in people over 65 years"},
		{"a negation put in", study, "Treated patients never recovered about 3.5 days faster than others, although the difference was not"},
		{"another unit", study, "Treated patients recovered about 3.5 weeks faster than others, although"},
		{"another direction", study, "Treated patients recovered about 3.5 days slower than others, although the difference"},
		{"another month", study, "The trial enrolled 1,204 patients in Lyon between April 2019 and May 2021."},
		{"another year", study, "The trial enrolled 1,204 patients in Lyon between March 2018 and May 2021."},
		{"another name", study, "The trial enrolled 1,204 patients in Lille between March 2019 and May 2021."},
		{"a name misspelt", study, "The trial enrolled 1,204 patients in Lyno between March 2019 and May 2021."},
		{"a hedge dropped", study, "Treated patients recovered 3.5 days faster than others, although the difference was not significant"},
		{"a qualifier dropped", study, "although the difference was not significant in people 65 years"},
		{"a content word swapped", study, "Treated patients suffered about 3.5 days faster than others, although"},
		{"a content word swapped for a like one", "The team analysed the trail of the comet over the whole northern sky", "The team analysed the trial of the comet over the whole northern sky"},
		{"a word of the text", "He rode from the form house to the river and back again today", "He rode form the form house to the river and back again today"},
		{"words shuffled", study, "Treated recovered patients about days 3.5 than faster others, although difference the was not"},
		{"halves stitched", study, "The trial enrolled 1,204 patients in Lyon are needed before the drug is approved"},
		{"halves the wrong way round", study, "The authors suggest that larger studies … The trial enrolled 1,204 patients"},
		{"too short for a typo", study, "Treated pateints recovered"},
		{"too short for lost blanks", spaceless, "the difference was not"},
		{"a part of two words", study, "The trial enrolled 1,204 patients … between March … patients recovered about 3.5 days"},
		{"not able for notable", "It was a most notable result of the whole long series of tests", "It was a most not able result of the whole long series of tests"},
		{"nowhere for now here", "They are now here among the many guests of the great hall", "They are nowhere among the many guests of the great hall"},
		{"capitals of a name", "Policy in the US today is made by many and known to few people", "Policy in the us today is made by many and known to few people"},
		{"capitals of a unit", "The old plant gave 5 MW to the grid in the first week of work", "The old plant gave 5 mW to the grid in the first week of work."},
		{"opposite beginnings", "Many patients of the old clinic had hypotension in the first days of care", "Many patients of the old clinic had hypertension in the first days of care"},
		{"opposite beginnings in the quotation", "It was shown that intrastate trade had grown to a fifth of the whole", "It was shown that interstate trade had grown to a fifth of the whole"},
		{"a Spanish negating letter", "El tribunal dijo que la venta de la casa era ilegal en todo el estado", "El tribunal dijo que la venta de la casa era legal en todo el estado"},
		{"a qualifier of several words dropped", "The board said that the plant was far from good in the second half", "The board said that the plant was good in the second half"},
		{"a German negation dropped", "Der Vorstand sagte, dass die Anlage am Ende keineswegs gut war und bleibt", "Der Vorstand sagte, dass die Anlage am Ende gut war und bleibt"},
		{"a sign without blanks", "thetemperaturewas-5degreesinthemorningofthatlongcoldday", "the temperature was 5 degrees in the morning of that long cold day"},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		require.False(t, ok, "%s: %+v %q", c.name, m, c.text[m.Start:m.End])
	}
}

func TestCutOff(t *testing.T) {
	for _, c := range []struct {
		kind         guard.Kind
		text, quoted string
	}{
		{guard.Negation, "It is not safe to drink the water here.", "safe to drink the water here"},
		{guard.Negation, "There is no evidence of harm in mice.", "evidence of harm in mice"},
		{guard.Negation, "They did this without harm to mice.", "harm to mice"},
		{guard.Negation, "Es ist nicht sicher für Kinder.", "sicher für Kinder"},
		{guard.Negation, "Das Mittel wirkt nicht bei Kindern.", "Das Mittel wirkt"},
		{guard.Negation, "Вода не опасна для детей.", "опасна для детей"},
		{guard.Negation, "这种药物没有效果。", "效果"},
		{guard.Negation, "It is safe unless heated.", "It is safe"},
		{guard.Hedge, "There were up to 500 guests there.", "500 guests there"},
		{guard.Hedge, "There were approximately 500 guests there.", "500 guests there"},
		{guard.Hedge, "It may cause harm in mice.", "cause harm in mice"},
		{guard.Hedge, "Le produit coûte environ 5 euros en France.", "5 euros en France"},
		{guard.Hedge, "共有大约500人参加会议。", "500人参加会议"},
		{guard.Comparator, "There were more than 500 guests there.", "500 guests there"},
		{guard.Comparator, "There were at least 500 guests there.", "500 guests there"},
		{guard.Comparator, "There were at least 500 guests there.", "least 500 guests there"},
		{guard.Quantifier, "Only half of the patients recovered.", "the patients recovered"},
		{guard.Quantifier, "It was seen in most patients here.", "patients here"},
		{guard.Quantifier, "It works only in mice.", "It works"},
		{guard.Magnitude, "They spent 500 million dollars there.", "They spent 500"},
		{guard.Unit, "The walk was 500 km long.", "The walk was 500"},
		{guard.Unit, "It grew by 3 percentage points there.", "It grew by 3"},
		{guard.Number, "They spent 500 million dollars there.", "million dollars there"},
		{guard.Number, "Some 12 500 guests came there.", "500 guests came there"},
	} {
		r := quote.Index(c.text).FindOrExplain(c.quoted)
		require.False(t, r.Found, "%s: %+v", c.quoted, r)
		require.NotEmpty(t, r.Match.Findings, c.quoted)
		require.Equal(t, c.kind, r.Match.Findings[0].Kind, "%s: %+v", c.quoted, r)
		require.Equal(t, c.quoted, c.text[r.Match.Start:r.Match.End])
	}
}

func TestWhatAnEllipsisHidesIsToldOrRefused(t *testing.T) {
	r := quote.Index(study).FindOrExplain("although the difference was … significant in people over 65 years")
	require.False(t, r.Found, "%+v", r)
	require.Equal(t, []guard.Finding{{Kind: guard.Gap, Text: "not"}}, r.Match.Findings)

	const text = "The trial enrolled 1,204 patients in Lyon. It was led by three hospitals. Treated patients recovered faster than others."
	r = quote.Index(text).FindOrExplain("The trial enrolled 1,204 patients in Lyon. … Treated patients recovered")
	require.True(t, r.Found, "%+v", r)
	require.Equal(t, "It was led by three hospitals.", text[r.Match.Gaps[0].Start:r.Match.Gaps[0].End])
	require.Len(t, r.Match.Segments, 2)
}

func TestARefusalSaysWhy(t *testing.T) {
	r := quote.Index("It began well. " + study).FindOrExplain("The trial enrolled 1,402 patients in Lyon between March 2019 and May 2021.")
	require.False(t, r.Found)
	require.Equal(t, []guard.Finding{{Kind: guard.Number, Quote: "1,402", Text: "1,204"}}, r.Match.Findings)
	require.Equal(t, quote.Tier(""), r.Match.Tier)
	require.Equal(t, 15, r.Match.Start)
	require.Contains(t, r.Nearest, "1,204 patients")

	r = quote.Index(study).FindOrExplain("Nothing of the kind is in there at all")
	require.False(t, r.Found)
	require.Zero(t, r.Match)
	require.Empty(t, r.Nearest)
}

func TestSilentlyDroppedWordsPartThePassage(t *testing.T) {
	m, ok := quote.Find(study, "The authors suggest larger studies are needed before the drug is approved")
	require.True(t, ok)
	require.Len(t, m.Segments, 2)
	require.Equal(t, "The authors suggest", study[m.Segments[0].Start:m.Segments[0].End])
}

func TestAHeadingInCapitalsIsFoundInSmallLetters(t *testing.T) {
	const text = "THE LAST APPLE KEEPERS OF THE VALLEY\n\nThe pump gives 1 MW OF POWER IN ALL.\n"
	m, ok := quote.Find(text, "The Last Apple Keepers of the Valley")
	require.True(t, ok)
	require.Equal(t, quote.Near, m.Tier)
	for _, other := range []string{"The Last Pear Keepers of the Valley", "of power in all", "The pump gives 1 mW of power in all."} {
		_, ok := quote.Find(text, other)
		require.False(t, ok, other)
	}
}
