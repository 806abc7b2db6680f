package engines

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// openalex is OpenAlex's list of works.
//
// https://developers.openalex.org/api-reference/authentication.md and
// https://developers.openalex.org/api-reference/errors.md (2026-11-26): GET
// /works?search=, per_page (or per-page) up to 100, page, filter, select,
// api_key, mailto. A key is free and not demanded: without one 0.10 USD of use
// a day, with it 1 USD; a search is 0.001 USD; 100 requests a second. 429 when
// the day's budget is spent, with Retry-After to midnight UTC and
// X-RateLimit-Remaining-USD, as clients have recorded it. There is no text of
// an abstract, only the places of its words. The fields of a work:
// https://docs.openalex.org/api-entities/works/work-object, from memory.
func openalex() engine {
	refused := func(words string) Answer {
		return refuse(http.StatusBadRequest, object{"error": "Invalid query parameters error.", "message": words})
	}
	return engine{
		page: func(r Result) string { return "https://openalex.org/W" + strconv.Itoa(r.id()) },
		busy: func() Answer {
			return refuse(http.StatusTooManyRequests, object{
				"error":             "Rate limit exceeded",
				"message":           "Insufficient budget. This request requires 10 credits ($0.001) but you only have $0 remaining. Resets at midnight UTC. Add prepaid funds at https://openalex.org/pricing",
				"dailyRemainingUsd": 0, "prepaidRemainingUsd": 0, "creditsRequired": 10,
			}).with("Retry-After", "36000", "X-RateLimit-Limit-USD", "0.1", "X-RateLimit-Remaining-USD", "0")
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/works" || q.method != http.MethodGet {
				return refuse(http.StatusNotFound, object{"error": "Not found", "message": "The requested URL was not found on the server."})
			}
			if old := q.query.Get("per-page"); old != "" {
				q.query.Set("per_page", old)
			}
			n, ok := q.number("per_page", 25, 1, 100)
			if !ok {
				return refused("per-page parameter must be between 1 and 100")
			}
			at, ok := q.number("page", 1, 1, 10_000)
			if !ok {
				return refused("page parameter must be a positive integer")
			}
			list, total := found.find(q.query.Get("search")+" "+q.query.Get("filter"), (at-1)*n, n)
			return asJSON(object{
				"meta":    object{"count": total, "db_response_time_ms": 38, "page": at, "per_page": n, "groups_count": nil, "cost_usd": 0.001},
				"results": rows(list, func(i int, r Result) any { return picked(q.query.Get("select"), openalexWork(i, r)) }), "group_by": []any{},
			}).with("X-RateLimit-Limit-USD", "0.1", "X-RateLimit-Remaining-USD", "0.042")
		},
	}
}

// picked is an object with the members that were asked for alone; "" asks for
// all.
func picked(names string, o object) object {
	if names == "" {
		return o
	}
	some := object{}
	for name := range strings.SplitSeq(names, ",") {
		if v, there := o[strings.TrimSpace(name)]; there {
			some[strings.TrimSpace(name)] = v
		}
	}
	return some
}

func openalexWork(i int, r Result) object {
	own := "https://openalex.org/W" + strconv.Itoa(r.id())
	var doi any
	if r.DOI != "" {
		doi = "https://doi.org/" + strings.ToLower(r.DOI)
	}
	location := object{
		"is_oa": false, "landing_page_url": r.URL, "pdf_url": nil, "license": nil, "version": "publishedVersion", "is_accepted": true, "is_published": true,
		"source": object{"id": "https://openalex.org/S4210172589", "display_name": "Journal of Lakes", "issn_l": "1234-5678", "type": "journal", "host_organization_name": nil},
	}
	return object{
		"id": own, "doi": doi, "title": orNil(r.Title), "display_name": orNil(r.Title), "relevance_score": 512.3 / float64(i+1),
		"publication_year": number(r.made("2006")), "publication_date": r.made(time.DateOnly), "ids": object{"openalex": own, "doi": doi, "mag": nil},
		"language": "en", "primary_location": location, "best_oa_location": nil, "locations": []any{location}, "type": "article", "type_crossref": "journal-article",
		"open_access":  object{"is_oa": false, "oa_status": "closed", "oa_url": nil, "any_repository_has_fulltext": false},
		"authorships":  []any{object{"author_position": "first", "author": object{"id": "https://openalex.org/A5023888391", "display_name": "Ada Example", "orcid": nil}, "institutions": []any{}}},
		"is_retracted": false, "is_paratext": false, "cited_by_count": 41, "biblio": object{"volume": "4", "issue": nil, "first_page": "12", "last_page": "19"},
		"abstract_inverted_index": inverted(r.Snippet), "counts_by_year": []any{object{"year": 2024, "cited_by_count": 3}}, "referenced_works": []any{},
	}
}

