package serve

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/research-council/research-council/internal/engine/workspace"
	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/relation"
)

// row is what a list of claims sorts and filters a claim by. The claim itself is
// decoded when it is shown: a registry of twenty thousand takes two seconds to decode
// whole, and a tenth of one to read so.
type row struct {
	id, text, source, key            string
	kind, state, verdict, confidence string
	seats, families, questions       []string
	isCritical, isDisputed           bool
	isReserved                       bool // something stands around its passage that may say otherwise
	json                             string
	folded                           string // text, quotation and source for a search, lower case; filled when there is one
	quote, passages                  string
	number                           int // of the id
}

// registry is a run's registry as it is looked at. It does not change.
type registry struct {
	rows      []row
	at        map[string]int // place of an id
	conflicts []claim.Conflict
	groups    []claim.Group
	sorts     words // all there are of each, for the filters

	whole     func() (claim.Registry, error)      // decoded when it is first asked for
	relations func() ([]relation.Relation, error) // what judges agreed of pairs, the same
	fold      func()                              // makes the rows ready for a search
}

// words are what claims can be filtered by.
type words struct{ states, verdicts, seats, families, questions, kinds []string }

// readRegistry reads what stands in registry.json.
func readRegistry(data []byte) (*registry, error) {
	valid := make(chan bool, 1)
	go func() { valid <- json.Valid(data) }() // whatever is no JSON is read as something too, and gjson has no bottom
	text := string(data)
	top := gjson.Parse(text)
	parts := map[string]gjson.Result{}
	if top.IsObject() {
		top.ForEach(func(key, value gjson.Result) bool { // once, for each part: they are long
			if _, again := parts[key.Str]; !again {
				parts[key.Str] = value
			}
			return true
		})
	}
	entries := parts["entries"]
	if top.IsArray() {
		entries = top
	}
	g := &registry{}
	switch {
	case entries.Exists() && entries.Type != gjson.Null && !entries.IsArray(), !top.IsArray() && !top.IsObject():
		return nil, errors.New("read registry: it has no list of claims")
	case !entries.IsArray():
		entries = gjson.Result{}
	}
	g.rows = readRows(entries)
	g.at = make(map[string]int, len(g.rows))
	for i := range g.rows {
		g.at[g.rows[i].id] = i
	}
	if !<-valid {
		return nil, errors.New("read registry: it is no JSON")
	}
	for name, into := range map[string]any{"conflicts": &g.conflicts, "groups": &g.groups} {
		if part := parts[name]; part.Exists() {
			if err := json.Unmarshal([]byte(part.Raw), into); err != nil {
				return nil, fmt.Errorf("read registry: %s: %w", name, err)
			}
		}
	}
	for _, c := range g.conflicts {
		for _, id := range []string{c.A, c.B} {
			if i, known := g.at[id]; known {
				g.rows[i].isDisputed = true
			}
		}
	}
	g.sorts = wordsOf(g.rows)
	g.relations = sync.OnceValues(func() ([]relation.Relation, error) {
		var list []relation.Relation
		part := parts["relations"]
		if !part.Exists() {
			return nil, nil
		}
		if err := json.Unmarshal([]byte(part.Raw), &list); err != nil {
			return nil, fmt.Errorf("read registry: relations: %w", err)
		}
		return list, nil
	})
	g.whole = sync.OnceValues(func() (claim.Registry, error) { return claim.ParseRegistry(data) })
	g.fold = sync.OnceFunc(func() {
		for i := range g.rows {
			g.rows[i].fold()
		}
	})
	return g, nil
}

// fold makes a row ready for a search.
func (r *row) fold() {
	r.folded = strings.ToLower(r.id + "\n" + r.text + "\n" + r.quote + "\n" + r.source + "\n" + r.passages)
}

