package engines

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// searxng is an instance whose settings allow json beside html.
//
// https://docs.searxng.org/dev/search_api.html (2026-11-26): GET or POST / and
// /search; q, format, pageno, language, time_range, categories, engines,
// safesearch. A format the instance has not set is 403. The fields of the
// answer, "No query" with 400 and 429 of its limiter: from memory, and from
// tests of clients. There is no key, no limit is published, and it is free;
// how many results come is not for the client to say.
func searxng() engine {
	return engine{page: itself, busy: func() Answer { return text(http.StatusTooManyRequests, "Too Many Requests") }, answer: func(q ask, found finder) Answer {
		v := q.query
		if q.path != "/" && q.path != "/search" {
			return page(http.StatusNotFound, "Page not found", "Go to search page.")
		}
		if q.method == http.MethodPost {
			v, _ = url.ParseQuery(string(q.body)) // what is no form has no q
		} else if q.method != http.MethodGet {
			return page(http.StatusMethodNotAllowed, "405 Method Not Allowed", "The method is not allowed for the requested URL.")
		}
		switch format := v.Get("format"); {
		case format == "" || format == "html":
			return page(http.StatusOK, "SearXNG", "A page for people.")
		case format != "json":
			return page(http.StatusForbidden, "403 Forbidden", "You don't have the permission to access the requested resource.")
		case v.Get("q") == "":
			return refuse(http.StatusBadRequest, object{"error": "No query"})
		}
		at, _ := strconv.Atoi(or(v.Get("pageno"), "1"))
		list, _ := found.find(v.Get("q"), (at-1)*10, 10)
		return asJSON(object{
			"query": v.Get("q"), "number_of_results": 0, "answers": []any{}, "corrections": []any{}, "infoboxes": []any{},
			"suggestions":          []any{v.Get("q") + " map"},
			"unresponsive_engines": []any{[]any{"brave", "Suspended: too many requests"}},
			"results": rows(list, func(i int, r Result) any {
				u, _ := url.Parse(r.URL)
				if u == nil {
					u = &url.URL{}
				}
				return object{
					"url": r.URL, "title": r.Title, "content": r.Snippet, "publishedDate": r.on("2006-01-02T15:04:05"), "thumbnail": nil,
					"engine": "duckduckgo", "template": "default.html", "parsed_url": []any{u.Scheme, u.Host, u.Path, "", u.RawQuery, ""},
					"img_src": "", "iframe_src": "", "audio_src": "", "priority": "", "engines": []any{"duckduckgo", "startpage"},
					"positions": []any{i + 1, i + 2}, "score": 3.5 / float64(i+1), "category": "general", "pubdate": nil,
				}
			}),
		})
	}}
}

// brave is Brave's web search.
//
// https://github.com/brave/brave-search-skills/blob/main/skills/web-search/SKILL.md
// and https://api-dashboard.search.brave.com/api-reference/videos/video_search/get
// (2026-11-26): GET or POST /res/v1/web/search; X-Subscription-Token; q (400
// characters, 50 words), count 1 to 20, offset 0 to 9, text_decorations. A
// wrong token is 422 SUBSCRIPTION_TOKEN_INVALID, too many is 429 RATE_LIMITED
// without Retry-After but with X-RateLimit-Limit, -Policy, -Remaining and
// -Reset, each "this second, this month"
// (https://api-dashboard.search.brave.com/documentation/guides/rate-limiting).
// The reference shows a list "errors" and describes an object "error"; the
// service sends the object. 5 USD for 1,000, 50 a second
// (https://apidog.com/blog/brave-api-key/).
func brave() engine {
	const key = "BSAengines0fake0key"
	refused := func(status int, code, detail string, meta object) Answer {
		return refuse(status, object{
			"type": "ErrorResponse", "time": 1_795_651_200,
			"error": object{"id": "5d832250-9396-4f6e-b84a-2a1fe524cd7d", "status": status, "code": code, "detail": detail, "meta": meta},
		})
	}
	limits := func(a Answer, left string) Answer {
		return a.with("X-RateLimit-Limit", "1, 15000", "X-RateLimit-Policy", "1;w=1, 15000;w=2592000", "X-RateLimit-Remaining", left, "X-RateLimit-Reset", "1, 1419704")
	}
	invalid := func(in, name string) Answer {
		return refused(http.StatusUnprocessableEntity, "VALIDATION", "Unable to validate request parameter(s)",
			object{"errors": []any{object{"type": "missing", "loc": []any{in, name}, "msg": "Field required", "input": object{}}}})
	}
	return engine{
		key: key, page: itself,
		busy: func() Answer {
			return limits(refused(http.StatusTooManyRequests, "RATE_LIMITED", "Request rate limit exceeded for plan.", object{
				"component": "rate_limiter", "plan": "Search", "rate_limit": 1, "rate_current": 1, "quota_limit": 15000, "quota_current": 21,
			}), "0, 14979")
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/res/v1/web/search" {
				return refuse(http.StatusNotFound, object{"detail": "Not Found"})
			}
			if q.method != http.MethodGet && q.method != http.MethodPost {
				return refuse(http.StatusMethodNotAllowed, object{"detail": "Method Not Allowed"})
			}
			if q.method == http.MethodPost {
				q.query = form(q)
			}
			if q.header.Get("X-Subscription-Token") == "" {
				return invalid("header", "x-subscription-token")
			}
			if q.header.Get("X-Subscription-Token") != key {
				return refused(http.StatusUnprocessableEntity, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.", object{"component": "authentication"})
			}
			query := q.query.Get("q")
			count, ok := q.number("count", 20, 1, 20)
			offset, sound := q.number("offset", 0, 0, 9)
			switch {
			case query == "" || len([]rune(query)) > 400 || len(strings.Fields(query)) > 50:
				return invalid("query", "q")
			case !ok:
				return invalid("query", "count")
			case !sound:
				return invalid("query", "offset")
			}
			list, total := found.find(query, offset*count, count)
			return limits(asJSON(braveAnswer(query, q.query.Get("text_decorations") != "false", list, total > (offset+1)*count)), "0, 14978")
		},
	}
}

