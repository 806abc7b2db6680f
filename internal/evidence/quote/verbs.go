package quote

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// irregularVerbs are English verbs whose forms are not made by endings, one verb a line.
const irregularVerbs = `be am is are was were been being
have has had having
do does did done doing
go goes went gone
say says said
make makes made
get gets got gotten
see sees saw seen
take takes took taken
come comes came
know knows knew known
give gives gave given
find finds found
think thinks thought
tell tells told
become becomes became
leave leaves left
feel feels felt
bring brings brought
begin begins began begun
keep keeps kept
hold holds held
write writes wrote written
stand stands stood
hear hears heard
mean means meant
meet meets met
pay pays paid
sit sits sat
speak speaks spoke spoken
lie lies lay lain
lead leads led
grow grows grew grown
lose loses lost
fall falls fell fallen
send sends sent
build builds built
understand understands understood
draw draws drew drawn
break breaks broke broken
spend spends spent
rise rises rose risen
drive drives drove driven
buy buys bought
wear wears wore worn
choose chooses chose chosen
seek seeks sought
throw throws threw thrown
catch catches caught
deal deals dealt
win wins won
sell sells sold
fight fights fought
teach teaches taught
eat eats ate eaten
sing sings sang sung
strike strikes struck
hang hangs hung
shake shakes shook shaken
ride rides rode ridden
feed feeds fed
shoot shoots shot
drink drinks drank drunk
shine shines shone
bear bears bore borne
sleep sleeps slept
sink sinks sank sunk
fly flies flew flown
steal steals stole stolen
swim swims swam swum
run runs ran
show shows showed shown`

// auxiliaries are the forms of "be", "have" and the like, a verb a line, by language.
// None says that something would be so, or will.
var auxiliaries = map[string]string{
	"en": "be am is are was were been being\nhave has had having\ndo does did",
	"de": "bin bist ist sind seid war waren sei seien sein gewesen\nhabe hat haben hatte hatten\nwird werden wurde wurden werde",
	"fr": "suis es est sommes êtes sont était étaient étions fut furent été être\nai as a avons avez ont avait avaient avions eut eurent avoir",
	"es": "soy es somos son era eran fue fueron ser sido\nestá están estaba estaban estuvo estuvieron estamos\nhe ha hemos han había habían hay hubo\ntiene tienen tenía tenían tuvo tuvieron tenemos",
	"pt": "sou é somos são era eram foi foram ser sido\nestá estão estava estavam esteve estiveram\nhá havia houve\ntem têm tinha tinham teve tiveram temos",
	"it": "sono è siamo era erano fu furono essere stato stata stati state\nho ha abbiamo hanno aveva avevano ebbe ebbero",
	"nl": "ben bent is zijn was waren geweest\nheb hebt heeft hebben had hadden\nwordt worden werd werden",
	"sv": "är var vara varit\nhar hade ha haft\nblir blev bli blivit",
	"pl": "jestem jest jesteśmy są był była było byli były być\nmam ma mamy mają miał miała miało mieli miały mieć",
	"ru": "есть был была было были быть\nимею имеет имеем имеют имел имела имело имели иметь",
	"cs": "jsem je jsme jsou byl byla bylo byli byly být\nmám má máme mají měl měla mělo měli měly mít",
}

// isAuxiliary reports whether a word in small letters is a form of "be", "have" or the
// like.
func isAuxiliary(word, language string) bool {
	return slices.Contains(strings.Fields(auxiliaries[language]), word)
}

// isFinite reports whether a word in small letters is a form of an irregular verb of English
// that has a subject, and is no participle.
func isFinite(word string) bool {
	for line := range strings.Lines(irregularVerbs) {
		forms := strings.Fields(line)
		if at := slices.Index(forms, word); at == 1 || at == 2 && len(forms) > 3 && forms[3] != word {
			return true
		}
	}
	return false
}

// isVerbForm reports whether two words in small letters are forms of one verb, of which a
// quoter puts the one for the other so that it fits the sentence around.
func isVerbForm(ours, theirs, language string) bool {
	if areIrregular(ours, theirs, language) {
		return true
	}
	irregular := auxiliaries[language]
	if language == "en" {
		irregular = irregularVerbs + "\n" + modals
	}
	for line := range strings.Lines(irregular) {
		if forms := strings.Fields(line); slices.Contains(forms, ours) && slices.Contains(forms, theirs) {
			return true
		}
	}
	if language != "en" {
		return isFormOf(ours, theirs) || isSamePlural(ours, theirs, language)
	}
	return slices.ContainsFunc(verbRoots(ours), func(root string) bool { return slices.Contains(verbRoots(theirs), root) })
}

