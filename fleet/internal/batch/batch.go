// Package batch reads what a fleet is asked for: a file of JSON lines, each a run.
//
//	{"question": "…", "seats": ["claude", "codex"], "max_usd": 5, "scope": {"git": "https://…", "commit": "<40 hex>"}}
//
// Members are the flags of `council run`, of `council staged` or of `council
// review`, by the member kind, with _ for -; what those refuse is refused here, before anything is
// begun, with the number of the line. A run's name follows from its content: the same line is
// the same run.
package batch

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/evidence/scope"
	"github.com/research-council/research-council/internal/host/request"
)

// Request is one run that is asked for.
type Request struct {
	Label    string            `json:"id,omitempty"` // the submitter's own name for it
	Kind     string            `json:"kind"`         // council, staged, review
	Question string            `json:"question,omitempty"`
	Seats    []string          `json:"seats"`
	Flags    map[string]string `json:"flags,omitempty"` // by their names, without dashes; "true" where they take no value
	Scope    *Scope            `json:"scope,omitempty"`
	Tenant   string            `json:"tenant,omitempty"`   // whose run it is, for fairness
	Priority int               `json:"priority,omitempty"` // 1 goes first, 5 last; 0 is 3
}

// Scope is a git repository at a commit.
type Scope struct {
	Git    string `json:"git"`
	Commit string `json:"commit"`
}

// Run is the name of the run, by its content.
func (r Request) Run() string {
	r.Priority = 0             // one that is to go first is the same run
	data, _ := json.Marshal(r) // of strings and numbers alone
	sum := sha256.Sum256(data)
	return "council-" + hex.EncodeToString(sum[:16])
}

// Queue is where the run waits for a worker that has its seats.
func (r Request) Queue() string { return Queue(r.Seats) }

// Queue of a set of seats: their names, sorted.
func Queue(seats []string) string {
	seats = slices.Clone(seats)
	slices.Sort(seats)
	return "seats:" + strings.Join(slices.Compact(seats), "+")
}

// SeatsOf are the seats of a queue; false of a name that is none.
func SeatsOf(queue string) ([]string, bool) {
	list, is := strings.CutPrefix(queue, "seats:")
	return strings.Split(list, "+"), is && list != ""
}

// Args are the arguments of council that begin the run: question is the file that holds
// the question.
func (r Request) Args(question, scope string) []string {
	args := []string{map[string]string{"council": "run"}[r.Kind]}
	if args[0] == "" {
		args[0] = r.Kind
	}
	args = append(args, "--quiet", "--json", "--seats", strings.Join(r.Seats, ","))
	for _, f := range flags(r.Kind) {
		value, asked := r.Flags[f.Name]
		switch {
		case asked && f.Value == "":
			args = append(args, "--"+f.Name)
		case asked:
			args = append(args, "--"+f.Name+"="+value)
		}
	}
	if r.Kind == "review" {
		return append(args, "--", scope)
	}
	if scope != "" {
		args = append(args, "--scope", scope)
	}
	return append(args, "--topic-file", question)
}

// local are flags that mean something on one machine alone, or that ask a person.
var local = [...]string{"scope", "output", "force", "previous", "dry-run", "edit-plan", "skip-permissions", "seats", "since", "sarif"}

// flags of a kind of run that a fleet takes; nil for a kind there is not.
func flags(kind string) (list []request.Flag) {
	switch kind {
	case "council":
		list = request.Flags()
	case "staged":
		list = request.StagedFlags()
	case "review":
		list = request.ReviewFlags()
	}
	return slices.DeleteFunc(list, func(f request.Flag) bool { return slices.Contains(local[:], f.Name) })
}

// A BadLine is a line of a batch that cannot be taken.
type BadLine struct {
	Line int // from 1
	Err  error
}

func (b *BadLine) Error() string { return fmt.Sprintf("line %d: %v", b.Line, b.Err) }

func (b *BadLine) Unwrap() error { return b.Err }

const (
	mostLine  = request.MaxTopicBytes*2 + 64<<10
	mostNamed = 10 // bad lines that are told
)

