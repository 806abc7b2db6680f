package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/unicode/norm"

	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/internal/evidence/source"
)

// paperRegistries are those that know papers by their numbers: what a paper is
// called, who wrote it, whether it was retracted.
type paperRegistries struct {
	o   Options
	web *client
}

// hasRegistry reports whether a registry can be asked about a source.
func (p paperRegistries) hasRegistry(src source.Source) bool {
	return src.Kind == source.DOI && p.o.Crossref+p.o.DOI != "" || src.Kind == source.ArXiv && p.o.ArXiv != ""
}

// lookUpRecord asks the registries about a source, or about the DOI that its page
// gives. A registry that does not answer is as one that does not know: nothing
// follows from it. An error is that of ctx.
func (p paperRegistries) lookUpRecord(ctx context.Context, src source.Source, doi string) (*Record, error) {
	if src.Kind != source.DOI && src.Kind != source.ArXiv {
		src = source.Identify("doi:" + doi)
	}
	if !p.hasRegistry(src) {
		return nil, nil
	}
	_, id, _ := strings.Cut(src.Key, ":")
	var record *Record
	var err error
	if src.Kind == source.ArXiv {
		record, err = p.arXivRecord(ctx, id)
	} else {
		record, err = p.doiRecord(ctx, id)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, nil
	}
	return record, nil
}

// crossrefWork is a work as Crossref's REST API describes it.
type crossrefWork struct {
	Message struct {
		DOI       string         `json:"DOI"`
		Title     []string       `json:"title"`
		Author    []creator      `json:"author"`
		Issued    recordDate     `json:"issued"`
		UpdatedBy []recordUpdate `json:"updated-by"`
		UpdateTo  []recordUpdate `json:"update-to"`
	} `json:"message"`
}

type recordDate struct {
	Parts [][]*int `json:"date-parts"`
}

type recordUpdate struct {
	DOI     string     `json:"DOI"`
	Type    string     `json:"type"`
	Updated recordDate `json:"updated"`
}

func (d recordDate) year() int {
	if len(d.Parts) == 0 || len(d.Parts[0]) == 0 || d.Parts[0][0] == nil {
		return 0
	}
	return *d.Parts[0][0]
}

// doiRecord asks Crossref, and the resolver about the DOIs of other agencies.
func (p paperRegistries) doiRecord(ctx context.Context, doi string) (*Record, error) {
	err := errUnknown
	if p.o.Crossref != "" {
		var r *Record
		if r, err = p.crossrefRecord(ctx, doi); err == nil {
			return r, nil
		}
	}
	if !errors.Is(err, errUnknown) || p.o.DOI == "" {
		return nil, err
	}
	return p.cslRecord(ctx, doi)
}

// cslRecord asks the resolver for a record in place of a page: every agency of DOIs
// gives one in CSL-JSON, which has Crossref's names with one title.
func (p paperRegistries) cslRecord(ctx context.Context, doi string) (*Record, error) {
	body, err := p.web.fetchData(ctx, p.o.DOI+"/"+doiPath(doi), "application/vnd.citationstyles.csl+json")
	if err != nil {
		return nil, err
	}
	var item struct {
		Title  string     `json:"title"`
		Author []creator  `json:"author"`
		Issued recordDate `json:"issued"`
	}
	if err := json.Unmarshal(body, &item); err != nil {
		return nil, fmt.Errorf("read the record of a DOI: %w", err)
	}
	r := Record{Source: "doi", Title: line(item.Title), Authors: authorNames(item.Author), Year: item.Issued.year()}
	r.notices(doi, nil, nil)
	return &r, nil
}

// creator is an author as Crossref and CSL-JSON have one.
type creator struct {
	Given   string `json:"given"`
	Family  string `json:"family"`
	Name    string `json:"name"`
	Literal string `json:"literal"`
}

