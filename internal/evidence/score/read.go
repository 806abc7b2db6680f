package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/internal/evidence/source"
)

// ReadRegistry reads a registry, bare or as an export has it, and what the export
// says of its run.
func ReadRegistry(data []byte) (claim.Registry, Input, error) {
	var doc struct {
		Entries  json.RawMessage
		Registry json.RawMessage
		Input    Input
		Score    struct{ Input Input }
	}
	bare := bytes.HasPrefix(bytes.TrimSpace(data), []byte("["))
	if !bare {
		if err := json.Unmarshal(data, &doc); err != nil {
			return claim.Registry{}, Input{}, fmt.Errorf("read a registry: %w", err)
		}
	}
	switch {
	case doc.Registry != nil:
		if doc.Input.Mode == "" {
			doc.Input = doc.Score.Input
		}
		reg, _, err := ReadRegistry(doc.Registry)
		return reg, doc.Input, err
	case !bare && doc.Entries == nil:
		return claim.Registry{}, Input{}, errors.New("no registry: there are neither entries nor a registry in it")
	}
	reg, err := claim.ParseRegistry(data)
	if err != nil {
		return claim.Registry{}, Input{}, err
	}
	for i, e := range reg.Entries {
		if e.Key == "" && !e.Kind.RestsOnClaims() {
			reg.Entries[i].Key = source.Identify(e.Source).Key
		}
	}
	if bare {
		reg = claim.Merge(reg)
	}
	return reg, Input{}, nil
}