// inverted is a text as OpenAlex gives it: each word with its places, or null.
func inverted(s string) any {
	if s == "" {
		return nil
	}
	index := object{}
	for i, w := range strings.Fields(s) {
		places, _ := index[w].([]any)
		index[w] = append(places, i)
	}
	return index
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// crossref is Crossref's list of works. It knows nothing without a DOI.
//
// https://crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/
// and https://github.com/CrossRef/rest-api-doc (2026-11-26): GET /works or
// /v1/works with query, query.bibliographic, rows up to 1,000, offset, select.
// Whoever gives an address, as mailto= or in User-Agent, is in the polite
// pool, which x-api-pool says; x-rate-limit-limit and x-rate-limit-interval
// say the limit, 429 that it was passed. Free. Since December 2025 5 a second
// and 1 at once, or 10 and 3 in the polite pool, and the words of 429: from
// memory. Titles may hold entities and tags, an abstract is JATS.
func crossref() engine {
	return engine{
		page: func(r Result) string { return "https://doi.org/" + r.doi() },
		busy: func() Answer {
			return text(http.StatusTooManyRequests, "Too Many Requests").with("Retry-After", "1", "X-Rate-Limit-Limit", "5", "X-Rate-Limit-Interval", "1s", "X-Api-Pool", "public")
		},
		answer: func(q ask, found finder) Answer {
			if strings.TrimPrefix(q.path, "/v1") != "/works" || q.method != http.MethodGet {
				return text(http.StatusNotFound, "Resource not found.")
			}
			n, ok := q.number("rows", 20, 0, 1000)
			from, sound := q.number("offset", 0, 0, 10_000)
			if !ok || !sound {
				bad := q.query.Get("rows")
				return refuse(http.StatusBadRequest, object{"status": "failed", "message-type": "validation-failure", "message": []any{object{
					"type": "integer-not-valid", "value": bad, "message": "Integer specified as " + bad + " but must be a positive integer less than or equal to 1000. ",
				}}})
			}
			query := or(q.query.Get("query"), q.query.Get("query.bibliographic"), q.query.Get("query.title"))
			list, total := found.find(query, from, n)
			pool, limit := "public", "5"
			if q.query.Get("mailto") != "" || strings.Contains(q.header.Get("User-Agent"), "mailto:") {
				pool, limit = "polite", "10"
			}
			return asJSON(object{"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": object{
				"facets": object{}, "total-results": total, "items-per-page": n, "query": object{"start-index": from, "search-terms": query},
				"items": rows(list, func(i int, r Result) any { return picked(q.query.Get("select"), crossrefWork(i, r, found.raw)) }),
			}}).with("X-Api-Pool", pool, "X-Rate-Limit-Limit", limit, "X-Rate-Limit-Interval", "1s")
		},
	}
}

func crossrefWork(i int, r Result, raw bool) object {
	address := "https://doi.org/" + r.doi()
	if raw {
		address = r.URL
	}
	parts := []any{number(r.made("2006")), number(r.made("1")), number(r.made("2"))}
	o := object{
		"DOI": r.doi(), "URL": address, "title": []any{entities(r.Title)}, "subtitle": []any{}, "short-title": []any{}, "original-title": []any{},
		"resource": object{"primary": object{"URL": r.URL}}, "publisher": "Example Press", "prefix": "10.5555", "member": "7822", "type": "journal-article",
		"container-title": []any{"Journal of Lakes"}, "author": []any{object{"given": "Ada", "family": "Example", "sequence": "first", "affiliation": []any{}}},
		"score": 24.1 / float64(i+1), "is-referenced-by-count": 41, "references-count": 12, "source": "Crossref", "language": "en", "ISSN": []any{"1234-5678"},
		"created": object{"date-parts": []any{[]any{2024, 2, 4}}, "date-time": "2024-02-04T05:06:07Z", "timestamp": int64(1_707_023_167_000)},
		"link":    []any{object{"URL": "https://pdf.example/a.pdf", "content-type": "application/pdf", "content-version": "vor", "intended-application": "similarity-checking"}},
		"issued":  object{"date-parts": []any{[]any{nil}}}, "relation": object{}, "update-policy": "https://doi.org/10.5555/policy",
	}
	if _, ok := r.date(); ok {
		o["issued"], o["published"] = object{"date-parts": []any{parts}}, object{"date-parts": []any{parts}}
	}
	if r.Snippet != "" {
		o["abstract"] = "<jats:title>Abstract</jats:title><jats:p>" + entities(r.Snippet) + "</jats:p>"
	}
	return o
}

// arxiv is arXiv's search.
//
// https://info.arxiv.org/help/api/user-manual.html and
// https://info.arxiv.org/help/api/tou.html (2026-11-26): GET /api/query with
// search_query (all:lake AND ti:depth), id_list, start, max_results (10 if it
// is not said, 2,000 at most), sortBy, sortOrder; the answer is Atom with
// OpenSearch's counts. An error is a feed with one entry "Error". One request
// in three seconds, one connection; no key; free. The head of the feed is that
// of 2025, as recorded in https://docs.rs/crate/rsxiv. 429 "Rate exceeded."
// and the status of an error, 400: from memory. Titles and abstracts are
// broken into lines.
func arxiv() engine {
	return engine{
		page: func(r Result) string { return "http://arxiv.org/abs/" + r.preprint() },
		busy: func() Answer { return text(http.StatusTooManyRequests, "Rate exceeded.") },
		answer: func(q ask, found finder) Answer {
			if q.path != "/api/query" || q.method != http.MethodGet && q.method != http.MethodPost {
				return page(http.StatusNotFound, "404 Not Found", "The requested URL was not found.")
			}
			query := q.query.Get("search_query")
			n, ok := q.number("max_results", 10, 0, 2000)
			start, sound := q.number("start", 0, 0, 30_000)
			switch {
			case !ok:
				return atom(http.StatusBadRequest, "", 0, atomError("max_results must be an integer between 0 and 2000"))
			case !sound:
				return atom(http.StatusBadRequest, "", 0, atomError("start must be an integer"))
			case query == "" && q.query.Get("id_list") == "":
				return atom(http.StatusBadRequest, "", 0, atomError("search_query or id_list must be given"))
			}
			list, total := found.find(query, start, n)
			if ids := strings.Split(q.query.Get("id_list"), ","); query == "" {
				list = slices.DeleteFunc(slices.Clone(found.list), func(r Result) bool { return !slices.Contains(ids, r.preprint()) })
				total = len(list)
			}
			var b strings.Builder
			for _, r := range list {
				b.WriteString(atomEntry(r, found.raw))
			}
			return atom(http.StatusOK, "search_query="+query+"&id_list="+q.query.Get("id_list")+"&start="+strconv.Itoa(start)+"&max_results="+strconv.Itoa(n), total, b.String())
		},
	}
}

// preprint is arXiv's identifier of a result: that of its address, or one made
// up.
func (r Result) preprint() string {
	if u, of := r.at("arxiv.org"); of {
		if _, id, ok := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); ok {
			return strings.TrimSuffix(id, ".pdf")
		}
	}
	return fmt.Sprintf("2402.%05dv1", r.id()%100_000)
}

