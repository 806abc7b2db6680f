package engines

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// wikimedia answers what concerns every wiki: who asks, and in which form.
//
// https://www.mediawiki.org/wiki/Wikimedia_APIs/Access_policy,
// https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy,
// https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits and
// https://www.mediawiki.org/wiki/API:Errors_and_warnings (2026-11-26): a
// User-Agent with a contact is demanded, names of libraries alone are refused
// (403, in the words clients have recorded); 3 requests at once at most; 429
// with Retry-After. Free, no key. An error of the interface has status 200, a
// header MediaWiki-API-Error and an object "error".
func wikimedia(q ask, module string) (refused Answer, ok bool) {
	switch {
	case !q.named():
		return text(http.StatusForbidden, "Please set a user-agent and respect our robot policy https://w.wiki/4wJS. See also T400119.\n"), false
	case q.path != "/w/api.php":
		return page(http.StatusNotFound, "Not Found", "The requested page does not exist."), false
	case q.query.Get("action") == "" || q.query.Get("format") != "json":
		return page(http.StatusOK, "MediaWiki API help", "This is an auto-generated MediaWiki API documentation page."), false
	case q.query.Get("action") != module:
		return wikiError("badvalue", `Unrecognized value for parameter "action": `+q.query.Get("action")+"."), false
	}
	return Answer{}, true
}

func wikiError(code, words string) Answer {
	return asJSON(object{
		"error":    object{"code": code, "info": words, "*": "See https://en.wikipedia.org/w/api.php for API usage. Subscribe to the mediawiki-api-announce mailing list for notice of API deprecations and breaking changes."},
		"servedby": "mw-api-ext.eqiad.main-55cf8d96cb-k7vvg",
	}).with("MediaWiki-API-Error", code)
}

func wikiBusy() Answer {
	return page(http.StatusTooManyRequests, "Wikimedia Error", "You are making too many requests to this API. Please reduce your request rate or follow our robot policy.").with("Retry-After", "5")
}

// wikipedia is the full text search of a wiki.
//
// https://www.mediawiki.org/wiki/API:Search (2026-11-26): GET
// /w/api.php?action=query&list=search&srsearch=&srlimit=&sroffset=&format=json,
// 10 if srlimit is not said, 500 at most; what matched stands in
// <span class="searchmatch">, the rest of a snippet is HTML. The address of a
// page is made from its title.
func wikipedia() engine {
	return engine{
		page: func(r Result) string {
			return "https://en.wikipedia.org/wiki/" + url.PathEscape(strings.ReplaceAll(r.article(), " ", "_"))
		},
		busy: wikiBusy,
		answer: func(q ask, found finder) Answer {
			if refused, ok := wikimedia(q, "query"); !ok {
				return refused
			}
			query := q.query.Get("srsearch")
			if !slices.Contains(strings.Split(q.query.Get("list"), "|"), "search") {
				return asJSON(object{"batchcomplete": ""})
			}
			if query == "" {
				return wikiError("missingparam", `The "srsearch" parameter must be set.`)
			}
			n, ok := q.number("srlimit", 10, 1, 500)
			if !ok {
				return wikiError("badinteger", `Invalid value "`+q.query.Get("srlimit")+`" for integer parameter "srlimit".`)
			}
			from, _ := q.number("sroffset", 0, 0, 10_000)
			list, total := found.find(query, from, n)
			o := object{"batchcomplete": "", "query": object{"searchinfo": object{"totalhits": total, "suggestion": "lace", "suggestionsnippet": "<em>lace</em>"}, "search": rows(list, func(_ int, r Result) any {
				title := r.article()
				if found.raw {
					title = or(r.Title, r.URL)
				}
				return object{
					"ns": 0, "title": title, "pageid": r.id(), "size": 24881, "wordcount": 1929,
					"snippet": mark(r.Snippet, query, `<span class="searchmatch">`, "</span>"), "timestamp": r.made("2006-01-02T15:04:05Z"),
				}
			})}}
			if q.query.Get("formatversion") == "2" {
				o["batchcomplete"] = true
			}
			if from+len(list) < total {
				o["continue"] = object{"sroffset": from + len(list), "continue": "-||"}
			}
			return asJSON(o)
		},
	}
}

