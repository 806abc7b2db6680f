// Package engine knows the search engines of the web: what each is asked, and what its
// answer says. It asks nobody; package websearch does.
//
// What an engine finds are leads: addresses with a title and some words about them, by
// which a reader decides what to fetch. Nothing is ever quoted from a lead. Answers are
// foreign: every string of a [Lead] is one clean line of a bounded length, and what is
// no http or https address is no lead.
package engine

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Kind is what an engine searches.
type Kind string

// The kinds, in the order in which people are told of them.
const (
	Web          Kind = "web"
	Papers       Kind = "papers"
	Encyclopedia Kind = "encyclopedia"
	Code         Kind = "code"
	Discussions  Kind = "discussions"
	Packages     Kind = "packages"
	Archived     Kind = "archived" // copies of an address, by that address
)

// Kinds are all kinds.
func Kinds() []Kind {
	return []Kind{Web, Papers, Encyclopedia, Code, Discussions, Packages, Archived}
}

// Login says whether an engine wants a key.
type Login int

// The logins.
const (
	NoKey    Login = iota // it takes none
	MayKey                // it answers without one, with one more often
	NeedsKey              // it answers nobody without
)

// Engine is a search engine: facts of it, and its language.
type Engine struct {
	Name    string
	Kind    Kind
	Base    string // its address; "" where each person has their own
	About   string // the page its facts are from, as of [Checked]
	Login   Login
	KeyEnv  string        // the variable its key is usually kept in; "" for none
	USD     float64       // for one search by its price list; 0 for nothing
	Pace    time.Duration // between two searches, as it asks for
	Contact bool          // it asks programs to say whom to write to

	request func(Question) Request
	read    func(body []byte) (found, error)
}

// Checked is the day on which the facts of the engines were last looked up.
const Checked = "2026-11-26"

// Service is an engine as somebody has set it up, with everything resolved.
type Service struct {
	Engine  string  `json:"engine"`
	URL     string  `json:"url"`                // base address
	KeyEnv  string  `json:"key_env,omitempty"`  // the variable that holds its key
	KeyFile string  `json:"key_file,omitempty"` // a file that holds it, absolute
	USD     float64 `json:"usd,omitempty"`      // for one search
	Contact string  `json:"contact,omitempty"`  // an address of mail to write to
}

// KindsOf are what some services search, in the usual order.
func KindsOf(list []Service) []Kind {
	return slices.DeleteFunc(Kinds(), func(k Kind) bool {
		return !slices.ContainsFunc(list, func(s Service) bool {
			e, ok := Named(s.Engine)
			return ok && e.Kind == k
		})
	})
}

// Question is what an engine is asked.
type Question struct {
	Base    string // address of the engine
	Words   string
	Limit   int    // leads wanted at most
	Key     string // "" for none
	Contact string // an address of mail; "" for none
}

// Request is a request of HTTP.
type Request struct {
	Method string
	URL    string
	Header map[string]string
	Body   []byte
}

// Lead is where an engine leads.
type Lead struct {
	Title     string `json:"title"`
	URL       string `json:"url"`
	Snippet   string `json:"snippet,omitempty"`
	Published string `json:"published,omitempty"` // year-month-day, or less of it
	DOI       string `json:"doi,omitempty"`       // 10.…
}

// Named gives an engine by its name.
func Named(name string) (Engine, bool) {
	list := engines()
	i := slices.IndexFunc(list, func(e Engine) bool { return e.Name == name })
	if i < 0 {
		return Engine{}, false
	}
	return list[i], true
}

// Names are the names of all engines, of each kind the one first that answers most
// questions.
func Names() []string { return names(func(Engine) bool { return true }) }

// Keyless are those that anybody may ask, in the same order.
func Keyless() []string {
	return names(func(e Engine) bool { return e.Base != "" && e.Login != NeedsKey })
}

func names(want func(Engine) bool) []string {
	var list []string
	for _, e := range engines() {
		if want(e) {
			list = append(list, e.Name)
		}
	}
	return list
}

// Request is what the engine is asked. Words that no engine of its kind can look for,
// as a question to one that finds copies of an address, make no request.
func (e Engine) Request(q Question) (r Request, ok bool) {
	q.Base, q.Words = strings.TrimRight(q.Base, "/"), strings.Join(strings.Fields(q.Words), " ")
	q.Limit = min(max(q.Limit, 1), maxLeads)
	r = e.request(q)
	return r, r.URL != ""
}

// maxLeads bounds the leads of one answer.
const maxLeads = 50

// Read gives the leads of an engine's answer, its best first, and how long it wants to
// be left alone. An answer that is none of this engine's is an error of one line.
func (e Engine) Read(body []byte) (leads []Lead, pause time.Duration, err error) {
	f, err := e.read(body)
	if err != nil {
		return nil, 0, fmt.Errorf("its answer is not what %s says: %w", e.Name, err)
	}
	for _, l := range f.leads {
		if l, ok := l.clean(); ok && len(leads) < maxLeads {
			leads = append(leads, l)
		}
	}
	return leads, f.pause, nil
}

// found is what an answer says, before anything of it is trusted.
type found struct {
	leads []Lead
	pause time.Duration
}

// get makes a request of an address and its parameters, in pairs; those without a
// value are left out.
func get(address string, pairs ...string) Request {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return Request{Method: "GET", URL: address + "?" + v.Encode()}
}

// with adds a header, unless its value is empty.
func (r Request) with(name, value string) Request {
	if value == "" {
		return r
	}
	header := maps.Clone(r.Header)
	if header == nil {
		header = map[string]string{}
	}
	header[name] = value
	r.Header = header
	return r
}