// form is the query of a request whose body has it, as JSON.
func form(q ask) url.Values {
	v := url.Values{}
	fields, _ := q.fields()
	for name, value := range fields {
		switch value := value.(type) {
		case string:
			v.Set(name, value)
		case float64:
			v.Set(name, strconv.FormatFloat(value, 'f', -1, 64))
		case bool:
			v.Set(name, strconv.FormatBool(value))
		}
	}
	return v
}

func braveAnswer(query string, marked bool, list []Result, more bool) object {
	open, shut := "<strong>", "</strong>"
	if !marked {
		open, shut = "", ""
	}
	main := []any{}
	results := rows(list, func(i int, r Result) any {
		u, _ := r.at("")
		main = append(main, object{"type": "web", "index": i, "all": false})
		o := object{
			"type": "search_result", "subtype": "generic", "title": entities(r.Title), "url": r.URL, "description": mark(r.Snippet, query, open, shut),
			"is_source_local": false, "is_source_both": false, "is_live": false, "family_friendly": true, "language": "en",
			"profile":   object{"name": u.Host, "url": r.URL, "long_name": u.Host, "img": "https://imgs.search.brave.example/profile"},
			"meta_url":  object{"scheme": u.Scheme, "netloc": u.Host, "hostname": u.Hostname(), "favicon": "https://imgs.search.brave.example/favicon", "path": "› " + strings.Trim(u.Path, "/")},
			"thumbnail": object{"src": "https://imgs.search.brave.example/thumbnail", "original": "https://imgs.example/a.jpg", "logo": false},
		}
		if d, ok := r.date(); ok {
			o["age"], o["page_age"] = d.Format("January 2, 2006"), d.Format("2006-01-02T15:04:05")
		}
		if i == 0 {
			o["extra_snippets"] = []any{"Another passage of the page."}
			o["deep_results"] = object{"buttons": []any{object{"type": "button_result", "title": "Contact", "url": "https://contact.example/"}}}
		}
		return o
	})
	o := object{
		"type": "search",
		"query": object{
			"original": query, "show_strict_warning": false, "is_navigational": false, "is_news_breaking": false, "spellcheck_off": true,
			"country": "us", "bad_results": len(list) == 0, "should_fallback": false, "postal_code": "", "city": "", "header_country": "", "more_results_available": more, "state": "",
		},
		"mixed": object{"type": "mixed", "main": main, "top": []any{}, "side": []any{}},
		"videos": object{"type": "videos", "mutated_by_goggles": false, "results": []any{object{
			"type": "video_result", "url": "https://video.example/watch", "title": "A video", "description": "Not a page.",
		}}},
	}
	if len(list) > 0 { // there is no web where nothing was found
		o["web"] = object{"type": "search", "results": results, "family_friendly": true}
	}
	return o
}

