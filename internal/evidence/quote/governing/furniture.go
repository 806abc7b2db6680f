package governing

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/base/words"
)

// advertisements are the lines that stand above one, whole.
const advertisements = `advertisement|advertisement continues below|article continues below advertisement|sponsored|sponsored content|anzeige|werbung|publicité|publicidad|publicidade|
pubblicità|advertentie|annons|reklama|реклама|iklan|reklam|quảng cáo|mainos|إعلان|広告|広告スペース|广告|廣告|광고|विज्ञापन`

// furnitures are how lines begin that belong to the page and not to what is written on it.
const furnitures = `share this|share on|share:|read more|read also|also read|see also:|related:|sign up for|sign up to|subscribe to|subscribe now|follow us|print this|back to top|skip to|jump to|
this page was last|last edited|last updated|last modified|text is available under|all rights reserved|©|c) 1|c) 2|copyright |cookie settings|we use cookies|privacy policy|terms of use|terms and conditions|published on|
lesen sie auch|lesen sie mehr|mehr zum thema|artikel teilen|seite drucken|drucken |zum inhalt|zur navigation|zum seitenanfang|nach oben|diese seite wurde zuletzt|alle rechte vorbehalten|impressum|datenschutz|newsletter abonnieren|veröffentlicht am|
lire aussi|à lire aussi|lire la suite|partager |imprimer|abonnez-vous|inscrivez-vous|tous droits réservés|mentions légales|la dernière modification|aller au contenu|publié le|mis à jour le|retour en haut|
lea también|lee también|leer más|compartir |suscríbete|suscríbase|todos los derechos|aviso legal|política de privacidad|actualizado el|publicado el|esta página se editó|ir al contenido|saltar al contenido|volver arriba|imprimir |síguenos|
leia também|leia mais|compartilhe|compartilhar|partilhar|inscreva-se|assine |todos os direitos|atualizado em|publicado em|esta página foi editada|ir para o conteúdo|
leggi anche|leggi di più|condividi|iscriviti|tutti i diritti|ultima modifica|pubblicato il|vai al contenuto|informativa sulla|
lees ook|lees meer|deel dit|abonneer|alle rechten|deze pagina is|naar inhoud|laatst bijgewerkt|
läs också|läs även|läs mer|dela artikel|prenumerera|sidan redigerades|senast ändrad|hoppa till|publicerad |
czytaj także|czytaj też|zobacz też|zobacz także|czytaj więcej|udostępnij|drukuj|zapisz się|polityka prywatności|wszelkie prawa|opublikowano|ostatnia aktualizacja|tę stronę ostatnio|przejdź do|strona główna|
читайте также|читать далее|поделиться|подпишитесь|все права защищены|эта страница в последний раз|перейти к|опубликовано|обновлено|версия для печати|
baca juga|baca selengkapnya|bagikan|ikuti kami|berlangganan|hak cipta|diterbitkan pada|terakhir diperbarui|halaman ini terakhir|lompat ke|langsung ke|kembali ke atas|kebijakan privasi|beranda|
ayrıca okuyun|devamını oku|paylaş|abone ol|tüm hakları|bu sayfa en son|son güncelleme|içeriğe geç|
اقرأ أيضا|شارك|جميع الحقوق|آخر تعديل|آخر تحديث|اشترك في|
関連記事|続きを読む|この記事をシェア|シェアする|著作権|無断転載|最終更新|ナビゲーションに移動|メニュー|
相关阅读|延伸阅读|阅读更多|分享到|分享本文|版权所有|发布时间|最后更新|本页面最后|跳到|跳转到|返回顶部|上一篇|下一篇|責任編輯|责任编辑|
관련기사|관련 기사|더 보기|더보기|기사 공유|공유하기|무단 전재|무단전재|저작권자|입력 20|수정 20|본문 바로가기|구독하기|마지막 수정|이 문서는 20|인쇄하기`

// furnitureWords are the two lists, and the first letters of all of them.
var furnitureWords = sync.OnceValue(func() (w struct {
	whole map[string]bool
	begin []string
	first map[rune]bool
},
) {
	split := func(list string) []string { return strings.Split(strings.ReplaceAll(list, "\n", ""), "|") }
	w.whole, w.first, w.begin = map[string]bool{}, map[rune]bool{}, split(furnitures)
	for _, word := range split(advertisements) {
		w.whole[word] = true
	}
	for _, word := range append(split(advertisements), w.begin...) {
		first, _ := utf8.DecodeRuneInString(word)
		w.first[first] = true
	}
	slices.Sort(w.begin)
	return w
})

// IsFurniture reports whether a line belongs to the page and not to what is written
// on it: a licence, a menu, a request to share it, the date of its last change.
func IsFurniture(line string) bool {
	const longest, looked = 120, 80
	list := furnitureWords()
	line = strings.Trim(line, " \t-–—*[]()|•·:▸►»（）")
	first, _ := utf8.DecodeRuneInString(line)
	if line == "" || len(line) > 3*longest || !list.first[unicode.ToLower(first)] || utf8.RuneCountInString(line) > longest {
		return false
	}
	low := strings.ToLower(line[:words.RuneStart(line, min(looked, len(line)))])
	i, found := slices.BinarySearch(list.begin, low)
	return found || list.whole[low] || i > 0 && strings.HasPrefix(low, list.begin[i-1])
}
