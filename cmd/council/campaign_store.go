package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"research-council/internal/base/marker"
	"research-council/internal/base/usage"
	"research-council/internal/engine/flow"
	"research-council/internal/engine/supervisor"
	"research-council/internal/engine/workspace"
	"research-council/internal/evidence/claim"
	"research-council/internal/product/campaign"
	"research-council/internal/product/campaign/feature"
	"research-council/internal/product/recipe"
	"research-council/internal/project/top"
)

// recordStore is where a worker of a campaign leaves its records.
type recordStore struct {
	project string
	folder  *workspace.Folder      // of the run
	seat    string                 // the folder its records go to, from that of the seats
	turn    supervisor.SessionTurn // the iteration it is at; empty when none is known
	host    bool                   // the worker is the session around this command
}

// dir is the worker's folder, from the run's.
func (p recordStore) dir() string { return path.Join(workspace.Seats, p.seat) }

// name is that of a record, from the run's folder.
func (p recordStore) name(elem ...string) string {
	return path.Join(append([]string{p.dir()}, elem...)...)
}

// withRecordStore opens the post a command is called at, and does something there.
func withRecordStore(c *cobra.Command, e env, do func(recordStore) error) error {
	p, err := findRecordStore(c, e)
	if err != nil {
		return err
	}
	defer p.folder.Close()
	return do(p)
}

// findRecordStore finds the post: that of the seat this process belongs to, that of the
// session around it, or that of the campaign that is named or the only one.
func findRecordStore(c *cobra.Command, e env) (recordStore, error) {
	if record, id := e.Getenv("RESEARCH_REPORT_PATH"), e.Getenv(marker.ChildVariable); record != "" && id != "" {
		return seatRecordStore(record, id)
	}
	project, err := projectWithRuns(c, e)
	if err != nil {
		return recordStore{}, err
	}
	near, _ := top.Upwards(e.Dir, hasRuns)
	home := cmp.Or(e.SessionProject(), near, project) // the session's
	if !c.Flags().Changed("project") {
		project = home
	}
	name, err := c.Flags().GetString("campaign")
	if err != nil {
		return recordStore{}, err
	}
	session := e.Getenv("CLAUDE_CODE_SESSION_ID")
	if id := sessionCampaign(home, session); id != "" {
		if name == "" && project == home {
			return sessionRecordStore(home, id)
		}
		if r, err := pickCampaign(project, cmp.Or(name, id)); err != nil || r.Setup.ID != id {
			return recordStore{}, usage.Errorf("this session works on the campaign of run %s and records in no other; leave out --campaign and --project", id)
		}
		return sessionRecordStore(home, id)
	}
	return namedRecordStore(project, name, session)
}

// namedRecordStore is the post of a campaign that is named, or of the only one. What
// is another session's is not taken for meant.
func namedRecordStore(project, name, session string) (recordStore, error) {
	r, err := pickCampaign(project, name)
	switch {
	case err != nil:
		return recordStore{}, err
	case r.Status != "":
		return recordStore{}, fmt.Errorf("the campaign %q has ended (%s)%s", r.Setup.Campaign.Name, plainStatus(r.Status), nextCommandHint(r))
	case r.Setup.Session != "" && session != "" && name == "":
		return recordStore{}, usage.Errorf("the campaign %q is another session's; `council campaign begin continue-auto` takes it over, --campaign %s means it all the same", r.Setup.Campaign.Name, r.Setup.Campaign.Slug)
	case r.Setup.Session != "":
		return sessionRecordStore(project, r.Setup.ID)
	}
	f, err := workspace.Open(project, r.Setup.ID)
	return recordStore{project: project, folder: f, seat: recipe.Worker(r).Name}, err
}