// article is the title of a result at a wiki: that of its address, or its own.
func (r Result) article() string {
	if u, of := r.at("wikipedia.org"); of {
		return strings.ReplaceAll(strings.TrimPrefix(u.Path, "/wiki/"), "_", " ")
	}
	return or(r.Title, strconv.Itoa(r.id()))
}

// wikidata is Wikidata's search of entities.
//
// https://www.wikidata.org/w/api.php?action=help&modules=wbsearchentities
// (2026-11-26): GET /w/api.php?action=wbsearchentities&search=&language=en&
// format=json, limit 7 if it is not said, 50 at most, continue. url has no
// scheme. It finds labels and aliases, not texts.
func wikidata() engine {
	return engine{
		page: func(r Result) string { return "https://www.wikidata.org/wiki/" + r.entity() },
		busy: wikiBusy,
		answer: func(q ask, found finder) Answer {
			if refused, ok := wikimedia(q, "wbsearchentities"); !ok {
				return refused
			}
			query, language := q.query.Get("search"), q.query.Get("language")
			for name, value := range map[string]string{"search": query, "language": language} {
				if value == "" {
					return wikiError("missingparam", `The "`+name+`" parameter must be set.`)
				}
			}
			n, ok := q.number("limit", 7, 1, 50)
			if !ok {
				return wikiError("badinteger", `Invalid value "`+q.query.Get("limit")+`" for integer parameter "limit".`)
			}
			from, _ := q.number("continue", 0, 0, 10_000)
			list, total := found.find(query, from, n)
			o := object{"searchinfo": object{"search": query}, "success": 1, "search": rows(list, func(_ int, r Result) any {
				address, concept := "//www.wikidata.org/wiki/"+r.entity(), "http://www.wikidata.org/entity/"+r.entity()
				if found.raw {
					address, concept = r.URL, r.URL
				}
				row := object{
					"id": r.entity(), "title": r.entity(), "pageid": r.id(), "repository": "wikidata", "url": address, "concepturi": concept, "label": r.Title,
					"display": object{"label": object{"value": r.Title, "language": language}},
					"match":   object{"type": "label", "language": language, "text": r.Title},
				}
				if r.Snippet != "" {
					row["description"] = r.Snippet
					row["display"].(object)["description"] = object{"value": r.Snippet, "language": language}
				}
				return row
			})}
			if from+len(list) < total {
				o["search-continue"] = from + len(list)
			}
			return asJSON(o)
		},
	}
}

// entity is Wikidata's name of a result.
func (r Result) entity() string {
	if u, of := r.at("wikidata.org"); of {
		return u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	}
	return "Q" + strconv.Itoa(r.id())
}

