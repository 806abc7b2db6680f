package web

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// The hosts of the services.
const (
	crossrefHost = "crossref.example"
	arxivHost    = "arxiv-api.example"
	waybackHost  = "wayback.example"
	openalexHost = "openalex.example"
	doiHost      = "doi.example"

	unpaywallHost = "unpaywall.example"
	europePMCHost = "europepmc.example"
	gitHubHost    = "api-github.example"
)

// Work is a paper as the registry of DOIs knows it.
type Work struct {
	DOI       string
	Title     string
	Authors   []string // "Given Family"
	Year      int
	Landing   string // where the resolver leads; "" is nowhere: the DOI is unknown to it
	Retracted bool   // a notice of retraction is linked to it
	Concern   bool   // an expression of concern is
	Elsewhere bool   // another agency than Crossref has it, as DataCite

	Copies []OpenCopy // where it can be read by everybody, as OpenAlex knows
}

// OpenCopy is a place of a paper.
type OpenCopy struct {
	PDF, Landing string
	Version      string // publishedVersion, acceptedVersion, submittedVersion
	Closed       bool
}

// Preprint is a paper as arXiv knows it.
type Preprint struct {
	ID        string
	Title     string
	Authors   []string
	Year      int
	Withdrawn bool
}

// Capture is a page as an archive of the web has it.
type Capture struct {
	URL  string // of the page that was captured
	Time string // of the capture, as 20200102030405
	MIME string // "" is text/html
	Body string
}

// PMC is a paper as Europe PMC has it.
type PMC struct {
	ID, DOI    string
	Preprint   bool   // its source is a server of preprints
	Manuscript bool   // the author's, as it was accepted
	Text       string // JATS; "" for a paper of which it gives no text
}

// Repository is one of GitHub's.
type Repository struct {
	Name    string            // owner/name
	Commits map[string]string // hashes by branch or tag, HEAD among them
	Readme  string            // path of its README
}

// Know adds works, preprints and captures to the services.
func (w *Web) Know(known ...any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, k := range known {
		switch k := k.(type) {
		case Work:
			w.works[strings.ToLower(k.DOI)] = k
		case Preprint:
			w.preprint[k.ID] = k
		case PMC:
			w.pmc[k.ID] = k
		case Repository:
			w.repositories[k.Name] = k
		case Capture:
			w.captures[bare(k.URL)] = append(w.captures[bare(k.URL)], k)
		default:
			return fmt.Errorf("the fake services know nothing of a %T", k)
		}
	}
	return nil
}

// bare is an address as an archive of the web looks it up: without its scheme.
func bare(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	return strings.TrimSuffix(strings.ToLower(rest), "/")
}

// service answers for the services, and for hosts that have no such page.
func (w *Web) service(host string, in *http.Request) Page {
	path := in.URL.Path
	switch {
	case path == "/robots.txt":
		return missing()
	case host == crossrefHost && strings.HasPrefix(path, "/works/"):
		return w.work(strings.ToLower(strings.TrimPrefix(path, "/works/")))
	case host == openalexHost && strings.HasPrefix(path, "/works/doi:"):
		return w.locations(strings.ToLower(strings.TrimPrefix(path, "/works/doi:")))
	case host == unpaywallHost && strings.HasPrefix(path, "/v2/"):
		return w.unpaywall(strings.ToLower(strings.TrimPrefix(path, "/v2/")), in.URL.Query().Get("email"))
	case host == europePMCHost && path == "/search":
		return w.medical(in.URL.Query())
	case host == europePMCHost && strings.HasSuffix(path, "/fullTextXML"):
		if k := w.pmc[strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/fullTextXML")]; k.Text != "" {
			return Page{MIME: "application/xml;charset=UTF-8", Body: k.Text}
		}
		return Page{Status: http.StatusNotFound, MIME: "text/plain", Body: "Not found"}
	case host == gitHubHost && strings.HasPrefix(path, "/repos/"):
		return w.gitHub(strings.TrimPrefix(path, "/repos/"), in)
	case host == doiHost && strings.Contains(in.Header.Get("Accept"), "citationstyles.csl+json"):
		return w.csl(strings.ToLower(strings.TrimPrefix(path, "/")))
	case host == doiHost:
		if k, ok := w.works[strings.ToLower(strings.TrimPrefix(path, "/"))]; ok && k.Landing != "" {
			return Page{Redirect: k.Landing}
		}
		return Page{Status: http.StatusNotFound, Body: "<title>DOI Not Found</title><h1>DOI Not Found</h1>"}
	case host == arxivHost && path == "/api/query":
		return w.atom(in.URL.Query().Get("id_list"))
	case host == waybackHost && path == "/cdx/search/cdx":
		return w.cdx(in.URL.Query())
	case host == waybackHost && path == "/wayback/available":
		return w.available(in.URL.Query().Get("url"))
	case host == waybackHost && strings.HasPrefix(path, "/web/"):
		return w.capture(strings.TrimPrefix(in.URL.RequestURI(), "/web/"))
	}
	return missing()
}

