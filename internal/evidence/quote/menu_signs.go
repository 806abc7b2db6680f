package quote

import (
	"regexp"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/base/words"
)

// What stands between the entries of a menu: ">" is typed for any of the other signs. Elsewhere it
// compares two things, and an arrow leads from one to the other.

// menuSigns are such signs with the blanks around them, as a text may have them.
var menuSigns = []string{" → ", " ▸ ", " › ", " ➔ ", " ⇒ ", " » ", " > ", " -> "}

// typedMenu is what stands between two entries.
var typedMenu = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\p{Lu}\pL{2,}(?:\.\.\.|…)?( (?:->|>|→|›|»|=>) )\p{Lu}\pL{2}`)
})

// menusIn finds the signs of a text that stand between two entries: where each pair begins and ends, and
// the sign.
func menusIn(text string) [][]int {
	var list [][]int
	for at := 0; ; {
		m := typedMenu().FindStringSubmatchIndex(text[at:])
		if m == nil || len(list) == maxNamed {
			return list
		}
		for i := range m {
			m[i] += at
		}
		list = append(list, m)
		at = m[3]
	}
}

// ofMenu is a word that leads to a menu before its first entry, or the name of a menu that many
// programs have.
var ofMenu = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL])(?:(?i:` +
		`choos(?:e|es|ing)|chosen?|select(?:s|ed|ing)?|click(?:s|ed|ing)?|press|tap|open|go to|navigate|browse|menus?|submenus?|sub-menus?|tabs?|dialog(?:ue)?s?|panels?|buttons?|settings?|preferences|` +
		`wähl\pL*|klick\pL*|öffne\pL*|menü\pL*|einstellung\pL*|choisi\pL*|sélectionn\pL*|cliqu\pL*|ouvr\pL*|allez|aller à|menú|paramètres|préférences|onglet|` +
		`elij\pL*|elegi\pL*|seleccion\pL*|selecion\pL*|haga clic|hacer clic|clique|abr[aeio]\pL*|vaya a|ajustes|configuraci[óo]n|configuraç\pL*|definições|pestaña|` +
		`scegli\pL*|selezion\pL*|fa(?:re|i|te) clic|apr[ie]\pL*|impostazioni|scheda|kies|klik\pL*|selecteer|ga naar|instellingen|wybierz|klikn\pL*|otwórz|ustawieni\pL*|` +
		`välj|öppna|inställningar|vælg|velg|åbn|åpne|innstillinger|indstillinger|valitse|avaa|asetukset|выбер\pL*|нажм\pL*|откр\pL*|настройки|меню|seç\pL*|tıkla\pL*|ayarlar|menüsü)` +
		`|File|Edit|View|Insert|Format|Tools|Options|Window|Help|Home|Start|Account|Datei|Bearbeiten|Ansicht|Extras|Optionen|Hilfe|Fenster|Werkzeuge|Startseite|Fichier|Édition|Affichage|Outils|Aide|Accueil|Archivo|Arquivo|Ficheiro|Editar|Ver|Herramientas|Ferramentas|Ayuda|Ajuda|Inicio|Início` +
		`|Modifica|Visualizza|Strumenti|Aiuto|Bestand|Bewerken|Beeld|Extra|Plik|Edycja|Widok|Narzędzia|Pomoc|Arkiv|Redigera|Filer|Rediger|Tiedosto|Muokkaa|Файл|Правка|Вид|Сервис|Dosya|Düzen)(?:$|[^\pL])`)
})

// leadsIn is a word right before a path of menus.
var leadsIn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL])(?i:under|via|using|unter|über|sous|bajo|sotto|onder|под)\s+[*_"“„«]*$`)
})

// mayExchange reports whether one sign of a menu may be typed for that which a text has at a place:
// where one of them is ">" and none is of menus alone, the text must tell that there is a menu, by
// words of the sentence.
func mayExchange(text string, at, end int, typed, sign string) bool {
	const near = 100 // bytes
	if (typed == " > ") == (sign == " > ") || sign == " › " || sign == " ▸ " {
		return true
	}
	from, to := words.RuneStart(text, max(0, at-near)), words.RuneStart(text, min(len(text), end+near))
	before, behind := text[from:at], text[end:to]
	before = before[strings.LastIndexAny(before, "\n.;:")+1:]
	if n := strings.IndexAny(behind, "\n.;:"); n >= 0 {
		behind = behind[:n]
	}
	line := before + text[at:end] + behind
	return ofMenu().MatchString(line) || leadsIn().MatchString(before)
}
