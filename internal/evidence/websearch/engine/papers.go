package engine

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The engines of papers.

func askOpenAlex(q Question) Request {
	return get(q.Base+"/works", "search", q.Words, "per-page", strconv.Itoa(q.Limit), "mailto", q.Contact, "api_key", q.Key,
		"select", "id,doi,display_name,publication_date,primary_location,abstract_inverted_index")
}

func readOpenAlex(body []byte) (found, error) {
	type work struct {
		ID       string           `json:"id"`
		DOI      string           `json:"doi"`
		Name     string           `json:"display_name"`
		Date     string           `json:"publication_date"`
		Abstract map[string][]int `json:"abstract_inverted_index"`
		Primary  *struct {
			Page string `json:"landing_page_url"`
		} `json:"primary_location"`
	}
	type answer struct {
		Results []work `json:"results"`
	}
	a, err := decode(body, func(a answer) bool { return a.Results != nil })
	var f found
	for _, w := range a.Results {
		l := Lead{Title: w.Name, URL: first(w.DOI, w.ID), DOI: w.DOI, Published: w.Date, Snippet: inOrder(w.Abstract)}
		if w.DOI == "" && w.Primary != nil && w.Primary.Page != "" {
			l.URL = w.Primary.Page
		}
		f.leads = append(f.leads, l)
	}
	return f, err
}

// inOrder are the words of an index at their places.
func inOrder(index map[string][]int) string {
	type place struct {
		at   int
		word string
	}
	var list []place
	for word, places := range index {
		for _, at := range places {
			if at >= 0 && at < maxSnippet { // what is behind is cut off anyway
				list = append(list, place{at, word})
			}
		}
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.word, b.word)) })
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.word + " ")
	}
	return b.String()
}

func askCrossref(q Question) Request {
	return get(q.Base+"/works", "query", q.Words, "rows", strconv.Itoa(q.Limit), "mailto", q.Contact)
}

func readCrossref(body []byte) (found, error) {
	type item struct {
		Title     []string `json:"title"`
		DOI       string   `json:"DOI"`
		URL       string   `json:"URL"`
		Abstract  string   `json:"abstract"`
		Published struct {
			Parts [][]int `json:"date-parts"`
		} `json:"issued"`
	}
	type answer struct {
		Message struct {
			Items []item `json:"items"`
		} `json:"message"`
	}
	a, err := decode(body, func(a answer) bool { return a.Message.Items != nil })
	var f found
	for _, i := range a.Message.Items {
		l := Lead{DOI: i.DOI, URL: first(i.URL, "https://doi.org/"+i.DOI), Snippet: i.Abstract}
		if len(i.Title) > 0 {
			l.Title = i.Title[0]
		}
		if len(i.Published.Parts) > 0 {
			l.Published = dateOf(i.Published.Parts[0])
		}
		f.leads = append(f.leads, l)
	}
	return f, err
}

// dateOf is a date of a year, maybe a month, maybe a day.
func dateOf(parts []int) string {
	var list []string
	for i, n := range parts[:min(len(parts), 3)] {
		if n <= 0 {
			break
		}
		list = append(list, fmt.Sprintf("%0*d", []int{4, 2, 2}[i], n))
	}
	return strings.Join(list, "-")
}

func askArXiv(q Question) Request {
	var terms []string
	for _, w := range strings.Fields(q.Words) {
		if w = strings.Trim(w, `"()[]:`); w != "" {
			terms = append(terms, `all:"`+strings.ReplaceAll(w, `"`, "")+`"`)
		}
	}
	return get(q.Base+"/api/query", "search_query", strings.Join(terms, " AND "), "max_results", strconv.Itoa(q.Limit))
}

func readArXiv(body []byte) (found, error) {
	var feed struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		Entries []struct {
			ID        string `xml:"id"`
			Title     string `xml:"title"`
			Summary   string `xml:"summary"`
			Published string `xml:"published"`
			DOI       string `xml:"http://arxiv.org/schemas/atom doi"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal(body, &feed); err != nil {
		return found{}, errors.New("it is no Atom feed")
	}
	var f found
	for _, e := range feed.Entries {
		if strings.Contains(e.ID, "/api/errors") {
			return found{}, errors.New("it refuses the question")
		}
		f.leads = append(f.leads, Lead{Title: e.Title, URL: e.ID, Snippet: e.Summary, Published: e.Published, DOI: e.DOI})
	}
	return f, nil
}

func askEuropePMC(q Question) Request {
	return get(q.Base+"/europepmc/webservices/rest/search", "query", q.Words, "format", "json", "resultType", "core", "pageSize", strconv.Itoa(q.Limit))
}

func readEuropePMC(body []byte) (found, error) {
	type result struct {
		ID       string `json:"id"`
		Source   string `json:"source"`
		DOI      string `json:"doi"`
		Title    string `json:"title"`
		Abstract string `json:"abstractText"`
		Date     string `json:"firstPublicationDate"`
		PMC      string `json:"pmcid"`
	}
	type answer struct {
		List struct {
			Results []result `json:"result"`
		} `json:"resultList"`
	}
	a, err := decode(body, func(a answer) bool { return a.List.Results != nil })
	var f found
	for _, r := range a.List.Results {
		address := "https://europepmc.org/article/" + url.PathEscape(r.Source) + "/" + url.PathEscape(r.ID)
		switch {
		case r.PMC != "":
			address = "https://pmc.ncbi.nlm.nih.gov/articles/" + url.PathEscape(r.PMC) + "/" // its text is open
		case r.DOI != "":
			address = "https://doi.org/" + r.DOI
		}
		f.leads = append(f.leads, Lead{Title: r.Title, URL: address, DOI: r.DOI, Snippet: r.Abstract, Published: r.Date})
	}
	return f, err
}

func askSemanticScholar(q Question) Request {
	return get(q.Base+"/graph/v1/paper/search", "query", q.Words, "limit", strconv.Itoa(q.Limit),
		"fields", "title,abstract,url,year,publicationDate,externalIds,openAccessPdf").with("x-api-key", q.Key)
}

func readSemanticScholar(body []byte) (found, error) {
	type paper struct {
		Title    string `json:"title"`
		URL      string `json:"url"`
		Abstract string `json:"abstract"`
		Year     int    `json:"year"`
		Date     string `json:"publicationDate"`
		IDs      struct {
			DOI   string `json:"DOI"`
			ArXiv string `json:"ArXiv"`
		} `json:"externalIds"`
	}
	type answer struct {
		Total *int    `json:"total"`
		Data  []paper `json:"data"` // left out where nothing is found
	}
	a, err := decode(body, func(a answer) bool { return a.Total != nil || a.Data != nil })
	var f found
	for _, p := range a.Data {
		l := Lead{Title: p.Title, URL: p.URL, Snippet: p.Abstract, DOI: p.IDs.DOI, Published: first(p.Date, dateOf([]int{p.Year}))}
		switch {
		case p.IDs.ArXiv != "":
			l.URL = "https://arxiv.org/abs/" + p.IDs.ArXiv
		case p.IDs.DOI != "":
			l.URL = "https://doi.org/" + p.IDs.DOI
		}
		f.leads = append(f.leads, l)
	}
	return f, err
}