func missing() Page {
	return Page{Status: http.StatusNotFound, Body: "<!doctype html><title>404 Not Found</title><h1>Not Found</h1>"}
}

// locations is OpenAlex's answer on a work, by its DOI.
// https://docs.openalex.org/api-entities/works/work-object
func (w *Web) locations(doi string) Page {
	k, ok := w.works[doi]
	if !ok {
		return Page{Status: http.StatusNotFound, MIME: "application/json", Body: `{"error":"Not found"}`}
	}
	list := []any{map[string]any{"is_oa": false, "landing_page_url": "https://doi.org/" + k.DOI, "pdf_url": nil, "version": "publishedVersion", "license": nil}}
	for _, c := range k.Copies {
		row := map[string]any{"is_oa": !c.Closed, "landing_page_url": c.Landing, "pdf_url": nil, "version": c.Version, "license": "cc-by"}
		if c.PDF != "" {
			row["pdf_url"] = c.PDF
		}
		list = append(list, row)
	}
	return asJSON(map[string]any{"locations": list})
}

// unpaywall is Unpaywall's answer on a DOI: the same places as OpenAlex has them, under
// names of its own. https://unpaywall.org/data-format
func (w *Web) unpaywall(doi, email string) Page {
	k, ok := w.works[doi]
	switch {
	case !strings.Contains(email, "@"):
		return Page{Status: http.StatusUnprocessableEntity, MIME: "application/json", Body: `{"HTTP_status_code":422,"error":true,"message":"Email address required in API call, see http://unpaywall.org/products/api"}`}
	case !ok:
		return Page{Status: http.StatusNotFound, MIME: "application/json", Body: `{"HTTP_status_code":404,"error":true,"message":"'` + doi + `' is an invalid doi"}`}
	}
	list := []any{}
	for _, c := range k.Copies {
		if !c.Closed {
			row := map[string]any{"endpoint_id": nil, "host_type": "repository", "is_best": len(list) == 0, "license": nil, "url": c.Landing, "url_for_landing_page": c.Landing, "url_for_pdf": nil, "version": c.Version}
			if c.PDF != "" {
				row["url"], row["url_for_pdf"] = c.PDF, c.PDF
			}
			list = append(list, row)
		}
	}
	return asJSON(map[string]any{"doi": doi, "doi_url": "https://doi.org/" + doi, "is_oa": len(list) > 0, "data_standard": 2, "oa_status": "green", "title": k.Title, "oa_locations": list})
}

// medical is the answer of Europe PMC's search to DOI:"…" or PMCID:….
// https://europepmc.org/RestfulWebService
func (w *Web) medical(q url.Values) Page {
	yes := map[bool]string{true: "Y", false: "N"}
	list := []any{}
	for _, k := range w.pmc {
		if q.Get("query") == `DOI:"`+k.DOI+`"` || q.Get("query") == "PMCID:"+k.ID {
			source := "MED"
			if k.Preprint {
				source = "PPR"
			}
			list = append(list, map[string]any{
				"id": "1", "source": source, "pmcid": k.ID, "doi": k.DOI, "isOpenAccess": yes[k.Text != ""], "inEPMC": yes[k.Text != ""], "inPMC": "Y",
				"authMan": yes[k.Manuscript], "epmcAuthMan": "N", "nihAuthMan": yes[k.Manuscript],
			})
		}
	}
	return asJSON(map[string]any{"version": "6.9", "hitCount": len(list), "request": map[string]any{"queryString": q.Get("query"), "resultType": q.Get("resultType")}, "resultList": map[string]any{"result": list}})
}

// gitHub is what GitHub's REST API says of a commit and of a README.
// https://docs.github.com/en/rest/commits/commits#get-a-commit
// https://docs.github.com/en/rest/repos/contents#get-a-repository-readme
func (w *Web) gitHub(path string, in *http.Request) Page {
	parts := strings.SplitN(path, "/", 4)
	unknown := Page{Status: http.StatusNotFound, MIME: "application/json; charset=utf-8", Body: `{"message":"Not Found","documentation_url":"https://docs.github.com/rest","status":"404"}`}
	if len(parts) < 3 {
		return unknown
	}
	k, ok := w.repositories[parts[0]+"/"+parts[1]]
	switch {
	case !ok:
	case parts[2] == "readme" && k.Readme != "":
		return asJSON(map[string]any{"type": "file", "encoding": "base64", "name": k.Readme, "path": k.Readme, "content": ""})
	case parts[2] == "commits" && len(parts) == 4 && k.Commits[parts[3]] == "":
		return Page{Status: http.StatusUnprocessableEntity, MIME: "application/json; charset=utf-8", Body: `{"message":"No commit found for SHA: ` + parts[3] + `","status":"422"}`}
	case parts[2] == "commits" && len(parts) == 4 && in.Header.Get("Accept") == "application/vnd.github.sha":
		return Page{MIME: "application/vnd.github.sha; charset=utf-8", Body: k.Commits[parts[3]]}
	}
	return unknown
}

