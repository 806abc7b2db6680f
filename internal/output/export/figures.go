package export

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/base/plain"
	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/budget"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/score"
	"github.com/research-council/research-council/internal/evidence/source"
)

// figure is a drawing, and the table of what is drawn.
type figure struct {
	Name, Title string
	Says        string // what there is to see, for those who do not see it too
	Head        []string
	Rows        [][]string
	Height      int // of a drawing that is drawingWidth wide
	draw        func(w *writer)
}

const (
	figuresTitle = "The evidence in figures"
	drawingWidth = 640
	rowHeight    = 26
	labelWidth   = 190 // of the names at the left
	barWidth     = float64(drawingWidth - labelWidth - 130)
	maxSeats     = 8
	maxDrawn     = 12 // rows of a drawing
)

// drawFigures draws what the registry and the run have to tell; what would say nothing
// is left out.
func (p *Page) drawFigures() []figure {
	var list []figure
	for _, draw := range []func() *figure{p.agreement, p.sourcesByKind, p.course, p.spending, p.coverage} {
		if f := draw(); f != nil {
			list = append(list, *f)
		}
	}
	return list
}

func (w *writer) figures(list []figure) {
	if len(list) == 0 {
		return
	}
	w.put("<section class=\"figures\" aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", figuresAnchor, figuresAnchor, figuresTitle)
	for _, f := range list {
		w.put(`<figure class="%s"><figcaption><strong>%s</strong> %s</figcaption>
<div class="drawing" tabindex="0" role="region" aria-label="drawing: %s"><svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, f.Name, f.Title, f.Says, f.Title, drawingWidth, f.Height, f.Title+". "+f.Says)
		f.draw(w)
		w.put("</svg></div>\n<details><summary>As a table</summary><div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"table: %s\"><table><thead><tr>", f.Title)
		for _, h := range f.Head {
			w.put(`<th scope="col">%s</th>`, h)
		}
		w.put("</tr></thead><tbody>")
		for _, row := range f.Rows {
			w.put("<tr>")
			for _, cell := range row {
				w.put("<td>%s</td>", cell)
			}
			w.put("</tr>")
		}
		w.put("</tbody></table></div></details></figure>\n")
	}
	w.put("</section>\n")
}

// label is a name at the left of a row.
func (w *writer) label(y int, words string) {
	w.put(`<text class="name" x="%d" y="%d">%s</text>`, labelWidth-10, y+17, plain.Line(words, 26))
}

// bar is a bar in a row, full as far as its part of it, with words behind it.
func (w *writer) bar(y int, whole, part float64, words string) {
	w.put(`<rect class="track" x="%d" y="%d" width="%.1f" height="16"/><rect class="fill" x="%d" y="%d" width="%.1f" height="16"/><text x="%.1f" y="%d">%s</text>`,
		labelWidth, y+5, whole, labelWidth, y+5, part, labelWidth+whole+6, y+17, words)
}

// shared is what the same seats have found.
type shared struct {
	seats          []string
	found, located int
}

// agreement shows which seats have found how many claims, alone and together.
func (p *Page) agreement() *figure {
	list, seats := p.sharedClaims()
	if len(seats) < 2 || len(seats) > maxSeats {
		return nil
	}
	slices.SortStableFunc(list, func(a, b shared) int {
		return cmp.Or(cmp.Compare(b.found, a.found), cmp.Compare(strings.Join(a.seats, " "), strings.Join(b.seats, " ")))
	})
	f := figure{Name: "agreement", Title: "Who found what, and where they agree", Head: []string{"Found by", "Claims", "Located"}}
	together, all := 0, 0
	for _, s := range list {
		all += s.found
		if len(s.seats) > 1 {
			together += s.found
		}
		f.Rows = append(f.Rows, []string{strings.Join(s.seats, " + "), strconv.Itoa(s.found), strconv.Itoa(s.located)})
	}
	f.Says = fmt.Sprintf("%s; of these %d found by more than one researcher. Dots name the researchers; a bar is full as far as quotations were located.", plural.Of(all, "claim"), together)
	drawn := list[:min(len(list), maxDrawn)]
	head := rowHeight * len(seats)
	f.Height = head + rowHeight*len(drawn) + 6
	f.draw = func(w *writer) { w.agreement(drawn, seats, head) }
	return &f
}

// agreement draws a row of dots for each set of seats, below the seats' names.
func (w *writer) agreement(list []shared, seats []string, head int) {
	const dot = 22
	first := labelWidth - dot*len(seats)
	for i, seat := range seats {
		x := first + dot*i + dot/2
		w.put(`<text class="seat" x="%d" y="%d">%s</text><line class="lead" x1="%d" y1="%d" x2="%d" y2="%d"/>`, x+8, rowHeight*i+17, plain.Line(seat, 40), x, rowHeight*i+12, x, head+rowHeight*len(list))
		w.put(`<line class="lead" x1="%d" y1="%d" x2="%d" y2="%d"/>`, x, rowHeight*i+12, x+6, rowHeight*i+12)
	}
	for n, s := range list {
		y := head + rowHeight*n
		for i, seat := range seats {
			kind := "hollow"
			if slices.Contains(s.seats, seat) {
				kind = "dot"
			}
			w.put(`<circle class="%s" cx="%d" cy="%d" r="6"/>`, kind, first+dot*i+dot/2, y+13)
		}
		unit := barWidth / float64(max(1, list[0].found))
		w.bar(y, unit*float64(s.found), unit*float64(s.located), fmt.Sprintf("%d, located %d", s.found, s.located))
	}
}

// sharedClaims counts claims by the seats that have found them; those that say the same
// are one.
func (p *Page) sharedClaims() (list []shared, seats []string) {
	group := map[string]string{}
	for _, g := range p.Registry.Groups {
		for _, id := range g.Members {
			group[id] = g.ID
		}
	}
	type unit struct {
		seats   []string
		located bool
	}
	units := map[string]*unit{}
	var order []string
	facts, _ := p.factsOf()
	for i, c := range facts {
		key := cmp.Or(group[c.ID], c.ID, "#"+strconv.Itoa(i))
		u := units[key]
		if u == nil {
			u = &unit{}
			units[key], order = u, append(order, key)
		}
		u.seats = append(u.seats, sanitiseLines(c.Seats)...)
		u.located = u.located || c.Location.State == claim.Located
	}
	at := map[string]int{}
	for _, key := range order {
		u := units[key]
		slices.Sort(u.seats)
		u.seats = slices.Compact(u.seats)
		name := strings.Join(u.seats, "\n")
		i, known := at[name]
		if !known {
			i, at[name] = len(list), len(list)
			list = append(list, shared{seats: u.seats})
			seats = append(seats, u.seats...)
		}
		list[i].found++
		if u.located {
			list[i].located++
		}
	}
	slices.Sort(seats)
	return list, slices.Compact(seats)
}

// kinds are the sorts of sources, in the order in which they are told, with their words.
func kinds() []struct {
	is   claim.SourceType
	name string
} {
	return []struct {
		is   claim.SourceType
		name string
	}{
		{claim.Official, "official documents"},
		{claim.Standard, "standards"},
		{claim.Publication, "publications"},
		{claim.Code, "code"},
		{claim.Community, "community"},
		{claim.Experiment, "experiments"},
		{"", "sort not known"},
	}
}

// maxYears is how many years are shown, the latest; those before are one.
const maxYears = 9

const undated = "no date"

// sourcesByKind shows how many sources of which sort are of which year.
func (p *Page) sourcesByKind() *figure {
	count, years := p.countSources()
	f := figure{Name: "kinds", Title: "Sources by kind and year", Head: append([]string{"Kind"}, years...)}
	var rows [][]int
	all, most, cells := 0, 0, 0
	for _, k := range kinds() {
		row, names, sum := []int{}, []string{k.name}, 0
		for _, y := range years {
			n := count[k.is][y]
			row, names, sum, most = append(row, n), append(names, strconv.Itoa(n)), sum+n, max(most, n)
			if n > 0 {
				cells++
			}
		}
		if sum == 0 {
			continue
		}
		all += sum
		rows, f.Rows = append(rows, row), append(f.Rows, names)
	}
	if cells < 2 {
		return nil
	}
	f.Says = fmt.Sprintf("%s. The area of a square is as the number in it.", plural.Of(all, "source"))
	f.Height = 40*len(rows) + 30
	f.draw = func(w *writer) { w.squares(f.Rows, rows, years, most) }
	return &f
}

func (w *writer) squares(names [][]string, rows [][]int, years []string, most int) {
	width := (drawingWidth - labelWidth) / max(6, len(years))
	for i, y := range years {
		w.put(`<text class="year" x="%d" y="16">%s</text>`, labelWidth+width*i+width/2, y)
	}
	for r, row := range rows {
		y := 26 + 40*r
		w.label(y+7, names[r][0])
		for i, n := range row {
			x := labelWidth + width*i + width/2
			if n == 0 {
				w.put(`<text class="year" x="%d" y="%d">·</text>`, x, y+24)
				continue
			}
			side := 12 + 24*math.Sqrt(float64(n)/float64(most))
			w.put(`<rect class="square" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/><text class="in" x="%d" y="%d">%d</text>`, float64(x)-side/2, float64(y)+20-side/2, side, side, x, y+24, n)
		}
	}
}

// countSources counts sources by kind and year, and lists the years.
func (p *Page) countSources() (count map[claim.SourceType]map[string]int, years []string) {
	known := map[claim.SourceType]bool{}
	for _, k := range kinds() {
		known[k.is] = true
	}
	kindOf, yearOf := map[string]claim.SourceType{}, map[string]string{}
	facts, _ := p.factsOf()
	for _, c := range facts {
		for _, one := range c.Evidence() {
			key := source.Identify(one.Source).Key
			if kind := cmp.Or(one.Type, c.Type); known[kind] && kindOf[key] == "" {
				kindOf[key] = kind
			}
			yearOf[key] = cmp.Or(p.Sources[key].year(), undated)
		}
	}
	for _, y := range yearOf {
		if y != undated && !slices.Contains(years, y) {
			years = append(years, y)
		}
	}
	slices.Sort(years)
	if len(years) > maxYears {
		first := years[len(years)-maxYears]
		before := "before " + first
		for key, y := range yearOf {
			if y < first { // digits stand before letters
				yearOf[key] = before
			}
		}
		years = append([]string{before}, years[len(years)-maxYears:]...)
	}
	count = map[claim.SourceType]map[string]int{}
	for key, y := range yearOf {
		kind := kindOf[key]
		if count[kind] == nil {
			count[kind] = map[string]int{}
		}
		count[kind][y]++
		if y == undated && !slices.Contains(years, undated) {
			years = append(years, undated)
		}
	}
	return count, years
}

// span is when the run began and ended; zero where that is not known.
func (p *Page) span() (began, ended time.Time) {
	for _, s := range p.Course {
		if began.IsZero() || s.Began.Before(began) {
			began = s.Began
		}
		if s.Ended.After(ended) {
			ended = s.Ended
		}
	}
	return began, ended
}

// course shows how long the stages of the run took, one after the other.
func (p *Page) course() *figure {
	began, ended := p.span()
	whole := ended.Sub(began)
	if len(p.Course) < 2 || whole <= 0 {
		return nil
	}
	f := figure{
		Name: "course", Title: "The course of the run", Head: []string{"Stage", "Began (UTC)", "Took", "Who", "Outcome"},
		Says: fmt.Sprintf("%s from the first stage to the last.", whole.Round(time.Second)),
	}
	for _, s := range p.Course {
		f.Rows = append(f.Rows, []string{line(s.Name), s.Began.UTC().Format("2006-01-02 15:04:05"), took(s), strings.Join(sanitiseLines(s.Seats), ", "), line(s.Outcome)})
	}
	drawn := p.Course[:min(len(p.Course), 2*maxDrawn)]
	f.Height = rowHeight*len(drawn) + 6
	f.draw = func(w *writer) {
		for i, s := range drawn {
			y := rowHeight * i
			x := barWidth * clamp(float64(s.Began.Sub(began))/float64(whole), 1)
			width := max(2, barWidth*clamp(float64(s.Ended.Sub(s.Began))/float64(whole), 1))
			w.label(y, line(s.Name))
			w.put(`<line class="lead" x1="%d" y1="%d" x2="%.1f" y2="%d"/><rect class="fill" x="%.1f" y="%d" width="%.1f" height="16"/><text x="%.1f" y="%d">%s</text>`,
				labelWidth, y+13, labelWidth+x, y+13, labelWidth+x, y+5, width, labelWidth+x+width+6, y+17, took(s))
		}
	}
	return &f
}

func took(s Stage) string {
	d := s.Ended.Sub(s.Began)
	if d < time.Second {
		return "under 1s"
	}
	return d.Round(time.Second).String()
}

// spending shows what each seat has cost: bars are of dollars where any are known, else
// of tokens.
func (p *Page) spending() *figure {
	var order []string
	spent, turns, models := map[string]budget.Spent{}, map[string]int{}, map[string]string{}
	var all budget.Spent
	for _, u := range p.Uses {
		name := line(u.Seat)
		if _, known := spent[name]; !known {
			order = append(order, name)
		}
		spent[name], turns[name], models[name] = spent[name].Plus(u.Spent()), turns[name]+u.Iterations, cmp.Or(line(u.Model), models[name])
		all = all.Plus(u.Spent())
	}
	if all.Tokens <= 0 && all.USD <= 0 {
		return nil
	}
	f := figure{Name: "spend", Title: "What it cost", Says: all.Cost() + ", by who worked.", Head: []string{"Who", "Model", "Turns", "Tokens", "Cost"}}
	size := func(s budget.Spent) float64 { return clamp(s.USD, math.MaxFloat64) }
	if all.USD <= 0 {
		f.Says = budget.Grouped(all.Tokens) + " tokens without a price, by who worked."
		size = func(s budget.Spent) float64 { return float64(max(0, s.Tokens)) }
	}
	most := 0.0
	for _, name := range order {
		s := spent[name]
		most = max(most, size(s))
		f.Rows = append(f.Rows, []string{name, models[name], strconv.Itoa(turns[name]), budget.Grouped(s.Tokens), s.Brief()})
	}
	drawn := f.Rows[:min(len(f.Rows), maxDrawn)]
	f.Height = rowHeight*len(drawn) + 6
	f.draw = func(w *writer) {
		for i, row := range drawn {
			w.label(rowHeight*i, row[0])
			said, width := row[4], barWidth*size(spent[row[0]])/max(most, math.SmallestNonzeroFloat64)
			if spent[row[0]].USD <= 0 {
				said = row[3] + " tokens"
			}
			w.bar(rowHeight*i, width, width, said)
		}
	}
	return &f
}

// coverage shows the score and what it was measured by.
func (p *Page) coverage() *figure {
	r := p.Score
	if !r.IsMeaningful() {
		return nil
	}
	f := figure{
		Name: "score", Title: "How much of the question the evidence covers", Head: []string{"Measure", "Value", "Detail"},
		Says: fmt.Sprintf("Score %s of 100, confidence cap %.2f; the marks stand at %d and %d.", score.FormatScore(clamp(r.Final, 100)), r.Cap, int(score.Fair), int(score.Good)),
	}
	values := []float64{clamp(r.Final, 100) / 100}
	f.Rows = append(f.Rows, []string{"score", score.FormatScore(clamp(r.Final, 100)), "of 100"})
	for _, s := range r.Signals {
		v := clamp(s.Value, 1)
		values = append(values, v)
		f.Rows = append(f.Rows, []string{line(s.Name), percent(v), line(s.Detail)})
	}
	f.Height = rowHeight*len(values) + 6
	f.draw = func(w *writer) {
		for i, v := range values {
			w.label(rowHeight*i, f.Rows[i][0])
			w.bar(rowHeight*i, barWidth, barWidth*v, f.Rows[i][1])
		}
		for _, at := range []float64{score.Fair, score.Good} {
			x := labelWidth + barWidth*at/100
			w.put(`<line class="mark" x1="%.1f" x2="%.1f" y1="2" y2="%d"/>`, x, x, rowHeight)
		}
	}
	return &f
}

func clamp(x, most float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), most)
}
