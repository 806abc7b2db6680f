package forecast

// workload is what one iteration looks at and writes down, by assumption: so
// many pages in so many steps.
type workload struct{ pages, steps float64 }

// assumedWorkloads are those of a tier, likely and at worst: a small model that thinks
// little ends sooner than a large one that thinks much.
func assumedWorkloads(tier string) (likely, worst workload) {
	switch tier {
	case "cheap":
		return workload{4, 6}, workload{10, 15}
	case "standard":
		return workload{8, 12}, workload{25, 35}
	}
	return workload{15, 25}, workload{45, 60}
}

// givenDivisor is how much less an iteration reads that is handed all it needs.
const givenDivisor = 3

// What a page and a step come to in tokens, likely and at worst.
const (
	pageTokens, longPageTokens = 3000, 5000
	stepTokens, longStepTokens = 700, 1000
)

// tokensUsed is what a reading takes: a page is read once, and again with each further
// step. On the average step half of them have been read.
func (r workload) tokensUsed(page, step float64) Use {
	fresh := r.pages * page
	u := Use{Cached: r.steps * fresh / 2, Output: r.steps * step}
	u.Input = fresh + u.Cached
	u.Tokens = u.Input + u.Output
	return u
}

// assumedCost is the load of an iteration where nothing was measured.
func assumedCost(tier string, p Part) iterationCost {
	likely, worst := assumedWorkloads(tier)
	if p.Given {
		likely, worst = workload{likely.pages / givenDivisor, likely.steps / givenDivisor}, workload{worst.pages / givenDivisor, worst.steps / givenDivisor}
	}
	low, high := likely.tokensUsed(pageTokens, stepTokens), worst.tokensUsed(longPageTokens, longStepTokens)
	l := iterationCost{tokens: Estimate{low.Tokens, high.Tokens}}
	if price := p.Seat.Price; price != nil {
		l.usd, l.priced = Estimate{price.cost(low), price.cost(high)}, true
	}
	return l
}
