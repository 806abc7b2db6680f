package export

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"research-council/internal/base/plain"
	"research-council/internal/evidence/claim"
	"research-council/internal/evidence/provenance"
)

//go:embed page.css
var style string

// pageData is what a page shows.
type pageData struct {
	Title, Topic, ID, Maker string
	Imprint                 string
	Written                 time.Time
	Policy                  string
	Contents                []contentsEntry
	Before, After           []block // the report before and behind the list of sources
	ListTitle               string
	References              []*reference
	Drawn                   *scoreChart
	Uncited                 []claim.Entry
	Hidden                  int // uncited claims beyond the bound
}

// contentsEntry is an entry of the table of contents.
type contentsEntry struct{ Title, Anchor string }

// maxUncited bounds the uncited claims a page lists.
const maxUncited = 5000

// html writes one page. It holds no script and loads nothing; its policy lets
// a browser use the one style sheet in it and nothing else.
func (e *parsedPublication) html() []byte {
	body := slices.Clone(e.body)
	s := pageData{
		Title: e.title, Topic: line(e.Topic), ID: line(e.ID), Maker: line(e.Maker), Imprint: provenance.Line(e.ID), Written: e.Written,
		ListTitle: e.listTitle, References: e.references, Drawn: newScoreChart(e.Score),
	}
	sum := sha256.Sum256([]byte(style))
	s.Policy = "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	for i := range body {
		if i == e.listed {
			s.Contents = append(s.Contents, contentsEntry{e.listTitle, "sources"})
		}
		if body[i].Kind == "heading" && body[i].Level == 2 {
			body[i].Anchor = "s" + strconv.Itoa(len(s.Contents)+1)
			s.Contents = append(s.Contents, contentsEntry{plainText(body[i].Text), body[i].Anchor})
		}
	}
	if e.listed == len(body) {
		s.Contents = append(s.Contents, contentsEntry{e.listTitle, "sources"})
	}
	s.Before, s.After = body[:e.listed], body[e.listed:]
	s.Uncited = e.uncited()
	s.Hidden = max(0, len(s.Uncited)-maxUncited)
	s.Uncited = s.Uncited[:len(s.Uncited)-s.Hidden]
	var w writer
	w.page(s)
	return w.Bytes()
}

// plainText is running text without marks, in one line.
func plainText(text []inline) string {
	var b strings.Builder
	for _, i := range text {
		i.write(&b)
	}
	return line(b.String())
}

func date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04 UTC")
}

// stateOf is a word for where a claim's quotation stands.
func stateOf(e claim.Entry) string {
	switch e.Location.State {
	case claim.Located:
		return "located"
	case claim.NotFound:
		return "not found"
	}
	return "not checked"
}

// Class is the state as a class of the style sheet.
func (c placedClaim) Class() string { return strings.ReplaceAll(stateOf(c.Entry), " ", "-") }

// evidence is a claim with the reference to its source.
type evidence struct {
	Reference *reference
	Entry     placedClaim
	Places    []int // of the report where it is cited
}

// maxPlaces bounds the places a claim leads back to.
const maxPlaces = 20

// Evidence lists the claims cited from a source.
func (r *reference) Evidence() []evidence {
	var list []evidence
	for _, c := range r.Claims {
		e := evidence{Reference: r, Entry: placedClaim{Entry: c}}
		for n := range min(r.places[c.ID], maxPlaces) {
			e.Places = append(e.Places, n+1)
		}
		list = append(list, e)
	}
	return list
}

// passage is a passage in its context.
type passage struct{ Before, Marked, Behind string }

// passageOf finds the passage of a located quotation in its context.
func passageOf(e claim.Entry) *passage {
	l := e.Location
	if l.State != claim.Located || l.Passage == "" {
		return nil
	}
	before, behind, found := strings.Cut(l.Context, l.Passage)
	if !found {
		before, behind = "", ""
	}
	return &passage{plain.Text(before), plain.Text(l.Passage), plain.Text(behind)}
}

func percent(x float64) string { return strconv.Itoa(int(math.Round(100*x))) + " %" }
