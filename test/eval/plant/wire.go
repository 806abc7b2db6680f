package plant

import (
	"fmt"
	"html"
	"net/http"

	"github.com/research-council/research-council/test/web"
)

// Serve starts a fake web with all pages of the plan, and what the services
// know of them.
func (p *Plan) Serve() (*web.Web, error) {
	w, err := web.Serve()
	if err != nil {
		return nil, fmt.Errorf("serve the plan: %w", err)
	}
	for _, page := range p.Pages {
		if err := w.Add(page.wire()...); err != nil {
			return nil, fmt.Errorf("serve the plan: %w", err)
		}
	}
	for _, page := range p.Pages {
		if err := w.Know(page.known(w)...); err != nil {
			return nil, fmt.Errorf("serve the plan: %w", err)
		}
	}
	return w, nil
}

// known is what services know of the page.
func (p *Page) known(w *web.Web) []any {
	if p.Manner == Archived {
		at := func(address string) web.Capture {
			return web.Capture{URL: address, Time: "20210304050607", Body: p.document("utf-8")}
		}
		return []any{at(p.URL()), at(w.Direct(p.URL()))}
	}
	if p.DOI == "" {
		return nil
	}
	return []any{web.Work{
		DOI: p.DOI, Title: p.Title, Authors: []string{"Ada Example"}, Year: p.Published,
		Landing: p.URL(), Retracted: p.Manner == Manner(Retracted),
	}}
}

// wire is what stands at the page's address, and behind it.
func (p *Page) wire() []web.Page {
	said := func(status int, title, body string) []web.Page {
		return []web.Page{{URL: p.URL(), Status: status, Body: short(title, body)}}
	}
	switch Fault(p.Manner) {
	case Dead:
		return said([]int{http.StatusNotFound, http.StatusGone}[p.Published%2], "Gone", "<p>The page you asked for is no longer here.</p>")
	case NeverWas:
		return nil
	case Soft404:
		words := missing()[p.Lang]
		return said(http.StatusOK, words[0], "<h1>"+words[0]+"</h1><p>"+words[1]+"</p>")
	case Entrance:
		start := web.Page{URL: "http://" + p.Host + "/", Body: short("Welcome", "<h1>Welcome</h1><p>The news of the day, and all our departments.</p>")}
		return []web.Page{{URL: p.URL(), Redirect: "/"}, start}
	case Block:
		return said(http.StatusForbidden, "Just a moment...", riddle)
	case Block200:
		return said(http.StatusOK, "Just a moment...", riddle)
	case PaywallStub:
		return []web.Page{{URL: p.URL(), Body: p.stub()}}
	case Outage:
		return said(http.StatusServiceUnavailable, "Maintenance", "<p>We are back soon.</p>")
	case Loop:
		return []web.Page{{URL: p.URL(), Redirect: p.Path}}
	case Forbidden:
		robots := web.Page{URL: "http://" + p.Host + "/robots.txt", MIME: "text/plain", Body: "User-agent: *\nDisallow: /*/private\n"}
		return append(p.whole(), robots)
	case Cut:
		page := p.whole()[0]
		page.Cut = len(page.Body) / 3
		return []web.Page{page}
	}
	return p.whole()
}

// whole is a page that is served as it is, however it is got at.
func (p *Page) whole() []web.Page {
	body := p.Render()
	page := web.Page{URL: p.URL(), MIME: body.Type, Body: string(body.Bytes)}
	switch p.Manner {
	case Archived:
		return []web.Page{{URL: p.URL(), Status: http.StatusGone, Body: short("Gone", "<p>Gone.</p>")}}
	case Packed:
		page.Encoding = "gzip"
	case Relocated:
		there := "/now" + p.Path
		page.URL = "http://" + p.Host + there
		return []web.Page{{URL: p.URL(), Status: http.StatusMovedPermanently, Redirect: there}, page}
	}
	return []web.Page{page}
}

// stub is the beginning of the article and an offer to subscribe.
func (p *Page) stub() string {
	said := offers()[p.Lang]
	return short(html.EscapeString(p.Title), fmt.Sprintf("<article><h1>%s</h1><p>%s</p><div class=\"paywall\"><h2>%s</h2><p>%s</p></div></article>",
		html.EscapeString(p.Title), html.EscapeString(p.paragraph(p.Paragraphs[0])), said[0], said[1]))
}

const riddle = `<h1>Checking your browser</h1><p>Please complete the security check: verify you are human to continue.</p>` +
	`<div class="g-recaptcha" data-sitekey="none"></div><p>Enable JavaScript and cookies to continue. Ray ID: 7d1c0ffee</p>`

// missing is how sites say with status 200 that there is no such page.
func missing() map[string][2]string {
	return map[string][2]string{
		"en": {"Page not found", "Sorry, the page you are looking for does not exist or has been removed."},
		"de": {"Seite nicht gefunden", "Die gesuchte Seite existiert leider nicht oder wurde entfernt."},
		"fr": {"Page introuvable", "Désolé, la page que vous cherchez n’existe pas ou a été supprimée."},
		"es": {"Página no encontrada", "Lo sentimos, la página que busca no existe o ha sido eliminada."},
	}
}

// offers is what stands in place of the rest of an article.
func offers() map[string][2]string {
	return map[string][2]string{
		"en": {"Subscribe to continue reading", "This article is for subscribers only. Already a subscriber? Sign in to read the full article."},
		"de": {"Weiterlesen mit Abo", "Dieser Artikel ist nur für Abonnenten. Jetzt abonnieren, um weiterzulesen. Bereits Abonnent? Anmelden."},
		"fr": {"Abonnez-vous pour lire la suite", "Cet article est réservé aux abonnés. Déjà abonné ? Connectez-vous pour lire la suite."},
		"es": {"Suscríbase para seguir leyendo", "Este artículo es exclusivo para suscriptores. ¿Ya es suscriptor? Inicie sesión para seguir leyendo."},
	}
}

func short(title, body string) string {
	return "<!DOCTYPE html><html><head><meta charset=\"utf-8\"><title>" + title + "</title></head><body>" + body + "</body></html>"
}
