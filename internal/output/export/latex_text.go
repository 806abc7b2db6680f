package export

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/research-council/research-council/internal/base/plain"

	"golang.org/x/text/unicode/norm"
)

// maxCombiningMarks is how many combining marks stay on one letter. No language sets
// more; what piles up more of them only means to disturb.
const maxCombiningMarks = 4

// plainCharacters keeps of foreign text what can be set: letters, figures, signs and
// blanks, each as one character where there is one. Dropped are controls, marks
// of direction and of width, what is private or unassigned, and marks without
// a letter to stand on.
func plainCharacters(s string) string {
	text := []rune(norm.NFC.String(decomposeSigns(plain.Text(s))))
	out := make([]rune, 0, len(text))
	marks := maxCombiningMarks // none may stand first
	for i, r := range text {
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Z, r):
			out, marks = append(out, spaceFor(r)), maxCombiningMarks
		case joiner(r):
			if i > 0 && i+1 < len(text) && joined(text[i-1]) && joined(text[i+1]) {
				out = append(out, r)
			}
		case r == '\ufffd':
			out, marks = append(out, '?'), 0
		case !unicode.IsGraphic(r) || isUnseen(r):
		case unicode.IsMark(r):
			if marks < maxCombiningMarks {
				out, marks = append(out, r), marks+1
			}
		default:
			out, marks = append(out, r), 0
		}
	}
	return string(out)
}

