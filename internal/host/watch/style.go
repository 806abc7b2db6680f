package watch

import (
	"strings"
)

// style is how things look: with colours or without, with signs beyond ASCII or
// without. Nothing is told by colour alone.
type style struct {
	colour bool
	ascii  bool
}

// newStyle is the style an environment asks for.
func newStyle(getenv func(string) string) style {
	lang := getenv("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if lang == "" {
			lang = getenv(name)
		}
	}
	lang = strings.ToLower(lang)
	return style{
		colour: getenv("NO_COLOR") == "",
		ascii:  lang == "c" || lang == "posix" || strings.HasPrefix(lang, "en_us.iso") || strings.HasSuffix(lang, ".ascii"),
	}
}

// Colours and kinds of letters, as the numbers terminals know them by.
const (
	bold   = "1"
	faint  = "2"
	turned = "7" // letters and ground change places
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "36"
)

// in writes a text in colours; bold and turned are none.
func (s style) in(codes, text string) string {
	if text == "" || codes == "" || !s.colour && codes != bold && codes != turned {
		return text
	}
	return "\x1b[" + codes + "m" + text + "\x1b[m"
}

// sign is a sign, or what stands for it in ASCII.
func (s style) sign(sign, plain string) string {
	if s.ascii {
		return plain
	}
	return sign
}

// asciiSigns are what stands for the signs of the program's own texts.
var asciiSigns = strings.NewReplacer("…", "...", "·", "-", "–", "-", "→", "->", "›", ">", "─", "-", "│", "|", "▏", "|", "—", "-", "•", "*", "“", `"`, "”", `"`, "✓", "+", "✗", "x", "↑", "up", "↓", "down")

// said is a text of the program as the terminal can show it.
func (s style) said(text string) string {
	if s.ascii {
		return asciiSigns.Replace(text)
	}
	return text
}

// state is what a seat is at, as the legend has it.
type state struct{ word, sign, ascii, colour string }

var (
	working = state{"works", "●", "*", green}
	silent  = state{"silent", "◌", "?", yellow}
	paused  = state{"waits", "◐", "~", yellow}
	resting = state{"rests", "○", "o", faint}
	over    = state{"done", "✓", "+", blue}
	missed  = state{"missed", "–", "-", yellow} // what others do as well
	failing = state{"failed", "✗", "x", red}
)

// legend names every state.
func (s style) legend() string {
	var parts []string
	for _, x := range []state{working, silent, paused, resting, over, missed, failing} {
		parts = append(parts, s.in(x.colour, s.sign(x.sign, x.ascii))+" "+x.word)
	}
	return strings.Join(parts, "  ")
}

// barCells is how wide the bar of a seat's iterations is.
const barCells = 8

// bar shows a part of a whole; more than the whole is the whole.
func (s style) bar(part, whole int) string {
	if whole <= 0 {
		return ""
	}
	full := min(max(0, part)*barCells/whole, barCells)
	if part > 0 {
		full = max(1, full)
	}
	return s.in(green, strings.Repeat(s.sign("━", "="), full)) + s.in(faint, strings.Repeat(s.sign("╌", "."), barCells-full))
}
