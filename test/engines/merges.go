package engines

import "slices"

// Merge is what several engines have found for one query.
type Merge struct {
	Name  string
	Lists map[string][]Result // by engine, best first
	// Want is the addresses a person would expect first, in this order. More
	// may follow.
	Want []string
	// Same are addresses of one page, each line of one.
	Same [][]string
	// Pages is how many different pages there are.
	Pages int
}

// Is reports whether an address is that of a page, which may have several.
func (m Merge) Is(got, want string) bool {
	return got == want || slices.ContainsFunc(m.Same, func(line []string) bool { return slices.Contains(line, got) && slices.Contains(line, want) })
}

// Merges are ordinary cases of results that are to be merged by rank. In each
// the order is one that a person would give too: no two pages are equally
// good where Want tells them apart.
func Merges() []Merge {
	return slices.Concat(sameAddress(), samePaper(), different(), ranked())
}

// hit is a result with a title of its own.
func hit(address string) Result {
	return Result{Title: "On " + address, URL: address, Snippet: "Of " + address + "."}
}

func hits(addresses ...string) []Result {
	var list []Result
	for _, a := range addresses {
		list = append(list, hit(a))
	}
	return list
}

// twice is a page that two engines know by two addresses, second at one and
// first at the other, between two pages that one engine each knows.
func twice(name, one, other string) Merge {
	return Merge{
		Name:  name,
		Lists: map[string][]Result{"brave": hits("https://first.example/a", one), "serper": hits(other, "https://second.example/b")},
		Want:  []string{other, "https://first.example/a", "https://second.example/b"}, Same: [][]string{{one, other}}, Pages: 3,
	}
}

func sameAddress() []Merge {
	return []Merge{
		twice("with and without www", "https://www.lake.example/depth", "https://lake.example/depth"),
		twice("with and without a slash at the end", "https://lake.example/depth/", "https://lake.example/depth"),
		twice("http and https", "http://lake.example/depth", "https://lake.example/depth"),
		twice("with and without parameters of a campaign", "https://lake.example/depth?utm_source=news&utm_medium=mail&utm_campaign=x", "https://lake.example/depth"),
		twice("parameters of a campaign beside one that matters", "https://lake.example/page?id=7&utm_source=news", "https://lake.example/page?id=7"),
		twice("identifiers of a click", "https://lake.example/depth?fbclid=IwAR0x&gclid=Cj0K", "https://lake.example/depth"),
		twice("with a place in the page", "https://lake.example/depth#measured", "https://lake.example/depth"),
		twice("capital letters in the host", "https://Lake.Example/depth", "https://lake.example/depth"),
		twice("with the port that goes without saying", "https://lake.example:443/depth", "https://lake.example/depth"),
		twice("letters written out and in codes", "https://lake.example/tiefe/m%C3%BCgg", "https://lake.example/tiefe/mügg"),
		twice("everything at once", "http://www.lake.example/depth/?utm_source=x#top", "https://lake.example/depth"),
	}
}

func samePaper() []Merge {
	const doi, landing = "https://doi.org/10.5555/lake.1", "https://press.example/article/lake"
	paper := func(address, doi string) Result {
		return Result{Title: "The depth of the lake", URL: address, DOI: doi, Snippet: "It is 187 metres deep."}
	}
	other := func(name string, one, other Result) Merge {
		m := twice(name, one.URL, other.URL)
		m.Lists = map[string][]Result{"openalex": {hit("https://first.example/a"), one}, "brave": {other, hit("https://second.example/b")}}
		return m
	}
	return []Merge{
		other("a DOI's address and the publisher's page with the DOI", paper(doi, ""), paper(landing, "10.5555/lake.1")),
		other("a DOI in capital letters", paper(doi, "10.5555/lake.1"), paper(landing, "10.5555/LAKE.1")),
		other("the old resolver of DOIs", paper("http://dx.doi.org/10.5555/lake.1", ""), paper(doi, "")),
		other("arXiv's page and its PDF", paper("http://arxiv.org/abs/2401.01234v2", ""), paper("https://arxiv.org/pdf/2401.01234", "")),
		other("arXiv's page and its DOI", paper("https://arxiv.org/abs/2401.01234", ""), paper("https://doi.org/10.48550/arXiv.2401.01234", "10.48550/arXiv.2401.01234")),
	}
}

