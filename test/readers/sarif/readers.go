// Package readers asks the validator of SARIF by the format's authors, and
// their schema, what they make of our logs.
package readers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/research-council/research-council/test/readers"
)

// Problem is what the validator finds wrong with a log.
type Problem struct{ Rule, Level, Message string }

// Validate gives what is wrong with a log by the rules of the format and of
// code hosts. It does not look at the schema.
func Validate(t testing.TB, log []byte) []Problem {
	t.Helper()
	out := readers.Ask(t, "sarif", log, "validate.mjs")
	var list []Problem
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatalf("read the validator's answer: %v\n%s", err, out)
	}
	return list
}

// Schema is the format's JSON schema.
func Schema(t testing.TB) []byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(readers.Installed(t, "sarif"), "node_modules", "@microsoft", "sarif-multitool-*", "sarif-2.1.0.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("find the schema of SARIF: %v", err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatalf("read the schema of SARIF: %v", err)
	}
	return data
}
