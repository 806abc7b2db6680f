package governing

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/guard"
)

// limitsBefore reports whether a head before a comma says in a few words until when or outside of what
// the passage holds, or that it came of a mistake: "Avant 1965,", "Outside the Union,", "By a misprint,".
// A date alone, "In 1965,", bounds nothing.
func limitsBefore(c context, bare string) bool {
	begins := limiting()[c.language]
	exception := len(c.lead) > 0 && c.lead[0].Start == 0 && c.lead[0].Role == guard.Exception && !adding().MatchString(bare)
	return exception || begins != nil && begins.MatchString(bare)
}

// adding are exceptions that only name what else there is: "Apart from this,".
var adding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:apart|aside|other|abgesehen|hormis|aparte|in afara|afgezien|bortset|bortsett|помимо|dışında|başka|selain|除了|以外)`)
})

// limiting is how such a head begins, by language.
var limiting = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?i)(?:(?:before|until|till|prior to|up to) (?:\w+ )?\d{4}\b|outside |by (?:an? |some )?(?:misprint|mistake|error|oversight|slip|misunderstanding)|in error\b|through (?:an? )?(?:mistake|error|oversight))`),
		"de": regexp.MustCompile(`^(?i)(?:(?:vor|bis)(?: zum| dem)?(?: \pL+)? \d{4}|außerhalb |(?:durch|wegen) eine[ns]? (?:druckfehlers?|irrtums?|versehens?|fehlers?)|irrtümlich|versehentlich|aus versehen)`),
		"fr": regexp.MustCompile(`^(?i)(?:(?:avant|jusqu['’]en|jusqu['’]à)(?: \pL+)? \d{4}|hors d|en dehors d|par (?:une? )?(?:erreur|mégarde|méprise|coquille|inadvertance))`),
		"es": regexp.MustCompile(`^(?i)(?:(?:antes de|hasta)(?: \pL+)? \d{4}|fuera de|por (?:una? )?(?:error|errata|equivocación|descuido))`),
		"pt": regexp.MustCompile(`^(?i)(?:(?:antes de|até)(?: \pL+)? \d{4}|fora d|por (?:uma? )?(?:erro|engano|gralha|lapso|equívoco))`),
		"it": regexp.MustCompile(`^(?i)(?:(?:prima del|fino al)(?: \pL+)? \d{4}|fuori d|per (?:una? |un['’])?(?:errore|refuso|sbaglio|svista))`),
		"nl": regexp.MustCompile(`^(?i)(?:(?:vóór|voor|tot)(?: \pL+)? \d{4}|buiten |door een (?:drukfout|vergissing|fout)|per (?:abuis|ongeluk|vergissing))`),
		"sv": regexp.MustCompile(`^(?i)(?:(?:före|fram till|till)(?: \pL+)? \d{4}|utanför |genom ett (?:tryckfel|misstag|förbiseende)|av misstag)`),
		"da": regexp.MustCompile(`^(?i)(?:(?:før|indtil|inntil|til)(?: \pL+)? \d{4}|uden for|utenfor|ved en (?:fejl|feil|trykfejl|fejltagelse))`),
		"pl": regexp.MustCompile(`^(?i)(?:(?:przed|do)(?: \pL+)? \d{4}|poza |przez (?:pomyłkę|omyłkę|przeoczenie)|wskutek (?:pomyłki|błędu)|omyłkowo)`),
		"cs": regexp.MustCompile(`^(?i)(?:(?:před|do)(?: \pL+)? \d{4}|mimo |omylem)`),
		"ru": regexp.MustCompile(`^(?i)(?:до(?: \pL+)? \d{4}|вне |за пределами|из-за (?:опечатки|ошибки)|по ошибке)`),
		"uk": regexp.MustCompile(`^(?i)(?:до(?: \pL+)? \d{4}|поза |за межами|через (?:помилку|описку)|помилково)`),
		"fi": regexp.MustCompile(`^(?i)(?:ennen(?: \pL+)? \d{4}|(?:painovirheen|erehdyksen) vuoksi|erehdyksessä|vahingossa)`),
		"hu": regexp.MustCompile(`^(?i)(?:\d{4} előtt|\d{4}-ig|tévedésből|sajtóhiba miatt)`),
		"ro": regexp.MustCompile(`^(?i)(?:(?:înainte de|până în)(?: \pL+)? \d{4}|în afara|din (?:greșeală|eroare))`),
		"tr": regexp.MustCompile(`^(?i)(?:\d{4}'?\p{L}* (?:önce|kadar)|yanlışlıkla)`),
		"id": regexp.MustCompile(`^(?i)(?:(?:sebelum|hingga|sampai)(?: \pL+)? \d{4}|di luar|karena (?:salah|kesalahan) cetak)`),
		"ja": regexp.MustCompile(`^(?:\d{4}年(?:まで|以前)|誤植で|誤って)|以外では|の外では`),
		"zh": regexp.MustCompile(`^(?:在?\d{4}年(?:以前|之前|前)|直到\d{4}年|由于(?:印刷错误|笔误|疏忽))|以外，|之外，`),
		"ko": regexp.MustCompile(`^(?:\d{4}년(?: 이전|까지| 전)|실수로|오식으로)|밖에서는`),
	}
})

