package archive_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/evidence/extract"
	"github.com/research-council/research-council/test/web"
)

func TestEncodedBodiesAreUndone(t *testing.T) {
	for _, c := range []struct {
		encoding, header string
		state            archive.State
	}{
		{"gzip", "gzip", archive.Live},
		{"gzip", "x-gzip", archive.Live},
		{"deflate", "deflate", archive.Live},
		{"raw-deflate", "deflate", archive.Live},
		{"br", "br", archive.Live},
		{"zstd", "zstd", archive.Live},
		{"", "identity", archive.Live},
		{"", "gzip", archive.Live}, // said to be, and is not
		{"br", "zstd", archive.Unreachable},
		{"gzip", "compress", archive.Unreachable},
		{"gzip", "gzip, gzip, gzip, gzip", archive.Unreachable},
	} {
		t.Run(c.encoding+" as "+c.header, func(t *testing.T) {
			body := string(web.Encode(c.encoding, []byte(web.Report())))
			w := web.Start(t, web.Page{URL: "http://news.example/a", Encoding: c.header, Raw: true, Body: body})
			s := fetch(t, open(t, w), "http://news.example/a")
			require.Equal(t, c.state, s.State, s.Reason)
			if c.state == archive.Live {
				require.Equal(t, archive.Hash([]byte(web.Report())), s.Body)
			}
		})
	}
	t.Run("one within the other", func(t *testing.T) {
		body := string(web.Encode("br", web.Encode("gzip", []byte(web.Report()))))
		w := web.Start(t, web.Page{URL: "http://news.example/a", Encoding: "gzip, br", Raw: true, Body: body})
		require.Equal(t, archive.Live, fetch(t, open(t, w), "http://news.example/a").State)
	})
	t.Run("cut", func(t *testing.T) {
		body := string(web.Encode("gzip", []byte(web.Report())))
		w := web.Start(t, web.Page{URL: "http://news.example/a", Encoding: "gzip", Raw: true, Body: body[:len(body)-20]})
		s := fetch(t, open(t, w), "http://news.example/a")
		require.Equal(t, archive.Live, s.State, s.Reason)
		what, partial := s.Partial()
		require.True(t, partial)
		require.Contains(t, what, extract.Truncated)
	})
}

func TestRedirects(t *testing.T) {
	chain := func(n int) (pages []web.Page) {
		for i := range n {
			pages = append(pages, web.Page{URL: fmt.Sprintf("http://a.example/%d", i), Redirect: fmt.Sprintf("/%d", i+1)})
		}
		return append(pages, web.Page{URL: fmt.Sprintf("http://a.example/%d", n), Body: web.Report()})
	}
	for _, c := range []struct {
		name, ref string
		pages     []web.Page
		state     archive.State
		reason    string
	}{
		{"ten of them", "http://a.example/0", chain(10), archive.Live, ""},
		{"eleven of them", "http://a.example/0", chain(11), archive.Unreachable, "more than 10"},
		{"to itself", "http://a.example/x", []web.Page{{URL: "http://a.example/x", Redirect: "/x#again"}}, archive.Unreachable, "loop"},
		{"without an address", "http://a.example/x", []web.Page{{URL: "http://a.example/x", Status: 302}}, archive.Unreachable, "302"},
		{"to nonsense", "http://a.example/x", []web.Page{{URL: "http://a.example/x", Redirect: "http://[::1"}}, archive.Unreachable, "no address"},
		{"to a host that is none", "http://a.example/x", []web.Page{{URL: "http://a.example/x", Redirect: "http://nowhere.example/"}}, archive.Unreachable, "does not exist"},
		{"to a login", "http://a.example/x", []web.Page{{URL: "http://a.example/x", Redirect: "/account/login?next=x"}, {URL: "http://a.example/account/login", Body: web.Report()}}, archive.Blocked, "login"},
		{"for good to the same page", "http://www.a.example/x", []web.Page{{URL: "http://www.a.example/x", Status: 301, Redirect: "http://a.example/x/"}, {URL: "http://a.example/x/", Body: web.Report()}}, archive.Live, ""},
		{"by the page, without an end", "http://a.example/0", []web.Page{
			{URL: "http://a.example/0", Body: `<meta http-equiv=refresh content="0;url=/1">`},
			{URL: "http://a.example/1", Body: `<meta http-equiv=refresh content="0;url=/0">`},
		}, archive.Unreachable, "without an end"},
		{"by the page, to a private address", "http://a.example/0", []web.Page{{URL: "http://a.example/0", Body: `<meta http-equiv=refresh content="0;url=http://10.0.0.1/">`}}, archive.Unreachable, "private"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fetch(t, open(t, web.Start(t, c.pages...)), c.ref)
			require.Equal(t, c.state, s.State, s.Reason)
			require.Contains(t, s.Reason, c.reason)
		})
	}
}