func different() []Merge {
	return []Merge{
		{
			Name:  "two pages of one host",
			Lists: map[string][]Result{"brave": hits("https://lake.example/depth", "https://lake.example/fish"), "serper": hits("https://lake.example/depth", "https://lake.example/fish")},
			Want:  []string{"https://lake.example/depth", "https://lake.example/fish"}, Pages: 2,
		},
		{
			Name:  "pages told apart by a parameter",
			Lists: map[string][]Result{"brave": hits("https://video.example/watch?v=1", "https://x.example/"), "serper": hits("https://video.example/watch?v=2", "https://video.example/watch?v=1")},
			Want:  []string{"https://video.example/watch?v=1", "https://video.example/watch?v=2", "https://x.example/"}, Pages: 3,
		},
		{
			Name:  "paths told apart by a capital letter",
			Lists: map[string][]Result{"brave": hits("https://lake.example/Go", "https://lake.example/go"), "serper": hits("https://lake.example/Go", "https://lake.example/go")},
			Want:  []string{"https://lake.example/Go", "https://lake.example/go"}, Pages: 2,
		},
		{
			Name: "one title at two hosts",
			Lists: map[string][]Result{
				"brave":  {{Title: "Home", URL: "https://a.example/"}},
				"serper": {{Title: "Home", URL: "https://b.example/"}, {Title: "Home", URL: "https://a.example/"}},
			},
			Want: []string{"https://a.example/", "https://b.example/"}, Pages: 2,
		},
		{
			Name: "two papers of one title with DOIs of their own",
			Lists: map[string][]Result{
				"openalex": {{Title: "Editorial", URL: "https://press.example/1", DOI: "10.5555/ed.1"}, {Title: "Editorial", URL: "https://press.example/2", DOI: "10.5555/ed.2"}},
				"crossref": {{Title: "Editorial", URL: "https://doi.org/10.5555/ed.1", DOI: "10.5555/ed.1"}, {Title: "Editorial", URL: "https://doi.org/10.5555/ed.2", DOI: "10.5555/ed.2"}},
			},
			Want: []string{"https://press.example/1", "https://press.example/2"}, Pages: 2,
			Same: [][]string{{"https://press.example/1", "https://doi.org/10.5555/ed.1"}, {"https://press.example/2", "https://doi.org/10.5555/ed.2"}},
		},
		{
			Name:  "a host below another",
			Lists: map[string][]Result{"brave": hits("https://docs.lake.example/a", "https://lake.example/a"), "serper": hits("https://docs.lake.example/a", "https://lake.example/a")},
			Want:  []string{"https://docs.lake.example/a", "https://lake.example/a"}, Pages: 2,
		},
	}
}

func ranked() []Merge {
	const page, a = "https://page.example/", "https://a.example/"
	rest := func(host string, n int) []string {
		var list []string
		for i := range n {
			list = append(list, "https://"+host+".example/"+string(rune('a'+i)))
		}
		return list
	}
	return []Merge{
		{
			Name: "third at three engines beats first at one",
			Lists: map[string][]Result{
				"brave": hits(a, "https://b.example/", page), "serper": hits("https://c.example/", "https://d.example/", page), "tavily": hits("https://e.example/", a, page),
			},
			Want: []string{page, a}, Pages: 6,
		},
		{
			Name: "second at two engines beats first at one and far down at another",
			Lists: map[string][]Result{
				"brave": hits(a, page, "https://c.example/"), "serper": hits(append([]string{"https://b.example/", page}, append(rest("far", 8), a)...)...),
			},
			Want: []string{page, a}, Pages: 12,
		},
		{
			Name:  "one engine alone keeps its order",
			Lists: map[string][]Result{"brave": hits("https://z.example/", "https://m.example/", a)},
			Want:  []string{"https://z.example/", "https://m.example/", a}, Pages: 3,
		},
		{
			Name:  "an engine that finds nothing takes nothing away",
			Lists: map[string][]Result{"brave": hits("https://z.example/", a), "serper": {}, "tavily": nil},
			Want:  []string{"https://z.example/", a}, Pages: 2,
		},
		{
			Name:  "twice in one list counts once",
			Lists: map[string][]Result{"brave": hits(a+"x", a+"x/", page), "serper": hits(page)},
			Want:  []string{page, a + "x"}, Same: [][]string{{a + "x", a + "x/"}}, Pages: 2,
		},
		{
			Name:  "all engines agree",
			Lists: map[string][]Result{"brave": hits(page, a), "serper": hits(page, a), "exa": hits(page, a)},
			Want:  []string{page, a}, Pages: 2,
		},
		{
			Name:  "a long list does not outweigh a short one",
			Lists: map[string][]Result{"brave": hits(append(rest("long", 20), page)...), "serper": hits(page, "https://long.example/a")},
			Want:  []string{"https://long.example/a", page}, Pages: 21,
		},
	}
}
