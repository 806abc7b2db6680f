package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// moreIrregularVerbs are verbs of other languages than English whose forms have neither a
// beginning nor their consonants in common, one verb a line.
var moreIrregularVerbs = map[string]string{
	"de": "nehme nimmt nehmen nahm nahmen genommen\ngehe geht gehen ging gingen gegangen\nstehe steht stehen stand standen gestanden\nkomme kommt kommen kam kamen\ntut tun tat taten getan\nbringt bringen brachte brachten gebracht\ndenkt denken dachte dachten gedacht\nweiß wissen wusste wussten gewusst\nziehe zieht ziehen zog zogen gezogen\nleide leidet leiden litt litten gelitten\nsitzt sitzen saß saßen gesessen\nisst essen aß aßen gegessen\nhaut hauen hieb\nschneidet schneiden schnitt schnitten geschnitten\ntrifft treffen traf trafen getroffen\nfällt fallen fiel fielen gefallen\nhält halten hielt hielten gehalten\nlässt lassen ließ ließen gelassen\nläuft laufen lief liefen gelaufen\ntritt treten trat traten getreten\nverliert verlieren verlor verloren\nfängt fangen fing fingen gefangen\nhängt hängen hing hingen gehangen\nbekommt bekommen bekam bekamen\nerhält erhalten erhielt erhielten",
	"fr": "vais va vont allait allaient alla allèrent allé\nfais fait font faisait faisaient fit firent\ndit disent disait disaient dirent\nvient viennent venait venaient vint vinrent venu\ntient tiennent tenait tenaient tint tinrent\npeut peuvent pouvait pouvaient put purent\nveut veulent voulait voulaient voulut voulurent\ndoit doivent devait devaient dut durent\nsait savent savait savaient sut surent\nvoit voient voyait voyaient vit virent\nprend prennent prenait prenaient prit prirent\nmet mettent mettait mettaient mit mirent\nreçoit reçoivent recevait reçut reçurent\nconnaît connaissent connaissait connut\ncroit croient croyait crut",
	"es": "voy va van vamos iba iban\ndice dicen decía decían dijo dijeron decimos\nhace hacen hacía hacían hizo hicieron hacemos\npone ponen ponía ponían puso pusieron\npuede pueden podía podían pudo pudieron\nquiere quieren quería querían quiso quisieron\nsabe saben sabía sabían supo supieron\ntrae traen traía traían trajo trajeron\nviene vienen venía venían vino vinieron\nve ven veía veían vio vieron\nda dan daba daban dio dieron",
	"pt": "vou vai vão vamos ia iam\ndiz dizem dizia diziam disse disseram\nfaz fazem fazia faziam fez fizeram\npõe põem punha punham pôs puseram\npode podem podia podiam pôde puderam\nquer querem queria quis quiseram\nsabe sabem sabia soube souberam\ntraz trazem trazia trouxe trouxeram\nvem vêm vinha vinham veio vieram\nvê veem via viam viu viram\ndá dão dava davam deu deram",
	"it": "vado va vanno andava andavano andò andarono\nfa fanno faceva facevano fece fecero\ndice dicono diceva dicevano disse dissero\nviene vengono veniva venne vennero\npuò possono poteva potevano poté\nvuole vogliono voleva volle vollero\ndeve devono doveva dovevano dovette\nsa sanno sapeva seppe\nprende prendono prese presero\nmette mettono mise misero\nvede vedono vide videro\nchiede chiedono chiese chiesero\ntiene tengono teneva tenne\ndà danno dava diede diedero",
	"nl": "ga gaat gaan ging gingen gegaan\nsta staat staan stond stonden gestaan\ndoe doet doen deed deden gedaan\nzie ziet zien zag zagen gezien\nkom komt komen kwam kwamen gekomen\nbreng brengt brengen bracht brachten gebracht\ndenk denkt denken dacht dachten gedacht\nkoopt kopen kocht kochten gekocht\nzoekt zoeken zocht zochten gezocht\nslaat slaan sloeg sloegen geslagen\nweet weten wist wisten geweten\nhoudt houden hield hielden gehouden\nloopt lopen liep liepen gelopen\nlaat laten liet lieten gelaten\nvraagt vragen vroeg vroegen gevraagd\nkrijgt krijgen kreeg kregen gekregen\nverliest verliezen verloor verloren\nbegint beginnen begon begonnen\nvangt vangen ving vingen gevangen\nhangt hangen hing hingen gehangen",
	"sv": "tar ta tog tagit\nger ge gav gett givit\ngår gå gick gått\nstår stå stod stått\nser se såg sett\ngör göra gjorde gjort\nsäger säga sade sa sagt\nlägger lägga lade lagt\nslår slå slog slagit\nvet veta visste vetat\nfår få fick fått\nhåller hålla höll hållit\nfaller falla föll fallit\nkommer komma kom kommit\nligger ligga låg legat\näter äta åt ätit\ndör dö dog dött\nkan kunna kunde kunnat\nvill vilja ville\nskär skära skar skurit\nbär bära bar burit\nsäljer sälja sålde sålt\nväljer välja valde valt",
	"ru": "иду идёт идет идут шёл шел шла шло шли\nведёт ведет ведут вёл вел вела вело вели\nвезёт везет везут вёз вез везла везли\nберёт берет берут брал брала брали\nможет могут мог могла могло могли\nпишет пишут писал писала писали\nищет ищут искал искала искали\nживёт живет живут жил жила жили\nрастёт растет растут рос росла росло росли\nест едят ел ела ели\nдаёт дает дают давал давала давали",
	"pl": "idzie idą szedł szła szło szli szły\njedzie jadą jechał jechała\nbierze biorą brał brała brali brały\nmoże mogą mógł mogła mogło mogli mogły\nwiezie wiozą wiózł wiozła\nwiedzie wiodą wiódł wiodła\nrośnie rosną rósł rosła\npisze piszą pisał pisała\nje jedzą jadł jadła jedli",
	"cs": "jde jdou šel šla šlo šli\nmůže mohou mohl mohla mohli\nvede vedou vedl vedla\nroste rostou rostl rostla\njí jedí jedl jedla",
}

