package serve

import (
	"net/http"
	"strings"

	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/codereview"
)

// frame is what stands around every page.
type frame struct {
	title   string
	head    raw  // of the body, before main
	refresh bool // fresh every few seconds where no script runs
}

func (m *markup) open(f frame) {
	m.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<link rel="stylesheet" href="%s">
<script src="%s" defer></script>
`, f.title, styleAt(), scriptAt())
	if f.refresh {
		m.put("<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>\n")
	}
	m.put("</head>\n<body>\n<a class=\"skip\" href=\"#main\">To the content</a>\n%s", f.head)
}

func (m *markup) close() { m.put("</main>\n</body>\n</html>\n") }

func write(w http.ResponseWriter, m *markup) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(m.Bytes()) // a reader that is gone is told nothing
}

// tabs are the pages of a run, in their order.
func (v *visit) tabs() [][2]string {
	list := [][2]string{{"", "Overview"}}
	if codereview.StatusOf(v.status) != nil {
		list = append(list, [2]string{"findings", "Findings"}, [2]string{"report", "Report"})
	} else {
		if campaign.StatusOf(v.status) != nil {
			list = append(list, [2]string{"campaign", "Campaign"})
		}
		list = append(list, [2]string{"report", "Report"}, [2]string{"claims", "Claims"}, [2]string{"sources", "Sources"}, [2]string{"disputes", "Disputes"}, [2]string{"agreement", "Agreement"}, [2]string{"votes", "Votes"}, [2]string{"changes", "Changes"})
	}
	return append(list, [2]string{"log", "Log"})
}

// send writes the page around what was written into the body.
func (v *visit) send() {
	var head, m markup
	head.put("<header class=\"top\">\n<p class=\"crumbs\"><a href=\"/\">All runs</a> <span aria-hidden=\"true\">/</span> %s</p>\n", v.project.name())
	head.put("<h1>%s</h1>\n", line(v.topic(), 300))
	head.put("<p class=\"under\"><span id=\"state\" role=\"status\">%s</span> <code>%s</code></p>\n<nav aria-label=\"run\"><ul>", v.stateMarkup(), v.id)
	for _, t := range v.tabs() {
		mark := raw("")
		if t[0] == v.place {
			mark = ` aria-current="page"`
		}
		head.put(`<li><a href="%s"%s>%s</a></li>`, v.at(t[0]), mark, t[1])
	}
	head.put("</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n")
	m.open(frame{title: strings.TrimPrefix(v.title+": ", ": ") + line(v.topic(), 80), head: raw(head.String()), refresh: v.live})
	m.Write(v.body.Bytes())
	m.close()
	write(v.w, &m)
}

func (v *visit) topic() string {
	if c := campaign.StatusOf(v.status); c != nil {
		return c.Name + ": " + v.status.Topic
	}
	if v.status.Topic == "" {
		return "Run " + v.id
	}
	return v.status.Topic
}

func (v *visit) stateMarkup() raw {
	var m markup
	m.state(stateWord(v.status))
	return raw(m.String())
}