// readRows reads claims, several at a time.
func readRows(entries gjson.Result) []row {
	list := entries.Array()
	rows := make([]row, len(list))
	var all sync.WaitGroup
	share := (len(list) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	for from := 0; from < len(list); from += share {
		all.Go(func() {
			for i := from; i < min(from+share, len(list)); i++ {
				rows[i] = readRow(list[i])
			}
		})
	}
	all.Wait()
	return rows
}

func readRow(e gjson.Result) row {
	r := row{json: e.Raw, kind: claim.Kind("").String()}
	var judged claim.Entry
	if !e.IsObject() {
		return r
	}
	e.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "id":
			r.id = v.String()
		case "kind":
			r.kind = claim.Kind(v.String()).String()
		case "text":
			r.text = v.String()
		case "quote":
			r.quote = v.String()
		case "source":
			r.source = v.String()
		case "passages":
			r.passages = v.Raw
		case "key":
			r.key = v.String()
		case "confidence":
			r.confidence = v.String()
		case "critical":
			r.isCritical = v.Bool()
		case "seats":
			r.seats = stringsOf(v)
		case "families":
			r.families = stringsOf(v)
		case "questions":
			r.questions = stringsOf(v)
		case "location":
			judged.Location.State = claim.State(v.Get("state").String())
			r.isReserved = v.Get("findings.0").Exists()
		case "support":
			if v.IsObject() {
				judged.Support = &claim.Support{Verdict: v.Get("verdict").String(), Votes: make([]claim.Vote, len(v.Get("votes").Array()))}
			}
		}
		return true
	})
	r.number, _ = strconv.Atoi(strings.TrimPrefix(r.id, "C"))
	r.state, r.verdict = string(judged.Location.State), judged.Verdict()
	return r
}

func stringsOf(v gjson.Result) []string {
	if !v.IsArray() {
		return nil
	}
	var list []string
	v.ForEach(func(_, s gjson.Result) bool {
		list = append(list, s.String())
		return true
	})
	return list
}

func wordsOf(rows []row) words {
	sets := [6]map[string]bool{}
	for i := range sets {
		sets[i] = map[string]bool{}
	}
	var last [6]string
	add := func(set int, word string) {
		if word != last[set] { // most are those of the row before
			sets[set][word], last[set] = true, word
		}
	}
	for i := range rows {
		r := &rows[i]
		add(0, r.state)
		add(1, r.verdict)
		add(5, r.kind)
		for set, list := range [][]string{r.seats, r.families, r.questions} {
			for _, s := range list {
				add(2+set, s)
			}
		}
	}
	var lists [6][]string
	for i, set := range sets {
		for s := range set {
			if s != "" {
				lists[i] = append(lists[i], s)
			}
		}
		slices.SortFunc(lists[i], func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	}
	return words{lists[0], lists[1], lists[2], lists[3], lists[4], lists[5]}
}

// entry decodes a claim.
func (g *registry) entry(id string) (claim.Entry, error) {
	i, known := g.at[id]
	if !known {
		return claim.Entry{}, fs.ErrNotExist
	}
	return g.rows[i].entry()
}

func (r row) entry() (claim.Entry, error) {
	var e claim.Entry
	if err := json.Unmarshal([]byte(r.json), &e); err != nil {
		return e, fmt.Errorf("read claim %s: %w", r.id, err)
	}
	return e, nil
}

// registries keeps those that were looked at last.
type registries struct {
	mu   sync.Mutex
	kept []keptRegistry // the last used at the end
}

type keptRegistry struct {
	path string
	at   time.Time
	size int64
	*registry
}

// mostRegistries bounds how many are kept: a large one takes a hundred megabytes.
const mostRegistries = 3

// of gives the registry of a run as it is now. One that is not there yet is an
// [fs.ErrNotExist].
func (k *registries) of(p project, id string) (*registry, error) {
	f, err := workspace.Open(p.Path, id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	path := filepath.Join(f.Path, claim.RegistryFile)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	i := slices.IndexFunc(k.kept, func(o keptRegistry) bool { return o.path == path })
	if i >= 0 {
		old := k.kept[i]
		k.kept = slices.Delete(k.kept, i, i+1)
		if old.at.Equal(info.ModTime()) && old.size == info.Size() {
			k.kept = append(k.kept, old)
			return old.registry, nil
		}
	}
	data, err := f.Read(claim.RegistryFile)
	if err != nil {
		return nil, err
	}
	g, err := readRegistry(data)
	if err != nil {
		return nil, err
	}
	k.kept = append(k.kept, keptRegistry{path, info.ModTime(), info.Size(), g})
	if len(k.kept) > mostRegistries {
		k.kept = slices.Delete(k.kept, 0, 1)
	}
	return g, nil
}