// verbRoots are what a regular verb may be without the ending of its person or tense.
func verbRoots(word string) []string {
	const least = 3 // letters
	list := []string{word}
	for _, ending := range []string{"s", "es", "ed", "d"} {
		root, ok := strings.CutSuffix(word, ending)
		if !ok || len(root) < least {
			continue
		}
		list = append(list, root)
		if bare, ok := strings.CutSuffix(root, "i"); ok && ending != "s" && ending != "d" {
			list = append(list, bare+"y")
		}
		if n := len(root); ending == "ed" && n > least && root[n-1] == root[n-2] {
			list = append(list, root[:n-1])
		}
	}
	return list
}

// contractions of English, each with what it is short for.
var contractions = [...][2]string{
	{"can't", "can not"},
	{"cannot", "can not"},
	{"won't", "will not"},
	{"shan't", "shall not"},
	{"let's", "let us"},
	{"n't", " not"},
	{"'ve", " have"},
	{"'re", " are"},
	{"'ll", " will"},
	{"'m", " am"},
}

// doubtfulContractions are those that may be short for either of two words, behind a
// pronoun.
var doubtfulContractions = [...][3]string{{"'s", " is", " has"}, {"'d", " would", " had"}}

// expandContractions are what a text of English may be with its last words written out; none
// where they are no contraction. The words behind it tell which of two it is.
func expandContractions(text, next string) []string {
	text = strings.ReplaceAll(text, "’", "'")
	low := strings.ToLower(text)
	if len(low) != len(text) || len(low) < 3 {
		return nil
	}
	for _, c := range contractions {
		if rest, ok := strings.CutSuffix(low, c[0]); ok {
			return []string{text[:len(rest)] + c[1]}
		}
	}
	for _, c := range doubtfulContractions {
		rest, ok := strings.CutSuffix(low, c[0])
		if last := rest[strings.LastIndexByte(rest, ' ')+1:]; ok && (has(pronouns, "en", last) || slices.Contains([]string{"there", "here", "what", "where"}, last)) {
			first, second := text[:len(rest)]+c[1], text[:len(rest)]+c[2]
			switch had, certain := isPerfect(next, c[0] == "'d"); {
			case !certain:
				return []string{first, second}
			case had:
				return []string{second}
			default:
				return []string{first}
			}
		}
	}
	return nil
}

// isPerfect reports whether the verb "have" is what stands before some words of English in
// short, rather than "is", or "would", and whether that is certain.
func isPerfect(next string, would bool) (had, certain bool) {
	first, second, _ := strings.Cut(next, " ")
	switch {
	case first == "been" || first == "got" || first == "had" || would && first == "better":
		return true, true
	case isAdverb(first) || isUnchanged(first):
		return false, false
	case !isParticiple(first):
		return false, true
	case would || has(articles, "en", second) || has(pointers, "en", second) || has(pronouns, "en", second):
		return true, true // she's signed a lease
	}
	return false, false
}

// isAdverb reports whether a word of English may stand between an auxiliary and its verb.
func isAdverb(word string) bool {
	return strings.HasSuffix(word, "ly") || slices.Contains(strings.Fields("not never ever always already also just still often since long now so all both once"), word)
}

// isUnchanged reports whether a verb of English is the same in the past.
func isUnchanged(word string) bool {
	return slices.Contains(strings.Fields("cut put set hit let shut hurt cost cast split spread read burst run come become overcome beat bet bid quit rid"), word)
}

// moreParticiples are those of irregular verbs whose other forms are not looked at.
const moreParticiples = "beaten bent bitten bled blown born bound bred dug fed fled flung forbidden forgiven forgotten frozen ground hidden laid lent lit overthrown overtaken proven rung sewn sown spun sprung stolen stuck struck sunk swept sworn swung torn undertaken upheld withdrawn woken worn wound woven wrung undone redone rebuilt retold"