func TestThatAPageLeadsToTheFrontPageIsTold(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://a.example/2019/report", Status: 301, Redirect: "/"}, web.Page{URL: "http://a.example/", Body: web.Report()})
	s := fetch(t, open(t, w), "http://a.example/2019/report")
	require.Equal(t, archive.Moved, s.State)
	what, partial := s.Partial()
	require.True(t, partial)
	require.Contains(t, what, "front page")
}

func TestDeadIsOnlyWhatAnArchiveConfirms(t *testing.T) {
	gone := web.Page{URL: "http://gone.example/a", Status: 410}
	missing := web.Page{URL: "http://gone.example/b", Status: 404}
	for _, c := range []struct {
		name, ref string
		change    func(*archive.Options)
		down      string
		state     archive.State
		reason    string
	}{
		{"404, never archived", missing.URL, nil, "", archive.LikelyInvented, "never archived"},
		{"410 was there once", gone.URL, nil, "", archive.Gone, "never archived"},
		{"404, no archive asked", missing.URL, func(o *archive.Options) { o.Wayback = "" }, "", archive.Gone, "404"},
		{"404, the archive is down", missing.URL, nil, "wayback.example", archive.Gone, "could not be asked"},
		{"no such host, no archive asked", "http://nowhere.example/", func(o *archive.Options) { o.Wayback = "" }, "", archive.Unreachable, "no such host"},
		{"no such host, the archive is down", "http://nowhere.example/", nil, "wayback.example", archive.Unreachable, "could not be asked"},
		{"the host is down", missing.URL, nil, "gone.example", archive.Unreachable, "connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := web.Start(t, gone, missing)
			w.Down(c.down)
			a := open(t, w, func(o *archive.Options) {
				if c.change != nil {
					c.change(o)
				}
			})
			s := fetch(t, a, c.ref)
			require.Equal(t, c.state, s.State, s.Reason)
			require.Contains(t, s.Reason, c.reason)
		})
	}
}

func TestACopyIsFoundThoughTheIndexIsBusy(t *testing.T) {
	at := "http://gone.example/a"
	w := web.Start(t, web.Page{URL: at, Status: 404}, web.Page{URL: "http://wayback.example/cdx/search/cdx", Status: 503})
	require.Equal(t, archive.Gone, fetch(t, open(t, w), at).State, "that there is none is not known")
	require.NoError(t, w.Know(web.Capture{URL: at, Time: "20200102030405", Body: web.Report()}))
	require.Equal(t, archive.Stale, fetch(t, open(t, w), at).State)
}

func TestAnArchivedErrorIsNoCopy(t *testing.T) {
	at := "http://gone.example/a"
	w := web.Start(t, web.Page{URL: at, Status: 404})
	require.NoError(t, w.Know(web.Capture{URL: at, Time: "20200102030405", Body: "<title>Page not found</title>"}))
	s := fetch(t, open(t, w), at)
	require.Equal(t, archive.Gone, s.State)
	require.Contains(t, s.Reason, "does not show it either")
}