// github is GitHub's search of repositories.
//
// https://docs.github.com/en/rest/search/search#search-repositories and
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
// (2026-11-26): GET /search/repositories?q=&per_page=&page=, 100 at most; a
// User-Agent is demanded (403 in plain words); a token is not, 10 searches a
// minute without one and 30 with it; past that 403 or 429 with
// x-ratelimit-remaining 0 and x-ratelimit-reset in seconds of the epoch, or
// retry-after. Free. A missing q is 422.
func github() engine {
	const docs = "https://docs.github.com/rest"
	limits := func(a Answer, left, reset string) Answer {
		return a.with("X-RateLimit-Limit", "10", "X-RateLimit-Remaining", left, "X-RateLimit-Reset", reset, "X-RateLimit-Used", "1", "X-RateLimit-Resource", "search")
	}
	return engine{
		page: func(r Result) string { return "https://github.com/" + r.repository() },
		busy: func() Answer {
			return limits(refuse(http.StatusForbidden, object{
				"message":           "API rate limit exceeded for 203.0.113.7. (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)",
				"documentation_url": docs + "/overview/rate-limits-for-the-rest-api",
			}), "0", soon())
		},
		answer: func(q ask, found finder) Answer {
			if q.header.Get("User-Agent") == "" {
				return text(http.StatusForbidden, "\r\nRequest forbidden by administrative rules. Please make sure your request has a User-Agent header (https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). Check https://developer.github.com for other possible causes.\r\n")
			}
			if q.path != "/search/repositories" || q.method != http.MethodGet {
				return refuse(http.StatusNotFound, object{"message": "Not Found", "documentation_url": docs, "status": "404"})
			}
			query := q.query.Get("q")
			if query == "" {
				return refuse(http.StatusUnprocessableEntity, object{
					"message": "Validation Failed", "errors": []any{object{"resource": "Search", "field": "q", "code": "missing"}}, "documentation_url": "https://docs.github.com/v3/search", "status": "422",
				})
			}
			n, ok := q.number("per_page", 30, 1, 100)
			if !ok {
				n = 30 // what is no number of results is not heeded
			}
			at, _ := q.number("page", 1, 1, 1000)
			list, total := found.find(query, (at-1)*n, n)
			return limits(asJSON(object{"total_count": total, "incomplete_results": false, "items": rows(list, func(i int, r Result) any { return githubRow(i, r, found.raw) })}), "9", soon())
		},
	}
}

// repository is GitHub's name of a result: that of its address, or one made up.
func (r Result) repository() string {
	if u, of := r.at("github.com"); of {
		if part := strings.Split(strings.Trim(u.Path, "/"), "/"); len(part) >= 2 {
			return part[0] + "/" + part[1]
		}
	}
	return "example/" + r.slug()
}

func githubRow(i int, r Result, raw bool) object {
	owner, name, _ := strings.Cut(r.repository(), "/")
	address := "https://github.com/" + r.repository()
	if raw {
		address, name = r.URL, r.Title
	}
	return object{
		"id": r.id(), "node_id": "MDEwOlJlcG9zaXRvcnkx", "name": name, "full_name": owner + "/" + name, "private": false, "html_url": address, "description": orNil(r.Snippet), "fork": false,
		"owner": object{"login": owner, "id": 1, "avatar_url": "https://avatars.example/u/1", "type": "Organization", "html_url": "https://github.com/" + owner, "site_admin": false},
		"url":   "https://api.github.com/repos/" + owner + "/" + name, "created_at": r.made("2006-01-02T15:04:05Z"), "updated_at": "2026-11-20T08:00:00Z", "pushed_at": "2026-11-19T08:00:00Z",
		"homepage": nil, "size": 120, "stargazers_count": 512 - i, "watchers_count": 512 - i, "language": nil, "forks_count": 12, "open_issues_count": 3, "license": nil, "topics": []any{},
		"visibility": "public", "default_branch": "main", "archived": false, "disabled": false, "score": 1,
	}
}

