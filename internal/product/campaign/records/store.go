// Package records is where a worker of a campaign leaves what it has done: claims
// with their quotations, questions, sections, the list of features, how its
// feature went, what stands against the plan, and the record that ends an
// iteration. Each is checked before anything is written, so that what is wrong
// changes nothing. Nothing here decides: the program measures what was left.
package records

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/archive"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
	"github.com/research-council/research-council/internal/product/campaign/feature"
	"github.com/research-council/research-council/internal/product/campaign/steering"
)

// Caller says who leaves records, and from where.
type Caller struct {
	Record string // the record of its turn, where it is a seat's process
	Run    string // and the run of that seat

	Session string // the session around it, "" for none
	Home    string // where that session is at home

	Project  string // the project that is meant
	Campaign string // the campaign that is meant, "" for the only one or the caller's own

	Dir     string // the working directory, from which files are named
	Stdin   io.Reader
	Archive func(flow.Network) archive.Options // how sources are fetched
}

// Store is where a worker of a campaign leaves its records.
type Store struct {
	caller  Caller
	project string
	folder  *workspace.Folder        // of the run
	seat    string                   // the folder its records go to, from that of the seats
	turn    campaignwork.SessionTurn // the iteration it is at; empty when none is known
	host    bool                     // the worker is the session around the caller
}

// Open finds where the caller's records go: to the seat its process belongs to,
// to the session around it, or to the campaign that is named or the only one.
func Open(c Caller) (*Store, error) {
	s, err := find(c)
	if err != nil {
		return nil, err
	}
	s.caller = c
	return &s, nil
}

// Close lets go of the run's folder.
func (s *Store) Close() error { return s.folder.Close() }

// Run is the run whose campaign the records belong to.
func (s *Store) Run() (project, id string) { return s.project, s.folder.ID }

// OfSession reports whether the worker is the session around the caller.
func (s *Store) OfSession() bool { return s.host }

// dir is the worker's folder, from the run's.
func (s *Store) dir() string { return path.Join(workspace.Seats, s.seat) }

// name is that of a record, from the run's folder.
func (s *Store) name(elem ...string) string {
	return path.Join(append([]string{s.dir()}, elem...)...)
}

func find(c Caller) (Store, error) {
	if c.Record != "" && c.Run != "" {
		return ofSeat(c.Record, c.Run)
	}
	id := SessionCampaign(c.Home, c.Session)
	switch {
	case id == "":
		return ofCampaign(c)
	case c.Campaign == "" && c.Project == c.Home:
		return ofSession(c.Home, id)
	}
	if r, err := steering.Pick(c.Project, cmp.Or(c.Campaign, id)); err != nil || r.Setup.ID != id {
		return Store{}, usage.Errorf("this session works on the campaign of run %s and records in no other; leave out --campaign and --project", id)
	}
	return ofSession(c.Home, id)
}

// ofCampaign is where records of a campaign that is named go, or of the only one.
// What is another session's is not taken for meant.
func ofCampaign(c Caller) (Store, error) {
	r, err := steering.Pick(c.Project, c.Campaign)
	switch {
	case err != nil:
		return Store{}, err
	case r.Status != "":
		return Store{}, fmt.Errorf("the campaign %q has ended (%s)%s", campaign.Of(r.Setup.Own).Name, steering.PlainStatus(r.Status), campaign.NextCommand(r))
	case r.Setup.Session != "" && c.Session != "" && c.Campaign == "":
		return Store{}, usage.Errorf("the campaign %q is another session's; `council campaign begin continue-auto` takes it over, --campaign %s means it all the same", campaign.Of(r.Setup.Own).Name, campaign.Of(r.Setup.Own).Slug)
	case r.Setup.Session != "":
		return ofSession(c.Project, r.Setup.ID)
	}
	f, err := workspace.Open(c.Project, r.Setup.ID)
	return Store{project: c.Project, folder: f, seat: campaign.Worker(r).Name}, err
}

// ofSeat is where the records of a seat's process go, by what it finds in its
// environment.
func ofSeat(record, id string) (Store, error) {
	run, seat, ok := splitSeatFolder(filepath.Dir(record))
	if !ok || filepath.Base(run) != id || filepath.Base(filepath.Dir(run)) != workspace.Runs {
		return Store{}, fmt.Errorf("RESEARCH_REPORT_PATH (%s) is no record of a seat of run %s", record, id)
	}
	project := filepath.Dir(filepath.Dir(run))
	f, err := workspace.Open(project, id)
	if err != nil {
		return Store{}, err
	}
	role := filepath.Base(record)
	role = role[:max(strings.LastIndexByte(role, '-'), 0)]
	return Store{project: project, folder: f, seat: seat, turn: campaignwork.SessionTurn{Role: role, Record: record}}, nil
}

