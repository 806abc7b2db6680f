package render

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/project/confine"
	"github.com/research-council/research-council/test/web"
)

// installed is the Chromium of this machine, in a box.
func installed(t *testing.T) Browser {
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	b := Browser{Program: program, Box: confine.Find}
	if _, err := confine.Find(t.Context()); err != nil {
		t.Skip(err)
	}
	return b
}

func opened(t *testing.T, w *web.Web, b Browser) *archive.Archive {
	o := w.Options()
	o.Render = b.Render
	a, err := archive.Open(t.TempDir(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

const shell = `<!doctype html><title>The lake</title><div id="root"></div><script src="/app.js"></script>`

// sentence is what scripts bring in these tests.
const sentence = "The depth of the lake was measured by the commission in the spring of that year, and was found to be 37 metres at its deepest place."

func paragraphs(text string) string {
	return fmt.Sprintf("`<article><h1>The lake</h1><p>%s</p><p>%s</p></article>`", text, strings.Repeat("The survey was made by boat, with a line and a weight, at ninety places. ", 6))
}

func script(address, body string) web.Page {
	return web.Page{URL: address, MIME: "text/javascript", Body: body}
}

// What pages are that ordinary scripts make.
func TestPagesMadeByScriptsAreRead(t *testing.T) {
	t.Parallel()
	b := installed(t)
	for name, pages := range map[string][]web.Page{
		"by fetch": {
			{URL: "http://app.example/page", Body: shell},
			script("http://app.example/app.js", `fetch("/api/lake").then(r => r.json()).then(d => { root.innerHTML = `+paragraphs("${d.text}")+` })`),
			{URL: "http://app.example/api/lake", MIME: "application/json", Body: fmt.Sprintf(`{"text":%q}`, sentence)},
		},
		"by modules": {
			{URL: "http://app.example/page", Body: strings.Replace(shell, "<script", `<script type="module"`, 1)},
			script("http://app.example/app.js", `import { text } from "./lib/text.js"; const { draw } = await import("./lib/draw.js"); draw(text)`),
			script("http://app.example/lib/text.js", fmt.Sprintf(`export const text = %q`, sentence)),
			script("http://app.example/lib/draw.js", `export const draw = (text) => { root.innerHTML = `+paragraphs("${text}")+` }`),
		},
		"in another place": {
			{URL: "http://app.example/page", Body: shell},
			script("http://app.example/app.js", `location.replace("/old")`),
			{URL: "http://app.example/old", Redirect: "http://docs.example/new"},
			{URL: "http://docs.example/new", Body: web.Article("The lake", sentence, sentence)},
		},
		"in a shadow tree": {
			{URL: "http://app.example/page", Body: strings.Replace(shell, `<div id="root"></div>`, `<x-page><b>`+sentence[:40]+`</b></x-page><div id="root"></div>`, 1)},
			script("http://app.example/app.js", `customElements.define("x-page", class extends HTMLElement { connectedCallback() { this.attachShadow({mode: "open"}).innerHTML = `+
				strings.Replace(paragraphs(sentence), "<p>", "<p><slot></slot></p><p>", 1)+` } })`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := b
			if name == "by fetch" { // a folder for what is passing that is far down
				b.folder = filepath.Join(t.TempDir(), strings.Repeat("far down ", 12))
				require.NoError(t, os.Mkdir(b.folder, 0o700))
			}
			w := web.Start(t, pages...)
			a := opened(t, w, b)
			s, err := a.Fetch(t.Context(), "http://app.example/page")
			require.NoError(t, err)
			require.Equal(t, archive.Live, s.State, s.Reason)
			text, err := a.Text(s)
			require.NoError(t, err)
			require.Contains(t, text, sentence)
			require.True(t, strings.HasPrefix(s.Rendered.By, "Chromium "), s.Rendered.By)
			if name == "in another place" {
				require.Equal(t, "http://docs.example/new", s.Final)
				require.Equal(t, []string{"http://app.example/page", "http://app.example/old"}, s.Redirects)
			} else {
				body, err := a.Bytes(s)
				require.NoError(t, err)
				require.Equal(t, pages[0].Body, string(body), "what came is kept beside what was made of it")
			}
			require.Contains(t, strings.Join(s.Warnings, "\n"), archive.ByScripts)
			require.Empty(t, a.Check())
			for _, r := range w.Requests() {
				require.Equal(t, w.Options().UserAgent, r.Header.Get("User-Agent"), r.URL)
				require.Empty(t, r.Header.Get("Cookie")+r.Header.Get("Referer"), r.URL)
			}
			require.Equal(t, 1, w.Count("http://app.example/page"), "it is asked for once")
		})
	}
}