// stackexchange is Stack Exchange's advanced search. It packs every answer,
// whether that was asked for or not.
//
// https://api.stackexchange.com/docs/advanced-search,
// https://api.stackexchange.com/docs/throttle and
// https://api.stackexchange.com/docs/compression (2026-11-26): GET
// /2.3/search/advanced with q, site (demanded), pagesize up to 100, page,
// order, sort, filter. Titles are HTML. 300 requests a day without a key,
// 10,000 with one, 30 a second; quota_remaining in every answer, and backoff,
// in seconds, that must be heeded. Too many is 400 with error_id 502, as
// clients have recorded it. Free. A body is there with filter=withbody alone.
func stackexchange() engine {
	wrap := func(a Answer) Answer {
		a.Body = string(packed([]byte(a.Body)))
		return a.with("Content-Encoding", "gzip")
	}
	refused := func(id int, name, words string) Answer {
		return wrap(refuse(http.StatusBadRequest, object{"error_id": id, "error_message": words, "error_name": name}))
	}
	return engine{
		page: func(r Result) string { return r.question() },
		busy: func() Answer {
			return refused(502, "throttle_violation", "too many requests from this IP, more requests available in 30 seconds")
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/2.3/search/advanced" && q.path != "/search/advanced" {
				a := refused(404, "no_method", "no method found with this name")
				a.Status = http.StatusNotFound
				return a
			}
			query := or(q.query.Get("q"), q.query.Get("title"), q.query.Get("body"))
			n, ok := q.number("pagesize", 30, 0, 100)
			at, sound := q.number("page", 1, 1, 25)
			switch site := q.query.Get("site"); {
			case site == "":
				return refused(400, "bad_parameter", "site is required")
			case strings.ContainsAny(site, " /"):
				return refused(400, "bad_parameter", "No site found for name `"+site+"`")
			case !ok:
				return refused(400, "bad_parameter", "pagesize")
			case !sound:
				return refused(403, "access_denied", "page above 25 requires access token or app key")
			}
			list, total := found.find(query, (at-1)*n, n)
			return wrap(asJSON(object{
				"has_more": total > at*n, "quota_max": 300, "quota_remaining": 287,
				"items": rows(list, func(_ int, r Result) any { return questionRow(r, q.query.Get("filter") == "withbody", found.raw) }),
			}))
		},
	}
}

// question is the address of a result at Stack Exchange: its own, or one made
// up.
func (r Result) question() string {
	for _, site := range []string{"stackoverflow.com", "stackexchange.com", "superuser.com", "serverfault.com", "askubuntu.com", "mathoverflow.net"} {
		if _, of := r.at(site); of {
			return r.URL
		}
	}
	return fmt.Sprintf("https://stackoverflow.com/questions/%d/%s", r.id(), r.slug())
}

func questionRow(r Result, body, raw bool) object {
	address := r.question()
	if raw {
		address = r.URL
	}
	day := int64(1_551_675_967)
	if d, ok := r.date(); ok {
		day = d.Unix()
	}
	o := object{
		"tags":        []any{"lakes"},
		"owner":       object{"account_id": 1, "reputation": 4021, "user_id": 2, "user_type": "registered", "profile_image": "https://images.example/a.png", "display_name": "Ada &amp; Bo", "link": "https://stackoverflow.com/users/2"},
		"is_answered": true, "view_count": 3021, "accepted_answer_id": 3, "answer_count": 2, "score": 17, "last_activity_date": day + 86400, "creation_date": day, "last_edit_date": day + 3600,
		"question_id": r.id(), "content_license": "CC BY-SA 4.0", "link": address, "title": entities(r.Title),
	}
	if body {
		o["body"] = "<p>" + entities(r.Snippet) + "</p>\n"
	}
	return o
}

// hackernews is the search of Hacker News by Algolia.
//
// https://hn.algolia.com/api (2026-11-26, the page from memory, the fields of a
// hit from recorded answers): GET /api/v1/search and /api/v1/search_by_date
// with query, tags (story), hitsPerPage, page, numericFilters. url is null
// where a story has none. No key, free, 10,000 requests an hour; 429: from
// memory.
func hackernews() engine {
	return engine{
		page: func(r Result) string { return "https://news.ycombinator.com/item?id=" + strconv.Itoa(r.id()) },
		busy: func() Answer {
			return refuse(http.StatusTooManyRequests, object{"message": "Too many requests", "status": 429})
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/api/v1/search" && q.path != "/api/v1/search_by_date" || q.method != http.MethodGet {
				return refuse(http.StatusNotFound, object{"status": 404, "error": "Not Found"})
			}
			n, ok := q.number("hitsPerPage", 20, 1, 1000)
			at, sound := q.number("page", 0, 0, 1000)
			if !ok || !sound {
				return refuse(http.StatusBadRequest, object{"message": "invalid page or hitsPerPage", "status": 400})
			}
			query := q.query.Get("query")
			list, total := found.find(query, at*n, n)
			return asJSON(object{
				"hits": rows(list, func(_ int, r Result) any { return storyRow(r, query) }), "nbHits": total, "page": at, "nbPages": (total + n - 1) / n, "hitsPerPage": n, "query": query,
				"exhaustive": object{"nbHits": false, "typo": false}, "exhaustiveNbHits": false, "exhaustiveTypo": false, "params": "query=" + url.QueryEscape(query) + "&advancedSyntax=true", "processingTimeMS": 4, "serverTimeMS": 5,
			})
		},
	}
}

