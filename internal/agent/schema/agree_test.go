package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/research-council/research-council/docs/schemas"
)

// published finds the schemas by their $id for another validator.
type published struct{}

func (published) Load(id string) (any, error) {
	text, ok := schemas.Text(strings.TrimPrefix(id, prefix))
	if !ok {
		return nil, fmt.Errorf("%q is no schema of ours", id)
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// draft draws values that are nearly what a schema asks for.
type draft struct {
	*rapid.T
	document node
}

func (d draft) value(n node) any {
	if ref, _ := n["$ref"].(string); ref != "" {
		return d.follow(ref)
	}
	if rapid.IntRange(0, 25).Draw(d.T, "odd") == 0 {
		return rapid.SampledFrom([]any{nil, true, 3.0, 1.5, -1.0, 1e12, "", "x", []any{}, node{}, node{"a": 1.0}, []any{nil}}).Draw(d.T, "another")
	}
	switch n["type"] {
	case "object":
		return d.object(n)
	case "array":
		return d.array(n)
	case "string":
		return d.text(n)
	case "boolean":
		return rapid.Bool().Draw(d.T, "truth")
	}
	return rapid.SampledFrom([]float64{0, 1, 5, 10, 11, -1, 2.5, 1e9}).Draw(d.T, "number")
}

func (d draft) follow(ref string) any {
	if name, local := strings.CutPrefix(ref, "#/$defs/"); local {
		return d.value(d.document["$defs"].(node)[name].(node))
	}
	var other node
	text, _ := schemas.Text(strings.TrimPrefix(ref, prefix))
	require.NoError(d, json.Unmarshal(text, &other))
	return draft{d.T, other}.value(other)
}

func (d draft) object(n node) any {
	object := node{}
	properties, _ := n["properties"].(node)
	for name, p := range properties {
		if rapid.IntRange(0, 14).Draw(d.T, "there") > 0 {
			object[name] = d.value(p.(node))
		}
	}
	if more, open := n["additionalProperties"].(node); open {
		for i := range rapid.IntRange(0, 25).Draw(d.T, "more") {
			object[strings.Repeat("k", i*i)] = d.value(more)
		}
	}
	if rapid.IntRange(0, 9).Draw(d.T, "unknown") == 0 {
		object["unknown"] = 1.0
	}
	return object
}

func (d draft) array(n node) any {
	list := []any{}
	for range rapid.IntRange(0, 4).Draw(d.T, "long") {
		list = append(list, d.value(n["items"].(node)))
	}
	return list
}

func (d draft) text(n node) any {
	if words, ok := n["enum"].([]any); ok {
		return rapid.SampledFrom(append(words[:len(words):len(words)], "High")).Draw(d.T, "word")
	}
	return rapid.SampledFrom([]string{"a", "C1", "C12", " ", "T1", "x\ny", "2024-01-01T00:00:00Z", "2024-01-01t00:00:00.5z", "2024-13-01T00:00:00Z"}).Draw(d.T, "text")
}

// Another validator accepts and refuses the same values as we do, whichever
// schema they are held to.
func TestAnotherValidatorAgrees(t *testing.T) {
	for _, name := range schemas.Names() {
		s, err := compiled(name)
		require.NoError(t, err)
		c := jsonschema.NewCompiler()
		c.UseLoader(published{})
		c.AssertFormat()
		other, err := c.Compile(prefix + name)
		require.NoError(t, err)
		n := document(t, name)
		rapid.Check(t, func(t *rapid.T) {
			v := draft{t, n}.value(n)
			problems := s.faults(v)
			require.Equal(t, other.Validate(v) == nil, problems == nil, "%v", problems)
		})
	}
}
