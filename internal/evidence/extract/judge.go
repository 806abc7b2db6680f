package extract

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// clues are what the warnings about a page follow from.
type clues struct {
	meta    meta
	doc     *html.Node
	address string
	main    int // bytes of the article
	whole   int // bytes of all visible text
}

// Pages that only say that they do not show something are short. What is
// longer is about something, be it captchas or the status 404. The figures
// are bytes of visible text, several times those of the pages seen.
const (
	shortPage = 2500
	shortText = 4000
)

// addWarnings adds the warnings that a page's words and markup give rise to.
func (d *Document) addWarnings(c clues) {
	words := strings.ToLower(d.Text[:min(len(d.Text), 3*shortText)])
	title := strings.ToLower(c.meta.title)
	if what, ok := findBlockPage(title, words, c); ok {
		d.addWarning(BlockPage, quoted(what))
	}
	if what, ok := findNotFound(title, words, c); ok {
		d.addWarning(SoftNotFound, quoted(what))
	}
	if what, ok := findPaywall(words, c); ok {
		d.addWarning(Paywall, quoted(what))
	}
	if what, ok := findCookieWall(words, c); ok {
		d.addWarning(CookieWall, quoted(what))
	}
	if what, ok := findSearchResults(title, c.address); ok {
		d.addWarning(SearchResults, quoted(what))
	}
	if what, ok := shell(c); ok {
		d.addWarning(ScriptOnly, what)
	}
}

func quoted(s string) string { return "“" + shortField(s) + "”" }

// findBlockPage looks for the words and parts of pages that ask for proof of being
// human or refuse access.
func findBlockPage(title, words string, c clues) (string, bool) {
	if c.whole > shortPage {
		return "", false
	}
	if what, ok := findPhrase(title, "just a moment", "attention required", "access denied", "are you a robot", "robot check",
		"security check", "verify you are human", "pardon our interruption", "bot verification", "human verification",
		"403 forbidden", "access to this page has been denied", "ddos-guard", "client challenge", "un momento", "einen moment"); ok {
		return what, true
	}
	if what, ok := findPhrase(words, "verify you are human", "verifying you are human", "verify that you are human", "verify you're human",
		"checking your browser before", "checking if the site connection is secure", "enable javascript and cookies to continue",
		"unusual traffic from your", "complete the captcha", "solve the captcha", "i'm not a robot", "i am not a robot",
		"you are not a robot", "access to this page has been denied", "you don't have permission to access", "you have been blocked",
		"automated access to", "automated requests", "needs to review the security of your connection",
		"your request has been blocked", "please enable cookies and reload", "confirm you are a human"); ok {
		return what, true
	}
	return challenge(c.doc)
}

// challenge looks for the parts of a challenge in a page's markup.
func challenge(doc *html.Node) (string, bool) {
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		marks := attr(n, "class") + " " + attr(n, "id")
		switch n.DataAtom {
		case atom.Script, atom.Iframe:
			marks += " " + attr(n, "src")
		}
		if what, ok := findPhrase(marks, "g-recaptcha", "h-captcha", "hcaptcha.com/captcha", "cf-challenge", "challenge-platform",
			"cf-turnstile", "px-captcha", "captcha-delivery.com", "awswaf"); ok {
			return what, true
		}
	}
	return "", false
}

// findNotFound looks for a page that says in its title, its heading or its only
// words that it does not exist.
func findNotFound(title, words string, c clues) (string, bool) {
	if c.main > shortPage {
		return "", false
	}
	heading := strings.ToLower(c.meta.heading)
	for _, t := range []string{title, heading} {
		if t == "404" || t == "not found" || strings.HasPrefix(t, "404 ") || strings.HasPrefix(t, "error 404") ||
			strings.HasPrefix(t, "not found ") || strings.HasSuffix(t, " 404") {
			return t, true
		}
		if what, ok := findPhrase(t, notFoundWords()...); ok && len(t) < 120 {
			return what, true
		}
	}
	if c.main > 700 {
		return "", false
	}
	return findPhrase(words[:min(len(words), c.main)], notFoundWords()...)
}

func notFoundWords() []string {
	return []string{
		"page not found", "page could not be found", "page cannot be found", "page can't be found", "page can’t be found",
		"page doesn't exist", "page doesn’t exist", "page does not exist", "page no longer exists", "page is no longer available",
		"couldn't find that page", "couldn’t find that page", "couldn't find the page", "couldn’t find the page",
		"page you requested was not found", "page you are looking for", "page you were looking for", "page you're looking for", "page you’re looking for", "article not found",
		"content not found", "doi not found", "document not found", "seite nicht gefunden", "seite wurde nicht gefunden", "page introuvable",
		"page non trouvée", "página no encontrada", "página não encontrada", "pagina non trovata", "pagina niet gevonden",
		"страница не найдена", "ページが見つかりません", "页面不存在", "找不到页面", "頁面不存在", "페이지를 찾을 수 없습니다", "الصفحة غير موجودة",
	}
}

