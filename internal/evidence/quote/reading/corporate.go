package reading

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// citing is what of a text tells whether its brackets cite works.
type citing struct {
	quoted  bool                   // the text is a quotation: in it whatever may cite does
	keyed   func() bool            // whether it cites by keys that are words
	works   func() map[string]bool // the names and years of the works it cites and lists
	authors func() map[string]bool // the names of those
	bodies  func() map[string]bool // the same of authors that are no persons, in full, of the works it lists
}

func citingOf(text string, quoted bool) citing {
	works := sync.OnceValue(func() map[string]bool { return worksOf(text) })
	return citing{
		quoted:  quoted,
		keyed:   sync.OnceValue(func() bool { return quoted || hasKeys(text) }),
		works:   works,
		authors: sync.OnceValue(func() map[string]bool { return authorsOf(works()) }),
		bodies:  sync.OnceValue(func() map[string]bool { return bodiesOf(text) }),
	}
}

// listedBody is how an entry of a list of works begins whose author is no person: "Friends of the
// River. 2019.", "Friends of the River (2019)".
var listedBody = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:[-*•–][ \t]+|\[[^\]\n]{1,24}\][ \t]*|\d{1,3}[.)][ \t]+)?(\p{Lu}[\pL’' &-]{5,80}),?\.?\s\(?((?:1[5-9]|20)\d\d)[a-z]?[).:,]`)
})

// bodiesOf gives such authors and the years, with a blank between them.
func bodiesOf(text string) map[string]bool {
	bodies := map[string]bool{}
	for _, m := range listedBody().FindAllStringSubmatch(text, -1) {
		bodies[strings.Join(strings.Fields(m[1]), " ")+" "+m[2]] = true
	}
	return bodies
}

// withinPhrase is a small word that joins a noun to another, and stands in the name of no person.
var withinPhrase = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\p{Lu}[\pL’'-]*,? (?:of|for|on|the|für|im|pour|para|per|dla)(?: the)? \p{Lu}`)
})

// body is a word for those who publish without being a person, or for what they publish.
var body = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[\s-])(?:` +
		`organi[sz]ations?|ministry|ministries|depart(?:e)?ments?|cent(?:er|re)s?|institutes?|institutions?|agency|agencies|offices?|bureaus?|bureaux|councils?|committees?|commissions?|commissioners?|associations?|society|societies|federations?|confederations?|unions?|banks?|funds?|university|universities|colleges?|schools?|faculty|academy|foundations?|boards?|authority|authorities|services?|secretariats?|administrations?|inspectorates?|directorates?|academies|museums?|librar(?:y|ies)|archives?|hospitals?|clinics?|conferences?|congress|parliament|house|senate|assembly|courts?|government|states?|city|county|task ?force|groups?|networks?|alliance|coalition|consorti(?:um|a)|collaborations?|initiatives?|programmes?|programs?|partnership|campaign|trusts?|leagues?|forum|panel|convention|laborator(?:y|ies)|observatory|registry|company|corporation|press|club|ombudsman|general|teams?` +
		`|journals?|reviews?|reports?|surveys?|yearbook|handbook|bulletin|annals|proceedings|transactions|archives|encyclop(?:a)?edia|dictionary|statistics|census|acts?|code|regulations?|directive|treaty|protocol|guidelines?|recommendations?|statement|standards?` +
		`|\pL*ministerium|\pL*amt|\pL*ämter|\pL*institut|\pL*gesellschaft|\pL*verband|\pL*verein|\pL*zentrum|\pL*zentrale|\pL*anstalt|\pL*kammer|\pL*rat|\pL*kommission|\pL*ausschuss|\pL*behörde|\pL*agentur|\pL*stiftung|\pL*akademie|\pL*hochschule|universität|\pL*konferenz|\pL*bund|\pL*archiv|\pL*zeitschrift|\pL*blatt|\pL*bericht|\pL*jahrbuch|\pL*handbuch|\pL*sammlung|\pL*gesetz|\pL*verordnung|\pL*gruppe|\pL*dienst` +
		`|ministère|ministerio|ministério|ministero|agence|agencia|agência|agenzia|office|oficina|institut[oe]?|instituto|istituto|centro|consej[oa]|conselho|consiglio|conseil|comité|comisión|comissão|commissione|comitato|asociación|associação|associazione|société|sociedad|sociedade|società|federación|fédération|unión|união|unione|banco|banque|banca|fondo|fundo|fonds|universidad|universidade|università|université|académie|academia|accademia|fundación|fundação|fondazione|fondation|organisation|organización|organização|organizzazione|observatoire|observatorio|servicio|serviço|servizio|secretaría|secretaria|red|rede|réseau|revista|rivista|revue|ministerstwo|urząd|instytut|centrum|fundacja|stowarzyszenie|rada|komisja|agencja|dziennik` +
		`)(?:$|[\s,.:-])`)
})

// isSure reports whether what stands in round brackets and may cite works does. It is not sure
// where names and a year make up a plain phrase, "Owners for Life 2019", unless it is in the name of
// a body or a list of the text has it; nor where the author of a work without a year is one bare
// name, which may be that of a place, and no author of another work.
func (c citing) isSure(bracket string) bool {
	inside := strings.Join(strings.Fields(strings.Trim(bracket, "()（）")), " ")
	if c.quoted {
		return true
	}
	if isUnpublished(inside) {
		name, _, bare := strings.Cut(inside, ", ")
		return !bare || strings.Contains(inside, "pers") || strings.ContainsFunc(name, char.IsNotOfWord) || c.authors()[name]
	}
	for item := range strings.SplitSeq(inside, ";") {
		item = strings.TrimSpace(item)
		at := year().FindStringIndex(item)
		if at == nil || !withinPhrase().MatchString(item) || body().MatchString(item) || !isAuthorYear(item) {
			continue
		}
		if written := yearsIn(item); len(written) == 0 || !c.bodies()[strings.TrimRight(item[:at[0]], " ,")+" "+written[0]] {
			return false
		}
	}
	return true
}

// authorsOf gives the names of which works have a year behind them.
func authorsOf(works map[string]bool) map[string]bool {
	authors := map[string]bool{}
	for work := range works {
		name, _, _ := strings.Cut(work, " ")
		authors[name] = true
	}
	return authors
}
