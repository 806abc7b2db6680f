package governing

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/guard"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// abbreviations are words with a full stop of their own, by language, where a capital or a number
// may stand behind. A full stop behind them may end a sentence, too.
var abbreviations = map[string]string{
	"en": "approx est dept max min vol chap messrs lt col capt sgt maj gen rev hon gov pres mt st ft ave blvd jan feb mar apr jun jul aug sept oct nov dec incl excl resp viz ed eds fig no par sect ref refs avg qty temp tel univ assn bros",
	"de": "mind max min ca bzw evtl ggf inkl exkl zzgl abzgl abt fa fam frl gebr dipl ing str abs art bes lfd jhd mio mrd geb gest verh ev kath dt frz engl ital lat amtl gem lit bspw insb sog jan jän feb aug sept okt nov dez tel allg ehem einschl entspr gegr ges haupts hl kap lt med mtl möbl nachm od rd sen jun städt südl nördl östl westl tägl urspr vorm wöchentl zz zt zus std sek vgl anm aufl bearb erg gez hg jur kfm komp mitgl prov reg sp tab techn versch vers verw",
	"fr": "chap env art vol éd ex fig max min m mme mmes mlle mm me mgr pr av apr janv févr juil sept oct nov déc tél hab ann al coll dir trad rééd bd ste dép réf éq equiv vs env approx obs app adj anc cap cie déf dest etab fasc inf sup loc cit op ouv par parag quest rem resp sect suppl tab tit",
	"es": "art arts cap ed fig pág págs núm núms vol sr sra srta sres dra d dña ud uds aprox máx mín ej tel avda av prof gral pza depto dpto c cía ene feb mar abr jun jul ago sept oct nov dic ref secc párr inc lic ing arq gob tte cap min admón",
	"pt": "art arts cap ed fig pág págs núm vol sr sra srs dra d aprox máx mín ex tel av prof jan fev mar abr jun jul ago set out nov dez ref secç depto eng arq gen cel inc",
	"it": "art artt cap ed fig pag pagg sig sigg dott ssa prof ing avv arch geom rag on mons ecc es max min tel vol gen feb mar apr giu lug ago sett ott nov dic circ appr rif sez par comm cod pres incl escl",
	"nl": "art afb blz bijv ca dhr mevr mej evt excl incl fig hfst jl max min prof resp tel jan feb mrt apr aug sept okt nov dec nr gem prov ir ing drs mr zgn enz afd st ong ca",
	"sv": "art ca dvs ev exkl inkl kap max min obs resp jan feb apr aug sept okt nov dec tel ung bl fr hr st avd dir prof kungl gm",
	"pl": "ok art ul al pl p pp min max np rys tab tel tzw woj zob godz gł im inż ks prof św dyr kier red rozdz str ust poz pkt m gm pow płk gen kpt por nr lek",
	"ru": "ок г гг ул гл д кв стр рис табл тыс млн млрд им проф акад пр п руб коп см напр изд ред т тов гр о обл р пос ст",
	"cs": "cca č čl např odst odd str tzv max min ul nám p resp sv tel tzn popř roč ing prof doc kpt",
	"fi": "n noin esim ns mm ent huom max min prof tri",
}

// knownAbbreviations are those of all languages.
var knownAbbreviations = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, list := range abbreviations {
		for w := range strings.FieldsSeq(list) {
			all[w] = true
		}
	}
	return all
})