// tavily is Tavily's search.
//
// https://docs.tavily.com/documentation/api-reference/endpoint/search, as its
// description of the interface stands in repositories, and
// https://github.com/tavily-ai/tavily-python/blob/master/tavily/tavily.py
// (2026-11-26): POST /search with JSON; Authorization: Bearer; query,
// max_results 0 to 20, 5 if it is not said, search_depth, topic,
// include_raw_content. 401, 429, 432 (plan) and 433 (pay as you go) with
// {"detail":{"error":…}}. A basic search is one credit, 0.008 USD; 100
// requests a minute for development, Retry-After with 429: from memory, and so
// are published_date, for topic news alone, and the words of 400.
func tavily() engine {
	const key = "tvly-dev-engines-fake-key"
	refused := func(status int, words string) Answer {
		return refuse(status, object{"detail": object{"error": words}})
	}
	return engine{
		key: key, page: itself,
		busy: func() Answer {
			return refused(http.StatusTooManyRequests, "Your request has been blocked due to excessive requests. Please reduce rate of requests.").with("Retry-After", "60")
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/search" {
				return refuse(http.StatusNotFound, object{"detail": "Not Found"})
			}
			if q.method != http.MethodPost {
				return refuse(http.StatusMethodNotAllowed, object{"detail": "Method Not Allowed"})
			}
			o, ok := q.fields()
			if !ok {
				return refused(http.StatusBadRequest, "Invalid request body.")
			}
			if or(q.bearer(), str(o, "api_key")) != key {
				return refused(http.StatusUnauthorized, "Unauthorized: missing or invalid API key.")
			}
			query, n := str(o, "query"), num(o, "max_results", 5)
			switch topic := or(str(o, "topic"), "general"); {
			case query == "":
				return refused(http.StatusBadRequest, "Query is missing.")
			case len(query) > 400:
				return refused(http.StatusBadRequest, "Query is too long. Max query length is 400 characters.")
			case n < 0 || n > 20:
				return refused(http.StatusBadRequest, "Max results must be between 0 and 20.")
			case topic != "general" && topic != "news" && topic != "finance":
				return refused(http.StatusBadRequest, "Invalid topic. Must be 'general', 'news' or 'finance'.")
			default:
				list, _ := found.find(query, 0, n)
				return asJSON(tavilyAnswer(query, topic == "news", o, list))
			}
		},
	}
}

func tavilyAnswer(query string, news bool, o object, list []Result) object {
	wanted, _ := o["include_raw_content"].(bool)
	return object{
		"query": query, "follow_up_questions": nil, "answer": nil, "images": []any{}, "response_time": 1.67,
		"auto_parameters": object{"topic": "general", "search_depth": "basic"}, "request_id": "123e4567-e89b-12d3-a456-426614174111",
		"results": rows(list, func(i int, r Result) any {
			row := object{"url": r.URL, "title": r.Title, "content": r.Snippet, "score": 0.9 / float64(i+1), "raw_content": nil, "favicon": "https://icons.example/favicon.png"}
			if wanted {
				row["raw_content"] = "# " + r.Title + "\n\n" + r.Snippet
			}
			if d, ok := r.date(); ok && news {
				row["published_date"] = d.Format("Mon, 02 Jan 2006 15:04:05") + " GMT"
			}
			return row
		}),
	}
}

// exa is Exa's search.
//
// https://github.com/exa-labs/openapi-spec/blob/master/exa-openapi-spec.yaml
// and https://exa.ai/docs/admin/error-codes.md (2026-11-26): POST /search with
// JSON; x-api-key, or Authorization: Bearer (https://exa.ai/pricing.md); query,
// numResults, 10 if it is not said, type, contents {text, highlights,
// summary}. Without contents there is no text, so no snippet. 401
// INVALID_API_KEY, 400 INVALID_REQUEST_BODY, 402 NO_MORE_CREDITS, each with
// requestId, error and tag. 10 a second, Retry-After where there is one; 7 USD
// for 1,000 (https://exa.ai/docs/admin/pricing). The tag of 429: from memory.
func exa() engine {
	const key = "00000000-fake-4exa-8key-000000000000"
	refused := func(status int, tag, words string) Answer {
		return refuse(status, object{"requestId": "2e2745fb5066969f5ed51841d014efbd", "error": words, "tag": tag})
	}
	return engine{
		key: key, page: itself,
		busy: func() Answer {
			return refused(http.StatusTooManyRequests, "RATE_LIMIT_EXCEEDED", "You've exceeded your Exa rate limit of 10 requests per second.").with("Retry-After", "1")
		},
		answer: func(q ask, found finder) Answer {
			if q.path != "/search" || q.method != http.MethodPost {
				return refused(http.StatusNotFound, "NOT_FOUND", "Cannot "+q.method+" "+q.path)
			}
			if or(q.header.Get("X-Api-Key"), q.bearer()) != key {
				return refused(http.StatusUnauthorized, "INVALID_API_KEY", "Invalid API key")
			}
			o, ok := q.fields()
			if !ok || str(o, "query") == "" {
				return refused(http.StatusBadRequest, "INVALID_REQUEST_BODY", `Invalid request body | Validation error: Invalid input: expected string, received undefined at "query"`)
			}
			n := num(o, "numResults", 10)
			if n < 1 || n > 100 {
				return refused(http.StatusBadRequest, "NUM_RESULTS_EXCEEDED", "numResults must be between 1 and 100")
			}
			list, _ := found.find(str(o, "query"), 0, n)
			return asJSON(exaAnswer(o, list))
		},
	}
}