// areIrregular reports whether two words in small letters are forms of one such verb.
func areIrregular(ours, theirs, language string) bool {
	for line := range strings.Lines(moreIrregularVerbs[language]) {
		if forms := strings.Fields(line); slices.Contains(forms, ours) && slices.Contains(forms, theirs) {
			return true
		}
	}
	return false
}

// perfects are the auxiliaries of a perfect whose participle ends the clause.
var perfects = map[string]string{
	"de": "hat haben hatte hatten habe ist sind war waren",
	"nl": "heeft hebben heb had hadden is zijn was waren",
}

// pastOf is the participle which is the rest of a clause behind a passage, when some
// words of German or Dutch are an auxiliary of the perfect, and others the same verb in the
// past: "[kostete] 4 Millionen" for "hat 4 Millionen gekostet".
func pastOf(text, language, ours, theirs string, rest Span) (Span, bool) {
	list := nounWords(ours)
	if len(list) != 1 || !has(perfects, language, strings.ToLower(theirs)) {
		return Span{}, false
	}
	g := trimBlanks(text, rest)
	last := strings.ToLower(text[g.Start:g.End])
	if last == "" || strings.ContainsFunc(last, char.IsNotOfWord) {
		return Span{}, false
	}
	return g, isVerbForm(list[0], last, language) || isVerbForm(list[0], strings.TrimPrefix(last, "ge"), language)
}

// clitics are pronouns for the object that stand before a verb.
var clitics = map[string]string{
	"fr": "le la les en y", "es": "lo la los las le les", "pt": "o a os as", "it": "lo la li le gli ne",
}

// withoutClitic is a verb of the text without the pronoun for its object.
func withoutClitic(theirs, language string) string {
	first, rest, ok := strings.Cut(theirs, " ")
	if ok && has(clitics, language, strings.ToLower(first)) {
		return rest
	}
	if rest, ok := strings.CutPrefix(strings.ReplaceAll(strings.ToLower(theirs), "’", "'"), "l'"); ok && (language == "fr" || language == "it") {
		return rest
	}
	return ""
}