func atom(status int, query string, total int, entries string) Answer {
	return Answer{
		Status: status, Header: map[string]string{"Content-Type": "application/atom+xml; charset=utf-8"},
		Body: `<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/cHxbiOdZaP56ODnBPIenZhzg5f8</id>
  <title>arXiv Query: ` + escape(query) + `</title>
  <updated>2026-11-26T00:00:00Z</updated>
  <link href="https://arxiv.org/api/query?` + escape(query) + `" type="application/atom+xml"/>
  <opensearch:itemsPerPage>10</opensearch:itemsPerPage>
  <opensearch:totalResults>` + strconv.Itoa(total) + `</opensearch:totalResults>
  <opensearch:startIndex>0</opensearch:startIndex>
` + entries + `</feed>
`,
	}
}

func atomError(words string) string {
	return `  <entry>
    <id>https://arxiv.org/api/errors#` + escape(strings.ReplaceAll(words, " ", "_")) + `</id>
    <title>Error</title>
    <summary>` + escape(words) + `</summary>
    <updated>2026-11-26T00:00:00Z</updated>
    <link rel="alternate" href="https://arxiv.org/api/errors" type="text/html"/>
    <author><name>arXiv api core</name></author>
  </entry>
`
}

func atomEntry(r Result, raw bool) string {
	address := "http://arxiv.org/abs/" + r.preprint()
	pdf := "http://arxiv.org/pdf/" + r.preprint()
	if raw {
		address, pdf = r.URL, r.URL
	}
	doi := ""
	if r.DOI != "" {
		doi = "\n    <arxiv:doi>" + escape(r.DOI) + "</arxiv:doi>\n    <link title=\"doi\" href=\"https://doi.org/" + escape(r.DOI) + `" rel="related"/>`
	}
	return `  <entry>
    <id>` + escape(address) + `</id>
    <title>` + broken(escape(r.Title)) + `</title>
    <updated>` + r.made("2006-01-02T15:04:05Z") + `</updated>
    <link href="` + escape(address) + `" rel="alternate" type="text/html"/>
    <link href="` + escape(pdf) + `" rel="related" type="application/pdf" title="pdf"/>
    <summary>` + broken(escape(r.Snippet)) + `</summary>
    <category term="physics.ao-ph" scheme="http://arxiv.org/schemas/atom"/>
    <published>` + r.made("2006-01-02T15:04:05Z") + `</published>
    <arxiv:comment>12 pages, 3 figures</arxiv:comment>
    <arxiv:primary_category term="physics.ao-ph"/>
    <author>
      <name>Ada Example</name>
      <arxiv:affiliation>University of the Lake</arxiv:affiliation>
    </author>` + doi + `
  </entry>
`
}

