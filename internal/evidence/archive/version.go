package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/research-council/research-council/internal/evidence/source"
)

// Version says which of its versions a source was read in, where its address leads to
// another one tomorrow.
type Version struct {
	Name string `json:"name"`          // for people: "commit 1f2e…", "revision 123", "a preprint"
	URL  string `json:"url,omitempty"` // where this version stays; "" where that is not known
}

// wikiRevision is the revision that a page of MediaWiki shows, as it tells its own
// scripts; nil for other pages.
// https://www.mediawiki.org/wiki/Manual:Interface/JavaScript has the names,
// https://www.mediawiki.org/wiki/Help:Permanent_link the address.
func wikiRevision(ans response) *Version {
	head, _, whole := bytes.Cut(ans.body, []byte("</head>")) // in its text a page may speak of others
	if !whole {
		return nil
	}
	id := wikiConfig("wgRevisionId", head)
	if id == "" || id == "0" {
		return nil
	}
	v := Version{Name: "revision " + id}
	var title string
	at, err := url.Parse(ans.final)
	if err == nil && onWikimedia().MatchString(at.Hostname()) && json.Unmarshal([]byte(wikiConfig("wgPageName", head)), &title) == nil {
		v.URL = at.Scheme + "://" + at.Host + "/w/index.php?title=" + url.QueryEscape(title) + "&oldid=" + id
	}
	return &v
}

// wikiConfig finds a value among those that a page of MediaWiki gives its scripts, as
// JSON; "" where there is none.
func wikiConfig(name string, page []byte) string {
	found := regexp.MustCompile(`"` + name + `":\s*(\d{1,15}|"(?:[^"\\\n]|\\.){1,1000}")`).FindSubmatch(page)
	if found == nil {
		return ""
	}
	return string(found[1])
}

// onWikimedia is a host of Wikimedia, where scripts lie below /w.
var onWikimedia = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|\.)(wikipedia|wikimedia|wiktionary|wikibooks|wikiquote|wikisource|wikinews|wikiversity|wikivoyage|wikidata|mediawiki)\.org$`)
})

// gitHubFile is a file that a page of GitHub shows.
type gitHubFile struct {
	scheme, repository string // owner/name
	ref                string // branch, tag or commit; "" for the usual branch
	path               string // escaped; "" for the README
}

// onGitHub reads the address of a page of a file, or of a repository, whose page shows
// its README.
func onGitHub(address string) (gitHubFile, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() != "github.com" {
		return gitHubFile{}, false
	}
	path := strings.Trim(u.EscapedPath(), "/")
	if slices.ContainsFunc(strings.Split(path, "/"), leadsUp) {
		return gitHubFile{}, false
	}
	parts := strings.SplitN(path, "/", 5)
	f := gitHubFile{scheme: u.Scheme}
	if len(parts) >= 2 {
		f.repository = parts[0] + "/" + parts[1]
	}
	switch {
	case slices.Contains(gitHubOwn, parts[0]):
	case len(parts) == 2 && u.RawQuery == "":
		return f, true
	case len(parts) == 4 && parts[2] == "tree":
		f.ref = parts[3]
		return f, true
	case len(parts) == 5 && parts[2] == "blob":
		f.ref, f.path = parts[3], parts[4]
		return f, true
	}
	return f, false
}

// leadsUp reports whether a part of a path is none of a file: it may lead out of where
// the path begins.
func leadsUp(part string) bool {
	plain, err := url.PathUnescape(part)
	return err != nil || slices.ContainsFunc(strings.Split(plain, "/"), func(s string) bool { return s == "" || s == "." || s == ".." }) || strings.ContainsAny(plain, "\\\x00")
}

// gitHubOwn are what pages begin with that are GitHub's own and nobody's.
var gitHubOwn = []string{"about", "apps", "collections", "customer-stories", "enterprise", "features", "login", "marketplace", "orgs", "search", "security", "settings", "site", "solutions", "sponsors", "topics", "trending", "users"}

// raw is the address of the file itself, at a branch, tag or commit.
func (f gitHubFile) raw(ref string) string {
	return f.scheme + "://raw.githubusercontent.com/" + f.repository + "/" + ref + "/" + f.path
}

// exact asks GitHub which commit a file is read at, and which file a README is.
func (f gitHubFile) exact(ctx context.Context, web *client) (gitHubFile, error) {
	if web.o.GitHub == "" {
		return f, errors.New("GitHub is not asked")
	}
	repository := web.o.GitHub + "/repos/" + f.repository
	ref := f.ref
	if ref == "" {
		ref = "HEAD"
	}
	if !commitHash().MatchString(ref) { // https://docs.github.com/en/rest/commits/commits#get-a-commit
		body, err := web.fetchData(ctx, repository+"/commits/"+ref, "application/vnd.github.sha")
		if err != nil {
			return f, err
		}
		if ref = strings.TrimSpace(string(body)); !commitHash().MatchString(ref) {
			return f, errors.New("its answer is no commit")
		}
	}
	f.ref = ref
	if f.path != "" {
		return f, nil
	}
	// https://docs.github.com/en/rest/repos/contents#get-a-repository-readme
	body, err := web.fetchData(ctx, repository+"/readme?ref="+ref, "application/vnd.github+json")
	if err != nil {
		return f, err
	}
	var readme struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(body, &readme) != nil || readme.Path == "" {
		return f, errors.New("its answer names no file")
	}
	f.path = (&url.URL{Path: readme.Path}).EscapedPath()
	return f, nil
}

var commitHash = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{40}$`) })

// fromGitHub fetches a file itself, in the place of GitHub's page of it, at the commit
// that GitHub names; where it names none, as it stands on its branch today. It is false
// where there is no such file.
func (a *Archive) fromGitHub(ctx context.Context, src source.Source, f gitHubFile) (Snapshot, bool, error) {
	exact, why := f.exact(ctx, a.web)
	if ctx.Err() != nil {
		return Snapshot{}, false, ctx.Err()
	}
	if why == nil {
		snap, err := a.fetchAddress(ctx, src, exact.raw(exact.ref))
		if err != nil {
			return snap, false, err
		}
		if isFile(snap) {
			snap.Version = &Version{Name: "commit " + exact.ref, URL: exact.scheme + "://github.com/" + exact.repository + "/blob/" + exact.ref + "/" + exact.path}
			if name, wrong := url.PathUnescape(exact.path); snap.Title == "" && wrong == nil {
				snap.Title = shortLine(exact.repository + ": " + name)
			}
			return snap, true, nil
		}
		why = errors.New("the commit has no such file")
	}
	if f.path == "" {
		return Snapshot{}, false, nil
	}
	snap, err := a.fetchAddress(ctx, src, f.raw(f.ref))
	if why != nil && a.o.GitHub != "" {
		snap.Warnings = append(snap.Warnings, Unversioned+": "+shortLine(why.Error()))
	}
	return snap, err == nil && isFile(snap), err
}

// isFile reports whether what came is the file itself, and not what an archive of the web
// has of its page.
func isFile(snap Snapshot) bool { return snap.State.Readable() && snap.State != Stale }

// Unversioned begins the warning of a snapshot of a file that is another one at each
// commit, where nobody has said which this is.
const Unversioned = "at a commit that was not told"
