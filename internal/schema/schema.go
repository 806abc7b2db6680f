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
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"research-council/docs/schemas"
	"research-council/internal/agent"
)

// Names are the schemas' names in alphabetical order.
func Names() []string { return schemas.Names() }

// Text is the schema of a name as it is published.
func Text(name string) ([]byte, bool) { return schemas.Text(name) }

// Check takes the file a seat has written in a role and gives the object in
// it, or what is wrong with it: at most [MostProblems] lines for the seat to
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
	body, first := unwrap(answer)
	value, problems := decode(body, first)
	if problems != nil {
		return nil, problems
	}
	value = tidy(value, s)
	if err := s.Validate(value); err != nil {
		return nil, told(err)
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
func compiled(role string) (*jsonschema.Schema, error) {
	if role == agent.Reconsider {
		role = agent.Review
	}
	compile, ok := compilers()[role]
	if !ok {
		return nil, fmt.Errorf("there is no schema for %q", role)
	}
	return compile()
}

var compilers = sync.OnceValue(func() map[string]func() (*jsonschema.Schema, error) {
	all := map[string]func() (*jsonschema.Schema, error){}
	for _, name := range schemas.Names() {
		all[name] = sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(name) })
	}
	return all
})

// prefix begins the $id of every schema; its name follows.
const prefix = "urn:research-council:schema:"

func compile(name string) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(embedded{})
	c.AssertFormat()
	s, err := c.Compile(prefix + name)
	if err != nil {
		return nil, fmt.Errorf("compile the schema %q: %w", name, err)
	}
	return s, nil
}

// embedded finds the schemas by their $id, and nothing else anywhere.
type embedded struct{}

func (embedded) Load(url string) (any, error) {
	name, ours := strings.CutPrefix(url, prefix)
	text, ok := schemas.Text(name)
	if !ours || !ok {
		return nil, fmt.Errorf("%q is no schema of ours", url)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// tidy leaves out, wherever a schema names members without forbidding others,
// those it does not name, and those that are null, which is how some models
// say that there is none. A word of a list of words is spelt as the list has
// it, which is in small letters.
func tidy(value any, s *jsonschema.Schema) any {
	for s != nil && s.Ref != nil && len(s.Properties) == 0 {
		s = s.Ref
	}
	if s == nil || s.Ref != nil {
		return value // of what is an object by two schemas, neither knows all members
	}
	switch value := value.(type) {
	case map[string]any:
		tidyMembers(value, s)
	case []any:
		for i := range value {
			value[i] = tidy(value[i], s.Items2020)
		}
	case string:
		return spelt(value, s.Enum)
	}
	return value
}

func spelt(word string, of *jsonschema.Enum) any {
	small := strings.ToLower(strings.TrimSpace(word))
	if of != nil && slices.Contains(of.Values, any(small)) {
		return small
	}
	return word
}

func tidyMembers(object map[string]any, s *jsonschema.Schema) {
	open := s.AdditionalProperties == nil && len(s.Properties) > 0
	for name, member := range object {
		of, known := s.Properties[name]
		if open && (!known || member == nil) {
			delete(object, name)
			continue
		}
		object[name] = tidy(member, of)
	}
}
