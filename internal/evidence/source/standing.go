package source

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// Standing is what sort of witness a source is for one claim.
type Standing string

const (
	StandingOfficial    Standing = "official_doc"   // whoever makes or runs what the claim is about publishes it
	StandingStandard    Standing = "standard"       // a standards body publishes it
	StandingCode        Standing = "code_reference" // a program of the scope, or of a repository of its owner
	StandingPublication Standing = "publication"    // a paper or a book, by its number
	StandingExperiment  Standing = "experiment"     // a seat of the run has made it
	StandingCommunity   Standing = "community"      // anything else, known or not
)

// Classify tells what sort of witness a source is for a claim, and how that is
// known. It looks at the reference alone, never at what anybody says of it:
//
//   - a file of the scope is what its name and place say: code, documentation of its
//     project, a standard, what people have said; the number of a paper or a book makes a publication, that
//     of a standard a standard;
//   - an experiment is one, whatever it shows;
//   - the host of a standards body makes a standard;
//   - a page is official where its host, its package or its project's page
//     belongs to what the claim is about, and code where the repository's owner
//     does. A host belongs to a thing where the table of publishers says so, or
//     where its registrable domain bears the thing's exact name; a thing that
//     is in the table has no other hosts. Host names that anybody can have
//     (shared hosts, by the public suffix list) prove nothing;
//   - places where people talk, and all else, are community. Where nothing is
//     known of a host its reason begins with "not established".
//
// What the claim is about is what topic and claim name: the topic in any case,
// the claim by a name with a capital. Where the claim names a known publisher,
// what only the topic names is another thing.
func Classify(ref, topic, text string) (Standing, string) {
	src := Identify(ref)
	about := newSubject(topic, text)
	switch src.Kind {
	case File:
		return classifyFile(src.Path)
	case Experiment:
		return StandingExperiment, "a seat of this run has made it"
	case RFC, Standard:
		return StandingStandard, "a standard by its number"
	case DOI, ArXiv, PMC, PMID, ISBN:
		return StandingPublication, "a publication by its number"
	case Commit:
		path := strings.TrimPrefix(src.Key, string(Commit)+":")
		host, path, _ := strings.Cut(path, "/")
		return about.judgeRepository(host, strings.Split(path, "/"))
	case URL:
		if a, ok := parseAddress(cleanReference(ref)); ok {
			return about.judgePage(a.withoutAMP())
		}
	}
	return unknown("neither an address nor a file")
}

func unknown(why string) (Standing, string) {
	return StandingCommunity, "not established: " + why
}

// judgePage judges an address.
func (s subject) judgePage(a address) (Standing, string) {
	parts := strings.Split(strings.Trim(strings.ToLower(a.path), "/"), "/")
	host := strings.TrimPrefix(a.host, "www.")
	switch {
	case a.port != "":
		return unknown("a host on a port of its own")
	case host == "web.archive.org" && len(parts) > 2 && parts[0] == "web":
		_, inner, _ := strings.Cut(strings.TrimPrefix(a.path, "/web/"), "/")
		if original, ok := parseAddress(inner); ok && original.host != a.host {
			standing, why := s.judgePage(original)
			return standing, "an archived copy: " + why
		}
	case isDiscussion(host, parts):
		return StandingCommunity, "people talk there"
	case isUnder(host, openHosts()...):
		return StandingCommunity, "anybody writes there"
	case isUnder(host, standardsHosts()...) && !slices.ContainsFunc(parts, func(p string) bool { return strings.HasPrefix(p, "draft-") }):
		return StandingStandard, "published by a standards body"
	case slices.Contains(codeHosts(), host):
		return s.judgeRepository(host, parts)
	}
	if name, ok := packageName(host, parts); ok {
		return s.judgePackage(host, name)
	}
	return s.judgeHost(host)
}

