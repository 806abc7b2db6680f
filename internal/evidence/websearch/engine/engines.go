package engine

import "time"

// engines are all engines, of each kind the one first that answers most questions.
func engines() []Engine {
	return []Engine{
		// A server of one's own, or a key.
		{Name: "searxng", Kind: Web, About: "https://docs.searxng.org/dev/search_api.html", request: askSearXNG, read: readSearXNG},
		{Name: "npm", Kind: Packages, About: "https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md", request: askNPM, read: readNPM},
		{Name: "brave", KeyEnv: "BRAVE_API_KEY", Kind: Web, Base: "https://api.search.brave.com", Login: NeedsKey, USD: 0.005, Pace: time.Second, About: "https://api-dashboard.search.brave.com/app/documentation/web-search/get-started", request: askBrave, read: readBrave},
		{Name: "tavily", KeyEnv: "TAVILY_API_KEY", Kind: Web, Base: "https://api.tavily.com", Login: NeedsKey, USD: 0.008, About: "https://docs.tavily.com/documentation/api-reference/endpoint/search", request: askTavily, read: readTavily},
		{Name: "exa", KeyEnv: "EXA_API_KEY", Kind: Web, Base: "https://api.exa.ai", Login: NeedsKey, USD: 0.005, About: "https://docs.exa.ai/reference/search", request: askExa, read: readExa},
		{Name: "kagi", KeyEnv: "KAGI_API_KEY", Kind: Web, Base: "https://kagi.com", Login: NeedsKey, USD: 0.025, About: "https://help.kagi.com/kagi/api/quick-start.html", request: askKagi, read: readKagi},
		{Name: "serper", KeyEnv: "SERPER_API_KEY", Kind: Web, Base: "https://google.serper.dev", Login: NeedsKey, USD: 0.001, About: "https://serper.dev", request: askSerper, read: readSerper},
		// Without one.
		{Name: "openalex", Kind: Papers, Base: "https://api.openalex.org", Login: MayKey, Contact: true, About: "https://docs.openalex.org/how-to-use-the-api/get-lists-of-entities/search-entities", request: askOpenAlex, read: readOpenAlex},
		{Name: "crossref", Kind: Papers, Base: "https://api.crossref.org", Contact: true, About: "https://www.crossref.org/documentation/retrieve-metadata/rest-api/", request: askCrossref, read: readCrossref},
		{Name: "arxiv", Kind: Papers, Base: "https://export.arxiv.org", Pace: 3 * time.Second, About: "https://info.arxiv.org/help/api/user-manual.html", request: askArXiv, read: readArXiv},
		{Name: "europepmc", Kind: Papers, Base: "https://www.ebi.ac.uk", About: "https://europepmc.org/RestfulWebService", request: askEuropePMC, read: readEuropePMC},
		{Name: "semanticscholar", Kind: Papers, Base: "https://api.semanticscholar.org", Login: MayKey, Pace: time.Second, About: "https://api.semanticscholar.org/api-docs/graph", request: askSemanticScholar, read: readSemanticScholar},
		{Name: "wikipedia", Kind: Encyclopedia, Base: "https://en.wikipedia.org", Contact: true, About: "https://www.mediawiki.org/wiki/API:Search", request: askWikipedia, read: readWikipedia},
		{Name: "wikidata", Kind: Encyclopedia, Base: "https://www.wikidata.org", Contact: true, About: "https://www.wikidata.org/w/api.php?action=help&modules=wbsearchentities", request: askWikidata, read: readWikidata},
		{Name: "github", Kind: Code, Base: "https://api.github.com", Login: MayKey, Pace: 6 * time.Second, About: "https://docs.github.com/en/rest/search/search", request: askGitHub, read: readGitHub},
		{Name: "stackexchange", Kind: Discussions, Base: "https://api.stackexchange.com", Login: MayKey, About: "https://api.stackexchange.com/docs/advanced-search", request: askStackExchange, read: readStackExchange},
		{Name: "hackernews", Kind: Discussions, Base: "https://hn.algolia.com", About: "https://hn.algolia.com/api", request: askHackerNews, read: readHackerNews},
		{Name: "crates", Kind: Packages, Base: "https://crates.io", Pace: time.Second, Contact: true, About: "https://crates.io/data-access", request: askCrates, read: readCrates},
		{Name: "wayback", Kind: Archived, Base: "https://web.archive.org", Pace: 4 * time.Second, About: "https://github.com/internetarchive/wayback/tree/master/wayback-cdx-server", request: askWayback, read: readWayback},
	}
}