// isParticiple reports whether a word may be the past participle of a verb of English.
func isParticiple(word string) bool {
	const least = 4 // letters of a word that is no "bed"
	if isUnchanged(word) || slices.Contains(strings.Fields(moreParticiples), word) || len(word) >= least && strings.HasSuffix(word, "ed") && !strings.HasSuffix(word, "eed") {
		return true
	}
	for line := range strings.Lines(irregularVerbs) {
		if forms := strings.Fields(line); slices.Contains(forms[min(2, len(forms)):], word) {
			return true
		}
	}
	return false
}

// arePast reports whether two texts of English are past forms of "be", alone or behind "has"
// and "had": "had been" for "was", as in reported speech, or either with a participle behind.
func arePast(ours, theirs, next string) bool {
	past := func(text string) bool {
		return slices.Contains([]string{"was", "were", "has been", "have been", "had been"}, strings.ToLower(text))
	}
	first, second, _ := strings.Cut(next, " ")
	passive := isParticiple(first) || isAdverb(first) && isParticiple(second)
	return past(ours) && past(theirs) && (passive || !strings.HasPrefix(strings.ToLower(ours), "ha") || strings.EqualFold(ours, "had been"))
}

// modals of English, each with what it is in reported speech.
const modals = `will would
can could
may might
shall should`

// hasModal reports whether words in small letters have a modal of English among them.
func hasModal(list []string) bool {
	return slices.ContainsFunc(list, func(w string) bool { return slices.Contains(strings.Fields(modals), w) })
}

// isReported reports whether one text is the other, with a verb of English as in
// reported speech: "[would]" for "will", not the other way round.
func isReported(ours, theirs string) bool {
	list, back := strings.Fields(strings.ToLower(ours)), strings.Fields(strings.ToLower(theirs))
	if len(list) != len(back) {
		return false
	}
	shifted := false
	for i, w := range back {
		if list[i] == w {
			continue
		}
		if shifted = strings.Contains("\n"+modals+"\n", "\n"+w+" "+list[i]+"\n"); !shifted {
			return false
		}
	}
	return shifted
}

// isSamePlural reports whether two verbs of Spanish, Portuguese or Italian are one, of "we"
// and of "they": the same without their endings but for the vowels that change with them.
func isSamePlural(a, b, language string) bool {
	const least = 3 // letters
	stems := func(word string) (we, they string) {
		endings := map[string][2]string{"es": {"mos", "n"}, "pt": {"mos", "m"}, "it": {"mo", "no"}}[language]
		if root, ok := strings.CutSuffix(word, endings[0]); ok {
			we = root
		}
		if root, ok := strings.CutSuffix(word, endings[1]); ok {
			they = root
			for _, past := range []string{"ro", "ra"} {
				they = strings.TrimSuffix(they, past)
			}
		}
		return we, they
	}
	ourWe, ourThey := stems(a)
	theirWe, theirThey := stems(b)
	for _, pair := range [][2]string{{ourWe, theirThey}, {theirWe, ourThey}} {
		if len(pair[0]) >= least && len(pair[1]) >= least-1 && withoutChanges(pair[0], language) == withoutChanges(pair[1], language) {
			return true
		}
	}
	return false
}

// withoutChanges is the stem of a verb with one letter for the vowels that may stand for
// one another in it: an "e" for "ie" and "i", an "o" for "ue" and "u".
func withoutChanges(stem, language string) string {
	stem = withoutAccents(stem)
	if language == "it" {
		stem = strings.TrimSuffix(strings.TrimSuffix(stem, "ia"), "a") // aspettiamo, aspettano
		return strings.TrimRight(stem, "io")
	}
	stem = strings.NewReplacer("gu", "g", "qu", "q").Replace(stem)
	return strings.NewReplacer("ie", "e", "ue", "o", "i", "e", "u", "o").Replace(stem)
}

// isFormOf reports whether two words in small letters have a stem in common, as far as
// letters tell: all but two letters of the shorter at the beginning, or the same
// consonants.
func isFormOf(a, b string) bool {
	const least, ending, most = 3, 2, 4
	same := 0
	x, y := []rune(withoutAccents(a)), []rune(withoutAccents(b))
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	if same >= max(least, min(len(x), len(y))-ending) && max(len(x), len(y))-same <= most+1 {
		return true
	}
	c := consonants(string(x))
	return same > 0 && utf8.RuneCountInString(c) > 1 && c == consonants(string(y))
}

// consonants are the letters of a word that are no vowels.
func consonants(word string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiouyаеиоуыэюяё", r) {
			return -1
		}
		return r
	}, word)
}