// judgeHost judges a host by whom it belongs to.
func (s subject) judgeHost(host string) (Standing, string) {
	for _, p := range publishers() {
		if isUnder(host, p.domains...) {
			if s.mentionsAny(p.names...) {
				return StandingOfficial, host + " is published by whoever makes it"
			}
			return unknown(host + " speaks for " + p.names[0] + ", which the claim is not about")
		}
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || !strings.Contains(host, ".") {
		return unknown("no domain that anybody has registered")
	}
	label := strings.TrimSuffix(domain, "."+suffix)
	switch {
	case !icann && strings.Contains(suffix, ".") && !isUnder(suffix, projectHosts()...):
		return unknown(suffix + " is a shared host")
	case isPublisherName(label):
		return unknown("it bears the name of " + label + ", whose own hosts are others")
	case s.mentionsAny(nameVariants(label)...):
		return StandingOfficial, domain + " bears the name of what the claim is about"
	}
	return unknown("nothing shows that " + domain + " speaks for what the claim is about")
}

// judgeRepository judges a page of a host of repositories: owner, repository, and
// what of it.
func (s subject) judgeRepository(host string, parts []string) (Standing, string) {
	if len(parts) < 2 {
		return unknown("no repository is named")
	}
	if owner := parts[0]; !s.ownsAccount(owner) {
		return unknown("nothing shows that the repository's owner, " + owner + ", speaks for what the claim is about")
	}
	return StandingCode, "a repository of its owner, " + host + "/" + parts[0]
}

// ownsAccount reports whether an account on a host of repositories belongs to what
// the claim is about.
func (s subject) ownsAccount(owner string) bool {
	for _, p := range publishers() {
		if slices.Contains(p.owners, owner) {
			return s.mentionsAny(p.names...)
		}
	}
	if isPublisherName(owner) {
		return slices.ContainsFunc(publishers(), func(p publisher) bool {
			return len(p.owners) == 0 && slices.Contains(p.names, owner) && s.mentionsAny(p.names...)
		})
	}
	return s.mentionsAny(append(nameVariants(owner), strings.TrimSuffix(owner, "-io"))...)
}

// judgePackage judges the page of a package by its name: a path of Go's modules
// begins with the host of its owner.
func (s subject) judgePackage(host, name string) (Standing, string) {
	if first, rest, _ := strings.Cut(name, "/"); host == "pkg.go.dev" && strings.Contains(first, ".") {
		if !slices.Contains(codeHosts(), first) {
			return s.judgeHost(first)
		}
		if standing, why := s.judgeRepository(first, strings.Split(rest, "/")); standing != StandingCode {
			return standing, why
		}
		return StandingOfficial, "made from the module of its owner"
	}
	if host == "pkg.go.dev" {
		return s.judgeHost(host)
	}
	if s.mentionsAny(name) {
		return StandingOfficial, "the page of the package itself"
	}
	return unknown("the page of another package than the claim is about")
}

// packageName is the package that a page of a registry is about.
func packageName(host string, parts []string) (string, bool) {
	path := strings.Join(parts, "/")
	for _, r := range []struct{ host, before string }{
		{"pkg.go.dev", ""},
		{"docs.rs", ""},
		{"crates.io", "crates/"},
		{"npmjs.com", "package/"},
		{"pypi.org", "project/"},
		{"rubygems.org", "gems/"},
		{"hex.pm", "packages/"},
		{"hexdocs.pm", ""},
		{"nuget.org", "packages/"},
		{"metacpan.org", "pod/"},
	} {
		name, ok := strings.CutPrefix(path, r.before)
		if host != r.host || !ok || name == "" {
			continue
		}
		if host == "pkg.go.dev" {
			name, _, _ = strings.Cut(name, "@")
			return name, true
		}
		name, _, _ = strings.Cut(name, "/")
		return name, true
	}
	return "", false
}

// isDiscussion reports whether people write at a place what the host does not answer
// for: by the first label of its name, or where the path leads.
func isDiscussion(host string, parts []string) bool {
	first, _, _ := strings.Cut(host, ".")
	places := []string{"answers", "ask", "community", "communities", "discourse", "discuss", "discussion", "discussions", "forum", "forums", "gist", "groups", "lists", "mailarchive", "social", "talk"}
	if slices.Contains(places, first) {
		return true
	}
	if host == "github.com" || host == "gitlab.com" || host == "codeberg.org" {
		parts = parts[min(len(parts), 2):]
		if len(parts) > 1 && parts[0] == "-" {
			parts = parts[1:]
		}
		return len(parts) > 0 && slices.Contains([]string{"issues", "discussions", "pull", "pulls", "merge_requests", "wiki", "wikis"}, parts[0])
	}
	return slices.Contains(append(places, "questions", "comments"), parts[0])
}

// isUnder reports whether a host is one of these or below it.
func isUnder(host string, domains ...string) bool {
	return slices.ContainsFunc(domains, func(d string) bool { return host == d || strings.HasSuffix(host, "."+d) })
}

// nameVariants are the names that a label of a host or an account stands for: its own,
// and that without what projects add to one that was taken.
func nameVariants(label string) []string {
	list := []string{label}
	for _, end := range []string{"js", "lang", "project", "foundation", "db"} {
		if name, ok := strings.CutSuffix(label, end); ok && len(strings.Trim(name, "-")) > 1 {
			list = append(list, strings.TrimRight(name, "-"))
		}
	}
	return list
}

// subject is what topic and claim name.
type subject struct {
	topic, text string // words between blanks, in small letters
	known       bool   // the claim itself names a publisher of the table
}

func newSubject(topic, text string) subject {
	s := subject{topic: namesIn(topic, true), text: namesIn(text, false)}
	for _, p := range publishers() {
		for _, name := range p.names {
			s.known = s.known || mentions(namesIn(text, true), name) && capital(text, name)
		}
	}
	if s.known {
		s.text = namesIn(text, true)
	}
	return s
}

// mentionsAny reports whether one of these names is what the claim is about.
func (s subject) mentionsAny(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return mentions(s.text, n) || !s.known && mentions(s.topic, n) })
}

