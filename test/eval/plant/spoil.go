package plant

import (
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf8"
)

// spoil is the quotation of a sentence with a fault, and whether the sentence
// bears it.
func (m *maker) spoil(sort Sort, p *Page, i int) (string, bool) {
	all := p.Sentences()
	s := all[i].String()
	switch sort.Fault {
	case Stitched:
		far := all[(i+len(all)/2)%len(all)].String()
		return head(s, p.joint) + p.joint + tail(far, p.joint), true
	case LeftOut:
		return leaveOut(m.dice, s, p.joint)
	case WrongPage:
		return m.elsewhere(p), true
	case Invented:
		return m.grammars[p.Lang].draw(m.dice).String(), true
	case Shuffled:
		return shuffle(m.dice, s, p.joint), true
	}
	return all[i].Altered(sort.Kind)
}

// elsewhere is a sentence of a new page in the same language on the same host.
func (m *maker) elsewhere(p *Page) string {
	other := m.page(PlainPage, p.Lang)
	other.Host = p.Host
	return other.Sentences()[0].String()
}

// units are a sentence's words, or its letters where the language writes no
// blanks.
func units(s, joint string) []string {
	if joint == " " {
		return strings.Fields(s)
	}
	return strings.Split(s, "")
}

func head(s, joint string) string {
	u := units(s, joint)
	return strings.Join(u[:len(u)/2], joint)
}

func tail(s, joint string) string {
	u := units(s, joint)
	return strings.Join(u[len(u)/2:], joint)
}

// leaveOut drops four words in the middle, or six letters.
func leaveOut(dice *rand.Rand, s, joint string) (string, bool) {
	n := 4
	if joint == "" {
		n = 6
	}
	u := units(s, joint)
	if len(u) < n+6 {
		return "", false
	}
	at := 3 + dice.IntN(len(u)-n-5)
	return strings.Join(slices.Concat(u[:at], u[at+n:]), joint), true
}

func shuffle(dice *rand.Rand, s, joint string) string {
	u := units(s, joint)
	dice.Shuffle(len(u), func(i, j int) { u[i], u[j] = u[j], u[i] })
	return strings.Join(u, joint)
}

// write writes a sentence down as an honest seat may.
func (m *maker) write(p *Page, i int) (string, Writing) {
	all := p.Sentences()
	s := all[i].String()
	writing := Writings()[m.dice.IntN(len(Writings()))]
	switch writing {
	case Curly:
		return "“" + s + "”", writing
	case NoBreak:
		return strings.ReplaceAll(s, " ", "\u00a0"), writing
	case Broken:
		return breakLines(m.dice, s, p.joint), writing
	case Soft:
		return softHyphens(m.dice, s), writing
	case Ellipsis:
		if i+2 < len(all) {
			return s + " … " + all[i+2].String(), writing
		}
	case Typo:
		if wrong, ok := mistype(all[i]); ok && p.joint == " " && p.Lang != "ar" {
			return wrong, writing
		}
	}
	return s, Verbatim
}

func breakLines(dice *rand.Rand, s, joint string) string {
	if joint == "" {
		return s
	}
	u := strings.Fields(s)
	for i := range u[:len(u)-1] {
		u[i] += []string{" ", " ", "\n", "  "}[dice.IntN(4)]
	}
	return strings.Join(u, "")
}

// softHyphens puts invisible hyphens into long words of letters.
func softHyphens(dice *rand.Rand, s string) string {
	u := strings.Split(s, " ")
	for i, w := range u {
		if r := []rune(w); len(r) > 7 && utf8.RuneLen(r[0]) < 3 && !strings.ContainsAny(w, "0123456789") && dice.IntN(2) == 0 {
			u[i] = string(r[:4]) + "\u00ad" + string(r[4:])
		}
	}
	return strings.Join(u, " ")
}

// mistype swaps two letters inside a long word that decides nothing.
func mistype(s Sentence) (string, bool) {
	for i, p := range s {
		if p.Kind != Plain {
			continue
		}
		for w := range strings.FieldsSeq(p.Text) {
			r := []rune(w)
			if len(r) < 6 || decides(w) || r[2] == r[3] || strings.ContainsAny(w, ",.-’«»") || strings.ToLower(w) != w {
				continue
			}
			r[2], r[3] = r[3], r[2]
			wrong := slices.Clone(s)
			wrong[i].Text = strings.Replace(p.Text, w, string(r), 1)
			return wrong.String(), true
		}
	}
	return "", false
}

// decides reports whether a plain word of the grammars is one of those that
// decide what a sentence says.
func decides(w string) bool {
	return slices.Contains([]string{
		"percent", "without", "beyond", "between", "unlike", "prozent", "ciento", "процентов", "largest", "mindestens", "malgré", "während",
	}, strings.ToLower(w))
}
