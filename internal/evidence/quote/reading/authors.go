package reading

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// yearOfAuthor is a year in brackets, as authors have it behind their names: (1965),
// (2019b: 12).
var yearOfAuthor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\((?:1[5-9]|20)\d\d[a-z]?(?:[,;]\s?(?:(?:1[5-9]|20)\d\d[a-z]?|[a-z]))*(?:[,:]\s?(?:pp?\.?\s?)?\d{1,4}(?:[–-]\d{1,4})?)?\)`)
})

// yearOfAuthorEnd is where a year in brackets behind a name ends; 0 for none. It is that of a work
// that is known by name and year, or the words around it tell so in a text that cites by year.
func yearOfAuthorEnd(text string, i int, byYear func() bool, known func(work string) bool) int {
	const longest = 48
	if text[i] != '(' {
		return 0
	}
	mark := yearOfAuthor().FindString(text[i:min(len(text), i+longest)])
	if mark == "" {
		return 0
	}
	before := strings.TrimRight(text[words.RuneStart(text[:i], i-longest):i], " \n\u00a0")
	name := andOthers().ReplaceAllString(before, "")
	name = char.LastWord(strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s"))
	behind := text[i+len(mark):]
	if next := char.First(behind); !unicode.IsUpper(char.First(name)) || char.IsOfWord(next) || strings.HasSuffix(text[:i], before) {
		return 0
	}
	lead := text[words.RuneStart(text[:i], i-longest):i]
	others := name != "" && len(andOthers().FindString(before)) > 0 // of whom no text speaks but as authors
	told := others || byAuthor().MatchString(lead) && !isOfThing().MatchString(behind) || ofAuthor().MatchString(behind)
	if told = told && !strings.HasSuffix(before, "'s") && !strings.HasSuffix(before, "’s") && !ofNoAuthor().MatchString(lead); !(told && (others || byYear())) && !known(name+" "+mark[1:5]) {
		return 0
	}
	authors := authorsAtEnd(lead)
	named := name + andOthers().FindString(before) + " ("
	for at := 0; ; {
		next := strings.Index(text[at:], named)
		if next < 0 {
			break
		}
		at += next + len(named)
		other := year().FindString(text[at:min(len(text), at+len("1988"))])
		if other != "" && other != mark[1:1+len(other)] && authorsAtEnd(text[words.RuneStart(text[:at], at-longest):at-1]) == authors {
			return 0 // which of two is meant the year tells
		}
	}
	return i + len(mark)
}

// andOthers is the end of a text that names an author and others.
var andOthers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s+(?:et al\.?|(?:and|&) (?:colleagues|co-?workers|others|associates)|(?:und|u\.) (?:Mitarbeiter|Mitarb\.|Kollegen|andere|a\.)|et (?:collaborateurs|collègues|coll\.?|autres)|y (?:colaboradores|cols?\.|otros)|e (?:colaboradores|cols?\.|collaboratori|coll\.|outros|altri)|en (?:collega['’]s|anderen)|(?:och|og) (?:medarbetare|medarbejdere|kollegor|kolleger)|i (?:wsp\.|in\.|współpracownicy)|и (?:др\.|соавт\.|соавторы|коллеги)|та ін\.|ve ark\.|dkk\.?|等)$`)
})

// severalAuthors is the end of a text that names two or more authors.
var severalAuthors = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\p{Lu}[\pL’'-]+,?\s+(?:and|und|et|y|e|i|och|og|en|и|&)\s+\p{Lu}[\pL’'-]+\s*$`)
})

// authorsAtEnd is the name of the author that a text ends with, with the one joined to it.
func authorsAtEnd(text string) string {
	text = strings.TrimRight(text, " \n\u00a0")
	if list := severalAuthors().FindString(text); list != "" {
		return strings.Join(strings.Fields(list), " ")
	}
	return char.LastWord(text)
}

// ofNoAuthor is what ends before a year in brackets with a thing or a place: "The Act", "in Paris".
var ofNoAuthor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s(])(?i:the|an?|in|of|at|under|der|die|das|dem|den|des|ein|eine|im|am|le|la|les|un|une|du|en|el|los|las|del|una|het|een|il|lo|gli)\s+(?:\pL+\s+){0,2}\p{Lu}[\pL’'-]*\s*$`)
})

// byAuthor is what ends with an author behind the word that says so: "a view of it by Holt".
var byAuthor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i:\b(?:by|see|according to|von|siehe|par|voir|selon|por|véase|según|segundo|door|zie|volgens))\s+(?:\p{Lu}[\pL’'-]*\s*){1,3}$`)
})

// isOfThing is a verb behind a year in brackets that tells how much of a thing there was.
var isOfThing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s+(?:lagen?|betrug|betrugen|stieg|sank|fiel|rose|fell|came|est|était|fue|era)(?:[^\pL]|$)`)
})

// ofAuthor is a verb behind a year in brackets that says what an author did.
var ofAuthor = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s+(?:(?:also|first|already|later|has|have|had|therefore|rightly)\s+){0,2}(?:` +
		`point(?:s|ed)? (?:out|to)|finds?|found|show(?:s|ed|n)?|saw|seen?|sees|takes?|took|taken|argue[sd]?|claim(?:s|ed)?|suggest(?:s|ed)?|note[sd]?|report(?:s|ed)?|conclude[sd]?|observe[sd]?|demonstrate[sd]?|propose[sd]?|describe[sd]?|writes?|wrote|state[sd]|holds?|held|measure[sd]|estimate[sd]?|calculate[sd]|develop(?:s|ed)|examine[sd]?|stud(?:y|ies|ied)|test(?:s|ed)|compare[sd]|review(?:s|ed)?|identif(?:y|ies|ied)|considers?|considered|treat(?:s|ed)?|believe[sd]?|thinks?|thought|warn(?:s|ed)?|reject(?:s|ed)?|den(?:y|ies|ied)|insist(?:s|ed)?|maintain(?:s|ed)?|define[sd]?|explain(?:s|ed)?|question(?:s|ed)?|challenge[sd]?|doubt(?:s|ed)?|puts?|read|reads|call(?:s|ed)|record(?:s|ed)|` +
		`zeig(?:t|te|ten|en)|f[aä]nd(?:en)?|finde[tn]|behaupte\pL*|schr(?:ie|ei)b\pL*|nannten?|nennt|wies(?:en)?|weist|argumentier\pL*|beschr(?:ie|ei)b\pL*|stellte?n?|sieht|sahen?|mein(?:t|te|ten)|berichte\pL*|beobachte\pL*|` +
		`montr\pL+|a montré|ont montré|soutien\pL+|affirm\pL+|not(?:e|a|ent)|observ\pL+|trouv\pL+|écri(?:t|vit|vent)|conclu\pL*|` +
		`mostr\pL+|demostr\pL+|afirm\pL+|sosti\pL+|sostuv\pL+|encontr\pL+|hall(?:ó|aron|a|an)|escrib\pL+|señal\pL+|concluy\pL+|defend\pL+|` +
		`toont|toonden?|stelt|stelden|vond|vonden|schreef|betoogt|betoogde)(?:[^\pL]|$)`)
})

// authorAndYear is a citation in brackets of a work that has authors and a year.
var authorAndYear = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\(([^()\n]{4,80}(?:1[5-9]|20)\d\d[a-z]?)\)`)
})

// citesByYear reports whether a text cites works by authors and years.
func citesByYear(text string) bool {
	const looked = 20 // brackets
	return slices.ContainsFunc(authorAndYear().FindAllStringSubmatch(text, looked), func(m []string) bool { return isAuthorYear(m[1]) })
}