func TestPapers(t *testing.T) {
	paper := web.Work{DOI: "10.5555/Lake(1)<a>", Title: "The depth of the lake", Authors: []string{"Ada Example"}, Year: 2021, Landing: "http://journal.example/lake"}
	w := web.Start(t,
		web.Page{URL: "http://journal.example/lake", Body: web.Report()}, web.Page{URL: "http://journal.example/doi/10.5555/open", Body: web.Report()},
		web.Page{URL: "http://walled.example/doi/10.5555/walled", Status: 403},
		web.Page{URL: "http://arxiv-api.example/pdf/2101.00001", MIME: "application/pdf", Body: web.PDF("The lake", "Ada", "It is 187 metres deep.")},
		web.Page{URL: "http://arxiv-api.example/abs/2101.00002", Body: web.Report()},
		web.Page{URL: "http://blog.example/of-a-paper", Body: strings.Replace(web.Report(), "<head>", `<head><meta name="citation_doi" content="10.5555/open">`, 1)})
	require.NoError(t, w.Know(paper,
		web.Work{DOI: "10.5555/open", Title: "Open", Authors: []string{"Bo Sample"}, Year: 2020, Landing: "http://nowhere.example/", Concern: true},
		web.Work{DOI: "10.5555/walled", Title: "Walled", Year: 2019, Landing: "http://walled.example/doi/10.5555/walled"},
		web.Work{DOI: "10.5555/data", Title: "Depths", Authors: []string{"Ada Example"}, Year: 2018, Landing: "http://journal.example/lake", Elsewhere: true},
		web.Preprint{ID: "2101.00001", Title: "The lake", Authors: []string{"Ada Example", "Bo Sample"}, Year: 2021},
		web.Preprint{ID: "2101.00002", Title: "Withdrawn lake", Year: 2021, Withdrawn: true}))
	for _, c := range []struct {
		name, ref string
		state     archive.State
		final     string
		record    *archive.Record
	}{
		{"a DOI through the resolver", "doi:10.5555/lake(1)<a>", archive.Live, "http://journal.example/lake", &archive.Record{Title: paper.Title, Authors: paper.Authors, Year: 2021, Source: "crossref"}},
		{"a publisher's address of a DOI", "http://journal.example/doi/10.5555/open", archive.Live, "http://journal.example/doi/10.5555/open", &archive.Record{Title: "Open", Authors: []string{"Bo Sample"}, Year: 2020, Source: "crossref", Notice: "expression of concern by 10.5555/open.notice (2021)"}},
		{"a wall, and the record all the same", "https://doi.org/10.5555/walled", archive.Blocked, "http://walled.example/doi/10.5555/walled", &archive.Record{Title: "Walled", Year: 2019, Source: "crossref"}},
		{"a DOI of another agency", "10.5555/data", archive.Live, "http://journal.example/lake", &archive.Record{Title: "Depths", Authors: []string{"Ada Example"}, Year: 2018, Source: "doi"}},
		{"a DOI nobody knows", "10.5555/unknown", archive.LikelyInvented, "http://doi.example/10.5555/unknown", nil},
		{"a preprint's text", "https://arxiv.org/abs/2101.00001v2", archive.Live, "http://arxiv-api.example/pdf/2101.00001", &archive.Record{Title: "The lake", Authors: []string{"Ada Example", "Bo Sample"}, Year: 2021, Source: "arxiv"}},
		{"a page that gives its DOI", "http://blog.example/of-a-paper", archive.Live, "http://blog.example/of-a-paper", &archive.Record{Title: "Open", Authors: []string{"Bo Sample"}, Year: 2020, Source: "crossref", Notice: "expression of concern by 10.5555/open.notice (2021)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fetch(t, open(t, w), c.ref)
			require.Equal(t, c.state, s.State, s.Reason)
			require.Equal(t, c.final, s.Final)
			require.Equal(t, c.record, s.Record)
		})
	}
	t.Run("a preprint without a PDF, withdrawn", func(t *testing.T) {
		s := fetch(t, open(t, w), "arXiv:2101.00002")
		require.Equal(t, archive.Live, s.State, s.Reason)
		require.True(t, s.Record.Retracted)
		require.Contains(t, s.Record.Notice, "withdrawn")
	})
	t.Run("registries that are down say nothing", func(t *testing.T) {
		w := web.Start(t, web.Page{URL: "http://journal.example/lake", Body: web.Report()})
		require.NoError(t, w.Know(paper))
		w.Down("crossref.example")
		s := fetch(t, open(t, w), "doi:10.5555/lake(1)<a>")
		require.Equal(t, archive.Live, s.State)
		require.Nil(t, s.Record)
	})
}

func TestRetractionIsTold(t *testing.T) {
	w := web.Start(t)
	require.NoError(t, w.Know(web.Work{DOI: "10.5555/r", Title: "The depth of the lake", Year: 2020, Retracted: true}))
	s := fetch(t, open(t, w), "doi:10.5555/r")
	require.True(t, s.Record.Retracted)
	require.Equal(t, "retraction by 10.5555/r.notice (2021)", s.Record.Notice)
}

func TestMismatch(t *testing.T) {
	record := archive.Record{Title: "The depth of the lake: a survey by sonar", Authors: []string{"Ada Müller-Example", "Bo Sample"}, Year: 2020}
	for _, c := range []struct {
		name, title string
		authors     []string
		year        int
		want        string
	}{
		{"all of it", "The Depth of the Lake: A Survey by Sonar", []string{"A. Muller-Example", "B. Sample"}, 2020, ""},
		{"without the subtitle", "The depth of the lake", nil, 0, ""},
		{"nothing given", "", nil, 0, ""},
		{"the year of print", "", nil, 2021, ""},
		{"et al.", "", []string{"Sample et al."}, 2020, ""},
		{"family name first", "", []string{"MÜLLER-EXAMPLE, Ada"}, 0, ""},
		{"another title", "On the breeding of moths", nil, 0, "title"},
		{"a title with one word in common", "Lake", nil, 0, "title"},
		{"a title with other words", "The depth of the sea: a survey by lead", nil, 0, "title"},
		{"other authors", "", []string{"Cy Specimen"}, 0, "authors"},
		{"another year", "", nil, 2017, "year"},
		{"all of it wrong", "Moths", []string{"Cy Specimen"}, 1987, "title"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := record.Mismatch(c.title, c.authors, c.year)
			if c.want == "" {
				require.Empty(t, got)
				return
			}
			require.Contains(t, got, c.want)
		})
	}
	require.Empty(t, archive.Record{}.Mismatch("a title of many words", []string{"Ada"}, 1999), "an empty record says nothing")
	require.Empty(t, archive.Record{Title: "RETRACTED: The depth of the lake"}.Mismatch("The depth of the lake", nil, 0))
}