// broken is a text of several lines, as it was typed.
func broken(s string) string {
	f := strings.Fields(s)
	for i := 6; i < len(f); i += 7 {
		f[i] = "\n  " + f[i]
	}
	return strings.ReplaceAll(strings.Join(f, " "), " \n", "\n")
}

// escape is a text in XML. What XML cannot hold becomes U+FFFD.
func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil { // a builder takes everything
		panic(err)
	}
	return b.String()
}

// europepmc is Europe PMC's search.
//
// https://europepmc.org/RestfulWebService, as
// https://rdrr.io/cran/europepmc/man/epmc_search_.html and
// https://rdrr.io/cran/fulltext/src/R/europe_pmc_utils.R use it (2026-11-26):
// GET /europepmc/webservices/rest/search with query, format (XML if it is not
// said), resultType lite or core, pageSize up to 1,000, 25 if it is not said,
// cursorMark. An abstract is in core alone, with tags. No key, free, no limit
// is published. What is no query has been answered with {"version":"6.9"} and
// nothing else. 429 and the fields of a record: from memory.
func europepmc() engine {
	return engine{
		page: func(r Result) string { return "https://europepmc.org/article/MED/" + strconv.Itoa(r.id()) },
		busy: func() Answer {
			return page(http.StatusTooManyRequests, "429 Too Many Requests", "You have sent too many requests.").with("Retry-After", "10")
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/europepmc/webservices/rest/search" || q.method != http.MethodGet {
				return page(http.StatusNotFound, "HTTP Status 404 – Not Found", "The origin server did not find a current representation for the target resource.")
			}
			query, kind := q.query.Get("query"), or(q.query.Get("resultType"), "lite")
			n, ok := q.number("pageSize", 25, 1, 1000)
			if query == "" || !ok {
				return asJSON(object{"version": "6.9"})
			}
			if !strings.EqualFold(q.query.Get("format"), "json") {
				return Answer{Header: map[string]string{"Content-Type": "application/xml;charset=UTF-8"}, Body: `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><responseWrapper><version>6.9</version><hitCount>0</hitCount></responseWrapper>`}
			}
			list, total := found.find(query, 0, n)
			return asJSON(object{
				"version": "6.9", "hitCount": total, "nextCursorMark": "AoIIP8eWVCg0NjQ1NTM2OA==",
				"request":    object{"queryString": query, "resultType": kind, "cursorMark": or(q.query.Get("cursorMark"), "*"), "pageSize": n, "sort": "", "synonym": false},
				"resultList": object{"result": rows(list, func(_ int, r Result) any { return europepmcRecord(r, kind == "core") })},
			})
		},
	}
}