// work is the answer of Crossref's REST API to /works/DOI.
func (w *Web) work(doi string) Page {
	k, ok := w.works[doi]
	if !ok || k.Elsewhere {
		return Page{Status: http.StatusNotFound, MIME: "text/plain", Body: "Resource not found."}
	}
	message := map[string]any{
		"DOI": k.DOI, "title": []string{k.Title}, "author": k.creators(), "type": "journal-article",
		"issued": map[string]any{"date-parts": [][]int{{k.Year, 3, 1}}},
	}
	if k.Retracted {
		message["updated-by"] = []any{update(k.DOI, "retraction", k.Year+1)}
	}
	if k.Concern {
		message["updated-by"] = []any{update(k.DOI, "expression_of_concern", k.Year+1)}
	}
	return asJSON(map[string]any{"status": "ok", "message-type": "work", "message-version": "1.0.0", "message": message})
}

// csl is a record as agencies of DOIs give it where one is accepted.
func (w *Web) csl(doi string) Page {
	k, ok := w.works[doi]
	if !ok {
		return missing()
	}
	p := asJSON(map[string]any{
		"type": "dataset", "DOI": k.DOI, "title": k.Title, "author": k.creators(),
		"issued": map[string]any{"date-parts": [][]int{{k.Year}}},
	})
	p.MIME = "application/vnd.citationstyles.csl+json"
	return p
}

func (k Work) creators() []map[string]any {
	var authors []map[string]any
	for _, a := range k.Authors {
		given, family := a, ""
		if at := strings.LastIndexByte(a, ' '); at >= 0 {
			given, family = a[:at], a[at+1:]
		}
		authors = append(authors, map[string]any{"given": given, "family": family, "sequence": "first", "affiliation": []string{}})
	}
	return authors
}

func update(doi, kind string, year int) map[string]any {
	return map[string]any{
		"DOI": doi + ".notice", "type": kind, "label": kind, "source": "publisher",
		"updated": map[string]any{"date-parts": [][]int{{year, 5, 6}}},
	}
}

// atom is the answer of arXiv's API: a feed with one entry, or with none.
func (w *Web) atom(id string) Page {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">
<title type="html">arXiv Query: id_list=` + escape(id) + `</title>`)
	if k, ok := w.preprint[id]; ok {
		fmt.Fprintf(&b, "<entry><id>http://arxiv.org/abs/%sv1</id><updated>%d-02-03T00:00:00Z</updated><published>%d-02-03T00:00:00Z</published><title>%s</title>",
			escape(id), k.Year, k.Year, escape(k.Title))
		for _, a := range k.Authors {
			b.WriteString("<author><name>" + escape(a) + "</name></author>")
		}
		if k.Withdrawn {
			b.WriteString("<arxiv:comment>This paper has been withdrawn by the authors</arxiv:comment>")
		}
		b.WriteString("</entry>")
	}
	b.WriteString("</feed>")
	return Page{MIME: "application/atom+xml; charset=UTF-8", Body: b.String()}
}

func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}

// cdx is the answer of the Wayback CDX server with output=json: rows of
// strings below a row of names, or nothing.
func (w *Web) cdx(q url.Values) Page {
	found := w.captures[bare(q.Get("url"))]
	if len(found) == 0 {
		return asJSON([]any{})
	}
	rows := [][]string{{"timestamp", "original", "mimetype", "statuscode", "digest"}}
	for _, c := range found {
		rows = append(rows, []string{c.Time, c.URL, "text/html", "200", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"})
	}
	if strings.HasPrefix(q.Get("limit"), "-") {
		rows = [][]string{rows[0], rows[len(rows)-1]}
	}
	return asJSON(rows)
}

// available is the answer of the service of availability.
func (w *Web) available(address string) Page {
	found := map[string]any{}
	if list := w.captures[bare(address)]; len(list) > 0 {
		c := list[len(list)-1]
		found["closest"] = map[string]any{
			"available": true, "status": "200", "timestamp": c.Time, "url": "http://" + waybackHost + "/web/" + c.Time + "/" + c.URL,
		}
	}
	return asJSON(map[string]any{"url": address, "archived_snapshots": found})
}

// capture is a raw capture, /web/TIMEid_/URL.
func (w *Web) capture(rest string) Page {
	stamp, address, _ := strings.Cut(rest, "/")
	stamp, raw := strings.CutSuffix(stamp, "id_")
	for _, c := range w.captures[bare(address)] {
		if raw && c.Time == stamp {
			return Page{MIME: c.MIME, Body: c.Body}
		}
	}
	return missing()
}

func asJSON(v any) Page {
	out, err := json.Marshal(v)
	if err != nil {
		return Page{Status: http.StatusInternalServerError, MIME: "text/plain", Body: err.Error()}
	}
	return Page{MIME: "application/json", Body: string(out)}
}
