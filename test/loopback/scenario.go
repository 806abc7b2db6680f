package loopback

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"gopkg.in/yaml.v3"
)

// Scenario says what a scripted model does. In a file it is YAML or JSON, with
// the names of the fields in snake case.
type Scenario struct {
	// Find names pieces of the conversation: the first group of each regular
	// expression, found in what user, model and tools have said. A piece
	// called "report" fills ${report}.
	Find map[string]string `yaml:"find,omitempty"`
	// Most is how many requests are answered before all others fail; 500 if 0.
	// It ends a command line that would loop for ever.
	Most int `yaml:"most,omitempty"`
	// Rules are tried in order; the first that matches a request answers it.
	Rules []Rule `yaml:"rules"`
	// Play, in Go alone, answers what it reports true of, before any rule is
	// tried. It is called for one request at a time and fills no placeholders.
	Play func(Request) (Step, bool) `yaml:"-"`
}

// Rule is a sequence of answers to requests of one kind. Each session goes
// through the steps by itself.
type Rule struct {
	Name string `yaml:"name,omitempty"` // shown in the log; "rule 1" and so on if empty
	When When   `yaml:"when,omitempty"`
	// Shared makes all sessions go through the steps together.
	Shared bool   `yaml:"shared,omitempty"`
	Steps  []Step `yaml:"steps"`
	// After the steps, "last" (also "") gives the last again and again, and
	// "repeat" starts over.
	After string `yaml:"after,omitempty"`
}

// When are regular expressions, of which all that are given must match; "."
// matches a line feed too. Their named groups fill placeholders.
type When struct {
	FirstUser string `yaml:"first_user,omitempty"` // see [Request] for these
	LastUser  string `yaml:"last_user,omitempty"`
	System    string `yaml:"system,omitempty"`
	Any       string `yaml:"any,omitempty"` // what user, model and tools have said
	Model     string `yaml:"model,omitempty"`
	Session   string `yaml:"session,omitempty"`
	// Inner must be given to meet inner requests; without it a rule meets
	// turns of the model alone.
	Inner string `yaml:"inner,omitempty"`
}

// Step is one answer: a text, calls of tools, or a fault. Text and calls may
// stand together, and calls are made in the order of the fields. An empty step
// is an empty answer.
//
// In every string ${n} is the number of the hit of its rule in the session, from
// 1; ${session}, ${model} and ${query} (of an inner search) are the request's;
// then come named groups of the rule's [When] and the names of Find. $${x}
// stays ${x}. A name that nothing fills is a problem.
type Step struct {
	Text   string `yaml:"text,omitempty"`
	Read   string `yaml:"read,omitempty"`   // a path, by the tool that reads files
	Search string `yaml:"search,omitempty"` // a query, by the tool that searches the web
	Shell  string `yaml:"shell,omitempty"`  // a command line, by the tool that runs one
	Tool   *Call  `yaml:"tool,omitempty"`   // any tool as it is, offered or not
	Tools  []Call `yaml:"tools,omitempty"`  // several side by side, as they are
	Write  *File  `yaml:"write,omitempty"`  // by the tool that writes files

	Results []Result      `yaml:"results,omitempty"` // answers an inner search or fetch
	Usage   *Usage        `yaml:"usage,omitempty"`
	Stop    string        `yaml:"stop,omitempty"`  // why the model stopped, in the vendor's word
	Delay   time.Duration `yaml:"delay,omitempty"` // before the answer begins

	Status  int               `yaml:"status,omitempty"` // an HTTP error in the vendor's form
	Headers map[string]string `yaml:"headers,omitempty"`
	// Code and Message fill the error. Code is the vendor's word; for Gemini
	// one that holds "Per" is the quota that is spent. A code without a
	// status is an error inside a stream that began well.
	Code    string `yaml:"code,omitempty"`
	Message string `yaml:"message,omitempty"`
	Drop    bool   `yaml:"drop,omitempty"` // closes the connection unanswered
	Cut     bool   `yaml:"cut,omitempty"`  // closes it half-way through the answer
	Hang    bool   `yaml:"hang,omitempty"` // says nothing; with Cut, nothing more after the first half
}

// Call is a call of a tool by name. With a Server the name is that of an MCP
// server's tool, spelled as each vendor spells it.
type Call struct {
	Server string         `yaml:"server,omitempty"`
	Name   string         `yaml:"name"`
	Input  map[string]any `yaml:"input,omitempty"`
}

// File is a file to write whole. A path that is not absolute is the command
// line's business: not all accept one.
type File struct {
	Path    string `yaml:"path"`
	Content string `yaml:"content"`
}

// Result is a page that a web search or fetch found.
type Result struct {
	URL   string `yaml:"url"`
	Title string `yaml:"title"`
	Text  string `yaml:"text,omitempty"`
}

// Usage are tokens. Input counts the cached ones too, Output those of reasoning.
type Usage struct {
	Input     int `yaml:"input"`
	Cached    int `yaml:"cached"`
	Output    int `yaml:"output"`
	Reasoning int `yaml:"reasoning"`
}

// usage is what a step reports that sets none.
var usage = Usage{Input: 1000, Cached: 400, Output: 50, Reasoning: 20}