// asideBehind reports whether a tail says behind a mark in a few words whose word or whose invention the
// passage is, or whom it leaves out: ", or so the neighbours said", ", save the gravest", "— his own
// words".
func asideBehind(c context, at int) bool {
	if !strings.ContainsAny(c.tail[:at], ",;(—–-") {
		return false
	}
	aside := asideWords()[c.language]
	return aside != nil && aside.MatchString(c.tail[at:])
}

// asideWords is how such an aside begins, by language.
var asideWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"en": regexp.MustCompile(`^(?i)(?:or so \pL+|(?:save|bar|but for) (?:the|his|her|its|their|one|two|in|on|at|for|by|\p{Lu}\pL*)|in (?:his|her|its|their) own (?:words|telling)|(?:his|her|its|their) own (?:words|account|estimate|claim)|(?:an?|the|pure|sheer|mere)(?: \pL+)? ?(?:invention|fabrication|fable|boast|yarn) (?:of|by)|(?:[\pL’']+\.? ){1,4}(?:alone )?dissent(?:ing|ed))\b`),
		"de": regexp.MustCompile(`^(?i)(?:oder so \pL|so (?:jedenfalls|wenigstens|zumindest)|(?:nach|mit) (?:seinen|ihren|eigenen) (?:eigenen )?(?:worten|angaben)|(?:eine |reine |pure )*(?:erfindung|fabel|erdichtung|mär|übertreibung) |was [^,.;:]*(?:verneint|bestritt|bestreitet|abstritt|leugne|bezweifel))`),
		"fr": regexp.MustCompile(`^(?i)(?:ou (?:du moins|c['’]est ce qu)|(?:pure |une )?(?:invention|fable|affabulation) d|selon ses propres|moins (?:le|la|les|un|une)|ce que [^,.;:]*(?:nia|nie|contest|conteste|démentit|dément)(?:[^\pL]|$))`),
		"es": regexp.MustCompile(`^(?i)(?:o (?:eso|así) \pL|(?:un |una |puro |pura )?(?:invento|invención|fábula) d|según sus propi|menos (?:el|la|los|las|un|una)|lo que [^,.;:]*(?:negó|niega|desmintió|cuestion))`),
		"pt": regexp.MustCompile(`^(?i)(?:ou (?:assim|isso|pelo menos) \pL|(?:uma |pura )?(?:invenção|fábula) d|segundo as suas próprias|menos [oa]s? |o que [^,.;:]*(?:negou|nega|desmentiu))`),
		"it": regexp.MustCompile(`^(?i)(?:o (?:così|almeno così) \pL|(?:pura |un['’])?(?:invenzione|favola) d|a suo dire|a detta |meno (?:il|la|i|le|uno|una)|(?:il che|cosa che) [^,.;:]*(?:negò|nega|smentì))`),
		"nl": regexp.MustCompile(`^(?i)(?:of (?:dat|zo) \pL+de|(?:een |puur |zuiver )?(?:verzinsel|fabel) van|naar eigen zeggen|op (?:één|een) na|wat [^,.;:]*(?:ontken|betwist|weersp))`),
		"sv": regexp.MustCompile(`^(?i)(?:eller så \pL|(?:ett |rent )?påhitt av|enligt egen|så när som|vilket [^,.;:]*(?:förnek|bestr|bestre))`),
		"da": regexp.MustCompile(`^(?i)(?:eller så \pL|(?:et |rent )?(?:opspind|påfund) af|efter eget|på nær|hvilket [^,.;:]*(?:benægt|bestr))`),
		"pl": regexp.MustCompile(`^(?i)(?:a(?:lbo)? (?:przynajmniej )?tak \pL|(?:czysty |czyste )?(?:wymysł|zmyślenie)|według własnych słów|z wyjątkiem|czemu [^,.;:]*(?:zaprzecz|przeczy))`),
		"cs": regexp.MustCompile(`^(?i)(?:(?:a)?nebo (?:aspoň )?tak \pL|(?:čirý |pouhý )?(?:výmysl|smyšlenka)|podle vlastních slov|což [^,.;:]*(?:popřel|popír))`),
		"ru": regexp.MustCompile(`^(?i)(?:(?:или|по крайней мере),? так \pL|(?:чистая )?(?:выдумка|небылица)|по (?:его|её|их) собственным|что [^,.;:]*(?:отрица|опроверг))`),
		"uk": regexp.MustCompile(`^(?i)(?:(?:або|принаймні) так \pL|(?:чиста )?вигадка|за (?:його|її|їхніми) власними)`),
		"fi": regexp.MustCompile(`^(?i)(?:tai niin \pL|(?:pelkkää )?keksintöä|omien sanojensa)`),
		"hu": regexp.MustCompile(`^(?i)(?:vagy (?:legalábbis )?(?:így|úgy) \pL|(?:puszta )?kitaláció|a saját szavai)`),
		"ro": regexp.MustCompile(`^(?i)(?:sau așa \pL|(?:o |pură )?invenție a|după propriile|mai puțin )`),
	}
})