// splitSeatFolder takes the folder of a seat, or one of its tasks below it, apart:
// the run's folder, and the rest from that of the seats.
func splitSeatFolder(dir string) (run, seat string, ok bool) {
	for range 2 {
		parent, name := filepath.Split(dir)
		dir, seat = filepath.Clean(parent), path.Join(name, seat)
		if filepath.Base(dir) == workspace.Seats {
			return filepath.Dir(dir), seat, true
		}
	}
	return "", "", false
}

// ofSession is where the records of a session go, and the turn it has there, if any.
func ofSession(project, id string) (Store, error) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return Store{}, err
	}
	s := Store{project: project, folder: f, seat: flow.Host, host: true}
	if turn, ok := Turn(f); ok {
		s.turn = turn
		if _, seat, ok := splitSeatFolder(turn.Folder); ok {
			s.seat = seat // a turn may have a folder of its own
		}
	}
	return s, nil
}

// SessionCampaign is the campaign that a session owns; "" when there is none.
func SessionCampaign(project, session string) string {
	id := workspace.SessionRun(project, session)
	if st, err := workspace.ReadState(project, id); err != nil || st.Campaign == "" {
		return ""
	}
	return id
}

// append adds lines to a file of records in one write, behind a line feed where
// somebody left the last line without one.
func (s *Store) append(name string, lines []byte, most int64) error {
	name = s.name(name)
	info, err := os.Lstat(s.folder.Join(filepath.FromSlash(name)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(s.folder.Mkdir(s.dir()), s.folder.Append(name, lines))
	case err != nil:
		return fmt.Errorf("look at %s: %w", path.Base(name), usage.Cause(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no plain file", path.Base(name))
	case info.Size()+int64(len(lines)) >= most:
		return fmt.Errorf("%s is full: it may have %d MiB", path.Base(name), most>>20)
	}
	old, err := s.folder.Read(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", path.Base(name), usage.Cause(err))
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		lines = append([]byte{'\n'}, lines...)
	}
	return s.folder.Append(name, lines)
}

// write replaces a record.
func (s *Store) write(name string, data []byte) error {
	name = s.name(name)
	return errors.Join(s.folder.Mkdir(path.Dir(name)), s.folder.Write(name, data))
}

// maxRecordBytes bounds a file of questions or issues, in bytes.
const maxRecordBytes = 16 << 20

// registeredIDs are the ids of the claims the program has numbered; nil before it
// has any.
func (s *Store) registeredIDs() map[string]bool {
	r, err := s.folder.Registry()
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, entry := range r.Entries {
		ids[entry.ID] = true
	}
	return ids
}

// unknownIDs are those of some ids that no claim has.
func (s *Store) unknownIDs(ids []string) []string {
	known := s.registeredIDs()
	var list []string
	for _, id := range ids {
		if !known[strings.ToUpper(strings.TrimSpace(id))] {
			list = append(list, fmt.Sprintf("%.20q", id))
		}
	}
	return list
}

// features is the list the program works through, and the feature this
// iteration is to build.
func (s *Store) features() (feature.List, string, error) {
	r, err := supervisor.Read(s.project, s.folder.ID)
	if err != nil {
		return feature.List{}, "", err
	}
	if campaign.Of(r.Setup.Own) == nil {
		return feature.List{}, "", fmt.Errorf("run %s is no campaign", s.folder.ID)
	}
	list, err := steering.Features(r.Setup)
	if err != nil {
		return list, "", err
	}
	id := s.turn.Feature
	if id == "" {
		next, _ := list.Next()
		id = next.ID
	}
	return list, id, nil
}

// jsonLine is a value as a line of JSON Lines.
func jsonLine(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // strings, lists and truths
	return b.Bytes()
}

// Turn is what the session is to do now; false when it is not its turn,
// or no longer.
func Turn(f *workspace.Folder) (campaignwork.SessionTurn, bool) {
	var t campaignwork.SessionTurn
	data, err := f.Read(campaignwork.TurnFile)
	if err != nil || json.Unmarshal(data, &t) != nil || t.Prompt == "" {
		return t, false
	}
	if name, ok := nameIn(f, t.Record); ok && f.Filled(name) {
		return t, false // it has done it
	}
	return t, true
}

// nameIn is the name of a file from the folder it lies in.
func nameIn(f *workspace.Folder, path string) (string, bool) {
	return strings.CutPrefix(path, f.Path+string(filepath.Separator))
}