func (s Step) used() Usage {
	if s.Usage != nil {
		return *s.Usage
	}
	return usage
}

// Parse reads a scenario from YAML or JSON. A field it does not know is an
// error.
func Parse(data []byte) (Scenario, error) {
	var s Scenario
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil && !errors.Is(err, io.EOF) {
		return Scenario{}, fmt.Errorf("parse scenario: %w", err)
	}
	if _, err := compile(s); err != nil {
		return Scenario{}, err
	}
	return s, nil
}

// script is a scenario that can be played.
type script struct {
	find  map[string]*regexp.Regexp
	most  int
	rules []rule
	play  func(Request) (Step, bool)
}

type rule struct {
	Rule
	when []condition
}

type condition struct {
	of func(*Request) string
	re *regexp.Regexp
}

func compile(s Scenario) (script, error) {
	out := script{find: map[string]*regexp.Regexp{}, most: s.Most, play: s.Play}
	if out.most == 0 {
		out.most = 500
	}
	for name, pattern := range s.Find {
		re, err := regexp.Compile("(?s)" + pattern)
		if err == nil && re.NumSubexp() == 0 {
			err = fmt.Errorf("%q has no group", pattern)
		}
		if err != nil {
			return script{}, fmt.Errorf("compile find %s: %w", name, err)
		}
		out.find[name] = re
	}
	for i, r := range s.Rules {
		if r.Name == "" {
			r.Name = fmt.Sprintf("rule %d", i+1)
		}
		when, err := r.When.compile()
		if err == nil && (len(r.Steps) == 0 || r.After != "" && r.After != "last" && r.After != "repeat") {
			err = fmt.Errorf("it needs steps, and last or repeat after them, not %q", r.After)
		}
		if err != nil {
			return script{}, fmt.Errorf("compile %s: %w", r.Name, err)
		}
		out.rules = append(out.rules, rule{r, when})
	}
	return out, nil
}

func (w When) compile() ([]condition, error) {
	if w.Inner == "" {
		w.Inner = "^$"
	}
	var list []condition
	for _, c := range []struct {
		pattern string
		of      func(*Request) string
	}{
		{w.FirstUser, func(q *Request) string { return q.FirstUser }},
		{w.LastUser, func(q *Request) string { return q.LastUser }},
		{w.System, func(q *Request) string { return q.System }},
		{w.Any, func(q *Request) string { return q.said }},
		{w.Model, func(q *Request) string { return q.Model }},
		{w.Session, func(q *Request) string { return q.Session }},
		{w.Inner, func(q *Request) string { return q.Inner }},
	} {
		if c.pattern == "" {
			continue
		}
		re, err := regexp.Compile("(?s)" + c.pattern)
		if err != nil {
			return nil, err
		}
		list = append(list, condition{c.of, re})
	}
	return list, nil
}

// match reports whether the rule meets a request, and what its groups hold.
func (r rule) match(q *Request) (map[string]string, bool) {
	groups := map[string]string{}
	for _, c := range r.when {
		found := c.re.FindStringSubmatch(c.of(q))
		if found == nil {
			return nil, false
		}
		for i, name := range c.re.SubexpNames() {
			if name != "" {
				groups[name] = found[i]
			}
		}
	}
	return groups, true
}

// step is the answer to the n-th hit, from 1.
func (r rule) step(n int) Step {
	switch {
	case n <= len(r.Steps):
		return r.Steps[n-1]
	case r.After == "repeat":
		return r.Steps[(n-1)%len(r.Steps)]
	}
	return r.Steps[len(r.Steps)-1]
}

var placeholder = regexp.MustCompile(`\$?\$\{\w+\}`)

// fill replaces the placeholders of a step.
func (s script) fill(step Step, q *Request, groups map[string]string) (Step, error) {
	var missing error
	words := func(text string) string {
		return placeholder.ReplaceAllStringFunc(text, func(p string) string {
			if p[1] == '$' {
				return p[1:]
			}
			value, ok := s.value(p[2:len(p)-1], q, groups)
			if !ok {
				missing = fmt.Errorf("nothing fills %s", p)
			}
			return value
		})
	}
	var filled Step
	var tree any
	data, err := json.Marshal(step)
	if err == nil {
		err = json.Unmarshal(data, &tree)
	}
	if err == nil {
		data, err = json.Marshal(each(tree, words))
	}
	if err == nil {
		err = json.Unmarshal(data, &filled)
	}
	return filled, errors.Join(err, missing)
}

func (s script) value(name string, q *Request, groups map[string]string) (string, bool) {
	switch name {
	case "n":
		return fmt.Sprint(q.Hit), true
	case "session":
		return q.Session, true
	case "model":
		return q.Model, true
	case "query":
		return q.query, true
	}
	if value, ok := groups[name]; ok {
		return value, true
	}
	if re := s.find[name]; re != nil {
		if found := re.FindStringSubmatch(q.said); found != nil {
			return found[1], true
		}
	}
	return "", false
}

// each changes all strings of a JSON value, keys apart.
func each(v any, change func(string) string) any {
	switch v := v.(type) {
	case string:
		return change(v)
	case []any:
		for i := range v {
			v[i] = each(v[i], change)
		}
	case map[string]any:
		for k := range v {
			v[k] = each(v[k], change)
		}
	}
	return v
}