// seatRecordStore is the post of a seat's process, by what it finds in its
// environment.
func seatRecordStore(record, id string) (recordStore, error) {
	run, seat, ok := splitSeatFolder(filepath.Dir(record))
	if !ok || filepath.Base(run) != id || filepath.Base(filepath.Dir(run)) != workspace.Runs {
		return recordStore{}, fmt.Errorf("RESEARCH_REPORT_PATH (%s) is no record of a seat of run %s", record, id)
	}
	project := filepath.Dir(filepath.Dir(run))
	f, err := workspace.Open(project, id)
	if err != nil {
		return recordStore{}, err
	}
	role := filepath.Base(record)
	role = role[:max(strings.LastIndexByte(role, '-'), 0)]
	return recordStore{project: project, folder: f, seat: seat, turn: supervisor.SessionTurn{Role: role, Record: record}}, nil
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

// sessionRecordStore is the session's post, and the turn it has there, if any.
func sessionRecordStore(project, id string) (recordStore, error) {
	f, err := workspace.Open(project, id)
	if err != nil {
		return recordStore{}, err
	}
	p := recordStore{project: project, folder: f, seat: flow.Host, host: true}
	if turn, ok := sessionTurn(f); ok {
		p.turn = turn
		if _, seat, ok := splitSeatFolder(turn.Folder); ok {
			p.seat = seat // a turn may have a folder of its own
		}
	}
	return p, nil
}

// sessionCampaign is the campaign that a session owns; "" when there is none.
func sessionCampaign(project, session string) string {
	ids, err := workspace.List(project)
	if err != nil || session == "" {
		return ""
	}
	for _, id := range slices.Backward(ids) {
		st, err := workspace.ReadState(project, id)
		if err == nil && st.Active && st.Campaign != "" && st.SessionID == session {
			return id
		}
	}
	return ""
}

// append adds lines to a file of records in one write, behind a line feed where
// somebody left the last line without one.
func (p recordStore) append(name string, lines []byte, most int64) error {
	name = p.name(name)
	info, err := os.Lstat(p.folder.Join(filepath.FromSlash(name)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(p.folder.Mkdir(p.dir()), p.folder.Append(name, lines))
	case err != nil:
		return fmt.Errorf("look at %s: %w", path.Base(name), usage.Cause(err))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no plain file", path.Base(name))
	case info.Size()+int64(len(lines)) >= most:
		return fmt.Errorf("%s is full: it may have %d MiB", path.Base(name), most>>20)
	}
	old, err := p.folder.Read(name)
	if err != nil {
		return fmt.Errorf("read %s: %w", path.Base(name), usage.Cause(err))
	}
	if len(old) > 0 && old[len(old)-1] != '\n' {
		lines = append([]byte{'\n'}, lines...)
	}
	return p.folder.Append(name, lines)
}

// write replaces a record.
func (p recordStore) write(name string, data []byte) error {
	name = p.name(name)
	return errors.Join(p.folder.Mkdir(path.Dir(name)), p.folder.Write(name, data))
}

// maxRecordBytes bounds a file of questions or issues, in bytes.
const maxRecordBytes = 16 << 20

// registeredIDs are the ids of the claims the program has numbered; nil before it
// has any.
func (p recordStore) registeredIDs() map[string]bool {
	data, err := p.folder.Read(recipe.RegistryFile)
	if err != nil {
		return nil
	}
	r, err := claim.ParseRegistry(data)
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
func (p recordStore) unknownIDs(ids []string) []string {
	known := p.registeredIDs()
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
func (p recordStore) features() (feature.List, string, error) {
	_, r, err := supervisor.Load(p.project, p.folder.ID)
	if err != nil {
		return feature.List{}, "", err
	}
	if r.Setup.Campaign == nil {
		return feature.List{}, "", fmt.Errorf("run %s is no campaign", p.folder.ID)
	}
	name := path.Join(r.Setup.Campaign.Folder(), campaign.Features)
	data, err := os.ReadFile(filepath.Join(r.Setup.Root, filepath.FromSlash(name)))
	if err != nil {
		return feature.List{}, "", fmt.Errorf("read %s: %w", name, usage.Cause(err))
	}
	list, err := feature.Parse(data)
	if err != nil {
		return feature.List{}, "", fmt.Errorf("read %s: %w", name, err)
	}
	id := p.turn.Feature
	if id == "" {
		next, _ := list.Next()
		id = next.ID
	}
	return list, id, nil
}

// jsonLine is a value as a line of JSON Lines.
func jsonLine(v any) []byte {
	var b bytes.Buffer
	_ = encodeLine(&b, v) // strings, lists and truths
	return b.Bytes()
}