func europepmcRecord(r Result, core bool) object {
	id := strconv.Itoa(r.id())
	o := object{
		"id": id, "source": "MED", "pmid": id, "title": entities(r.Title) + ".", "authorString": "Example A, Sample B.", "pubYear": r.made("2006"),
		"isOpenAccess": "N", "inEPMC": "N", "inPMC": "N", "hasPDF": "N", "citedByCount": 41, "pubType": "journal article", "firstPublicationDate": r.made(time.DateOnly), "firstIndexDate": "2024-02-05",
	}
	if r.DOI != "" {
		o["doi"] = r.DOI
	}
	if !core {
		o["journalTitle"], o["pageInfo"] = "J Lakes", "12-19"
		return o
	}
	o["journalInfo"] = object{"volume": "4", "yearOfPublication": number(r.made("2006")), "printPublicationDate": r.made(time.DateOnly), "journal": object{"title": "Journal of Lakes", "medlineAbbreviation": "J Lakes"}}
	o["authorList"] = object{"author": []any{object{"fullName": "Example A", "firstName": "Ada", "lastName": "Example", "initials": "A"}}}
	if r.Snippet != "" {
		o["abstractText"] = "<h4>Background</h4>" + entities(r.Snippet)
	}
	o["fullTextUrlList"] = object{"fullTextUrl": []any{object{"availability": "Subscription required", "availabilityCode": "S", "documentStyle": "doi", "site": "DOI", "url": r.URL}}}
	return o
}

// pubmed is PubMed by way of NCBI's E-utilities: esearch, then esummary.
//
// https://www.ncbi.nlm.nih.gov/books/NBK25499/ and
// https://support.nlm.nih.gov/kbArticle/?pn=KA-05510 (2026-11-26): GET
// /entrez/eutils/esearch.fcgi?db=pubmed&term=&retmode=json&retmax=&retstart=
// and esummary.fcgi?db=pubmed&id=1,2&retmode=json; tool= and email= are asked
// for; 3 requests a second, 10 with api_key; free. 429 with Retry-After and
// X-RateLimit-Limit, as clients have recorded it. A term that is empty is
// ERROR with status 200. A summary has no abstract; a title ends in a full
// stop. The fields of a summary: from memory.
func pubmed() engine {
	return engine{
		page: func(r Result) string { return "https://pubmed.ncbi.nlm.nih.gov/" + r.pmid() + "/" },
		busy: func() Answer {
			return refuse(http.StatusTooManyRequests, object{"error": "API rate limit exceeded", "api-key": "203.0.113.7", "count": "4", "limit": "3"}).
				with("Retry-After", "2", "X-RateLimit-Limit", "3", "X-RateLimit-Remaining", "0")
		},
		answer: func(q ask, found finder) Answer {
			v := q.query
			switch {
			case v.Get("db") != "pubmed":
				return refuse(http.StatusBadRequest, object{"error": "Invalid db name specified: " + v.Get("db")})
			case v.Get("retmode") != "json" && strings.HasSuffix(q.path, ".fcgi"):
				return Answer{Header: map[string]string{"Content-Type": "text/xml; charset=UTF-8"}, Body: `<?xml version="1.0" encoding="UTF-8" ?><eSearchResult><Count>0</Count></eSearchResult>`}
			case q.path == "/entrez/eutils/esearch.fcgi":
				return esearch(q, found)
			case q.path == "/entrez/eutils/esummary.fcgi":
				return esummary(strings.Split(v.Get("id"), ","), found)
			}
			return page(http.StatusNotFound, "404 Not Found", "The requested URL was not found on this server.")
		},
	}
}