func exaAnswer(o object, list []Result) object {
	contents, ok := o["contents"].(object)
	if !ok {
		contents = o // as it was before there was contents
	}
	wants := func(name string) bool {
		v, there := contents[name]
		return there && v != false && v != nil
	}
	return object{
		"requestId": "b5947044c4b78efa9552a7c89b306d95", "resolvedSearchType": "neural", "searchTime": 812.4,
		"costDollars": object{"total": 0.007, "search": object{"neural": 0.007}},
		"results": rows(list, func(i int, r Result) any {
			row := object{
				"id": r.URL, "url": r.URL, "title": orNil(r.Title), "publishedDate": r.on("2006-01-02T15:04:05.000Z"), "author": nil,
				"score": 0.46 / float64(i+1), "image": "https://images.example/a.png", "favicon": "https://icons.example/favicon.ico",
			}
			if wants("text") {
				row["text"] = r.Title + "\n\n" + r.Snippet
			}
			if wants("highlights") {
				row["highlights"], row["highlightScores"] = []any{r.Snippet}, []any{0.46}
			}
			if wants("summary") {
				row["summary"] = r.Snippet
			}
			return row
		}),
	}
}

// kagi is Kagi's search, the interface of today and the one before it.
//
// https://help.kagi.com/kagi/api/quick-start.html and
// https://github.com/kagisearch/kagi-openapi-python/blob/main/docs/SearchApi.md
// (2026-11-26): POST /api/v1/search with JSON {query, workflow, limit};
// Authorization: Bearer; data has a list for each kind, search among them;
// 400, 401, 403, 429. The envelope of errors is that of
// openapi_client/models/error_detail.py; codes of search: from memory.
// https://help.kagi.com/kagi/api/search-legacy.html (deprecated): GET
// /api/v0/search?q=&limit=; Authorization: Bot; one list, whose rows are told
// apart by t; 25 USD for 1,000. No limit of rate is published.
func kagi() engine {
	const key = "kagi-engines-fake.key"
	meta := func() object {
		return object{"trace": "69c3f5c4168f66b860e951c585550f1c", "node": "us-central1", "ms": 213}
	}
	refused := func(status int, code, words string) Answer {
		return refuse(status, object{"meta": meta(), "data": nil, "error": []any{object{
			"code": code, "url": "https://help.kagi.com/api/errors#" + code, "message": words, "location": nil,
		}}})
	}
	return engine{
		key: key, page: itself,
		busy: func() Answer {
			return refused(http.StatusTooManyRequests, "api.rate_limited", "Rate limited or usage limit exhausted")
		},
		answer: func(q ask, found finder) Answer {
			if q.path == "/api/v0/search" {
				return kagiLegacy(q, key, found)
			}
			if q.path != "/api/v1/search" {
				return refused(http.StatusNotFound, "api.not_found", "Not found")
			}
			if q.method != http.MethodPost {
				return refused(http.StatusMethodNotAllowed, "api.method_not_allowed", "Method not allowed")
			}
			if q.bearer() != key {
				return refused(http.StatusUnauthorized, "api.unauthorized", "Access token is missing or invalid")
			}
			o, ok := q.fields()
			if !ok || str(o, "query") == "" {
				return refused(http.StatusBadRequest, "search.invalid_query", "Query must not be empty")
			}
			list, _ := found.find(str(o, "query"), 0, num(o, "limit", 20))
			m := meta()
			m["query"] = object{"raw": str(o, "query"), "terms": str(o, "query"), "workflow": or(str(o, "workflow"), "search")}
			return asJSON(object{"meta": m, "data": object{
				"search": rows(list, func(_ int, r Result) any {
					row := object{
						"url": r.URL, "title": entities(r.Title), "image": object{"url": "https://images.example/a.jpg", "height": 1024, "width": 1548},
						"props": object{"sort_group_id": "example", "language": "en", "language_probability": 0.95},
					}
					if r.Snippet != "" {
						row["snippet"] = entities(r.Snippet)
					}
					if d, ok := r.date(); ok {
						row["time"] = d.Format("2006-01-02T15:04:05Z")
					}
					return row
				}),
				"video":             []any{object{"url": "https://video.example/watch", "title": "A video", "time": "2024-11-29T03:54:26Z"}},
				"adjacent_question": []any{object{"url": "https://questions.example/", "title": "A question", "props": object{"question": "How deep is it?"}}},
			}})
		},
	}
}

