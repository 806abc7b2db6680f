package survey

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/base/plural"
)

// What each sign may add to a risk, in points of 100.
const (
	churnPoints      = 25
	complexityPoints = 25
	sizePoints       = 15
	pathPoints       = 15 // the name is about something security-relevant
	usePoints        = 10 // the text uses something security-relevant
	entryPoints      = 10
)

// Where a sign has all its points.
const (
	fullChurn      = 64   // commits a year
	fullComplexity = 1024 // signs
	fullSize       = 2048 // lines
	fullUses       = 4    // subjects
)

// What is left of the points of files whose faults do less harm.
const (
	testShare   = 0.4
	configShare = 0.6
)

// Rank orders files by risk, the riskiest first, equal ones by path, and sets
// their Risk and Reasons. Files that are left out follow by path, without risk.
// The argument is not changed.
//
// The risk of a file follows from itself alone, so that a new file does not
// move others past each other:
//
//	risk = 25·churn + 25·complexity + 15·size + 15·name + 10·uses + 10·entry
//
// where churn, complexity and size are log2(1+n)/log2(1+full), at most 1, with
// 64 commits a year, 1,024 signs and 2,048 lines as full: how often a file was
// changed and how large it is foretell faults better than most measures
// (Nagappan, Ball, "Use of relative code churn measures to predict system
// defect density", 2005; Moser, Pedrycz, Succi, "A comparative analysis of the
// efficiency of change metrics and static code attributes for defect
// prediction", 2008), and the next commit or line adds less than the one
// before. name is 1 for a security-relevant name; uses is the share of four
// security-relevant subjects in the text; entry is 1 where something starts.
// Tests keep 40 % of their points, configuration that starts nothing 60 %.
func Rank(files []File) []File {
	ranked := slices.Clone(files)
	for i := range ranked {
		if ranked[i].Reviewed() {
			ranked[i].Risk, ranked[i].Reasons = risk(ranked[i])
		} else {
			ranked[i].Risk = 0
		}
	}
	return byRisk(ranked)
}

// byRisk orders files: those under review before the rest, the riskiest first,
// equal ones by path. It sorts numbers, which are lighter to move.
func byRisk(files []File) []File {
	order := make([]int, len(files))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, b := &files[i], &files[j]
		switch {
		case (a.Skip == "") == (b.Skip == ""):
			return cmp.Or(cmp.Compare(b.Risk, a.Risk), strings.Compare(a.Path, b.Path))
		case a.Skip == "":
			return -1
		}
		return 1
	})
	sorted := make([]File, len(files))
	for to, from := range order {
		sorted[to] = files[from]
	}
	return sorted
}

// logShare is log2(1+n)/log2(1+full), at most 1.
func logShare(n, full int) float64 {
	return min(1, math.Log2(1+float64(max(0, n)))/math.Log2(1+float64(full)))
}

func risk(f File) (float64, []string) {
	var points float64
	var reasons []string
	add := func(p float64, reason string) {
		points += p
		if p >= 1 {
			reasons = append(reasons, reason)
		}
	}
	add(churnPoints*logShare(f.Churn, fullChurn), plural.Of(f.Churn, "commit")+" a year")
	add(complexityPoints*logShare(f.Complexity, fullComplexity), plural.Of(f.Complexity, "sign")+" of complexity")
	add(sizePoints*logShare(f.Lines, fullSize), plural.Of(f.Lines, "line"))
	if len(f.Sensitive) > 0 {
		add(pathPoints, "its name is about "+strings.Join(f.Sensitive, ", "))
	}
	add(usePoints*min(1, float64(len(f.Uses))/fullUses), "it uses "+strings.Join(f.Uses, ", "))
	if f.Entry != "" {
		add(entryPoints, "entry point: "+f.Entry)
	}
	switch {
	case f.Test:
		points *= testShare
		reasons = append(reasons, "a test")
	case f.Kind == Config && f.Entry == "":
		points *= configShare
		reasons = append(reasons, "configuration")
	}
	return math.Round(points*10) / 10, reasons
}
