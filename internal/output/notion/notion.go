// Package notion puts a report into Notion as a page, by Notion's HTTP API.
//
// [Client.Create] makes an empty page below the configured parent,
// [Client.Replace] makes its content exactly the blocks given, [Client.Count]
// reads back how many stand there, and [Client.Find] finds the page of a run
// whose id nobody has written down. [Blocks] makes blocks of Markdown, valid
// by Notion's limits whatever the Markdown is.
//
// Notion has no keys that make a request count once. So nothing that writes is
// sent a second time before it was looked up whether the first got through:
// pages are told apart by their titles (see [Title]), blocks by how many stand
// below their parent. A caller that was killed anywhere calls Find (where it
// has no id yet), else Create, and then Replace again: there is one page with
// the content asked for, never two.
//
// The client keeps Notion's pace and tries again what may go better; what will
// not is a terminal [Error] that says what to do. The token is in no error.
// When to deliver, how often to try and what to write down is left to others.
package notion

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/research-council/research-council/internal/base/disk"
)

// Config is how Notion is reached. It has the fields of the section notion of
// the configuration, so that one converts to the other.
type Config struct {
	Server     string        // address of the API; "" for Notion's own
	Parent     string        // id or address of the page or database that pages are made below; "" turns it off
	ParentKind string        // page or database; "" is page
	TokenEnv   string        // variable of the environment that holds the token; "" for NOTION_TOKEN
	TokenFile  string        // file that holds it, instead; nobody else may read it
	Timeout    time.Duration // of one request; 0 for a minute, after which Notion itself gives up
	Pace       time.Duration // between the beginnings of two requests; with 0 no try waits for another
}

// What stands in place of what a configuration leaves out.
const (
	defaultServer  = "https://api.notion.com"
	defaultToken   = "NOTION_TOKEN"
	defaultTimeout = time.Minute
)

// Kinds of parents.
const (
	page     = "page"
	database = "database"
)

// Client speaks with one Notion server for one parent. It may be used by
// several goroutines: they share its pace.
type Client struct {
	server string
	parent string // id
	kind   string // of the parent
	token  string
	http   *http.Client
	pace   time.Duration

	mu   sync.Mutex
	next time.Time // before which no request begins
}

// New makes a client. Without a parent there is none, and no error.
func New(c Config, getenv func(string) string) (*Client, error) {
	if strings.TrimSpace(c.Parent) == "" {
		return nil, nil
	}
	parent, ok := parseID(c.Parent)
	kind := cmp.Or(c.ParentKind, page)
	server := strings.TrimRight(cmp.Or(c.Server, defaultServer), "/")
	switch u, err := url.Parse(server); {
	case !ok:
		return nil, errors.New("notion: parent is no id or address of a page: either ends in 32 hexadecimal digits")
	case kind != page && kind != database:
		return nil, errors.New("notion: parent_kind has to be page or database")
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("notion: server has to be an http or https address")
	}
	token, err := readToken(c, getenv)
	if err != nil {
		return nil, err
	}
	return &Client{
		server: server, parent: parent, kind: kind, token: token, pace: max(c.Pace, 0),
		http: &http.Client{
			Timeout:       cmp.Or(c.Timeout, defaultTimeout),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the token is for this server
		},
	}, nil
}

// maxToken bounds a token, in bytes; Notion's have about fifty.
const maxToken = 4096

// readToken reads the token from where the configuration says. No error holds
// any of it.
func readToken(c Config, getenv func(string) string) (string, error) {
	if c.TokenFile != "" {
		token, err := tokenFile(c.TokenFile)
		if err != nil {
			return "", fmt.Errorf("notion: read the token: %w", err)
		}
		return checkToken(token, c.TokenFile)
	}
	name := cmp.Or(c.TokenEnv, defaultToken)
	token := strings.TrimSpace(getenv(name))
	if token == "" {
		return "", fmt.Errorf("notion: %s is not set: put the integration's token there, or name a file that holds it as token_file", name)
	}
	return checkToken(token, name)
}

func tokenFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path)
	}
	if disk.IsOpenToOthers(info) {
		return "", fmt.Errorf("%s can be used by others (mode %04o): chmod 600 it", path, info.Mode().Perm())
	}
	data, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	return strings.TrimSpace(string(data)), err
}

// checkToken refuses what cannot stand in a header.
func checkToken(token, where string) (string, error) {
	foreign := strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
	if token == "" || len(token) > maxToken || foreign {
		return "", fmt.Errorf("notion: %s holds no token: one is a single word such as ntn_…", where)
	}
	return token, nil
}

// parseID finds the id in an id or an address of a page: 32 hexadecimal
// digits, with dashes or without, at the end of the path or, where a page is
// shown beside another, of the parameter p.
func parseID(s string) (id string, ok bool) {
	s = strings.TrimSpace(s)
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		s = u.Path[strings.LastIndexByte(u.Path, '/')+1:]
		if p := u.Query().Get("p"); p != "" {
			s = p
		}
	}
	digits := strings.ToLower(strings.ReplaceAll(s, "-", ""))
	if len(digits) < 32 {
		return "", false
	}
	digits = digits[len(digits)-32:]
	if strings.Trim(digits, "0123456789abcdef") != "" {
		return "", false
	}
	return strings.Join([]string{digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]}, "-"), true
}