// sentenceBeginnings are words that are written with a capital hardly but at the beginning of a
// sentence.
var sentenceBeginnings = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(`the a an this that these those it he she they we you i there here his her its their our my your in on at for with without from to by of as if when while although though because since after before until unless during some all both each every no none not nobody many most several few other others another and but or so yet then thus however what which who whose how why where is are was were do does did has have had may can will would should let please see since only even also now today later once
der die das den dem des ein eine einen einem einer eines dies diese dieser dieses diesem diesen jene jeder jede jedes er sie es wir ihr man sein seine ihre unser unsere in im am an auf aus bei beim mit nach von vom vor zu zum zur für gegen ohne um durch über unter zwischen seit während wegen trotz wenn weil da dass ob obwohl als nachdem bevor bis damit und aber oder doch denn jedoch dann danach daher deshalb darum dort hier heute nun so auch nur nicht kein keine alle viele einige manche beide wer was wie wo warum laut wurde wird ist sind war waren hat haben kann soll darf muss
le la les un une des du de ce cet cette ces il elle ils elles on nous vous je son sa ses leur leurs notre nos mon ma dans en sur sous pour par avec sans chez entre depuis pendant après avant dès à au aux si quand lorsque comme parce puisque bien et mais ou or donc car ni puis ensuite ainsi aussi cependant toutefois selon d'après aucun aucune tout tous toute toutes chaque plusieurs certains qui que quoi où comment pourquoi
el los las una unos unas este esta estos estas ese esa eso aquel él ella ellos ellas yo nosotros su sus nuestro mi se en con sin por para desde hasta sobre entre tras durante cuando si aunque porque como y e o u pero sino luego después entonces así también según ningún ninguna todo todos toda todas cada varios algunos quien qué cómo dónde no
os as um uma o este esse isso ele eles nós em no na nos nas com sem ao aos até quando embora mas depois assim segundo nenhum todo cada
il lo gli i uno questo questa quello egli lui lei loro noi nel nella nei nelle con senza per da dal dalla tra fra su sul sulla dopo prima durante mentre quando se perché anche ma poi così secondo nessun tutti ogni
het een deze dit die dat hij zij ze wij we hun zijn haar ons op aan bij met zonder voor na naar van uit tot tussen sinds tijdens als toen wanneer omdat hoewel maar of en dan daarna dus volgens geen alle elke niet
den det de ett en han hon vi på i av med utan till från efter före under om när eftersom men och sedan enligt ingen alla varje
ten ta to ci te on ona ono oni my jego jej ich nasz w we na z ze do od po przed przy bez dla przez pod nad między gdy kiedy jeśli jeżeli choć ale i a lub więc potem według żaden wszyscy każdy nie
он она оно они мы вы я это этот эта эти его её их наш в во на с со к ко от до по за из при без для через под над между когда если хотя но и а или затем потом однако по согласно все каждый не`) {
		all[w] = true
	}
	return all
})

// isClipped reports whether a full stop behind a text may be that of its last word, so that the
// sentence goes on behind it, in one of some languages.
func isClipped(before, behind, language string) bool {
	const most = 12 // bytes
	word := strings.ToLower(strings.TrimLeft(before[strings.LastIndexAny(before, " \n(\u00a0\"“„«‘'")+1:], "[("))
	if word == "" || len(word) > most {
		return false
	}
	next := strings.TrimLeft(behind, " \n\u00a0\"“„«‘([")
	first, _ := utf8.DecodeRuneInString(next)
	if !unicode.IsUpper(first) && !unicode.IsDigit(first) || next == behind {
		return false
	}
	begins := next
	if i := strings.IndexFunc(next, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		begins = next[:i]
	}
	if sentenceBeginnings()[strings.ToLower(begins)] {
		return false
	}
	if words.IsAbbreviation(word) || isSecondLetter().MatchString(before) {
		return true
	}
	if language == "" {
		return knownAbbreviations()[word] || hasNoVowel(before, word)
	}
	return slices.Contains(strings.Fields(abbreviations[language]), word) || language != "cs" && hasNoVowel(before, word)
}

// isSecondLetter is a small letter behind another that has a full stop: "d. h", "p. ex".
var isSecondLetter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^| )\p{Ll}\. ?\p{L}\p{Ll}{0,2}$`) })

// stopOfWord is a full stop behind a letter.
var stopOfWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\pL)\. `) })

// hasNoVowel reports whether the last word of a text, given in small letters, has none, as few but
// abbreviations have, and is no unit of a number.
func hasNoVowel(before, word string) bool {
	if utf8.RuneCountInString(word) < 2 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Latin, r) && !unicode.Is(unicode.Cyrillic, r) }) ||
		strings.ContainsAny(word, "aeiouyàáâäãåæèéêëěìíîïòóôöõøőùúûüůűýąęόœаеёиоуыэюяії") {
		return false
	}
	surface := before[len(before)-len(word):]
	rest := strings.TrimRight(before[:len(before)-len(word)], " \u00a0")
	last, _ := utf8.DecodeLastRuneInString(rest)
	return strings.ToUpper(surface) != surface && !unicode.IsDigit(last)
}

