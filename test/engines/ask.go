package engines

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// ask is a request as engines see it.
type ask struct {
	method, path string
	query        url.Values
	header       http.Header
	body         []byte
	base         string // the engine's own address
}

// number is a parameter that counts, or its default. It is not sound where it
// is no number or out of its bounds.
func (q ask) number(name string, usual, least, most int) (n int, sound bool) {
	value := q.query.Get(name)
	if value == "" {
		return usual, true
	}
	n, err := strconv.Atoi(value)
	return n, err == nil && n >= least && n <= most
}

// fields are the members of a body that is an object of JSON.
func (q ask) fields() (object, bool) {
	if media, _, _ := strings.Cut(q.header.Get("Content-Type"), ";"); strings.TrimSpace(media) != "application/json" {
		return nil, false
	}
	var o object
	err := json.Unmarshal(q.body, &o)
	return o, err == nil && o != nil
}

// bearer is the key in the header Authorization.
func (q ask) bearer() string {
	key, _ := strings.CutPrefix(q.header.Get("Authorization"), "Bearer ")
	return key
}

// named reports whether the header User-Agent names a client, and not a
// library that somebody has used without a word.
func (q ask) named() bool {
	agent := q.header.Get("User-Agent")
	return agent != "" && !strings.HasPrefix(agent, "Go-http-client/")
}

// str and num are members of an object.
func str(o object, name string) string {
	s, _ := o[name].(string)
	return s
}

func num(o object, name string, usual int) int {
	if n, ok := o[name].(float64); ok {
		return int(n)
	}
	return usual
}

// finder finds results for queries.
type finder struct {
	list []Result
	raw  bool // all of them, and their addresses as they are
}

// find gives the results for a query from one on, n at most, and how many
// there are.
func (f finder) find(query string, from, n int) (list []Result, total int) {
	if f.raw {
		return f.list, len(f.list)
	}
	for _, r := range f.list {
		if r.matches(query) {
			list = append(list, r)
		}
	}
	total = len(list)
	from = min(max(from, 0), total)
	return list[from:min(total, from+max(n, 0))], total
}

func (r Result) matches(query string) bool {
	return r.Words == nil || slices.ContainsFunc(r.Words, func(w string) bool { return strings.Contains(plain(query), plain(w)) })
}

// plain is a text in small letters with one space around each word.
func plain(s string) string {
	return " " + strings.Join(words(strings.ToLower(s)), " ") + " "
}

func words(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return !letter(r) }) }

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// mark is a text in HTML with marks around each word of the query.
func mark(s, query, open, shut string) string {
	asked := words(strings.ToLower(query))
	var b strings.Builder
	for s != "" {
		end := strings.IndexFunc(s, func(r rune) bool { return !letter(r) })
		if end < 0 {
			end = len(s)
		}
		if end == 0 {
			if end = strings.IndexFunc(s, letter); end < 0 {
				end = len(s)
			}
			b.WriteString(entities(s[:end]))
		} else if slices.Contains(asked, strings.ToLower(s[:end])) {
			b.WriteString(open + s[:end] + shut)
		} else {
			b.WriteString(s[:end])
		}
		s = s[end:]
	}
	return b.String()
}

// entities is a text in HTML, as servers write it that are not in Go.
func entities(s string) string { return strings.ReplaceAll(html.EscapeString(s), "&#34;", "&quot;") }

// id is a number for a result, always the same.
func (r Result) id() int {
	h := fnv.New32a()
	fmt.Fprint(h, r.URL, "\x00", r.DOI, "\x00", r.Title)
	return 10_000_000 + int(h.Sum32()%80_000_000)
}

// doi is the DOI of a result, made up where it has none.
func (r Result) doi() string {
	if r.DOI != "" {
		return r.DOI
	}
	return fmt.Sprintf("10.5555/%d", r.id())
}

// at is the host and the path of a result's address, and whether it is of a
// host or one below it.
func (r Result) at(host string) (u *url.URL, of bool) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return &url.URL{}, false
	}
	return u, u.Hostname() == host || strings.HasSuffix(u.Hostname(), "."+host)
}

// slug is a title as a part of an address.
func (r Result) slug() string {
	if s := strings.Join(words(strings.ToLower(r.Title)), "-"); s != "" {
		return s
	}
	return strconv.Itoa(r.id())
}

// date is when a result was published, and whether that is known.
func (r Result) date() (time.Time, bool) {
	d, err := time.Parse(time.DateOnly, r.Published)
	return d, err == nil
}

// on is the date of publication in a layout, or nil.
func (r Result) on(layout string) any {
	if d, ok := r.date(); ok {
		return d.Format(layout)
	}
	return orNil(r.Published) // what is no date is as it is
}

// made is the date of publication in a layout, a made up one where it is not
// known and the engine always has one.
func (r Result) made(layout string) string {
	d, ok := r.date()
	if !ok && r.Published != "" {
		return r.Published
	}
	if !ok {
		d = time.Date(2019, time.March, 4, 5, 6, 7, 0, time.UTC)
	}
	return d.Format(layout)
}

// orNil is a text, or null where there is none.
func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// or is the first text that is one.
func or(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

// itself is the address of a result at an engine that leads to anybody's pages.
func itself(r Result) string { return r.URL }

// rows makes a row of each result, counted from from.
func rows(list []Result, row func(i int, r Result) any) []any {
	all := []any{} // never null
	for i, r := range list {
		all = append(all, row(i, r))
	}
	return all
}

// soon is in a minute, in seconds of the epoch.
func soon() string { return strconv.FormatInt(time.Now().Add(time.Minute).Unix(), 10) }
