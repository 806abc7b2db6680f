package quote

import (
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/words"
	"github.com/research-council/research-council/internal/evidence/quote/char"
)

// Words beside the cells of a typed row that stand otherwise in its table, or only say how it is read.

// isColumn reports whether a small word begins the name of a column, as "In" and "With pain" do, or,
// where nothing parts the columns, is one of their words.
func (r *tableRow) isColumn(w token) bool {
	if r.heads == nil {
		return indexOf(r.named, w) >= 0
	}
	return slices.ContainsFunc(r.heads, func(head []token) bool { return len(head) > 0 && head[0].low == w.low })
}

// hasSignOf reports whether a number has a sign beside it that one column alone has in its name.
func (t *typedRow) hasSignOf(r *tableRow, column, i int) bool {
	return slices.ContainsFunc(signs[:], func(sign string) bool {
		return r.marks != nil && strings.Contains(r.marks[column], sign) && hasBeside(t.text, t.tokens, i, sign) &&
			!slices.ContainsFunc(slices.Concat(r.marks[:column], r.marks[column+1:]), func(m string) bool { return strings.Contains(m, sign) })
	})
}

// isShortened reports whether the name of one column alone has a word in short, as "Sem." is one of
// "Semester".
func (r *tableRow) isShortened(w token) bool {
	n := 0
	for c := range r.heads {
		if r.hasInShort(c, w) {
			n++
		}
	}
	return n == 1
}

// hasInShort reports whether the name of a column has some letters of a word, with its first, in
// their order, and a full stop behind them.
func (r *tableRow) hasInShort(column int, w token) bool {
	const letters = 2
	mark := normalise(r.marks[column]).text
	return slices.ContainsFunc(r.heads[column], func(o token) bool {
		if o.isNumber() || w.isNumber() || o.end >= len(mark) || mark[o.end] != '.' || len(o.low) < letters || len(o.low) >= len(w.low) || char.First(o.low) != char.First(w.low) {
			return false
		}
		rest := w.low
		for _, c := range o.low {
			i := strings.IndexRune(rest, c)
			if i < 0 {
				return false
			}
			rest = rest[i+len(string(c)):]
		}
		return true
	})
}

// isOfTitle reports whether a word behind the name of a column is a noun of the title, in the
// singular or the plural: "in internal boxes" of a table of what each box has. One of two that the
// title joins with an "and" or an "or" is not of all columns.
func (p *placing) isOfTitle(i int) bool {
	if i == 0 || p.used[i-1] != inHead || p.tokens[i].isNumber() || words.Unspaced(char.First(p.tokens[i].low)) {
		return false
	}
	w, title := p.tokens[i].low, p.row.title
	isJoin := func(at int) bool {
		return at >= 0 && at < len(title) && slices.Contains(strings.Fields("and or und oder et ou y o e en of och eller"), title[at].low)
	}
	for at, o := range title {
		same := o.low == w || o.low+"s" == w || o.low+"es" == w || w+"s" == o.low || w+"es" == o.low || hasStemOf(o, p.tokens[i])
		if same && !isJoin(at-1) && !isJoin(at+1) {
			return true
		}
	}
	return false
}

// counts reports whether a word stands between a number and the name of its column only to count
// with, as Chinese and Japanese do: "11艘船".
func (p *placing) counts(i int) bool {
	const counters = "艘隻只台辆輛匹枚棟栋座个個条條张張头頭株棵"
	return i > 0 && i+1 < len(p.tokens) && p.tokens[i-1].isNumber() && strings.Contains(counters, p.tokens[i].low) && indexOf(p.row.named, p.tokens[i+1]) >= 0
}

func isFall(word string) bool {
	switch word {
	case "down", "fell", "fall", "decrease", "decreased", "decline", "declined", "minus", "loss", "lower", "rückgang", "baisse", "caída", "daling", "pokles", "снижение", "減":
		return true
	}
	return false
}

func isRise(word string) bool {
	switch word {
	case "up", "rose", "rise", "increase", "increased", "plus", "higher", "anstieg", "zunahme", "hausse", "aumento", "stijging", "wzrost", "рост", "増":
		return true
	}
	return false
}

// fallsBefore reports whether a word for a fall stands before a number.
func (t *typedRow) fallsBefore(i int) bool {
	return slices.ContainsFunc(t.tokens[max(0, i-2):i], func(w token) bool { return isFall(w.low) })
}

// tellsOfChange reports whether each word that says that a number fell or rose stands before one of
// a column of changes.
func (p *placing) tellsOfChange() bool {
	for i, at := range p.used {
		if at != tells {
			continue
		}
		k := slices.IndexFunc(p.tokens[i:], token.isNumber)
		if k < 0 || !isTold(p.used, i+k) || p.used[i+k] < 0 || p.row.marks == nil || !namesChange(p.row.marks[p.row.cellOf(p.used[i+k])]) {
			return false
		}
		if n := len(slices.DeleteFunc(slices.Clone(p.row.marks), func(m string) bool { return !namesChange(m) })); n > 1 {
			return false
		}
	}
	return true
}

// isTold reports whether a word right before a number, or one before it, says that it fell or rose.
func isTold(used []int, i int) bool { return slices.Contains(used[max(0, i-2):i], tells) }

func namesChange(head string) bool {
	head = strings.ToLower(head)
	return slices.ContainsFunc(strings.Fields("change änderung variation évolution evolución variación variazione variação verandering wijziging zmiana změna изменение 増減 变化 變化 変化 增减 增減 변동 증감 +/- ± δ"), func(word string) bool { return strings.Contains(head, word) })
}

// isOnlyWords reports whether of the cells behind a row's first one alone has no number: what it
// says needs no name.
func (r *tableRow) isOnlyWords(cell int) bool {
	numbered := make([]bool, max(1, len(r.cells)))
	for i, w := range r.tokens {
		if w.isNumber() {
			numbered[r.cellOf(i)] = true
		}
	}
	return cell > 0 && !numbered[cell] && !slices.Contains(append(numbered[1:cell:cell], numbered[cell+1:]...), false)
}

// isOne reports whether the name of a column is one of something: "1 night", which is the night.
func isOne(head []token) bool { return len(head) == 2 && head[0].low == "1" && !head[1].isNumber() }

// hasRange reports whether what stands in a column goes from one number to another, as what is
// allowed does by itself.
func (r *tableRow) hasRange(column int) bool {
	for i := 1; i < len(r.tokens); i++ {
		a, b := r.tokens[i-1], r.tokens[i]
		if a.isNumber() && b.isNumber() && r.cellOf(i-1) == column && r.cellOf(i) == column && strings.TrimSpace(r.text[a.end:b.start]) == "-" {
			return true
		}
	}
	return false
}