// clippedBefore is where the sentence of a passage begins when full stops are those of clipped words;
// the start of the passage where none before it is.
func clippedBefore(text string, start int, language string) int {
	from := words.RuneStart(text, start-MaxAround)
	clipped := false
	for i := start - 1; i > from; i-- {
		switch c := text[i]; {
		case c == '\n' && IsBreak(text, i):
			from = i
		case c == '.' && isClipped(text[from:i], text[i+1:], language):
			clipped = true
		case (c == '.' || c == '!' || c == '?') && endsSentence(text, from, i):
			from = i
		}
	}
	if !clipped {
		return start
	}
	if from > 0 {
		from++
	}
	return from
}

// clippedBehind is where the sentence of a passage ends when full stops are those of clipped words; the
// end of the passage where none behind it is.
func clippedBehind(text string, end int, language string) int {
	to := words.RuneStart(text, end+MaxAround)
	base := words.RuneStart(text, end-MaxAround)
	clipped := false
	if end > base && text[end-1] == '.' {
		end-- // the stop that ends the passage
	}
	for i := end; i < to; i++ {
		switch c := text[i]; {
		case c == '\n' && IsBreak(text, i):
			to = i
		case c == '.' && isClipped(text[base:i], text[i+1:], language):
			clipped = true
		case (c == '.' || c == '!' || c == '?') && endsSentence(text, base, i):
			to = i
		}
	}
	if !clipped {
		return end
	}
	return to
}

// endsSentence reports whether a mark of a text ends a sentence, as far as the words beside it tell.
func endsSentence(text string, from, at int) bool {
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(text[at+1:], " \n\"”’»)"))
	if at+1 < len(text) && char.IsOfWord(rune(text[at+1])) || unicode.IsLower(next) {
		return false
	}
	if text[at] != '.' {
		return true
	}
	word := text[from:at]
	word = word[strings.LastIndexAny(word, " \n(\u00a0")+1:]
	const day = 2 // digits
	digits := strings.Trim(word, "0123456789") == ""
	return !words.IsAbbreviation(word) && !(digits && len(word) <= day) && !(utf8.RuneCountInString(word) == 1 && word != "I")
}

// aroundClipped adds to what stands around a passage the rest of its sentence, where that is parted from
// it by the full stop of a clipped word alone: whether it is one is not sure, so it is shown.
func aroundClipped(a Around, text string, start, end int, read Read) Around {
	from, to := clippedBefore(text, start, ""), clippedBehind(text, end, "")
	if len(a.Findings) > 0 || from == start && to <= end {
		return a
	}
	language := guard.Language(text[words.RuneStart(text, start-MaxAround):words.RuneStart(text, end+MaxAround)])
	from, to = clippedBefore(text, start, language), clippedBehind(text, end, language)
	if from == start && to <= end {
		return a
	}
	c := newContext(text, start, end, read)
	c.language = language
	plain := func(s string) string { return stopOfWord().ReplaceAllString(oneLine(s), "$1 ") }
	c.head, c.tail = plain(strings.TrimSpace(text[from:start])+" "), plain(text[end:max(end, to)])
	c.lead, c.rest = guard.Governors(c.head, language), guard.Governors(c.tail, language)
	if from < start && a.SaidFrom == a.SaidTo && c.headWeight() != saysNothing {
		a.Head, a.SaidFrom, a.SaidTo = false, from+len(text[from:start])-len(strings.TrimLeftFunc(text[from:start], char.IsNotOfWord)), len(strings.TrimRight(text[:start], " \n"))
	}
	if to > end && a.NextFrom == a.NextTo && c.tailWeight() != saysNothing {
		a.Tail, a.NextFrom, a.NextTo = false, to-len(strings.TrimLeftFunc(text[end:to], char.IsNotOfWord)), to
	}
	return a
}