func TestABetterReaderOfPDFs(t *testing.T) {
	at := "http://papers.example/lake.pdf"
	page := web.Page{URL: at, MIME: "application/pdf", Body: web.PDF("The lake", "Ada", "words")}
	for _, c := range []struct {
		name, text string
		err        error
		extractor  string
	}{
		{"it reads", "the words of another reader\x1b", nil, "pdftotext/" + extract.Version},
		{"it fails", "half of", errors.New("failed"), "ledongthuc-pdf/" + extract.Version},
		{"it reads letters that nobody sees", strings.Repeat("\ue000", 100), nil, "ledongthuc-pdf/" + extract.Version},
		{"it finds nothing", " \n", nil, "ledongthuc-pdf/" + extract.Version},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := open(t, web.Start(t, page), func(o *archive.Options) {
				o.PDF = func(_ context.Context, body []byte) (string, error) {
					require.Equal(t, page.Body, string(body))
					return c.text, c.err
				}
			})
			s := fetch(t, a, at)
			require.Equal(t, c.extractor, s.Extractor)
			require.Equal(t, "The lake", s.Title)
			text, err := a.Text(s)
			require.NoError(t, err)
			require.NotContains(t, text, "\x1b")
		})
	}
}

func TestPDFToText(t *testing.T) {
	fake := func(script string) string {
		path := filepath.Join(t.TempDir(), "fake-pdftotext")
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
		return path
	}
	for _, c := range []struct{ name, program, want string }{
		{"it writes", fake("cat"), "%PDF"},
		{"it fails", fake("echo half; exit 1"), ""},
		{"it never ends", fake("yes"), ""},
		{"it is not there", filepath.Join(t.TempDir(), "none"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := archive.PDFToText(c.program)(t.Context(), []byte("%PDF"))
			require.Equal(t, c.want, text)
			require.Equal(t, c.want == "", err != nil)
		})
	}
}

func TestAnImageHasNoText(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://news.example/map", MIME: "image/png", Body: "\x89PNG\r\n\x1a\n\x00"})
	a := open(t, w)
	s := fetch(t, a, "http://news.example/map")
	require.Equal(t, archive.Live, s.State)
	require.Empty(t, s.Text)
	_, partial := s.Partial()
	require.True(t, partial)
	_, err := a.Text(s)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Empty(t, a.Check())
}

func TestWordsOfThePageReachNoReasonUncleaned(t *testing.T) {
	w := web.Start(t, web.Page{URL: "http://a.example/x", Status: 301, Redirect: "/\u202e%1b[31m"}, web.Page{URL: "http://a.example/%E2%80%AE%1B%5B31m", Body: "<title>\x1b[31m\u202e</title>" + web.Report()})
	s := fetch(t, open(t, w), "http://a.example/x")
	for _, text := range append([]string{s.Reason, s.Title, s.Asked}, s.Header...) {
		require.NotContains(t, text, "\x1b")
		require.NotContains(t, text, "\u202e")
	}
}

func FuzzFetch(f *testing.F) {
	f.Add("http://a.example/", "text/html", "<p>a")
	f.Add("http://[::1]:80/", "application/pdf", "%PDF-")
	f.Add("doi:10.1/x", "", "\x00")
	f.Add("//x", "text/plain; charset=", "a")
	f.Add("http://a.example@b.example:99999/\\", "application/json", "{}")
	w := web.Start(f)
	f.Fuzz(func(t *testing.T, ref, mime, body string) {
		require.NoError(t, w.Add(web.Page{URL: "http://a.example/", MIME: strings.ToValidUTF8(extract.Line(mime), "-"), Body: body}))
		a, err := archive.Open(t.TempDir(), w.Options())
		require.NoError(t, err)
		for _, r := range []string{ref, "http://a.example/"} {
			s, err := a.Fetch(t.Context(), r)
			require.NoError(t, err)
			require.True(t, s.State.Readable() || s.Text == "")
			require.True(t, s.Reason != "" || s.State == archive.Live)
		}
		require.Empty(t, a.Check())
	})
}
