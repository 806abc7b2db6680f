// Package schema holds what models answer to the JSON Schemas of docs/schemas,
// and tells a model what to mend.
//
// An answer is foreign text: it may be of any size and hold anything, and it
// comes out either as one canonical object that its schema accepts, or as a
// few lines that say where it is wrong and what is expected. Nothing is looked
// up beyond the embedded schemas. Whether what an answer says is true, and
// whether the claims it cites are there, is left to others.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/research-council/research-council/docs/schemas"
	"github.com/research-council/research-council/internal/agent"
)

// Check takes the file a seat has written in a role and gives the object in
// it, or what is wrong with it: at most [MaxProblems] lines for the seat to
// read, each a JSON pointer or a place, the fault, and what is expected.
//
// The role is one of package agent's that answer with JSON, or a schema's
// name. The end marker on the last line, a byte order mark and a code fence
// around the whole answer do not count. The object is compact, its keys are
// sorted, and it has no member that the schema does not name: answers that
// mean the same are the same bytes.
func Check(role string, answer []byte) (object []byte, problems []string) {
	s, err := compiled(role)
	if err != nil {
		return nil, []string{line("%v", err)}
	}
	body, first := stripWrapping(answer)
	value, problems := decode(body, first)
	if problems != nil {
		return nil, problems
	}
	value = s.dropUnknown(value, s.root())
	if problems := s.faults(value); problems != nil {
		return nil, problems
	}
	object, err = encode(value)
	if err != nil {
		return nil, []string{line("the answer cannot be written again: %v", err)}
	}
	return object, nil
}

// encode writes a value in its canonical form.
func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// compiled is the schema of a role. Each is compiled when it is first asked
// for, since most processes need none or one.
func compiled(role string) (*schema, error) {
	if role == agent.Reconsider {
		role = agent.Review
	}
	compile, ok := compiledSchemas()[role]
	if !ok {
		return nil, fmt.Errorf("there is no schema for %q", role)
	}
	return compile()
}

var compiledSchemas = sync.OnceValue(func() map[string]func() (*schema, error) {
	all := map[string]func() (*schema, error){}
	for _, name := range schemas.Names() {
		all[name] = sync.OnceValues(func() (*schema, error) { return compile(name) })
	}
	return all
})

// prefix begins the $id of every schema; its name follows.
const prefix = "urn:research-council:schema:"

// schema is a document with what it needs of others.
type schema struct {
	rules     *jsonschema.Resolved
	documents map[string]*jsonschema.Schema // by $id, itself among them
	patterns  map[string]*regexp.Regexp     // by how they are written
}

func compile(name string) (*schema, error) {
	s := &schema{documents: map[string]*jsonschema.Schema{}, patterns: map[string]*regexp.Regexp{}}
	root, err := s.load(prefix + name)
	if err == nil {
		s.rules, err = root.Resolve(&jsonschema.ResolveOptions{Loader: func(u *url.URL) (*jsonschema.Schema, error) { return s.load(u.String()) }})
	}
	if err != nil {
		return nil, fmt.Errorf("compile the schema %q: %w", name, err)
	}
	return s, nil
}

// load finds a schema by its $id, and nothing else anywhere.
func (s *schema) load(id string) (*jsonschema.Schema, error) {
	if loaded, ok := s.documents[id]; ok {
		return loaded, nil
	}
	name, ours := strings.CutPrefix(id, prefix)
	text, ok := schemas.Text(name)
	if !ours || !ok {
		return nil, fmt.Errorf("%q is no schema of ours", id)
	}
	var document jsonschema.Schema
	var plain any
	if err := errors.Join(json.Unmarshal(text, &document), json.Unmarshal(text, &plain)); err != nil {
		return nil, err
	}
	s.documents[id] = &document
	return &document, s.collect(plain)
}

// collect compiles every pattern of a document.
func (s *schema) collect(node any) (err error) {
	switch node := node.(type) {
	case map[string]any:
		if pattern, ok := node["pattern"].(string); ok {
			s.patterns[pattern], err = regexp.Compile(pattern)
		}
		for _, member := range node {
			err = errors.Join(err, s.collect(member))
		}
	case []any:
		for _, element := range node {
			err = errors.Join(err, s.collect(element))
		}
	}
	return err
}

// rule is a part of a schema, and the document in which its references lead to
// definitions.
type rule struct {
	*jsonschema.Schema
	document *jsonschema.Schema
}

func (s *schema) root() rule { return rule{s.rules.Schema(), s.rules.Schema()} }

// childRule is a part of the same document; nil where there is none.
func (n rule) childRule(part *jsonschema.Schema) rule { return rule{part, n.document} }

// resolveRef is where a rule's reference leads. That it leads somewhere was seen
// when the schema was compiled.
func (s *schema) resolveRef(n rule) rule {
	if name, local := strings.CutPrefix(n.Ref, "#/$defs/"); local {
		return n.childRule(n.document.Defs[name])
	}
	document := s.documents[n.Ref]
	return rule{document, document}
}

// dropUnknown leaves out, wherever a schema names members without forbidding others,
// those it does not name, and those that are null, which is how some models
// say that there is none. A word of a list of words is spelt as the list has
// it, which is in small letters.
func (s *schema) dropUnknown(value any, n rule) any {
	for n.Schema != nil && n.Ref != "" && len(n.Properties) == 0 {
		n = s.resolveRef(n)
	}
	if n.Schema == nil || n.Ref != "" {
		return value // of what is an object by two schemas, neither knows all members
	}
	switch value := value.(type) {
	case map[string]any:
		s.dropUnknownMembers(value, n)
	case []any:
		for i := range value {
			value[i] = s.dropUnknown(value[i], n.childRule(n.Items))
		}
	case string:
		return canonicalSpelling(value, n.Enum)
	}
	return value
}

func canonicalSpelling(word string, of []any) any {
	small := strings.ToLower(strings.TrimSpace(word))
	if slices.Contains(of, any(small)) {
		return small
	}
	return word
}

func (s *schema) dropUnknownMembers(object map[string]any, n rule) {
	open := n.AdditionalProperties == nil && len(n.Properties) > 0
	for name, member := range object {
		of, known := n.Properties[name]
		if open && (!known || member == nil) {
			delete(object, name)
			continue
		}
		object[name] = s.dropUnknown(member, n.childRule(of))
	}
}
