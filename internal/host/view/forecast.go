package view

import (
	"fmt"
	"strings"

	"github.com/research-council/research-council/internal/engine/forecast"

	"github.com/research-council/research-council/internal/base/plural"
)

// estimate adds what a run may take, and what that rests on.
func (p *page) estimate(f forecast.Forecast) {
	for i, line := range Forecast(f) {
		p.wrap([]string{"estimate", ""}[min(i, 1)], line)
	}
}

// Forecast tells what a run may take, in lines.
func Forecast(f forecast.Forecast) []string {
	if len(f.Basis) == 0 {
		return []string{"nothing: no model is called"}
	}
	lines := []string{tokensText(f)}
	for _, line := range []string{moneyText(f), limitText(f)} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	lines = append(lines, basisText(f))
	if m := f.Minutes; m != nil {
		lines = append(lines, "time: likely "+m.Span().String()+", "+timeBasisText(*m, f.Tier))
	}
	return lines
}

func tokensText(f forecast.Forecast) string {
	r := f.Between.Tokens
	if r.High >= 1e6 && r.Low >= 1e5 && r.Low < r.High {
		return fmt.Sprintf("likely %.1f–%.1f M tokens", r.Low/1e6, r.High/1e6)
	}
	return "likely " + between(r, f.Tokens.Likely, formatTokens) + " tokens"
}

// between is a range in words; where its ends are told alike, or it has none, the figure
// that is likely.
func between(r forecast.Range, likely float64, write func(float64) string) string {
	low, high := write(r.Low), write(r.High)
	if r.High <= 0 || low == high {
		return write(likely)
	}
	if at := strings.LastIndexByte(low, ' '); at >= 0 && strings.HasSuffix(high, low[at:]) {
		low = low[:at] // the unit is told once
	}
	return low + "–" + high
}

func moneyText(f forecast.Forecast) string {
	var parts []string
	if len(f.Priced) > 0 {
		text := "likely " + between(f.Between.USD, f.USD.Likely, Dollars)
		if len(f.Unpriced)+len(f.Costless) > 0 {
			text += " (" + strings.Join(f.Priced, ", ") + ")"
		}
		parts = append(parts, text)
	}
	if len(f.Unpriced) > 0 {
		parts = append(parts, fmt.Sprintf("in tokens alone, for no price of it is known: %s", strings.Join(f.Unpriced, ", ")))
	}
	if len(f.Costless) > 0 {
		parts = append(parts, "$0.00 by its configured price: "+strings.Join(f.Costless, ", "))
	}
	return strings.Join(parts, "; ")
}

// limitText says that a limit ends the run before it is likely to end by itself, or at
// the latest; and where no limit in money or tokens is set, how a person sets one.
func limitText(f forecast.Forecast) string {
	switch {
	case f.Short != nil && f.Short.USD > 0:
		return fmt.Sprintf("it is likely to end out of budget: what it does takes %s; one call of a model for each seat may pass the limit", Dollars(f.Short.USD))
	case f.Short != nil:
		return fmt.Sprintf("it is likely to end out of budget: what it does takes %s tokens; one call of a model for each seat may pass the limit", formatTokens(f.Short.Tokens))
	case f.Capped:
		return "the limit that is set ends it there at the latest; one call of a model for each seat may pass it"
	case f.Endless:
		return "nothing bounds it: --max-usd X ends it at so many dollars, --max-iterations N after so many iterations"
	case len(f.Priced)+len(f.Unpriced) > 0:
		return "no limit in money is set: --max-usd X ends it at so many dollars"
	}
	return ""
}

// basisText says what a forecast rests on.
func basisText(f forecast.Forecast) string {
	var parts []string
	for _, from := range []string{forecast.Own, forecast.Alike, forecast.Others, forecast.Table} {
		var seats []string
		runs := 0
		for _, b := range f.Basis {
			if b.From == from {
				seats, runs = append(seats, b.Seat), max(runs, b.Runs)
			}
		}
		if len(seats) == 0 {
			continue
		}
		who := ""
		if len(seats) < len(f.Basis) {
			who = strings.Join(seats, ", ") + " "
		}
		parts = append(parts, who+map[string]string{
			forecast.Own:    fmt.Sprintf("by %s of this kind and tier (%s)", plural.Forms(runs, "finished run", "finished runs"), f.Tier),
			forecast.Alike:  fmt.Sprintf("by what other seats of that kind took in %s of this kind and tier (%s)", plural.Forms(runs, "finished run", "finished runs"), f.Tier),
			forecast.Others: fmt.Sprintf("by what other seats took in %s of this kind and tier (%s)", plural.Forms(runs, "finished run", "finished runs"), f.Tier),
			forecast.Table:  fmt.Sprintf("by assumed figures of the tier %s: no run of this kind and tier has finished here yet", f.Tier),
		}[from])
	}
	return strings.Join(parts, "; ")
}

// timeBasisText says what the time rests on.
func timeBasisText(m forecast.Minutes, tier string) string {
	if m.Runs > 0 {
		return fmt.Sprintf("as %s of this kind and tier (%s) took", plural.Forms(m.Runs, "finished run", "finished runs"), tier)
	}
	return fmt.Sprintf("assumed at %.0f s for each step of a model", forecast.StepTime.Seconds())
}

func formatTokens(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1f M", n/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.0f k", n/1e3)
	}
	return fmt.Sprintf("%.0f", n)
}
