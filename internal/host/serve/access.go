package serve

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// access says who may see the pages and who may write: whoever has opened the address
// with the token. A page of another origin, a name that was made to lead here and a
// program of another user have nothing of this.
type access struct {
	token   string // in the address that is opened, exchanged for the cookie
	session string // in the cookie
	write   string // in every form that writes
	cookie  string // its name, which tells servers of one machine apart
	secure  bool   // over TLS
	hosts   func(host string) bool
}

func newAccess(port string, secure bool, hosts func(string) bool) access {
	return access{token: secret(), session: secret(), write: secret(), cookie: "council-" + port, secure: secure, hosts: hosts}
}

// secret is 256 bits nobody can guess, in hex.
func secret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return hex.EncodeToString(b)
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// policy lets a page load its own style, script and events, and nothing else.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	h.Set("Cache-Control", "no-store")
}

// maxForm bounds what a form may send, in bytes.
const maxForm = 2 << 20

// guard lets through to next what may come.
func (a access) guard(next *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setHeaders(w.Header())
		r.Host = strings.ToLower(r.Host)
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case !isRead && r.Method != http.MethodPost:
			w.Header().Set("Allow", "GET, HEAD, POST")
			refuse(w, http.StatusMethodNotAllowed, "pages are read by GET, and runs steered by POST")
		case !a.hosts(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "this server does not answer to that name; open the address that `council serve` has printed, through a tunnel with the same port at both ends")
		case !a.fromHere(r):
			refuse(w, http.StatusForbidden, "another page has sent this request; open the address that `council serve` has printed")
		case r.URL.Path == "/favicon.ico": // browsers ask for it by themselves
			w.WriteHeader(http.StatusNoContent)
		case !isPlain(r.URL.Path):
			refuse(w, http.StatusNotFound, "there is no such page")
		case isRead && r.URL.Query().Has("token") && isPage(next, r):
			a.exchange(w, r)
		case isRead && r.URL.Path == styleAt():
			next.ServeHTTP(w, r)
		case !a.known(r):
			refuse(w, http.StatusUnauthorized, "this browser is not known here; open the address, with its token, that `council serve` has printed")
		case isRead:
			next.ServeHTTP(w, r)
		default:
			if code, why := a.checkForm(w, r); why != "" {
				refuse(w, code, why)
				return
			}
			next.ServeHTTP(w, r)
		}
	})
}

// isPage reports whether there is something to read at the address of a request.
func isPage(pages *http.ServeMux, r *http.Request) bool {
	_, pattern := pages.Handler(r)
	return strings.HasPrefix(pattern, "GET ")
}

// isPlain reports whether a path is written as pages are linked to.
func isPlain(p string) bool {
	clean := path.Clean(p)
	return (p == clean || p == clean+"/") && !strings.ContainsAny(p, "\\\x00\r\n")
}

// origin is the origin of the pages that are served at this host.
func (a access) origin(host string) string {
	if a.secure {
		return "https://" + host
	}
	return "http://" + host
}

// fromHere reports whether a request was caused by a page of ours or by the person. One
// that another page has caused may do one thing, since it may be a link in a
// terminal that is shown by a browser: open a page by its address with the token.
func (a access) fromHere(r *http.Request) bool {
	list := r.Header.Values("Origin")
	isOurs := len(list) == 0 || len(list) == 1 && (list[0] == a.origin(r.Host) || isUnsaid(r))
	if !isOurs {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	return r.Method == http.MethodGet && r.URL.Query().Has("token") && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// isUnsaid reports whether a browser has kept the origin of a form of ours to itself, as
// it does of pages without a referrer, and vouches for it otherwise.
func isUnsaid(r *http.Request) bool {
	return r.Header.Get("Origin") == "null" && r.Header.Get("Sec-Fetch-Site") == "same-origin"
}

// exchange takes the token for a cookie, and the token out of the address of the page.
func (a access) exchange(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	given := query["token"]
	if len(given) != 1 || !same(given[0], a.token) {
		refuse(w, http.StatusUnauthorized, "the token in this address is not that of this server; it is another one each time `council serve` starts")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: a.cookie, Value: a.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: a.secure})
	query.Del("token")
	w.Header().Set("Location", (&url.URL{Path: r.URL.Path, RawQuery: query.Encode()}).String()) // of this server: the path is plain
	w.WriteHeader(http.StatusSeeOther)
}

func (a access) known(r *http.Request) bool {
	for _, c := range r.CookiesNamed(a.cookie) {
		if same(c.Value, a.session) {
			return true
		}
	}
	return false
}

// bodyTime is how long a form may take to come.
const bodyTime = 10 * time.Second

// checkForm says what is wrong with what is to write; "" for a form of ours: from our
// origin, as forms are sent, with its token.
func (a access) checkForm(w http.ResponseWriter, r *http.Request) (code int, why string) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" || r.Header.Get("Content-Encoding") != "" {
		return http.StatusUnsupportedMediaType, "what is written here comes from the forms of these pages"
	}
	if r.Header.Get("Origin") != a.origin(r.Host) && !isUnsaid(r) {
		return http.StatusForbidden, "the request does not say that it comes from these pages"
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // a connection that has none waits on
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err = r.ParseForm()
	_ = control.SetReadDeadline(time.Time{})
	switch given := r.PostForm["write"]; {
	case errors.As(err, new(*http.MaxBytesError)):
		return http.StatusRequestEntityTooLarge, "that is longer than a form may be"
	case err != nil:
		return http.StatusBadRequest, "the form cannot be read"
	case len(given) != 1 || !same(given[0], a.write):
		return http.StatusForbidden, "the form lacks its token, which is another one each time `council serve` starts; load the page anew and send it again"
	}
	return 0, ""
}

// refuse says in a page of one sentence why there is no other.
func refuse(w http.ResponseWriter, code int, why string) {
	var m markup
	m.put(`<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>%s</title><link rel="stylesheet" href="%s"></head><body><main><h1>%s</h1><p>%s</p></main></body></html>
`, http.StatusText(code), styleAt(), http.StatusText(code), strings.ToUpper(why[:1])+why[1:]+".")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	_, _ = w.Write(m.Bytes()) // a reader that is gone is told nothing
}
