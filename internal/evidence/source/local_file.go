package source

import (
	"path"
	"slices"
	"strings"
)

// classifyFile tells what sort of witness a file of the scope is, by its name and the
// folders it lies in: a program is code wherever it lies; a README, a change log, a
// licence, documentation and specifications are what a project says of itself; mails,
// chats, exported issues and discussions are what people say. What prose of no such
// place is, nobody can tell from its name.
func classifyFile(name string) (Standing, string) {
	name = strings.ToLower(path.Clean(name))
	folders := strings.Split(path.Dir(name), "/")
	base := path.Base(name)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	stem, _, _ = strings.Cut(stem, ".") // README.zh-CN.md
	switch {
	case slices.Contains([]string{".mbox", ".eml", ".msg"}, ext):
		return StandingCommunity, "mail"
	case isManifest(base):
		return StandingCode, "a file that builds the program"
	case isProjectText(stem) && (isProse(ext) || ext == ""):
		return StandingOfficial, "what a project says of itself"
	case isStandardText(stem) && isProse(ext):
		return StandingStandard, "the text of a standard"
	case slices.Contains([]string{".csv", ".tsv", ".geojson", ".jsonl", ".ndjson", ".parquet"}, ext):
		return unknown("data, and nothing says who has gathered it")
	case isPeoplesPlace(folders, stem) && (isProse(ext) || ext == ".json" || ext == ".log"):
		return StandingCommunity, "what people say, by the name of its place"
	case isSpecification(stem, base, ext):
		return StandingOfficial, "a specification"
	case ext == ".tex", inFolder(folders, "papers", "paper", "lit", "literature", "thesis") && isProse(ext):
		return StandingPublication, "a paper by the name of its place"
	case strings.HasPrefix(ext, ".htm") && inFolder(folders, "src", "app", "web", "public", "templates", "static"):
		return StandingCode, "a page of the program"
	case isProse(ext) || isManualPage(folders, ext):
		if isManualPage(folders, ext) || !slices.Contains([]string{".txt", ".pdf"}, ext) || inFolder(folders, "doc", "docs", "documentation", "man", "manual", "manuals", "guide", "spec", "specs", "rfc", "adr", "design") {
			return StandingOfficial, "documentation of its project"
		}
		return unknown("text, and its name does not say what it documents")
	}
	return StandingCode, "a file of the program"
}

func inFolder(folders []string, names ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return slices.Contains(names, f) || strings.HasPrefix(f, "man") && len(f) == 4 && f[3] >= '1' && f[3] <= '9' && slices.Contains(names, "man")
	})
}

// isProse reports whether files that end so are read, not run.
func isProse(ext string) bool {
	return slices.Contains([]string{".md", ".markdown", ".mdx", ".rst", ".adoc", ".asciidoc", ".txt", ".text", ".org", ".html", ".htm", ".pdf", ".docx", ".odt", ".rtf", ".textile"}, ext)
}

// isProjectText tells the files in which a project speaks of itself.
func isProjectText(stem string) bool {
	return slices.ContainsFunc([]string{
		"readme", "liesmich", "lisezmoi", "changelog", "changes", "history", "news", "release-notes", "release_notes", "releases", "license", "licence",
		"copying", "copyright", "notice", "contributing", "code_of_conduct", "security", "support", "authors", "maintainers", "governance", "roadmap",
		"upgrading", "migrating", "install", "faq", "architecture",
	}, func(name string) bool {
		return stem == name || strings.HasPrefix(stem, name+"-") || strings.HasPrefix(stem, name+"_")
	})
}

// isManifest tells text files that are read by a program that builds another.
func isManifest(base string) bool {
	return slices.Contains([]string{"requirements.txt", "constraints.txt", "cmakelists.txt", "meson_options.txt", "robots.txt", "go.mod", "go.sum", "package.json"}, base)
}

// isStandardText tells the text of a standard by the number in its name.
func isStandardText(stem string) bool {
	for _, body := range []string{"rfc", "pep", "bcp", "std"} {
		if number, ok := strings.CutPrefix(stem, body); ok && digits(strings.TrimLeft(number, "-_ "), 5) {
			return true
		}
	}
	return strings.HasPrefix(stem, "draft-ietf-")
}

// isSpecification tells files that say how an interface or a format has to be.
func isSpecification(stem, base, ext string) bool {
	if !slices.Contains([]string{".json", ".yaml", ".yml", ".xsd"}, ext) {
		return false
	}
	return ext == ".xsd" || slices.Contains([]string{"openapi", "swagger", "asyncapi"}, stem) || strings.HasSuffix(base, ".schema"+ext)
}

// isPeoplesPlace tells mails, chats, exported issues and discussions by the folder they
// lie in, or by the name of the file.
func isPeoplesPlace(folders []string, stem string) bool {
	places := []string{
		"issues", "issue", "discussions", "discussion", "threads", "pulls", "pull-requests", "mail", "mails", "list", "lists", "mailing-list", "mailing-lists",
		"forum", "irc", "slack", "slack-export", "discord", "whatsapp", "blog", "saved",
	}
	if slices.Contains([]string{"issues", "discussions", "pulls"}, stem) {
		return true
	}
	documented := inFolder(folders, "doc", "docs", "documentation")
	return !documented && inFolder(folders, places...)
}

// isManualPage tells a page of a manual by its section.
func isManualPage(folders []string, ext string) bool {
	return len(ext) == 2 && ext[1] >= '1' && ext[1] <= '9' && inFolder(folders, "man", "doc", "docs")
}