// pmid is PubMed's number of a result: that of its address, or one made up.
func (r Result) pmid() string {
	if u, of := r.at("pubmed.ncbi.nlm.nih.gov"); of {
		return strings.Trim(u.Path, "/")
	}
	return strconv.Itoa(r.id())
}

func esearch(q ask, found finder) Answer {
	head := object{"type": "esearch", "version": "0.3"}
	term := q.query.Get("term")
	if term == "" {
		return asJSON(object{"header": head, "esearchresult": object{"ERROR": "Empty term and query_key - nothing todo"}})
	}
	n, _ := q.number("retmax", 20, 0, 10_000)
	start, _ := q.number("retstart", 0, 0, 10_000)
	list, total := found.find(term, start, n)
	return asJSON(object{"header": head, "esearchresult": object{
		"count": strconv.Itoa(total), "retmax": strconv.Itoa(len(list)), "retstart": strconv.Itoa(start), "idlist": rows(list, func(_ int, r Result) any { return r.pmid() }),
		"translationset": []any{object{"from": term, "to": `"` + term + `"[All Fields]`}}, "querytranslation": `"` + term + `"[All Fields]`,
	}}).with("X-RateLimit-Limit", "3", "X-RateLimit-Remaining", "2")
}

func esummary(ids []string, found finder) Answer {
	head := object{"type": "esummary", "version": "0.3"}
	if len(ids) == 1 && ids[0] == "" {
		return asJSON(object{"header": head, "esummaryresult": []any{"Empty id list - nothing todo"}})
	}
	result := object{"uids": ids}
	for _, id := range ids {
		result[id] = object{"uid": id, "error": "cannot get document summary"}
	}
	for _, r := range found.list {
		if slices.Contains(ids, r.pmid()) {
			result[r.pmid()] = docsum(r)
		}
	}
	return asJSON(object{"header": head, "result": result}).with("X-RateLimit-Limit", "3", "X-RateLimit-Remaining", "1")
}

func docsum(r Result) object {
	articles := []any{object{"idtype": "pubmed", "idtypen": 1, "value": r.pmid()}}
	where := ""
	if r.DOI != "" {
		articles = append(articles, object{"idtype": "doi", "idtypen": 3, "value": r.DOI})
		where = "doi: " + r.DOI
	}
	return object{
		"uid": r.pmid(), "pubdate": r.made("2006 Jan 2"), "epubdate": "", "source": "J Lakes", "title": entities(r.Title) + ".", "sorttitle": strings.ToLower(r.Title),
		"authors":    []any{object{"name": "Example A", "authtype": "Author", "clusterid": ""}, object{"name": "Sample B", "authtype": "Author", "clusterid": ""}},
		"lastauthor": "Sample B", "volume": "4", "issue": "1", "pages": "12-19", "lang": []any{"eng"}, "nlmuniqueid": "101234567", "issn": "1234-5678", "essn": "", "pubtype": []any{"Journal Article"},
		"recordstatus": "PubMed - indexed for MEDLINE", "pubstatus": "4", "articleids": articles, "history": []any{object{"pubstatus": "entrez", "date": r.made("2006/01/02") + " 00:00"}},
		"references": []any{}, "attributes": []any{"Has Abstract"}, "pmcrefcount": "", "fulljournalname": "Journal of Lakes", "elocationid": where, "doctype": "citation", "srccontriblist": []any{},
		"booktitle": "", "medium": "", "edition": "", "publisherlocation": "", "publishername": "", "srcdate": "", "reportnumber": "", "availablefromurl": "", "locationlabel": "", "doccontriblist": []any{},
		"docdate": "", "bookname": "", "chapter": "", "sortpubdate": r.made("2006/01/02") + " 00:00", "sortfirstauthor": "Example A", "vernaculartitle": "",
	}
}

