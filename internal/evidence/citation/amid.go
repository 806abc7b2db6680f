package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/evidence/citation/stated"
)

// Numbers in the middle of a sentence that may be markers whose raising was lost: behind a
// word, apart from it or glued to it.
var (
	apartForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`([\pL\pM’'-]+|[%)”"»]) ([0-9]{1,3}(?:, ?[0-9]{1,3}){0,4})([,;:.!?)]|$| \p{Ll}+)`)
	})
	gluedForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[ (“"])(\p{Ll}[\p{Ll}-]{3,})([0-9]{1,2}(?:,[0-9]{1,2}){0,4})([,;:.!?)]|$| )`)
	})
	behindYear = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\b((?:1[5-9]|20)[0-9]{2}),([0-9]{1,2})( \p{Ll})`)
	})
)

// amidIn finds what may be such markers in a block. That they are is for the whole of them
// to show: see [inOrder].
func (r *numberReader) amidIn(i int) []bareNumber {
	b := &r.blocks[i]
	if b.kind == heading || b.kind == row {
		return nil
	}
	var out []bareNumber
	for _, form := range []*regexp.Regexp{apartForm(), gluedForm(), behindYear()} {
		for at := 0; at < len(b.text); {
			m := form.FindStringSubmatchIndex(b.text[at:])
			if m == nil {
				break
			}
			word, behind := at+m[2], b.text[at+m[6]:at+m[7]]
			n := bareNumber{block: i, piece: stated.Span{From: at + m[4], To: at + m[5]}, amid: b.text[word : at+m[3]]}
			at += m[5]
			for l := range strings.FieldsFuncSeq(b.text[n.piece.From:n.piece.To], func(r rune) bool { return !unicode.IsDigit(r) }) {
				n.labels = append(n.labels, l)
			}
			next, _ := utf8.DecodeRuneInString(b.text[min(at+len(behind), len(b.text)):])
			isPart := behind != "" && strings.ContainsAny(behind[:1], ".,:") && unicode.IsDigit(next)
			known := !slices.ContainsFunc(n.labels, func(l string) bool { return !r.hasLabel(r.scopeOf[i], l) })
			if known && !isPart && (form != apartForm() || mayStandBefore(b.text[:word], n.amid) && mayFollow(behind)) {
				out = append(out, n)
			}
		}
	}
	return out
}

// mayStandBefore reports whether a word is none that a number belongs to: what counts or
// names something, and a name.
func mayStandBefore(before, word string) bool {
	small := strings.ToLower(word)
	first, _ := utf8.DecodeRuneInString(word)
	if unicode.IsUpper(first) {
		return months()[small] && strings.HasSuffix(strings.ToLower(strings.TrimRight(before, " ")), " in") // in May 1, but on May 1
	}
	last := strings.TrimRight(before, " ")
	if last != "" && unicode.IsDigit(rune(last[len(last)-1])) && len(word) == 1 && word != "%" {
		return false
	}
	return !ownsNumber()[small]
}

// ownsNumber are words behind which a number is theirs: it counts, or tells which.
var ownsNumber = sync.OnceValue(func() map[string]bool {
	return wordSet(`a an the this that these those its their our his her my your no any some each every all both only just about around roughly nearly almost over under above below than least most exactly
		in on at by to of from for with within without into per between and or nor but versus vs plus minus times is are was were be been has have had than as until till since before after up down top number no nr
		step steps phase stage version release chapter section part figure fig table tab page pages pp line lines column row item rule article level tier class type grade category group team round game set season episode act scene
		volume vol issue question answer option case example model series generation mark line route bus tram platform gate room floor house unit zone area district ward layer node port server channel day week month year age aged
		quarter hour minute kg g mg km m cm mm nm l ml dl s ms h min eur usd gbp dkk nok sek phases levels types tiers groups classes stages versions zones`)
})

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// months is of small letters, as dates in words have them.
var months = sync.OnceValue(func() map[string]bool {
	return wordSet(`january february march april may june july august september october november december`)
})

// beginsClause are words with which a sentence goes on behind what has no noun to come.
var beginsClause = sync.OnceValue(func() map[string]bool {
	return wordSet(`and but while whereas which who that because although though so yet as if when where since until unless with without in on at by from for to into after before during through according`)
})

// mayFollow reports whether what stands behind a number leaves it without a noun.
func mayFollow(behind string) bool {
	word, ok := strings.CutPrefix(behind, " ")
	if !ok {
		return true
	}
	return beginsClause()[word]
}

// inOrder reports whether numbers come up as those of a list do that is sorted by where
// its entries are cited first: each new one is higher than all before it, and half of the
// list is cited. A third of it is by numbers amid sentences, and no word has several of
// these behind it, as the things that numbers tell apart have.
func (r *numberReader) inOrder(all []bareNumber, entries int) bool {
	seen, amid, of := map[string]bool{}, map[string]bool{}, map[string]string{}
	highest := 0
	for _, n := range all {
		number := strings.Join(n.labels, ",")
		if was, known := of[n.amid]; len(n.amid) > 1 && known && was != number && !isShare(n.amid) {
			return false
		}
		if n.amid != "" {
			of[n.amid] = number
		}
		for _, l := range n.labels {
			if n.amid != "" {
				amid[l] = true
			}
			if v, _ := strconv.Atoi(l); !seen[l] { // digits
				if v < highest {
					return false
				}
				highest, seen[l] = v, true
			}
		}
	}
	return len(seen) > 2 && 2*len(seen) >= entries && 3*len(amid) >= entries && !r.isTally(all)
}

// isTally reports whether half of the numbers amid sentences stand a word or two from
// another number, as counts of several things do: eggs 2, butter 3, and sugar 4.
func (r *numberReader) isTally(all []bareNumber) bool {
	amid, close := 0, 0
	for i, n := range all {
		if n.amid == "" {
			continue
		}
		amid++
		if i > 0 && r.isNear(all[i-1], n) || i+1 < len(all) && r.isNear(n, all[i+1]) {
			close++
		}
	}
	return amid > 0 && 2*close >= amid
}

// isNear reports whether fewer than three words are between two numbers of one block.
func (r *numberReader) isNear(n, next bareNumber) bool {
	if n.block != next.block || next.piece.From < n.piece.To || next.piece.From-n.piece.To > 200 {
		return false
	}
	between := r.blocks[n.block].text[n.piece.To:next.piece.From]
	return !strings.ContainsAny(between, ".?!") && len(strings.Fields(strings.Trim(between, " ,;:"))) < 3
}

// isShare reports whether a word stands behind numbers of all kinds.
func isShare(word string) bool { return word == "percent" || word == "million" || word == "billion" }
