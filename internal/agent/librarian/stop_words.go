package librarian

import (
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

// stopWords carry a sentence and not its subject. Besides English the languages
// people ask in most; words that mean something in English are left out of the
// others.
var stopWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`
a about above after again against all along also although always am among an and another any anybody anyone anything
are aren as at away be because been before behind being below between both but by can cannot could couldn did didn do
does doesn doing don done down during each either else enough etc ever every everything few for from further get gets
give given gives goes going got had has hasn have having he hence her here hers herself him himself his how however i
if in indeed instead into is isn it its itself just keep kept know known last later least less let lets like likely ll
made make makes making many may maybe me might mine more moreover most much must my myself name near need needs neither
never next no nobody none nor not nothing now of off often on once one ones only onto or other others otherwise our
ours ourselves out over own per perhaps please put quite rather re really s same say says see seem seems shall she
should show shown shows since so some something soon still such t take takes than that the their theirs them themselves
then there therefore these they thing things this those though through thus to together too toward under unless until
up upon us use used user uses using usually ve very via want was way we well were what whatever when where whether
which while who whole whom whose why will with within without won work works would yes yet you your yours yourself
explain describe tell detail details question answer exactly currently actually two three first second example
aber als auch auf aus bei bin bis das dass dem den der des dich die dies diese dieser dieses doch du durch ein eine
einem einen einer eines er es fuer für gegen hat ich ihm ihr ihre im ist ja kann kein keine mit nach nicht noch oder
ohne sein seine sich sie sind und uns vom von vor wann warum weil welche welcher welches wenn wer werden wie wieder
wir wird wo wozu wurde zu zum zur über
au aux avec ce ces cette comme dans de du elle en est et eux il ils je la le les leur lui mais ne nous ont ou où par
pas pour pourquoi quand que quel quelle quelles quels qui sa sans ses si sont sur te tes toi tu un une vos votre vous
à été
al como con cual cuando cuándo cómo del desde donde dónde el ella ellos en entre era eres es esa ese eso esta este
esto fue ha hay la las lo los mas más mi muy nos para pero por porque que qué quien quién se sin sobre son su sus
también una uno y ya
che chi ci come cosa da dal dei della delle di dove e gli ha ho il io lei loro ma nel nella non perché più quale
quando quanto quello questa questo si sono tra una
ao aos com da das do dos ela ele em essa esse eu isso isto mais mas na nas não no nos num o os ou pela pelo porquê
quais qual quando que quem se seu sua são também um uma você
aan bij dat deze die dit door een geen haar heb heeft het hij hoe ik in is kan maar met naar niet nog of om onder ons
ook op te tot uit van veel voor waar waarom wanneer wat welke wie wij zal ze zich zij zijn zo
в во вот все да для до его если есть за и из или их к как когда кто ли мы на не них но о он она они от по почему при с
со так то ты у что это я`)
})

// emptyPairs are pairs of letters that carry a sentence in Chinese and
// Japanese.
var emptyPairs = sync.OnceValue(func() map[string]bool {
	return wordSet(`什么 怎么 为什 如何 怎样 哪些 这个 那个 我们 他们 它们 是什 的是 是否 ます です した する こと これ それ どの よう には では`)
})

// genericWords are words that follow nearly every subject in technical texts: they
// are searched for when asked for and never followed.
var genericWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`note todo xxx fixme bug func function functions method methods type types var const struct return returns
returned call calls called calling caller set sets value values new old time times number case cases true false nil null
int uint string bool byte bytes error errors file files line lines code comment run runs running test tests testing
import package default start starts started end ends begin begins read reads write writes check checks checked
current possible necessary appropriate able result results different simple simply able based part whole able left
right always needed means mean add added adds change changes changed non don doesn can able ensure ensures avoid
http https www com org causes requires contains happens performs occurs allows makes uses following follows same reason kind way place order point compute computes computed update updates updated additional amount particular currently whether instead single html href div span class src img xmlns style amp nbsp copyright license author authors`)
})

// askingVerbs are those by which anything is asked for, whatever the subject.
var askingVerbs = sync.OnceValue(func() map[string]bool {
	return wordSet(`begin start stop end finish happen occur decide determine choose differ compare contrast handle treat deal support
provide allow offer behave look find come take need want mean cause affect change add remove create write set define configure implement
apply run call do be have become entscheiden beginnen enden funktionieren unterscheiden vergleichen décider commencer finir
différer comparer decidir empezar terminar diferir comparar`)
})

var askingStems = sync.OnceValue(func() map[string]bool { return stemsOf(askingVerbs()) })

// IsDull reports whether a stem is that of a word that tells of no subject.
func IsDull(stem string) bool { return dullStems()[stem] }

// dullStems are the stems of waste and stop words.
var dullStems = sync.OnceValue(func() map[string]bool { return stemsOf(genericWords(), stopWords()) })

func stemsOf(lists ...map[string]bool) map[string]bool {
	m := map[string]bool{}
	for _, list := range lists {
		for w := range list {
			if words.IsASCII(w) {
				w = words.Stem(w)
			}
			m[w] = true
		}
	}
	return m
}

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func isStopWord(w string) bool { return stopWords()[strings.ToLower(w)] }
