package archive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"research-council/internal/robots"
)

// longestPause bounds what a host can make us wait.
const longestPause = time.Minute

// manners keep a host from being asked too much, by all processes of an
// archive together.
type manners struct {
	store *store
	o     Options

	mu    sync.Mutex
	turns map[string]chan struct{} // who of this process asks a host
	sites map[string]site          // by origin
}

// turn waits until a host may be asked. The turn is over with done.
func (m *manners) turn(ctx context.Context, host string) (done func(), err error) {
	turns := m.turnsOf(host)
	select {
	case turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	unlock, err := m.slot(ctx, host)
	if err != nil {
		<-turns
		return nil, err
	}
	done = func() { unlock(); <-turns }
	pause, err := m.reserve(ctx, host)
	if err == nil && pause > 0 {
		err = m.o.Wait(ctx, pause)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

func (m *manners) turnsOf(host string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns[host] == nil {
		m.turns[host] = make(chan struct{}, m.o.PerHost)
	}
	return m.turns[host]
}

// slot takes one of the places a host has for all processes.
func (m *manners) slot(ctx context.Context, host string) (unlock func(), err error) {
	for {
		for i := range m.o.PerHost {
			l := m.store.flock("host-" + short(host) + "-" + strconv.Itoa(i))
			ok, err := l.TryLock()
			if err != nil {
				return nil, fmt.Errorf("lock archive: %w", err)
			}
			if ok {
				return func() { _ = l.Unlock() }, nil // ends with the process at the latest
			}
		}
		if err := wait(ctx, poll); err != nil {
			return nil, err
		}
	}
}

// reserve takes the next moment at which a host may be asked and says how far
// off it is.
func (m *manners) reserve(ctx context.Context, host string) (time.Duration, error) {
	pause := time.Duration(0)
	err := m.next(ctx, host, func(now, next time.Time) time.Time {
		pause = min(max(next.Sub(now), 0), longestPause)
		if m.o.Pace < 0 && pause == 0 {
			return next
		}
		return now.Add(pause + max(m.o.Pace, 0))
	})
	return pause, err
}

// hold keeps everybody from asking a host for a while.
func (m *manners) hold(ctx context.Context, host string, pause time.Duration) error {
	return m.next(ctx, host, func(now, next time.Time) time.Time {
		if until := now.Add(min(pause, longestPause)); until.After(next) {
			return until
		}
		return next
	})
}

// next changes the moment from which a host may be asked.
func (m *manners) next(ctx context.Context, host string, change func(now, next time.Time) time.Time) error {
	name := "next-" + short(host)
	unlock, err := m.store.lock(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	path := m.store.lockPath(name)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the pace of a host: %w", err)
	}
	nanos, _ := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64) // an empty file is the first request
	was := time.Unix(0, nanos)
	next := change(m.o.Clock(), was)
	if next.Equal(was) {
		return nil
	}
	if err := os.WriteFile(path, []byte(strconv.FormatInt(next.UnixNano(), 10)), 0o600); err != nil {
		return fmt.Errorf("keep the pace of a host: %w", err)
	}
	return nil
}

// rulesAge is how long a robots.txt is kept (RFC 9309, 2.4).
const rulesAge = 24 * time.Hour

// site is the robots.txt of an origin as it is kept.
type site struct {
	Origin  string    `json:"origin"`
	Fetched time.Time `json:"fetched"`
	Status  int       `json:"status"`
	File    []byte    `json:"file,omitempty"`
}

// wanted asks a site's robots.txt whether a page may be fetched. A site that
// does not answer is not asked for the page either; the error is the one of
// the connection.
func (a *Archive) wanted(ctx context.Context, u *url.URL) error {
	origin := u.Scheme + "://" + strings.ToLower(u.Host)
	s, err := a.site(ctx, origin)
	if err != nil {
		return err
	}
	rules, known := robots.Status(s.Status)
	if !known {
		rules = robots.Parse(s.File, product(a.o.UserAgent))
	}
	if rules.Allowed(u.RequestURI()) {
		return nil
	}
	if known {
		return &fault{reason: fmt.Sprintf("robots.txt of %s cannot be read (status %d), so nothing may be fetched there", clip(u.Host), s.Status), retry: true}
	}
	return refuse("robots.txt of %s does not want it fetched", clip(u.Host))
}

// product is the name in a User-Agent header.
func product(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// site gives the robots.txt of an origin, from the archive while it is fresh.
func (a *Archive) site(ctx context.Context, origin string) (site, error) {
	if s, ok := a.manners.site(origin); ok {
		return s, nil
	}
	path := filepath.Join(a.store.dir, rulesName, short(origin))
	unlock, err := a.store.lock(ctx, "robots-"+short(origin))
	if err != nil {
		return site{}, err
	}
	defer unlock()
	var s site
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &s) == nil && s.Origin == origin && a.manners.fresh(s) {
		a.manners.keep(s)
		return s, nil
	}
	ans, err := a.follow(ctx, origin+"/robots.txt", hops{most: 5, accept: "text/plain, */*;q=0.5"})
	if err != nil {
		return site{}, err
	}
	if ans.cut && !ans.full && len(ans.body) < robots.Limit {
		return site{}, &fault{reason: "robots.txt of " + clip(origin) + " broke off", retry: true} // what it forbids may stand behind
	}
	s = site{Origin: origin, Fetched: a.o.Clock(), Status: ans.status, File: bytes.Clone(ans.body[:min(len(ans.body), robots.Limit)])}
	if s.Status >= 500 || s.Status == http.StatusTooManyRequests { // for now: it is asked again
		return s, nil
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = write(path, data)
	}
	if err != nil {
		return s, errors.Join(errors.New("keep robots.txt"), err)
	}
	a.manners.keep(s)
	return s, nil
}

func (m *manners) fresh(s site) bool {
	age := m.o.Clock().Sub(s.Fetched)
	return age >= 0 && age < rulesAge
}

func (m *manners) site(origin string) (site, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.sites[origin]
	return s, ok && m.fresh(s)
}

// mostSites bounds the rules held in memory.
const mostSites = 500

func (m *manners) keep(s site) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.sites) >= mostSites {
		clear(m.sites) // what is kept on disk is read again
	}
	m.sites[s.Origin] = s
}
