package forecast

// reading is what one iteration looks at and writes down, by assumption: so
// many pages in so many steps.
type reading struct{ pages, steps float64 }

// readings are those of a tier, likely and at worst: a small model that thinks
// little ends sooner than a large one that thinks much.
func readings(tier string) (likely, worst reading) {
	switch tier {
	case "cheap":
		return reading{4, 6}, reading{10, 15}
	case "standard":
		return reading{8, 12}, reading{25, 35}
	}
	return reading{15, 25}, reading{45, 60}
}

// given is how much less an iteration reads that is handed all it needs.
const given = 3

// What a page and a step come to in tokens, likely and at worst.
const (
	page, longPage = 3000, 5000
	step, longStep = 700, 1000
)

// use is what a reading takes: a page is read once, and again with each further
// step. On the average step half of them have been read.
func (r reading) use(page, step float64) Use {
	fresh := r.pages * page
	u := Use{Cached: r.steps * fresh / 2, Output: r.steps * step}
	u.Input = fresh + u.Cached
	u.Tokens = u.Input + u.Output
	return u
}

// tableOf is the load of an iteration where nothing was measured.
func tableOf(tier string, p Part) load {
	likely, worst := readings(tier)
	if p.Given {
		likely, worst = reading{likely.pages / given, likely.steps / given}, reading{worst.pages / given, worst.steps / given}
	}
	low, high := likely.use(page, step), worst.use(longPage, longStep)
	l := load{tokens: Guess{low.Tokens, high.Tokens}}
	if price := p.Seat.Price; price != nil {
		l.usd, l.priced = Guess{price.of(low), price.of(high)}, true
	}
	return l
}