func storyRow(r Result, query string) object {
	marked := func(s string) object {
		return object{"value": mark(s, query, "<em>", "</em>"), "matchLevel": "full", "fullyHighlighted": false, "matchedWords": words(strings.ToLower(query))}
	}
	day := int64(1_551_675_967)
	if d, ok := r.date(); ok {
		day = d.Unix()
	}
	o := object{
		"objectID": strconv.Itoa(r.id()), "story_id": r.id(), "title": r.Title, "url": orNil(r.URL), "author": "ada", "points": 187, "num_comments": 41, "children": []any{r.id() + 1},
		"created_at": r.made("2006-01-02T15:04:05Z"), "created_at_i": day, "updated_at": "2026-11-20T08:00:00Z", "_tags": []any{"story", "author_ada", "story_" + strconv.Itoa(r.id())},
		"_highlightResult": object{"title": marked(r.Title), "url": marked(r.URL), "author": object{"value": "ada", "matchLevel": "none", "matchedWords": []any{}}},
	}
	if r.Snippet != "" {
		o["story_text"] = entities(r.Snippet)
	}
	return o
}

// npm is the search of npm's public registry.
//
// https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md#get-v1search
// (2026-11-26): GET /-/v1/search with text, size (20 if it is not said, 250 at
// most), from, quality, popularity, maintenance. No key, free, no limit is
// published. A text of less than 2 or more than 64 signs is ERR_TEXT_LENGTH,
// as clients have recorded it; downloads and dependents, 429 and its words:
// from memory.
func npm() engine {
	return engine{
		page: func(r Result) string { return "https://www.npmjs.com/package/" + r.module() },
		busy: func() Answer {
			return refuse(http.StatusTooManyRequests, object{"error": "rate limited"}).with("Retry-After", "30")
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/-/v1/search" || q.method != http.MethodGet {
				return refuse(http.StatusNotFound, object{"error": "Not found"})
			}
			query := q.query.Get("text")
			if len(query) < 2 || len(query) > 64 {
				return refuse(http.StatusBadRequest, object{"code": "ERR_TEXT_LENGTH", "error": "text must be between 2 and 64 characters"})
			}
			n, ok := q.number("size", 20, 0, 250)
			if !ok {
				n = 250
			}
			from, _ := q.number("from", 0, 0, 10_000)
			list, total := found.find(query, from, n)
			return asJSON(object{"total": total, "time": "2026-11-26T08:00:00.000Z", "objects": rows(list, func(i int, r Result) any { return moduleRow(i, r, found.raw) })})
		},
	}
}

// module is npm's name of a result.
func (r Result) module() string {
	if u, of := r.at("npmjs.com"); of {
		return strings.TrimPrefix(u.Path, "/package/")
	}
	return r.slug()
}

func moduleRow(i int, r Result, raw bool) object {
	name, address := r.module(), "https://www.npmjs.com/package/"+r.module()
	if raw {
		name, address = r.Title, r.URL
	}
	return object{
		"package": object{
			"name": name, "scope": "unscoped", "version": "6.6.0", "description": r.Snippet, "sanitized_name": name, "keywords": []any{"lake"}, "date": r.made("2006-01-02T15:04:05.000Z"), "license": "MIT",
			"links":     object{"npm": address, "homepage": "https://homepage.example/", "repository": "git+https://github.com/example/lake.git", "bugs": "https://github.com/example/lake/issues"},
			"publisher": object{"username": "ada", "email": "ada@mail.example"}, "maintainers": []any{object{"username": "ada", "email": "ada@mail.example"}},
		},
		"score": object{"final": 0.92, "detail": object{"quality": 0.92, "popularity": 0.84, "maintenance": 0.99}}, "searchScore": 100_000.9 / float64(i+1), "flags": object{"insecure": 0},
		"downloads": object{"monthly": 412, "weekly": 99}, "dependents": "12", "updated": "2026-11-20T08:00:00.000Z",
	}
}