func kagiLegacy(q ask, key string, found finder) Answer {
	meta := object{"id": "69c3f5c4168f66b860e951c585550f1c", "node": "us-central1", "ms": 213, "api_balance": 123.456}
	refused := func(status, code int, words string) Answer {
		return refuse(status, object{"meta": meta, "data": nil, "error": []any{object{"code": code, "msg": words, "ref": nil}}})
	}
	if q.header.Get("Authorization") != "Bot "+key {
		return refused(http.StatusUnauthorized, 2, "Unauthorized")
	}
	query := q.query.Get("q")
	if query == "" || q.method != http.MethodGet {
		return refused(http.StatusBadRequest, 1, "Missing q parameter")
	}
	limit, _ := q.number("limit", 20, 0, 1000)
	list, _ := found.find(query, 0, limit)
	data := rows(list, func(_ int, r Result) any {
		row := object{"t": 0, "url": r.URL, "title": entities(r.Title), "snippet": orNil(entities(r.Snippet)), "thumbnail": object{"url": "/proxy/a.jpg", "width": nil, "height": nil}}
		if d, ok := r.date(); ok {
			row["published"] = d.Format("2006-01-02T15:04:05Z")
		}
		return row
	})
	return asJSON(object{"meta": meta, "data": append(data, object{"t": 1, "list": []any{query + " map"}})})
}

// serper is Serper's search of Google.
//
// https://serper.dev shows it in a playground behind a login; the request, the
// answer, {"message":"Unauthorized.","statusCode":403} and "Missing query
// parameter" are from clients and their logs in public repositories, and
// https://reference.langchain.com/python/langchain-community/utilities/google_serper/GoogleSerperAPIWrapper
// (2026-11-26): POST /search with JSON {q, num, page, gl, hl}; X-API-KEY. A
// date is as Google writes it ("Feb 3, 2024", or "5 days ago"). 1 USD for
// 1,000 and 50 a second to begin with, and the words of 429: from memory.
func serper() engine {
	const key = "0123456789abcdef0123456789abcdef01234567"
	refused := func(status int, words string) Answer {
		return refuse(status, object{"message": words, "statusCode": status})
	}
	return engine{
		key: key, page: itself,
		busy: func() Answer { return refused(http.StatusTooManyRequests, "Too many requests.") },
		answer: func(q ask, found finder) Answer {
			if q.path != "/search" || q.method != http.MethodPost {
				return refused(http.StatusNotFound, "Cannot "+q.method+" "+q.path)
			}
			if q.header.Get("X-Api-Key") != key {
				return refused(http.StatusForbidden, "Unauthorized.")
			}
			o, ok := q.fields()
			query := str(o, "q")
			if !ok || query == "" {
				return refused(http.StatusBadRequest, "Missing query parameter")
			}
			n, at := num(o, "num", 10), num(o, "page", 1)
			list, _ := found.find(query, (at-1)*n, n)
			return asJSON(object{
				"searchParameters": object{"q": query, "type": "search", "num": n, "page": at, "engine": "google"},
				"knowledgeGraph":   object{"title": "Lake", "type": "Body of water", "imageUrl": "https://images.example/a.jpg", "description": "Not a result.", "attributes": object{"Area": "14 km²"}},
				"organic": rows(list, func(i int, r Result) any {
					row := object{"title": r.Title, "link": r.URL, "snippet": r.Snippet, "position": i + 1}
					if d, ok := r.date(); ok {
						row["date"] = d.Format("Jan 2, 2006")
					}
					if i == 0 {
						row["sitelinks"] = []any{object{"title": "Contact", "link": "https://contact.example/"}}
					}
					return row
				}),
				"peopleAlsoAsk":   []any{object{"question": "How deep is it?", "snippet": "Deep.", "title": "A question", "link": "https://questions.example/"}},
				"relatedSearches": []any{object{"query": query + " map"}}, "credits": 1,
			})
		},
	}
}