func authorNames(list []creator) []string {
	var names []string
	for _, who := range list[:min(len(list), 200)] {
		if name := line(who.Given + " " + who.Family + " " + who.Name + " " + who.Literal); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func (p paperRegistries) crossrefRecord(ctx context.Context, doi string) (*Record, error) {
	body, err := p.web.fetchData(ctx, p.o.Crossref+"/works/"+url.PathEscape(doi), "application/json")
	if err != nil {
		return nil, err
	}
	var w crossrefWork
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, fmt.Errorf("read Crossref's answer: %w", err)
	}
	r := Record{Source: "crossref", Year: w.Message.Issued.year()}
	if len(w.Message.Title) > 0 {
		r.Title = line(w.Message.Title[0])
	}
	r.Authors = authorNames(w.Message.Author)
	r.notices(doi, w.Message.UpdatedBy, w.Message.UpdateTo)
	return &r, nil
}

// notices reads what became of a work: by is what others say of it, to what it
// says of others, or of itself where a publisher changes a work in place.
func (r *Record) notices(doi string, by, to []recordUpdate) {
	for _, u := range by {
		r.addUpdate(u, " by ")
	}
	for _, u := range to {
		if strings.EqualFold(u.DOI, doi) {
			r.addUpdate(u, " in place of ")
		} else if withdraws(u.Type) {
			r.add("it is itself a notice of " + line(u.Type) + " of " + line(u.DOI))
		}
	}
	if m := retractionPrefix().FindStringSubmatch(r.Title); m != nil {
		r.Retracted = r.Retracted || !strings.EqualFold(m[1], "retraction") // that begins notices too
		r.add("its title begins with " + line(strings.ToUpper(m[0])))
	}
}

// retractionPrefix is what publishers put before the title of what was retracted: a word
// that is set off, since a paper may be about retractions.
var retractionPrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*[\[(]?\s*(retracted|withdrawn|retraction)(?:\s+(?:article|paper|chapter|note|notice))?\s*(?:[:\])]|[—–-]\s)`)
})

// withdrawalForm is how an abstract says of its own paper that it was.
var withdrawalForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(?:this|the) (?:paper|article|submission|manuscript|preprint|work) (?:has|was|is)(?: now)?(?: been)? withdrawn|^\s*withdrawn\b`)
})

func (r *Record) addUpdate(u recordUpdate, how string) {
	what := strings.ReplaceAll(line(u.Type), "_", " ") + how + line(u.DOI)
	if y := u.Updated.year(); y > 0 {
		what += fmt.Sprintf(" (%d)", y)
	}
	r.add(what)
	r.Retracted = r.Retracted || withdraws(u.Type)
}

// withdraws reports whether an update takes a work back. The types are
// Crossref's.
func withdraws(kind string) bool {
	switch strings.ReplaceAll(strings.ToLower(kind), "-", "_") {
	case "retraction", "withdrawal", "removal", "partial_retraction", "retracted_article":
		return true
	}
	return false
}

func (r *Record) add(notice string) {
	if r.Notice != "" {
		notice = r.Notice + "; " + notice
	}
	r.Notice = shortLine(notice)
}

// line is a text of a registry, which may hold markup, on one line.
func line(s string) string {
	if strings.ContainsRune(s, '<') {
		if doc, err := extract.Text([]byte("<!doctype html><p>"+s), "text/html; charset=utf-8", ""); err == nil {
			s = doc.Text
		}
	}
	return first500(extract.Line(s))
}

func first500(s string) string { return strings.ToValidUTF8(s[:min(len(s), 500)], "") }

// arXivFeed is the answer of arXiv's API.
type arXivFeed struct {
	Entries []struct {
		ID        string `xml:"id"`
		Title     string `xml:"title"`
		Published string `xml:"published"`
		Authors   []struct {
			Name string `xml:"name"`
		} `xml:"author"`
		Comment string `xml:"http://arxiv.org/schemas/atom comment"`
		Summary string `xml:"summary"`
	} `xml:"entry"`
}

