package extract

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// asideWord is the word by which an element says that no article stands in it, ""
// where it does not.
func asideWord(n *html.Node) string {
	switch n.DataAtom {
	case atom.Nav, atom.Footer, atom.Aside, atom.Form, atom.Button:
		return "<" + n.Data + ">"
	case atom.Body, atom.Html, atom.Main, atom.Article:
		return ""
	}
	switch role := attr(n, "role"); role {
	case "navigation", "complementary", "contentinfo", "banner", "search", "menu", "dialog", "alertdialog":
		return role
	}
	for _, key := range []string{"id", "class"} {
		if word := wordOfAsides(attr(n, key)); word != "" {
			return word
		}
	}
	return ""
}

// wordOfAsides is the first word in the names of an element that says that readers'
// words, menus, offers or remarks about the page stand in it.
func wordOfAsides(names string) string {
	if len(names) > 400 {
		return ""
	}
	for name := range strings.FieldsSeq(names) {
		words := nameParts(name)
		for i, w := range words {
			if asideNames()[w] || i+1 < len(words) && asideNames()[w+"-"+words[i+1]] {
				return w
			}
		}
	}
	return ""
}

// nameParts are the words of a name as "postMeta", "post-meta" or "post_meta", in
// small letters.
func nameParts(name string) []string {
	var words []string
	begin, low := 0, false
	end := func(at int) {
		if at > begin {
			words = append(words, strings.ToLower(name[begin:at]))
		}
	}
	for i, r := range name {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			begin = i + len(string(r))
		case unicode.IsUpper(r) && low:
			end(i)
			begin = i
		}
		low = unicode.IsLower(r)
	}
	end(len(name))
	return words
}

// asideNames are words, and pairs of them, by which pages call what stands around
// their articles.
var asideNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`
		comment comments commentlist disqus replies respond trackback trackbacks pingback akismet sidebar breadcrumb
		breadcrumbs navbar nav navi navigation subnav menu submenu pagination pager footer copyright colophon imprint
		cookie cookies consent gdpr modal popup overlay login signup newsletter subscribe subscription promo
		promotion advertisement advert ad ads adsense sponsor sponsored outbrain taboola banner related relatedposts
		recommended recommendations recirc trending popular mostread latest-posts recent-posts read-more readmore
		more-stories more-articles next-article share sharing sharedaddy shariff social socials addtoany addthis
		sociable follow tags tagcloud taglist tag-list categories byline author authors bio authorbox meta postmeta
		metadata timestamp dateline published postinfo post-info rating toolbar widget widgets print noprint skip`) {
		names[name] = true
	}
	return names
})
