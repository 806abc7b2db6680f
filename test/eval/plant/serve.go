package plant

import (
	"compress/gzip"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
)

// Handler serves the pages of one host of the plan, each in its manner.
func (p *Plan) Handler(host int) http.Handler {
	pages := map[string]*Page{}
	for _, page := range p.Pages {
		if page.Host == host {
			pages[page.Path] = page
			pages[moved(page.Path)] = page
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		switch {
		case r.URL.Path == "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /*/private\nAllow: /\n")
		case r.URL.Path == "/":
			send(w, http.StatusOK, "Welcome", "<p>The news of the day, and all our departments.</p>")
		case !ok:
			send(w, http.StatusNotFound, "Not found", "<p>There is no such page.</p>")
		default:
			page.serve(w, r)
		}
	})
}

// moved is where a page that has moved for good is now.
func moved(path string) string { return "/now" + path }

// serve answers in the page's manner.
func (p *Page) serve(w http.ResponseWriter, r *http.Request) {
	if fault := Fault(p.Manner); p.faulty(fault) {
		p.fail(w, r, fault)
		return
	}
	if p.Manner == Relocated && !strings.HasPrefix(r.URL.Path, "/now/") {
		http.Redirect(w, r, moved(p.Path), http.StatusMovedPermanently)
		return
	}
	body := p.Render()
	w.Header().Set("Content-Type", body.Type)
	if p.Manner == Packed && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(body.Bytes) // the client may have gone
		_ = z.Close()
		return
	}
	_, _ = w.Write(body.Bytes) // the client may have gone
}

// faulty reports whether a fault keeps the page from being served as it is. A
// page whose comments or menu are cited is served whole.
func (p *Page) faulty(f Fault) bool {
	for _, s := range sourceFaults() {
		if s.Fault == f {
			return f != Comment && f != Navigation && f != Forbidden
		}
	}
	return false
}

func (p *Page) fail(w http.ResponseWriter, r *http.Request, f Fault) {
	switch f {
	case Dead:
		status := http.StatusNotFound
		if p.Published%2 == 0 {
			status = http.StatusGone
		}
		send(w, status, http.StatusText(status), "<p>The page you asked for is no longer here.</p>")
	case NeverWas:
		send(w, http.StatusNotFound, "Not found", "<p>There is no such page.</p>")
	case Soft404:
		said := missing[p.Lang]
		send(w, http.StatusOK, said[0], "<h1>"+said[0]+"</h1><p>"+said[1]+"</p>")
	case Entrance:
		http.Redirect(w, r, "/", http.StatusFound)
	case Block:
		send(w, http.StatusForbidden, "Just a moment...", riddle)
	case Block200:
		send(w, http.StatusOK, "Just a moment...", riddle)
	case PaywallStub:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, p.stub())
	case Outage:
		send(w, http.StatusServiceUnavailable, "Maintenance", "<p>We are back soon.</p>")
	case Loop:
		http.Redirect(w, r, p.Path+"?again="+strconv.Itoa(len(r.URL.RawQuery)%3), http.StatusFound)
	case Cut:
		p.cut(w)
	}
}

// cut promises the whole page and ends in its first third.
func (p *Page) cut(w http.ResponseWriter) {
	body := p.Render()
	w.Header().Set("Content-Type", body.Type)
	w.Header().Set("Content-Length", strconv.Itoa(len(body.Bytes)))
	_, _ = w.Write(body.Bytes[:len(body.Bytes)/3]) // the client may have gone
}

// stub is the beginning of the article and an offer to subscribe.
func (p *Page) stub() string {
	said := offers[p.Lang]
	return fmt.Sprintf("<!DOCTYPE html><html lang=%q><head><meta charset=\"utf-8\"><title>%s</title></head><body><article><h1>%[2]s</h1><p>%s</p>"+
		"<div class=\"paywall\"><h2>%s</h2><p>%s</p></div></article></body></html>",
		p.Lang, html.EscapeString(p.Title), html.EscapeString(p.paragraph(p.Paragraphs[0])), said[0], said[1])
}

const riddle = `<h1>Checking your browser</h1><p>Please complete the security check: verify you are human to continue.</p>` +
	`<div class="g-recaptcha" data-sitekey="none"></div><p>Enable JavaScript and cookies to continue. Ray ID: 7d1c0ffee</p>`

// missing is how sites say with status 200 that there is no such page.
var missing = map[string][2]string{
	"en": {"Page not found", "Sorry, the page you are looking for does not exist or has been removed."},
	"de": {"Seite nicht gefunden", "Die gesuchte Seite existiert leider nicht oder wurde entfernt."},
	"fr": {"Page introuvable", "Désolé, la page que vous cherchez n’existe pas ou a été supprimée."},
	"es": {"Página no encontrada", "Lo sentimos, la página que busca no existe o ha sido eliminada."},
}

// offers is what stands in place of the rest of an article.
var offers = map[string][2]string{
	"en": {"Subscribe to continue reading", "This article is for subscribers only. Already a subscriber? Sign in to read the full article."},
	"de": {"Weiterlesen mit Abo", "Dieser Artikel ist nur für Abonnenten. Jetzt abonnieren, um weiterzulesen. Bereits Abonnent? Anmelden."},
	"fr": {"Abonnez-vous pour lire la suite", "Cet article est réservé aux abonnés. Déjà abonné ? Connectez-vous pour lire la suite."},
	"es": {"Suscríbase para seguir leyendo", "Este artículo es exclusivo para suscriptores. ¿Ya es suscriptor? Inicie sesión para seguir leyendo."},
}

func send(w http.ResponseWriter, status int, title, body string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, "<!DOCTYPE html><html><head><title>%s</title></head><body>%s</body></html>", title, body)
}