// crates is the search of crates.io.
//
// https://crates.io/data-access and
// https://doc.rust-lang.org/cargo/reference/registry-web-api.html#search
// (2026-11-26): GET /api/v1/crates?q=&per_page=&page=, 10 if per_page is not
// said, 100 at most. A User-Agent that names the client is demanded, with a
// contact if it can be: one that does not, as a library's own, is 403 in the
// words below (https://gist.github.com/suzuki-shunsuke/042f15cb1e3fa7d2b30366a74c09a2a2).
// One request a second; no key; free. 429 and its words: from memory.
func crates() engine {
	refused := func(status int, words string) Answer {
		return refuse(status, object{"errors": []any{object{"detail": words}}})
	}
	return engine{
		page: func(r Result) string { return "https://crates.io/crates/" + r.crate() },
		busy: func() Answer {
			return refused(http.StatusTooManyRequests, "You have sent too many requests. Please try again later or email help@crates.io to have your limit increased.").with("Retry-After", "5")
		},
		answer: func(q ask, found finder) Answer {
			if !q.named() {
				return refused(http.StatusForbidden, "We are unable to process your request at this time. This usually means that you are in violation of our API data access policy (https://crates.io/data-access). Please email help@crates.io and provide the request id 3f0a")
			}
			if q.path != "/api/v1/crates" {
				return refused(http.StatusNotFound, "Not Found")
			}
			if q.method != http.MethodGet {
				return refused(http.StatusMethodNotAllowed, "Method Not Allowed")
			}
			n, ok := q.number("per_page", 10, 1, 100)
			if !ok {
				return refused(http.StatusBadRequest, "cannot request more than 100 items")
			}
			at, ok := q.number("page", 1, 1, 10_000)
			if !ok {
				return refused(http.StatusBadRequest, "page indexing starts from 1, page 0 is invalid")
			}
			list, total := found.find(q.query.Get("q"), (at-1)*n, n)
			var next any
			if total > at*n {
				next = "?q=" + url.QueryEscape(q.query.Get("q")) + "&page=" + strconv.Itoa(at+1)
			}
			return asJSON(object{
				"crates": rows(list, func(_ int, r Result) any { return crateRow(r, found.raw) }), "meta": object{"total": total, "next_page": next, "prev_page": nil},
			})
		},
	}
}

// crate is the name of a result at crates.io.
func (r Result) crate() string {
	if u, of := r.at("crates.io"); of {
		return strings.TrimPrefix(u.Path, "/crates/")
	}
	return r.slug()
}

func crateRow(r Result, raw bool) object {
	name := r.crate()
	var home, docs any
	if raw {
		name, home, docs = r.Title, r.URL, r.URL
	}
	return object{
		"id": name, "name": name, "updated_at": "2026-11-20T08:00:00.000000Z", "versions": nil, "keywords": nil, "categories": nil, "badges": []any{}, "created_at": r.made("2006-01-02T15:04:05.000000Z"),
		"downloads": 4021, "recent_downloads": 412, "default_version": "0.6.1", "num_versions": 7, "yanked": false, "max_version": "0.6.1", "newest_version": "0.6.1", "max_stable_version": "0.6.1",
		"description": orNil(r.Snippet), "homepage": home, "documentation": docs, "repository": "https://github.com/example/lake", "exact_match": false, "trustpub_only": false,
		"links": object{"version_downloads": "/api/v1/crates/" + name + "/downloads", "versions": "/api/v1/crates/" + name + "/versions", "owners": "/api/v1/crates/" + name + "/owners", "reverse_dependencies": "/api/v1/crates/" + name + "/reverse_dependencies"},
	}
}