// maxPrompt is the longest line that asks for something. What is longer tells of
// such lines.
const maxPrompt = 200

// findPaywall looks for what stands where the rest of an article would.
func findPaywall(words string, c clues) (string, bool) {
	if c.main > shortText {
		return "", false
	}
	if !c.meta.free {
		return "isAccessibleForFree: false", true
	}
	for l := range strings.Lines(words) {
		if len(l) > maxPrompt {
			continue
		}
		if what, ok := asksMoney(l); ok {
			return what, true
		}
	}
	return "", false
}

func asksMoney(line string) (string, bool) {
	return findPhrase(line, "subscribe to continue reading", "subscribe to read", "subscribe to unlock", "to continue reading this article",
		"to read the full article", "to read the full story", "this article is for subscribers", "for subscribers only", "subscribers only",
		"this content is for members", "become a member to read", "already a subscriber?", "sign in to continue reading",
		"log in to continue reading", "purchase access to", "get access to the full version", "buy this article", "rent this article",
		"access through your institution", "you have reached your limit of free articles", "your free articles",
		"diesen artikel weiterlesen", "réservé aux abonnés", "artículo exclusivo para suscriptores", "начните подписку", "この記事は会員限定")
}

// findCookieWall looks for a page that shows nothing but a question about cookies.
func findCookieWall(words string, c clues) (string, bool) {
	if c.whole > shortPage || !strings.Contains(words, "cookie") {
		return "", false
	}
	return findPhrase(words, "before you continue", "accept all", "accept cookies", "we value your privacy", "manage preferences",
		"reject all", "consent to", "alle akzeptieren", "tout accepter", "aceptar todo")
}

// findSearchResults tells a list of search results by its address or title.
func findSearchResults(title, address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	q := u.Query()
	asks := q.Has("q") || q.Has("query") || q.Has("search_query") || q.Has("term") || q.Has("text") || q.Has("s")
	path := strings.TrimSuffix(strings.ToLower(u.Path), "/")
	if asks && (strings.HasSuffix(path, "/search") || strings.HasSuffix(path, "/results") || strings.HasSuffix(path, "/scholar")) {
		return u.Path + "?" + u.RawQuery, true
	}
	host := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if asks && (host == "bing.com" || host == "duckduckgo.com" || host == "html.duckduckgo.com" || host == "scholar.google.com") {
		return host, true
	}
	if strings.HasPrefix(title, "search results") || strings.HasSuffix(title, "google search") || strings.HasSuffix(title, "at duckduckgo") {
		return title, true
	}
	return "", false
}

// shell tells a page whose text scripts would bring: it has next to none, and
// says that it needs scripts, or has the empty place for it.
func shell(c clues) (string, bool) {
	if c.whole >= minArticle || c.meta.refresh != "" {
		return "", false
	}
	bare := c.whole < 60 // no more than a word such as Loading…
	scripts, asks, place := false, false, bare
	for n := range c.doc.Descendants() {
		switch n.DataAtom {
		case atom.Script:
			scripts = scripts || attr(n, "src") != "" || len(textOf(n)) > minArticle || bare && runs(n)
		case atom.Noscript:
			asks = asks || strings.Contains(strings.ToLower(textOf(n)), "javascript")
		case atom.Div, atom.Main:
			place = place || n.FirstChild == nil && attr(n, "id") != ""
		}
	}
	if asks || scripts && place {
		return "next to no text, and scripts that would bring it", true
	}
	return "", false
}

// runs reports whether a script is one that a browser runs, and not data.
func runs(script *html.Node) bool {
	kind := strings.ToLower(attr(script, "type"))
	return (kind == "" || kind == "module" || strings.HasSuffix(kind, "/javascript")) && strings.TrimSpace(textOf(script)) != ""
}

// refresh is the address that a page sends its reader on to, "" when it shows
// something itself.
func refresh(n *html.Node) string {
	if !strings.EqualFold(attr(n, "http-equiv"), "refresh") {
		return ""
	}
	delay, rest, _ := strings.Cut(attr(n, "content"), ";")
	if d, err := strconv.ParseFloat(strings.TrimSpace(delay), 64); err != nil || d > 5 {
		return ""
	}
	rest = strings.TrimSpace(rest)
	if len(rest) < 4 || !strings.EqualFold(rest[:3], "url") {
		return ""
	}
	rest = strings.TrimSpace(rest[3:])
	if !strings.HasPrefix(rest, "=") {
		return ""
	}
	return strings.Trim(strings.TrimSpace(rest[1:]), `'"`)
}