// semanticscholar is the search of Semantic Scholar's graph.
//
// https://api.semanticscholar.org/api-docs/graph and
// https://www.semanticscholar.org/product/api (2026-11-26): GET
// /graph/v1/paper/search with query, fields, offset, limit up to 100. A record
// has paperId and title, and more only where fields asks for it. x-api-key is
// not demanded: without it a pool is shared with everybody, with it 1 request
// a second; free. 429 has no Retry-After, as clients have recorded it. The
// words of 400: from memory.
func semanticscholar() engine {
	known := []string{
		"paperId", "corpusId", "externalIds", "url", "title", "abstract", "venue", "publicationVenue", "year", "referenceCount", "citationCount", "influentialCitationCount",
		"isOpenAccess", "openAccessPdf", "fieldsOfStudy", "s2FieldsOfStudy", "publicationTypes", "publicationDate", "journal", "citationStyles", "authors", "tldr",
	}
	return engine{
		page: func(r Result) string { return "https://www.semanticscholar.org/paper/" + r.paper() },
		busy: func() Answer {
			return refuse(http.StatusTooManyRequests, object{
				"message": "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. https://www.semanticscholar.org/product/api#api-key-form", "code": "429",
			})
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/graph/v1/paper/search" || q.method != http.MethodGet {
				return refuse(http.StatusNotFound, object{"error": "Not Found"})
			}
			query, fields := q.query.Get("query"), strings.Split(or(q.query.Get("fields"), "paperId,title"), ",")
			if query == "" {
				return refuse(http.StatusBadRequest, object{"error": "Missing required parameter: 'query'"})
			}
			for _, f := range fields {
				if first, _, _ := strings.Cut(f, "."); !slices.Contains(known, first) {
					return refuse(http.StatusBadRequest, object{"error": "Unrecognized or unsupported fields: [" + f + "]"})
				}
			}
			n, ok := q.number("limit", 100, 1, 100)
			if !ok {
				return refuse(http.StatusBadRequest, object{"error": "limit must be <= 100"})
			}
			from, _ := q.number("offset", 0, 0, 1000)
			list, total := found.find(query, from, n)
			o := object{"total": total, "offset": from, "data": rows(list, func(_ int, r Result) any { return picked("paperId,"+strings.Join(fields, ","), r.record(found.raw)) })}
			if from+len(list) < total {
				o["next"] = from + len(list)
			}
			return asJSON(o)
		},
	}
}

// paper is Semantic Scholar's identifier of a result.
func (r Result) paper() string { return fmt.Sprintf("%040x", r.id()) }

func (r Result) record(raw bool) object {
	address := "https://www.semanticscholar.org/paper/" + r.paper()
	if raw {
		address = r.URL
	}
	external := object{"CorpusId": r.id()}
	if r.DOI != "" {
		external["DOI"] = r.DOI
	}
	if _, of := r.at("arxiv.org"); of {
		external["ArXiv"], _, _ = strings.Cut(r.preprint(), "v")
	}
	return object{
		"paperId": r.paper(), "corpusId": r.id(), "externalIds": external, "url": address, "title": r.Title, "abstract": orNil(r.Snippet), "venue": "Journal of Lakes", "publicationVenue": nil,
		"year": number(r.made("2006")), "referenceCount": 12, "citationCount": 41, "influentialCitationCount": 2, "isOpenAccess": false, "openAccessPdf": nil, "fieldsOfStudy": nil,
		"s2FieldsOfStudy": []any{object{"category": "Geology", "source": "s2-fos-model"}}, "publicationTypes": []any{"JournalArticle"}, "publicationDate": r.on(time.DateOnly),
		"journal": object{"name": "Journal of Lakes", "pages": "12-19", "volume": "4"}, "citationStyles": object{"bibtex": "@Article{Example2024}"},
		"authors": []any{object{"authorId": "1741101", "name": "Ada Example"}}, "tldr": nil,
	}
}