func (p paperRegistries) arXivRecord(ctx context.Context, id string) (*Record, error) {
	body, err := p.web.fetchData(ctx, p.o.ArXiv+"/api/query?"+url.Values{"id_list": {id}, "max_results": {"1"}}.Encode(), "application/atom+xml")
	if err != nil {
		return nil, err
	}
	var f arXivFeed
	d := xml.NewDecoder(bytes.NewReader(body))
	d.CharsetReader = charset.NewReaderLabel
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("read arXiv's answer: %w", err)
	}
	if len(f.Entries) == 0 || strings.Contains(f.Entries[0].ID, "/api/errors") {
		return nil, errUnknown
	}
	e := f.Entries[0]
	r := Record{Source: "arxiv", Title: line(e.Title)}
	if _, err := fmt.Sscanf(e.Published, "%4d", &r.Year); err != nil {
		r.Year = 0
	}
	for _, who := range e.Authors[:min(len(e.Authors), 200)] {
		r.Authors = append(r.Authors, line(who.Name))
	}
	if low := strings.ToLower(e.Comment); strings.Contains(low, "been withdrawn") || strings.HasPrefix(strings.TrimSpace(low), "withdrawn") {
		r.Retracted = true
		r.add(line(e.Comment))
	} else if withdrawalForm().MatchString(e.Summary) {
		r.Retracted = true
		r.add(line(e.Summary))
	}
	return &r, nil
}

// Mismatch says in what a citation differs from the record, or "". What is
// not given on either side is not compared. Titles are one when nine tenths of
// the words of the shorter are in the longer, so that a subtitle may be
// missing; a year may be off by one, as print is from the first publication;
// of the authors one family name has to be known.
func (r Record) Mismatch(title string, authors []string, year int) string {
	var found []string
	if !similarTitles(title, r.Title) {
		found = append(found, fmt.Sprintf("the title is %q", r.Title))
	}
	if !shareFamilyName(authors, r.Authors) {
		found = append(found, fmt.Sprintf("the authors are %s", strings.Join(r.Authors[:min(len(r.Authors), 3)], ", ")))
	}
	if d := year - r.Year; year != 0 && r.Year != 0 && (d < -1 || d > 1) {
		found = append(found, fmt.Sprintf("the year is %d", r.Year))
	}
	return strings.Join(found, "; ")
}

// similarTitles reports whether two titles can be of one work.
func similarTitles(a, b string) bool {
	x, y := normalisedWords(trimRetractionPrefix(a)), normalisedWords(trimRetractionPrefix(b))
	if len(x) == 0 || len(y) == 0 {
		return true
	}
	if len(x) > len(y) {
		x, y = y, x
	}
	in := map[string]bool{}
	for _, w := range y {
		in[w] = true
	}
	shared := 0
	for _, w := range x {
		if in[w] {
			shared++
		}
	}
	if len(x) < 3 && len(y) > 2*len(x) { // one or two words are in many titles
		return false
	}
	return shared*10 >= len(x)*9
}

// trimRetractionPrefix drops what was put before a title later.
func trimRetractionPrefix(title string) string {
	for _, mark := range []string{"RETRACTED ARTICLE:", "RETRACTED:", "WITHDRAWN:", "[RETRACTED]"} {
		if len(title) >= len(mark) && strings.EqualFold(title[:len(mark)], mark) {
			return title[len(mark):]
		}
	}
	return title
}

// shareFamilyName reports whether one family name is on both lists.
func shareFamilyName(cited, known []string) bool {
	var given, in []string
	for _, who := range known {
		in = append(in, normalisedWords(who)...)
	}
	for _, who := range cited {
		for _, w := range normalisedWords(who) {
			if len(w) > 2 && w != "and" && w != "others" {
				given = append(given, w)
			}
		}
	}
	if len(given) == 0 || len(in) == 0 {
		return true
	}
	for _, w := range given {
		for _, k := range in {
			if w == k {
				return true
			}
		}
	}
	return false
}

// normalisedWords are the letters and digits of a text, without case and accents.
func normalisedWords(s string) []string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}