// decomposeSigns writes signs that only are another look of letters as these: the
// ligatures that PDFs hold, the alphabets of mathematics, fractions, numerals.
func decomposeSigns(s string) string {
	look := func(r rune) bool {
		return r >= 0xfb00 && r <= 0xfb06 || r >= 0x1d400 && r <= 0x1d7ff || r >= 0x2150 && r <= 0x217f || r == 0x2103 || r == 0x2109
	}
	if !strings.ContainsFunc(s, look) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if look(r) {
			b.WriteString(norm.NFKC.String(string(r)))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// spaceFor is the space that stands for one of any width.
func spaceFor(r rune) rune {
	if r == '\u00a0' || r == '\u2007' || r == '\u202f' {
		return '\u00a0'
	}
	return ' '
}

// joiner reports whether a character of no width decides how its neighbours are
// joined, as scripts of Asia need it.
func joiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

func joined(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi,
		unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala)
}

// isUnseen are letters and marks by their class that show nothing: selectors of
// variants, fillers.
func isUnseen(r rune) bool {
	return unicode.Is(unicode.Variation_Selector, r) || slices.Contains([]rune{0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0, 0x1d159}, r)
}

// latexText sets foreign text: nothing of it is a command, and of its letters none
// is lost that some engine can set. Long words may be broken.
func latexText(s string) string {
	var b strings.Builder
	text := []rune(plainCharacters(s))
	run := 0
	for i := 0; i < len(text); i++ {
		r := text[i]
		if run++; unicode.IsSpace(r) || scriptOf(r).dense {
			run = 0
		}
		if run > maxWord && !unicode.IsMark(r) {
			b.WriteString(`\allowbreak{}`)
			run = 1
		}
		if i > 0 && r == text[i-1] && strings.ContainsRune("-',", r) {
			b.WriteString("{}") // two of them would be another sign
		}
		if n := greek(text[i:]); n > 2 {
			b.WriteString(string(text[i : i+n]))
			i += n - 1
			continue
		}
		b.WriteString(sign(r))
	}
	return b.String()
}

// greek is how many letters of Greek text begins with. One or two of them are
// signs of a formula, more are words.
func greek(text []rune) int {
	n := 0
	for n < len(text) && (unicode.Is(unicode.Greek, text[n]) || n > 0 && unicode.IsMark(text[n])) {
		n++
	}
	return n
}

// sign sets one character.
func sign(r rune) string {
	switch {
	case r == '"':
		return `\textquotedbl{}`
	case r == '\u00a0':
		return "~"
	case r < 0x80:
		return latex(string(r))
	}
	if command, ok := signs()[r]; ok {
		return command
	}
	return string(r)
}

// signs are characters that every engine sets by a command and few fonts hold.
var signs = sync.OnceValue(func() map[rune]string {
	m := map[rune]string{'‐': "-", '‑': "-", '―': "—", '′': `\ensuremath{{}^{\prime}}`, '″': `\ensuremath{{}^{\prime\prime}}`, '−': `\ensuremath{-}`}
	words := strings.Fields(formulaSigns)
	for i := 0; i+1 < len(words); i += 2 {
		m[[]rune(words[i])[0]] = `\ensuremath{\` + words[i+1] + `}`
	}
	for i, r := range []rune("⁰ⁱ  ⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ") {
		m[r] = `\textsuperscript{` + string([]rune("0i  456789+-=()n")[i]) + `}`
	}
	for i, r := range []rune("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎") {
		m[r] = `\textsubscript{` + string([]rune("0123456789+-=()")[i]) + `}`
	}
	delete(m, ' ')
	return m
})

// formulaSigns names signs of formulas as the LaTeX kernel does.
const formulaSigns = `≤ leq ≥ geq ⩽ leq ⩾ geq ≠ neq ≈ approx ≡ equiv ≪ ll ≫ gg ∼ sim ≃ simeq ≅ cong ∝ propto ∞ infty √ surd ∑ sum ∏ prod ∫ int
∂ partial ∇ nabla ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ∪ cup ∩ cap ∅ emptyset ∀ forall ∃ exists ∧ wedge ∨ vee
⊕ oplus ⊗ otimes ⊥ bot ⊤ top ⊢ vdash ∥ parallel ∠ angle ∗ ast ∘ circ ∙ bullet ⋅ cdot ⋯ cdots ∖ setminus ∣ mid ≺ prec ≻ succ ∓ mp
← leftarrow → rightarrow ↑ uparrow ↓ downarrow ↔ leftrightarrow ↕ updownarrow ⇐ Leftarrow ⇒ Rightarrow ⇑ Uparrow ⇓ Downarrow ⇔ Leftrightarrow
↦ mapsto ↗ nearrow ↘ searrow ↙ swarrow ↖ nwarrow ⟵ longleftarrow ⟶ longrightarrow ⟸ Longleftarrow ⟹ Longrightarrow ⟺ Longleftrightarrow
⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ⟨ langle ⟩ rangle ♠ spadesuit ♣ clubsuit ♥ heartsuit ♦ diamondsuit ♯ sharp ♭ flat ♮ natural
● bullet ○ circ ◦ circ ★ star ☆ star ◯ bigcirc △ triangle ▲ triangle ▶ triangleright ◀ triangleleft ✓ surd ✔ surd ✗ times ✘ times ℓ ell ℏ hbar ℵ aleph ℘ wp ℜ Re ℑ Im
α alpha β beta γ gamma δ delta ε varepsilon ζ zeta η eta θ theta ι iota κ kappa λ lambda μ mu ν nu ξ xi π pi ρ rho σ sigma ς varsigma
τ tau υ upsilon φ varphi χ chi ψ psi ω omega ϑ vartheta ϕ phi ϵ epsilon ϖ varpi ϱ varrho
Γ Gamma Δ Delta Θ Theta Λ Lambda Ξ Xi Π Pi Σ Sigma Υ Upsilon Φ Phi Ψ Psi Ω Omega`

// latinRanges are the ranges of characters beyond ASCII that pdfLaTeX sets without
// further packages: those of the encodings T1 and TS1, as the LaTeX kernel
// declares them.
var latinRanges = [...][2]rune{
	{0x00a0, 0x0125},
	{0x0128, 0x0137},
	{0x0139, 0x013e},
	{0x0141, 0x0148},
	{0x014a, 0x0165},
	{0x0168, 0x017e},
	{0x0192, 0x0192},
	{0x01cd, 0x01d4},
	{0x01e6, 0x01eb},
	{0x01f0, 0x01f0},
	{0x01f4, 0x01f5},
	{0x0218, 0x021b},
	{0x0237, 0x0237},
	{0x1e02, 0x1e03},
	{0x1e0d, 0x1e0d},
	{0x1e25, 0x1e25},
	{0x1e37, 0x1e37},
	{0x1e43, 0x1e43},
	{0x1e45, 0x1e45},
	{0x1e47, 0x1e47},
	{0x1e5b, 0x1e5b},
	{0x1e63, 0x1e63},
	{0x1e6d, 0x1e6d},
	{0x1e9e, 0x1e9e},
	{0x1ef2, 0x1ef3},
	{0x2012, 0x2014},
	{0x2016, 0x2016},
	{0x2018, 0x201a},
	{0x201c, 0x201e},
	{0x2020, 0x2022},
	{0x2026, 0x2026},
	{0x2030, 0x2031},
	{0x2039, 0x203b},
	{0x2044, 0x2044},
	{0x20ac, 0x20ac},
	{0x2116, 0x2117},
	{0x2120, 0x2120},
	{0x2122, 0x2122},
	{0x2190, 0x2193},
}

// NonLatin reports whether a text holds letters or signs that pdfLaTeX cannot
// set and LuaLaTeX or XeLaTeX can. What Typeset makes says it for its
// bibliography too.
func NonLatin(tex []byte) bool { return strings.ContainsFunc(string(tex), beyond) }

// beyond reports whether a character is none that pdfLaTeX sets.
func beyond(r rune) bool {
	if r < 0x80 || r == '\ufffd' {
		return false
	}
	_, in := slices.BinarySearchFunc(latinRanges[:], r, func(span [2]rune, r rune) int {
		switch {
		case span[1] < r:
			return -1
		case span[0] > r:
			return 1
		}
		return 0
	})
	return !in
}
