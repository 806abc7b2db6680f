package guard

import "slices"

// Compare gives those of the deciding words of two texts in which they differ,
// in the order of the texts; none means that they agree. Order and place do not
// count: this compares multisets.
//
// A capitalised word at the beginning of a sentence may be a name or not. It
// agrees with the same name elsewhere; left over, it counts only when both
// texts have one left.
func Compare(a, b []Word) []Finding {
	if haveSameWords(a, b) {
		return nil
	}
	onlyA, onlyB := unmatched(a, b)
	onlyA, onlyB = unsure(onlyA, onlyB)
	var found []Finding
	for _, w := range onlyA {
		f := Finding{Kind: w.Kind, Quote: w.Text}
		if i := slices.IndexFunc(onlyB, func(o Word) bool { return comparableKind(o.Kind) == comparableKind(w.Kind) }); i >= 0 {
			f.Text = onlyB[i].Text
			onlyB = slices.Delete(onlyB, i, i+1)
		}
		found = append(found, f)
	}
	for _, w := range onlyB {
		found = append(found, Finding{Kind: w.Kind, Text: w.Text})
	}
	return found
}

// haveSameWords reports whether two texts have the same deciding words in the same
// order, which is nearly always how they agree.
func haveSameWords(a, b []Word) bool {
	return slices.EqualFunc(a, b, agree)
}

func agree(a, b Word) bool {
	return a.Norm == b.Norm && (a.Kind == b.Kind || comparableKind(a.Kind) == comparableKind(b.Kind))
}

// comparableKind makes one kind of what is told apart by its looks alone: a year from a
// number.
func comparableKind(k Kind) Kind {
	if k == Date {
		return Number
	}
	return k
}

// unmatched takes away what both have.
func unmatched(a, b []Word) (onlyA, onlyB []Word) {
	for len(a) > 0 && len(b) > 0 && agree(a[0], b[0]) {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && agree(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a)*len(b) > 1<<10 {
		return unmatchedLinear(a, b)
	}
	b = slices.Clone(b)
	for _, w := range a {
		if i := slices.IndexFunc(b, func(o Word) bool { return agree(w, o) }); i >= 0 {
			b = slices.Delete(b, i, i+1)
		} else {
			onlyA = append(onlyA, w)
		}
	}
	return onlyA, b
}

// unmatchedLinear is unmatched in linear time, for many words.
func unmatchedLinear(a, b []Word) (onlyA, onlyB []Word) {
	type key struct {
		kind Kind
		norm string
	}
	have := make(map[key]int, len(b))
	for _, w := range b {
		have[key{comparableKind(w.Kind), w.Norm}]++
	}
	for _, w := range a {
		if k := (key{comparableKind(w.Kind), w.Norm}); have[k] > 0 {
			have[k]--
		} else {
			onlyA = append(onlyA, w)
		}
	}
	for _, w := range slices.Backward(b) {
		if k := (key{comparableKind(w.Kind), w.Norm}); have[k] > 0 {
			have[k]--
			onlyB = append(onlyB, w)
		}
	}
	slices.Reverse(onlyB)
	return onlyA, onlyB
}

// unsure drops what may be no names when the other side has none left.
func unsure(a, b []Word) (keptA, keptB []Word) {
	maybe := func(w Word) bool { return w.Initial }
	if slices.ContainsFunc(a, maybe) && slices.ContainsFunc(b, maybe) {
		return a, b
	}
	return slices.DeleteFunc(a, maybe), slices.DeleteFunc(b, maybe)
}
