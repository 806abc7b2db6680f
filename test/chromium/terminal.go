package chromium

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
)

// Terminal is the screen of a terminal as a page: its letters and colours as a terminal
// shows them.
func Terminal(screen string) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset="utf-8"><title>terminal</title><body style="margin:0;padding:1rem;background:#16181c;color:#d8dbe0"><pre style="margin:0;font:15px/1.3 'DejaVu Sans Mono',monospace">`)
	at, look := 0, pen{}
	for _, m := range escape().FindAllStringSubmatchIndex(screen, -1) {
		look.write(&b, screen[at:m[0]])
		at = m[1]
		if m[2] >= 0 {
			look.take(strings.Split(screen[m[2]:m[3]], ";"))
		}
	}
	look.write(&b, screen[at:])
	return b.String()
}

// escape is what colours letters, or a link around them.
func escape() *regexp.Regexp {
	return regexp.MustCompile(`\x1b\[([0-9;]*)m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\(B|\x0f`)
}

// pen is how letters look.
type pen struct {
	bold, faint, turned bool
	colour, ground      string
}

func (p *pen) write(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	colour, ground := p.colour, p.ground
	if p.turned {
		colour, ground = "#16181c", "#d8dbe0"
	}
	var css []string
	for _, x := range []struct {
		on   bool
		says string
	}{{p.bold, "font-weight:bold"}, {p.faint, "opacity:.6"}, {colour != "", "color:" + colour}, {ground != "", "background:" + ground}} {
		if x.on {
			css = append(css, x.says)
		}
	}
	fmt.Fprintf(b, `<span style="%s">%s</span>`, strings.Join(css, ";"), html.EscapeString(text))
}

// take changes the pen as the numbers of an escape sequence say.
func (p *pen) take(codes []string) {
	for len(codes) > 0 {
		code, _ := strconv.Atoi(codes[0]) // none is 0
		codes = codes[1:]
		switch {
		case code == 0:
			*p = pen{}
		case code == 1:
			p.bold = true
		case code == 2:
			p.faint = true
		case code == 7:
			p.turned = true
		case code == 22:
			p.bold, p.faint = false, false
		case code == 27:
			p.turned = false
		case code >= 30 && code <= 37:
			p.colour = basic(code - 30)
		case code >= 90 && code <= 97:
			p.colour = basic(code - 90)
		case code == 39:
			p.colour = ""
		case code == 49:
			p.ground = ""
		case code == 38:
			p.colour, codes = mixed(codes)
		case code == 48:
			p.ground, codes = mixed(codes)
		}
	}
}

// basic are the eight colours that terminals have by number.
func basic(n int) string {
	return []string{"#5c6370", "#ff8a80", "#84d99b", "#ecca6e", "#8fb8ff", "#d7a0ff", "#7fd6e6", "#d8dbe0"}[n]
}

// mixed is a colour by its place among 256, or by its parts; and the codes behind it.
func mixed(codes []string) (colour string, rest []string) {
	n := func(i int) int {
		v, _ := strconv.Atoi(codes[i])
		return min(max(v, 0), 255)
	}
	switch {
	case len(codes) >= 4 && codes[0] == "2":
		return fmt.Sprintf("rgb(%d,%d,%d)", n(1), n(2), n(3)), codes[4:]
	case len(codes) >= 2 && codes[0] == "5":
		return ofPalette(n(1)), codes[2:]
	}
	return "", nil
}

// ofPalette is one of 256 colours: 16 by name, a cube of six shades each, 24 greys.
func ofPalette(n int) string {
	shade := func(v int) int {
		if v == 0 {
			return 0
		}
		return 55 + 40*v
	}
	switch {
	case n < 16:
		return basic(n % 8)
	case n >= 232:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("rgb(%d,%d,%d)", grey, grey, grey)
	}
	n -= 16
	return fmt.Sprintf("rgb(%d,%d,%d)", shade(n/36), shade(n/6%6), shade(n%6))
}
