// Package serve shows runs in a browser, and lets a person steer them there: the runs
// of one project or of several, a run under way, a finished one with its claims,
// sources and disputes, each claim with its passage in the archived text.
//
// Pages are written here and need no script to be read; the little there is keeps a
// run under way fresh. They load nothing from elsewhere. Everything that comes from
// a question, an agent, a page or a file is data: it is written as text, and an
// archived page is never shown as the page it was. Views read what supervisors leave
// and keep nothing on disk; what is done to a run is done by package control, as by
// the command line. Who may look at all is told in access.go.
package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/research-council/research-council/internal/engine/status"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/host/program"
)

//go:embed style.css
var style []byte

//go:embed script.js
var script []byte

// Options say what is shown, where and to whom.
type Options struct {
	Env      program.Env
	Projects []string // folders with runs, absolute
	Address  Address
	Person   bool // a person has started this: only then what a person alone may say is taken from a page

	Kept *status.Status // the one run shown, which has no journal, as [Keep] gives it; nil for runs of projects
}

// Server serves pages at an address.
type Server struct {
	Options
	listener net.Listener
	tls      *tls.Config
	access   access
	library  library
	kept     registries
	watch    *watchers
	plans    plans
	now      func() time.Time
}

// Open listens at the address; nothing is served yet.
func Open(o Options) (*Server, error) {
	l, cert, err := o.Address.open()
	if err != nil {
		return nil, err
	}
	port, hosts := names(l, cert)
	s := &Server{Options: o, listener: l, access: newAccess(port, cert != nil, hosts), now: time.Now}
	s.library.ended = map[string]endedRun{}
	for _, dir := range o.Projects {
		s.library.projects = append(s.library.projects, newProject(dir))
	}
	if o.Kept != nil {
		key := filepath.Join(o.Kept.Folder, workspace.Status)
		info, err := os.Lstat(key)
		if err != nil {
			return nil, err
		}
		s.library.ended[key] = endedRun{info.ModTime(), *o.Kept}
	}
	s.watch = newWatchers()
	s.Env.Stdin, s.Env.Stderr, s.Env.Stdout = bytes.NewReader(nil), io.Discard, io.Discard // nobody at a terminal is meant by what comes from a page
	if cert != nil {
		s.tls = &tls.Config{Certificates: []tls.Certificate{*cert}, MinVersion: tls.VersionTLS12}
	}
	return s, nil
}

// URL is the address a person opens, with its token. Whoever has it may do what they
// may.
func (s *Server) URL() string {
	host := s.listener.Addr().String()
	if s.tls != nil && len(s.tls.Certificates[0].Leaf.DNSNames) > 0 {
		_, port, _ := net.SplitHostPort(host) // an address of ours
		host = net.JoinHostPort(s.tls.Certificates[0].Leaf.DNSNames[0], port)
	}
	return s.access.origin(host) + "/?token=" + s.access.token
}

// Serve serves until ctx is done.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: log.New(io.Discard, "", 0),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // pages under way are worth no wait
	defer stop()
	l := s.listener
	if s.tls != nil {
		l = tls.NewListener(l, s.tls)
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// Handler answers all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+styleAt(), file("text/css; charset=utf-8", style))
	mux.HandleFunc("GET "+scriptAt(), file("text/javascript; charset=utf-8", script))
	mux.HandleFunc("GET /{$}", s.showRuns)
	mux.HandleFunc("GET /events", s.watchRuns)
	mux.HandleFunc("GET /new", s.onlyPerson(s.showNew))
	mux.HandleFunc("POST /new", s.onlyPerson(s.plan))
	mux.HandleFunc("GET /planned/{plan}", s.onlyPerson(s.showPlanned))
	mux.HandleFunc("POST /planned/{plan}/start", s.onlyPerson(s.start))
	for name, show := range map[string]func(*visit) error{
		"": showRun, "report": showReport, "claims": showClaims, "claims/{claim}": showClaim, "sources": showSources, "disputes": showDisputes,
		"agreement": showAgreement, "votes": showVotes, "changes": showChanges, "log": showLog, "text": showText, "findings": showFindings, "campaign": showCampaign,
	} {
		mux.HandleFunc("GET /run/{project}/{run}/"+name+end(name), s.page(show))
	}
	mux.HandleFunc("GET /run/{project}/{run}/final-report.html", s.run(serveReportFile))
	mux.HandleFunc("GET /run/{project}/{run}/paper", s.run(servePaper))
	mux.HandleFunc("GET /run/{project}/{run}/events", s.run(serveEvents))
	for name, do := range s.writes() {
		if s.Kept != nil {
			break // nothing can be done to it
		}
		mux.HandleFunc("POST /run/{project}/{run}/"+name, s.run(do))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusNotFound, "there is no such page")
	})
	return s.access.guard(mux)
}

// end ends the pattern of a page that stands for a folder.
func end(name string) string {
	if name == "" {
		return "{$}"
	}
	return ""
}

// visit is one run as one request looks at it.
type visit struct {
	*Server
	project project
	id      string
	status  status.Status
	folder  *workspace.Folder
	w       http.ResponseWriter
	r       *http.Request
	body    markup
	title   string
	live    bool   // it is kept fresh
	place   string // which page of the run it is
}

// at is the address of a page of the run.
func (v *visit) at(page string) string { return "/run/" + v.project.Key + "/" + v.id + "/" + page }

// run opens the run that a request names. One of another user, or none, is not found.
func (s *Server) run(do func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p, known := s.library.find(r.PathValue("project"))
		id := r.PathValue("run")
		if !known || p.checkRun(id) != nil {
			refuse(w, http.StatusNotFound, "there is no such run of yours in the projects that are shown")
			return
		}
		f, err := workspace.Open(p.Path, id)
		if err != nil {
			refuse(w, http.StatusNotFound, "the run's folder cannot be opened")
			return
		}
		defer f.Close()
		v := &visit{Server: s, project: p, id: id, folder: f, w: w, r: r}
		if v.status, err = s.library.status(p, id); err != nil {
			v.status = status.Status{ID: id, Status: "unreadable", Reason: err.Error(), Folder: f.Path}
		}
		v.answer(do(v))
	}
}

// answer tells what went wrong.
func (v *visit) answer(err error) {
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		refuse(v.w, http.StatusNotFound, "there is no such page in this run, or not yet")
	default:
		refuse(v.w, http.StatusInternalServerError, "this cannot be shown: "+v.withoutPaths(err))
	}
}

// withoutPaths is what went wrong, without where on this machine.
func (v *visit) withoutPaths(err error) string {
	return line(strings.NewReplacer(v.folder.Path, "the run's folder", v.project.Path, "the project").Replace(err.Error()), 500)
}

// page is a page of a run.
func (s *Server) page(show func(*visit) error) http.HandlerFunc {
	return s.run(func(v *visit) error {
		if err := show(v); err != nil {
			return err
		}
		v.send()
		return nil
	})
}

// file serves what never changes while the program runs.
func file(kind string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
		_, _ = w.Write(data) // a reader that is gone is told nothing
	}
}

func styleAt() string  { return "/style-" + hashOf(style) + ".css" }
func scriptAt() string { return "/script-" + hashOf(script) + ".js" }

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// short is how a project is called where there are several.
func (s *Server) short(p project) string {
	return filepath.Base(filepath.Dir(p.Path)) + "/" + p.name()
}
