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

	"github.com/research-council/research-council/internal/evidence/robots"
)

// maxPause bounds what a host can make us wait.
const maxPause = time.Minute

// hostLimiter keep a host from being asked too much, by all processes of an
// archive together.
type hostLimiter struct {
	store *store
	o     Options

	mu          sync.Mutex
	semaphores  map[string]chan struct{} // who of this process asks a host
	robotsCache map[string]robotsFile    // by origin
}

// acquire waits until a host may be asked, and leaves it alone for pace afterwards. The
// turn is over with done. A turn that would come too late is given up at once.
func (m *hostLimiter) acquire(ctx context.Context, host string, pace time.Duration) (done func(), err error) {
	turns := m.semaphore(host)
	select {
	case turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	unlock, err := m.lockSlot(ctx, host)
	if err != nil {
		<-turns
		return nil, err
	}
	done = func() { unlock(); <-turns }
	pause, err := m.reserveSlot(ctx, host, pace)
	if err == nil && pause > 0 {
		err = m.o.Wait(ctx, pause)
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

func (m *hostLimiter) semaphore(host string) chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.semaphores[host] == nil {
		m.semaphores[host] = make(chan struct{}, m.o.PerHost)
	}
	return m.semaphores[host]
}

// lockSlot takes one of the places a host has for all processes.
func (m *hostLimiter) lockSlot(ctx context.Context, host string) (unlock func(), err error) {
	for {
		for i := range m.o.PerHost {
			l := m.store.flock("host-" + shortName(host) + "-" + strconv.Itoa(i))
			ok, err := l.TryLock()
			if err != nil {
				return nil, fmt.Errorf("lock archive: %w", err)
			}
			if ok {
				return func() { _ = l.Unlock() }, nil // ends with the process at the latest
			}
		}
		if err := sleep(ctx, lockPollInterval); err != nil {
			return nil, err
		}
	}
}

// reserveSlot takes the next moment at which a host may be asked and says how far
// off it is.
func (m *hostLimiter) reserveSlot(ctx context.Context, host string, pace time.Duration) (time.Duration, error) {
	pause, late := time.Duration(0), false
	err := m.updateNextTime(ctx, host, func(now, next time.Time) time.Time {
		pause = min(max(next.Sub(now), 0), maxPause)
		late = pause > 0 && !fits(ctx, now, pause)
		if late || pace < 0 && pause == 0 {
			return next
		}
		return now.Add(pause + max(pace, 0))
	})
	if err == nil && late {
		err = &fetchFault{reason: fmt.Sprintf("it is to be left alone for %s more", pause.Round(time.Second))}
	}
	return pause, err
}

// postpone keeps everybody from asking a host for a while.
func (m *hostLimiter) postpone(ctx context.Context, host string, pause time.Duration) error {
	return m.updateNextTime(ctx, host, func(now, next time.Time) time.Time {
		if until := now.Add(min(pause, maxPause)); until.After(next) {
			return until
		}
		return next
	})
}

// updateNextTime changes the moment from which a host may be asked.
func (m *hostLimiter) updateNextTime(ctx context.Context, host string, change func(now, next time.Time) time.Time) error {
	name := "next-" + shortName(host)
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

// robotsMaxAge is how long a robots.txt is kept (RFC 9309, 2.4).
const robotsMaxAge = 24 * time.Hour

// robotsFile is the robots.txt of an origin as it is kept.
type robotsFile struct {
	Origin  string    `json:"origin"`
	Fetched time.Time `json:"fetched"`
	Status  int       `json:"status"`
	File    []byte    `json:"file,omitempty"`
}

// checkRobots asks a site's robots.txt whether a page may be fetched. A site that
// does not answer is not asked for the page either; the error is the one of
// the connection.
func (c *client) checkRobots(ctx context.Context, u *url.URL) error {
	origin := u.Scheme + "://" + strings.ToLower(u.Host)
	s, err := c.robotsOf(ctx, origin)
	if err != nil {
		return err
	}
	rules, known := robots.Status(s.Status)
	if !known {
		rules = robots.Parse(s.File, product(c.o.UserAgent))
	}
	if rules.Allowed(u.RequestURI()) {
		return nil
	}
	if known {
		return &fetchFault{reason: fmt.Sprintf("robots.txt of %s cannot be read (status %d), so nothing may be fetched there", shortLine(u.Host), s.Status), retry: true}
	}
	return refuse("robots.txt of %s does not want it fetched", shortLine(u.Host))
}

// product is the name in a User-Agent header.
func product(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	name, _, _ = strings.Cut(name, " ")
	return name
}

// robotsOf gives the robots.txt of an origin, from the archive while it is fresh.
func (c *client) robotsOf(ctx context.Context, origin string) (robotsFile, error) {
	if s, ok := c.hosts.cachedRobots(origin); ok {
		return s, nil
	}
	path := filepath.Join(c.store.dir, robotsFolder, shortName(origin))
	unlock, err := c.store.lock(ctx, "robots-"+shortName(origin))
	if err != nil {
		return robotsFile{}, err
	}
	defer unlock()
	var s robotsFile
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &s) == nil && s.Origin == origin && c.hosts.fresh(s) {
		c.hosts.cacheRobots(s)
		return s, nil
	}
	ans, err := c.followRedirects(ctx, origin+"/robots.txt", redirectPolicy{most: 5, accept: "text/plain, */*;q=0.5"})
	if err != nil {
		return robotsFile{}, err
	}
	if ans.truncated && !ans.full && len(ans.body) < robots.Limit {
		return robotsFile{}, &fetchFault{reason: "robots.txt of " + shortLine(origin) + " broke off", retry: true} // what it forbids may stand behind
	}
	s = robotsFile{Origin: origin, Fetched: c.o.Clock(), Status: ans.status, File: bytes.Clone(ans.body[:min(len(ans.body), robots.Limit)])}
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
	c.hosts.cacheRobots(s)
	return s, nil
}

func (m *hostLimiter) fresh(s robotsFile) bool {
	age := m.o.Clock().Sub(s.Fetched)
	return age >= 0 && age < robotsMaxAge
}

func (m *hostLimiter) cachedRobots(origin string) (robotsFile, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.robotsCache[origin]
	return s, ok && m.fresh(s)
}

// maxRobots bounds the rules held in memory.
const maxRobots = 500

func (m *hostLimiter) cacheRobots(s robotsFile) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.robotsCache) >= maxRobots {
		clear(m.robotsCache) // what is kept on disk is read again
	}
	m.robotsCache[s.Origin] = s
}