// namesIn is a text as words between blanks; of those that are no names by
// their capitals only what is left of them, unless all are taken.
func namesIn(text string, all bool) string {
	var b strings.Builder
	b.WriteByte(' ')
	begins := true
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' }) {
		ends := strings.HasSuffix(w, ".")
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == '.' }) {
			upper := strings.ToLower(part) != part
			_, size := utf8.DecodeRuneInString(part)
			inner := strings.ToLower(part[size:]) != part[size:]
			if all || inner || upper && !begins {
				b.WriteString(strings.ToLower(part))
			} else {
				b.WriteByte('-')
			}
			b.WriteByte(' ')
			begins = false
		}
		begins = ends
	}
	return b.String()
}

// mentions reports whether words hold a name, in one word or in up to three that
// make it: "Node.js" for nodejs.
func mentions(words, name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "-", "")
	list := strings.Fields(words)
	for i := range list {
		for n := 1; n <= 3 && i+n <= len(list); n++ {
			if name != "" && strings.Join(list[i:i+n], "") == name {
				return true
			}
		}
	}
	return false
}

// capital reports whether a text writes a name with a capital.
func capital(text, name string) bool {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if strings.EqualFold(w, name) && w != strings.ToLower(w) {
			return true
		}
	}
	return false
}

// isPublisherName reports whether a name is in the table of publishers.
func isPublisherName(name string) bool {
	return slices.ContainsFunc(publishers(), func(p publisher) bool { return slices.Contains(p.names, name) })
}

// standardsHosts are the hosts of the bodies whose standards [Identify] knows,
// and of those that publish on the web alone. Source: the bodies' own sites.
func standardsHosts() []string {
	return []string{
		"rfc-editor.org", "ietf.org", "httpwg.org", "iana.org", "w3.org", "whatwg.org", "unicode.org", "iso.org", "iec.ch", "itu.int", "etsi.org",
		"standards.ieee.org", "csrc.nist.gov", "nvlpubs.nist.gov", "pages.nist.gov", "ecma-international.org", "tc39.es", "owasp.org",
		"cwe.mitre.org", "cve.org", "pcisecuritystandards.org", "docs.oasis-open.org", "pubs.opengroup.org", "registry.khronos.org", "spec.openapis.org",
	}
}

// codeHosts are those of repositories, whose paths begin with the owner.
func codeHosts() []string {
	return []string{"github.com", "raw.githubusercontent.com", "gitlab.com", "codeberg.org", "bitbucket.org"}
}

// projectHosts give each project or account a name of its own below them.
func projectHosts() []string {
	return []string{"readthedocs.io", "readthedocs.org", "rtfd.io", "github.io", "gitlab.io", "codeberg.page", "sourceforge.io"}
}

