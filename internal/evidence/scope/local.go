package scope

import (
	"path"
	"slices"
	"strings"
	"unicode"
)

// SpeaksOfProject reports whether a topic speaks of the project it is asked in, and by
// which of its words: "we" and "our", "this codebase", a path. What stands in
// quotation marks or in the address of a page speaks for others. There says
// whether a path, with slashes, is one of the project.
func SpeaksOfProject(topic string, there func(path string) bool) (said string, local bool) {
	own := withoutQuotations(topic)
	words := strings.FieldsFunc(strings.ToLower(own), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if said, ok := findFirstPerson(words); ok {
		return said, true
	}
	if said, ok := findThisProject(words); ok {
		return said, true
	}
	for _, s := range []string{"我们的", "我們的", "我们", "我們", "私たち", "我々", "本项目", "本專案", "这个项目", "このプロジェクト"} {
		if strings.Contains(own, s) {
			return s, true
		}
	}
	return findPath(strings.Fields(own), there)
}

// withoutQuotations is a topic without what it only quotes, and without addresses.
func withoutQuotations(topic string) string {
	var b strings.Builder
	closing := rune(0)
	ends := map[rune]rune{'"': '"', '“': '”', '„': '“', '«': '»', '「': '」'}
	for _, r := range topic {
		switch {
		case closing != 0:
			if r == closing {
				closing = 0
			}
		case ends[r] != 0:
			closing = ends[r]
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	text := b.String()
	if closing != 0 { // it was no quotation
		text = topic
	}
	kept := slices.DeleteFunc(strings.Fields(text), func(w string) bool { return strings.Contains(w, "://") })
	return strings.Join(kept, " ")
}

// findFirstPerson looks for the first person. Of what mankind has together somebody
// speaks to whom no project belongs, and what "we know" everybody does.
func findFirstPerson(words []string) (string, bool) {
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		switch {
		case slices.Contains([]string{"we", "wir", "nous", "nosotros", "nosotras", "мы", "нас", "нам"}, w):
			if slices.Contains([]string{"know", "humans", "wissen", "savons", "знаем"}, next) {
				continue
			}
			return w, true
		case slices.Contains([]string{"our", "ours", "notre", "nos"}, w), hasAnyPrefix(w, "unser", "nuestr", "наш"):
			if hasAnyPrefix(next, "solar", "planet", "earth", "world", "universe", "galax", "moon", "sun", "species", "ancestor", "bod", "brain", "lives", "society", "ocean", "atmosphere", "sonne", "erde", "welt", "galaxie", "солнечн", "галакти", "планет") {
				continue
			}
			return w, true
		}
	}
	return "", false
}

func hasAnyPrefix(word string, by ...string) bool {
	return slices.ContainsFunc(by, func(b string) bool { return strings.HasPrefix(word, b) })
}

// findThisProject looks for words that point at what lies here.
func findThisProject(words []string) (string, bool) {
	pointers := []string{"this", "dieses", "diesem", "diese", "dieser", "diesen", "ce", "cette", "este", "esta", "этот", "этом", "этого", "этой"}
	things := []string{
		"codebase", "code", "repository", "repo", "project", "package", "module", "service", "library", "app", "application", "workspace", "folder", "directory",
		"projekt", "projekts", "projektes", "repositorium", "quelltext", "paket", "modul", "dienst",
		"projet", "dépôt", "paquet", "application", "proyecto", "repositorio", "código", "paquete",
		"проект", "проекте", "проекта", "репозиторий", "репозитории", "репозитория", "код", "коде", "кода",
	}
	for i := range words {
		if i+1 == len(words) {
			break
		}
		pair := words[i] + " " + words[i+1]
		switch {
		case slices.Contains(pointers, words[i]) && slices.Contains(things, words[i+1]), pair == "in here", pair == "the codebase", pair == "the repo":
			return pair, true
		case words[i] == "the" && words[i+1] == "code" && i > 0 && slices.Contains([]string{"in", "of", "where", "does"}, words[i-1]):
			return "the code", true
		}
	}
	return "", false
}

// findPath looks for a path of the project: one that is there, or one that can
// only be meant so. Beside the name of another repository, as golang/go, what is
// not there is that one's.
func findPath(fields []string, there func(string) bool) (string, bool) {
	meant, foreign := "", false
	for _, f := range fields {
		f = strings.Trim(f, "`'\"(),;?!<>[]“”")
		name := path.Clean(strings.TrimSuffix(trimLineNumbers(f), "."))
		if f == "" || name == "." || strings.HasPrefix(name, "..") || path.IsAbs(name) || !strings.ContainsAny(name, "/.") {
			continue
		}
		switch {
		case there(name):
			return name, true
		case meant == "" && (strings.HasPrefix(f, "./") || looksLikePath(name)):
			meant = name
		case strings.Count(name, "/") == 1 && path.Ext(name) == "" && strings.ToLower(name) == name:
			foreign = true
		}
	}
	if foreign {
		return "", false
	}
	return meant, meant != ""
}

// trimLineNumbers takes the lines off a path: a.go:12, a.go:12-20, a.go#L12.
func trimLineNumbers(s string) string {
	if at := strings.LastIndexAny(s, ":#"); at > 0 && strings.Trim(s[at+1:], "0123456789-lL") == "" {
		return trimLineNumbers(s[:at])
	}
	return s
}

// looksLikePath reports whether a name that is not there can only be one of a project.
func looksLikePath(name string) bool {
	ext := strings.TrimPrefix(path.Ext(name), ".")
	plain := ext != "" && strings.ToLower(ext) == ext && strings.ContainsFunc(ext, unicode.IsLetter) && len(ext) <= 5
	dir, _, below := strings.Cut(name, "/")
	switch {
	case below && plain:
		return true
	case below:
		return slices.Contains([]string{"src", "pkg", "cmd", "internal", "lib", "app", "docs", "test", "tests", "scripts", "config"}, dir)
	}
	base := strings.ToLower(name)
	if slices.Contains([]string{"readme.md", "go.mod", "go.sum", "package.json", "makefile", "dockerfile", "cargo.toml", "pyproject.toml", "changelog.md"}, base) {
		return true
	}
	return base == name && slices.Contains([]string{"yaml", "yml", "toml", "json", "md", "go", "py", "rs", "java", "ts", "tsx", "sql", "sh", "c", "h", "cpp", "ini", "cfg", "xml"}, ext)
}