// Read reads a batch. Empty lines are passed over. Where a line is bad nothing is
// returned but what is wrong, of the first ten.
func Read(r io.Reader) ([]Request, error) {
	var list []Request
	var wrong []error
	in := bufio.NewScanner(r)
	in.Buffer(nil, mostLine)
	n := 0
	for in.Scan() && len(wrong) < mostNamed {
		n++
		line := bytes.TrimSpace(bytes.TrimPrefix(in.Bytes(), []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		req, err := Parse(line)
		if err != nil {
			wrong = append(wrong, &BadLine{Line: n, Err: err})
			continue
		}
		list = append(list, req)
	}
	switch err := in.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		wrong = append(wrong, &BadLine{Line: n + 1, Err: fmt.Errorf("it has more than %d bytes", mostLine)})
	case err != nil:
		return nil, fmt.Errorf("read the batch: %w", err)
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	if len(list) == 0 {
		return nil, errors.New("the batch is empty")
	}
	return list, nil
}

// Parse reads one line.
func Parse(line []byte) (Request, error) {
	var members map[string]json.RawMessage
	in := json.NewDecoder(bytes.NewReader(line))
	if err := in.Decode(&members); err != nil {
		return Request{}, fmt.Errorf("it is no JSON object: %w", err)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return Request{}, errors.New("it holds more than one JSON object")
	}
	req := Request{Kind: "council", Flags: map[string]string{}}
	own := map[string]any{"id": &req.Label, "kind": &req.Kind, "question": &req.Question, "seats": &req.Seats, "scope": &req.Scope, "tenant": &req.Tenant, "priority": &req.Priority}
	for name, to := range own {
		if value, there := members[name]; there {
			if err := json.Unmarshal(value, to); err != nil {
				return Request{}, fmt.Errorf("%s: it is no %s", name, wanted[name])
			}
			delete(members, name)
		}
	}
	asked, err := req.takeFlags(members)
	if err != nil {
		return Request{}, err
	}
	if err := req.check(); err != nil {
		return Request{}, err
	}
	return req, req.checkWords(asked)
}

var wanted = map[string]string{"id": "string", "kind": "string", "question": "string", "seats": "list of names", "scope": `object {"git", "commit"}`, "tenant": "string", "priority": "whole number"}

// takeFlags takes the members that are flags, and returns what they ask for.
func (r *Request) takeFlags(members map[string]json.RawMessage) (asked request.Request, err error) {
	known := flags(r.Kind)
	if known == nil {
		return asked, fmt.Errorf("kind %q: use council, staged or review", r.Kind)
	}
	for name, value := range members {
		flag := strings.ReplaceAll(name, "_", "-")
		i := slices.IndexFunc(known, func(f request.Flag) bool { return f.Name == flag })
		if i < 0 {
			return asked, fmt.Errorf("%q is nothing that can be asked for", name)
		}
		text, off, err := flagText(known[i], value)
		if err != nil {
			return asked, fmt.Errorf("%s: %w", name, err)
		}
		if off {
			continue
		}
		if err := known[i].Set(&asked, text); err != nil {
			return asked, fmt.Errorf("%s: %w", name, err)
		}
		r.Flags[flag] = text
	}
	return asked, nil
}

// flagText is a flag's value as it is typed; off where it is not asked for.
func flagText(f request.Flag, value json.RawMessage) (text string, off bool, err error) {
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		return "", false, err
	}
	switch v := v.(type) {
	case bool:
		if f.Value != "" {
			return "", false, fmt.Errorf("it takes a value (%s)", f.Value)
		}
		return "true", !v, nil
	case string:
		text = v
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		var words []string
		for _, w := range v {
			words = append(words, fmt.Sprint(w))
		}
		text = strings.Join(words, ",")
	default:
		return "", false, errors.New("it is no value of a flag")
	}
	if f.Value == "" {
		return "", false, errors.New("it is true or false")
	}
	return text, false, nil
}

func (r *Request) check() error {
	if r.Kind != "review" {
		if err := request.CheckTopic(r.Question); err != nil {
			return err
		}
	} else if r.Question != "" || r.Scope == nil {
		return errors.New("a review has a scope and no question")
	}
	if len(r.Seats) == 0 {
		return errors.New("seats: name at least one; a run goes where its seats are")
	}
	if err := CheckSeats(r.Seats); err != nil {
		return fmt.Errorf("seats: %w", err)
	}
	if r.Priority < 0 || r.Priority > 5 {
		return errors.New("priority: use a whole number from 1, which goes first, to 5")
	}
	if len(r.Label) > 200 || strings.ContainsFunc(r.Label, unicode.IsControl) {
		return errors.New("id: use at most 200 bytes, in one line")
	}
	if len(r.Tenant) > 60 {
		return errors.New("tenant: it has more than 60 bytes")
	}
	return r.Scope.check()
}

// CheckSeats refuses what cannot be the name of a seat.
func CheckSeats(seats []string) error {
	name := regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)
	for _, s := range seats {
		if !name.MatchString(s) {
			return fmt.Errorf("%q is no name of a seat", s)
		}
	}
	return nil
}

// checkWords refuses a tier there is not, and what council would run with all the same,
// after a warning that nobody of a fleet sees.
func (r *Request) checkWords(asked request.Request) error {
	for _, w := range []struct {
		name, word string
		known      []string
	}{
		{"tier", asked.Tier, config.Tiers()},
		{"mode", asked.Mode, []string{string(scope.Exploratory), string(scope.Compliance), string(scope.Decision)}},
		{"debate", asked.Debate, []string{string(scope.Auto), string(scope.Force), string(scope.Off)}},
		{"budget", asked.Budget, []string{string(scope.Low), string(scope.Medium), string(scope.High)}},
	} {
		if w.word != "" && !slices.Contains(w.known, w.word) {
			return fmt.Errorf("%s %q: use one of %s", w.name, w.word, strings.Join(w.known, ", "))
		}
	}
	if n := asked.Agents; n != nil && (*n < 1 || *n > scope.MaxAgents) {
		return fmt.Errorf("agents %d: use a whole number from 1 to %d", *n, scope.MaxAgents)
	}
	if scope.Mode(asked.Mode) == scope.Compliance && scope.Debate(asked.Debate) == scope.Off {
		return errors.New("mode compliance always debates: leave debate off out, or choose another mode")
	}
	return nil
}

// check refuses what git would take for an option or a program, and a commit that can
// move.
func (s *Scope) check() error {
	if s == nil {
		return nil
	}
	u, err := url.Parse(s.Git)
	if err != nil || !slices.Contains([]string{"https", "ssh", "file"}, u.Scheme) || u.Opaque != "" {
		return fmt.Errorf("scope: %q is no address of a git repository: use https://, ssh:// or file://", s.Git)
	}
	if u.User != nil {
		if _, secret := u.User.Password(); secret {
			return errors.New("scope: the address holds a password; logins stay on the workers")
		}
	}
	if !regexp.MustCompile(`^[0-9a-f]{40}$`).MatchString(s.Commit) {
		return fmt.Errorf("scope: %q is no commit: write all 40 digits, for a branch moves", s.Commit)
	}
	return nil
}