// wayback is the index of what the Wayback Machine has captured. It does not
// know words: the address that is asked for decides.
//
// https://github.com/internetarchive/wayback/blob/master/wayback-cdx-server/README.md
// (2026-11-26): GET /cdx/search/cdx with url (demanded), matchType (exact,
// prefix, host, domain, or * in the address), output=json, fl, from, to,
// filter, collapse, limit, which counts from the end where it is negative.
// With json a row of names comes first, and [] where there is nothing. Free,
// no key; too many is 429
// (https://github.com/edgi-govdata-archiving/wayback/issues/137: 60 a minute,
// and those that go on are shut out; 24 since June 2026,
// https://github.com/StrawberryMaster/wayback-machine-downloader/issues/68).
// The words of 429 and 400: from memory. collapse and filter are not heeded.
func wayback() engine {
	return engine{
		page: func(r Result) string { return "https://web.archive.org/web/" + r.captured() + "/" + r.URL },
		busy: func() Answer { return page(http.StatusTooManyRequests, "429 Too Many Requests", "nginx") },
		answer: func(q ask, found finder) Answer {
			if strings.TrimSuffix(q.path, "/") != "/cdx/search/cdx" && q.path != "/cdx/search" || q.method != http.MethodGet {
				return page(http.StatusNotFound, "Not Found", "The requested page could not be found.")
			}
			if q.query.Get("url") == "" {
				return text(http.StatusBadRequest, "Required parameter 'url' is missing\n")
			}
			list := found.list
			if !found.raw {
				list = slices.DeleteFunc(slices.Clone(list), func(r Result) bool { return !captures(q.query, r) })
			}
			if n, ok := q.number("limit", len(list), -150_000, 150_000); ok && n < 0 {
				list = list[max(0, len(list)+n):]
			} else if ok && !found.raw {
				list = list[:min(n, len(list))]
			}
			return cdx(q.query, list)
		},
	}
}

// captured is when the Wayback Machine has seen a result.
func (r Result) captured() string { return r.made("20060102150405") }

// bare is an address as the index has it: without scheme, www and a slash at
// the end.
func bare(address string) string {
	address = strings.ToLower(address)
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "www."), "/")
}

func captures(v url.Values, r Result) bool {
	kind, wanted := v.Get("matchType"), v.Get("url")
	if rest, ok := strings.CutSuffix(wanted, "*"); ok {
		kind, wanted = "prefix", rest
	} else if rest, ok := strings.CutPrefix(wanted, "*."); ok {
		kind, wanted = "domain", rest
	}
	if day := r.captured(); v.Get("from") > day || v.Get("to") != "" && v.Get("to")+"99999999999999" < day {
		return false
	}
	host, _, _ := strings.Cut(bare(wanted), "/")
	is, _, _ := strings.Cut(bare(r.URL), "/")
	switch kind {
	case "prefix":
		return strings.HasPrefix(bare(r.URL), bare(wanted))
	case "host":
		return is == host
	case "domain":
		return is == host || strings.HasSuffix(is, "."+host)
	}
	return bare(r.URL) == bare(wanted)
}

func cdx(v url.Values, list []Result) Answer {
	names := strings.Split(or(v.Get("fl"), "urlkey,timestamp,original,mimetype,statuscode,digest,length"), ",")
	table := []any{}
	lines := ""
	for _, r := range list {
		host, path, _ := strings.Cut(bare(r.URL), "/")
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		known := map[string]string{
			"urlkey": strings.Join(labels, ",") + ")/" + path, "timestamp": r.captured(), "original": r.URL, "mimetype": "text/html", "statuscode": "200", "digest": "Q4YULN754FHV2U6Q5JUT6Q2P57WEWNNY", "length": "1415",
		}
		var row []any
		for _, name := range names {
			row = append(row, known[name])
			lines += known[name] + " "
		}
		table = append(table, row)
		lines = strings.TrimSuffix(lines, " ") + "\n"
	}
	if v.Get("output") != "json" {
		return text(http.StatusOK, lines)
	}
	if len(table) > 0 {
		table = append([]any{names}, table...)
	}
	return asJSON(table)
}