// openHosts are those where anybody writes under the host's name, and papers
// whose names are words of every language.
func openHosts() []string {
	return []string{
		"medium.com", "dev.to", "substack.com", "hashnode.dev", "wordpress.com", "blogspot.com", "tumblr.com", "reddit.com", "quora.com",
		"stackoverflow.com", "stackexchange.com", "superuser.com", "serverfault.com", "news.ycombinator.com", "wikipedia.org", "wikibooks.org",
		"youtube.com", "x.com", "twitter.com", "facebook.com", "linkedin.com", "nature.com", "science.org", "cell.com", "time.com", "independent.co.uk", "express.co.uk", "mirror.co.uk",
	}
}

// publisher is who publishes, under names that its domains do not bear.
type publisher struct{ names, domains, owners []string }

// publishers are makers of things much is claimed about: the names of the
// things, the domains that are theirs, their accounts on hosts of repositories.
// Source: the things' own sites, which name their repositories. What is not
// here is judged by its name alone.
var publishers = sync.OnceValue(func() []publisher {
	var list []publisher
	for row := range strings.Lines(publisherTable) {
		cells := strings.Split(strings.TrimSpace(row), "|")
		if len(cells) == 3 {
			list = append(list, publisher{strings.Fields(cells[0]), strings.Fields(cells[1]), strings.Fields(cells[2])})
		}
	}
	return list
})

const publisherTable = `
go golang|go.dev golang.org|golang
python cpython|python.org|python
rust cargo|rust-lang.org|rust-lang
nodejs node|nodejs.org|nodejs
npm|docs.npmjs.com|npm
deno|deno.com deno.land|denoland
ruby|ruby-lang.org|ruby
rails|rubyonrails.org|rails
php|php.net|php
perl|perl.org perldoc.perl.org|perl
swift|swift.org|swiftlang apple
kotlin|kotlinlang.org|jetbrains
java openjdk jdk|openjdk.org java.com|openjdk
scala|scala-lang.org|scala
julia|julialang.org|julialang
haskell ghc|haskell.org|ghc haskell
erlang|erlang.org|erlang
elixir|elixir-lang.org hexdocs.pm|elixir-lang
clang llvm|llvm.org|llvm
gcc|gcc.gnu.org|gcc-mirror
linux|kernel.org|torvalds
git|git-scm.com|git
react|react.dev reactjs.org|facebook reactjs
vue|vuejs.org|vuejs
angular|angular.dev angular.io|angular
svelte|svelte.dev|sveltejs
typescript|typescriptlang.org|microsoft
django|djangoproject.com|django
flask|flask.palletsprojects.com|pallets
numpy|numpy.org|numpy
pandas|pandas.pydata.org|pandas-dev
requests|requests.readthedocs.io|psf
pytorch|pytorch.org|pytorch
tensorflow|tensorflow.org|tensorflow
redis|redis.io redis.com|redis
postgresql postgres|postgresql.org|postgres
mysql|mysql.com dev.mysql.com|mysql
mariadb|mariadb.org mariadb.com|mariadb
sqlite|sqlite.org|sqlite
mongodb|mongodb.com|mongodb
cassandra|cassandra.apache.org|apache
kafka|kafka.apache.org|apache
spark|spark.apache.org|apache
etcd raft|etcd.io go.etcd.io|etcd-io
nats|nats.io|nats-io
kubernetes k8s|kubernetes.io k8s.io|kubernetes kubernetes-sigs
docker|docker.com docs.docker.com|docker moby
terraform vault consul nomad|hashicorp.com terraform.io|hashicorp
prometheus|prometheus.io|prometheus
grafana|grafana.com|grafana
nginx|nginx.org nginx.com|nginx
apache|httpd.apache.org|apache
curl|curl.se|curl
openssl|openssl.org openssl-library.org|openssl
github|docs.github.com github.blog|github
gitlab|docs.gitlab.com about.gitlab.com|gitlab-org
windows azure microsoft powershell dotnet office excel sharepoint|microsoft.com azure.com|microsoft dotnet azure powershell
android chrome chromium gmail google gke bigquery|google.com android.com chrome.com chromium.org|google android chromium googlecloudplatform
aws s3 ec2 dynamodb lambda rds sqs cloudfront amazon|aws.amazon.com docs.aws.amazon.com|aws amazon
macos ios ipados xcode safari apple|apple.com|apple
firefox mozilla mdn|mozilla.org|mozilla mdn
oracle|oracle.com|oracle
openai chatgpt|openai.com|openai
anthropic claude|anthropic.com claude.com|anthropics
`
