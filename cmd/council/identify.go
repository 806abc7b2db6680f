package main

import (
	"github.com/spf13/cobra"

	"github.com/research-council/research-council/internal/evidence/source"
	"github.com/research-council/research-council/internal/host/program"
)

// identity is the answer to one reference.
type identity struct {
	Input string      `json:"input"`
	Kind  source.Kind `json:"kind"`
	Key   string      `json:"key"`
	URL   string      `json:"url,omitempty"`
	Path  string      `json:"path,omitempty"`
	First int         `json:"first,omitempty"`
	Last  int         `json:"last,omitempty"`
}

func identifyCommand(e program.Env) *cobra.Command {
	return &cobra.Command{
		Use: "identify", Short: "Tell which references are one source: a reference a line in, JSON lines out",
		Long: `Identify reads URLs and other references, one a line as plain text, and answers
each with {"input", "kind", "key", "url", "path", "first", "last"}.

References with one key are one source, however they were written: a DOI and
the publisher's pages that carry it, an abstract and its PDF, a page with and
without trackers in its address. Kind is doi, arxiv, pmc, pmid, isbn, rfc,
standard, url, file, commit or other; path, first and last are the file and the
lines a reference like a.go:12-20 names. Nothing is fetched.`,
		Example: `echo 'https://doi.org/10.48550/arXiv.1706.03762' | council identify
council identify < references.txt | jq -r .key | sort | uniq -d`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return filter(e.Stdin, e.Stdout, func(line []byte) (any, error) { return identify(string(line)), nil })
		},
	}
}

func identify(ref string) identity {
	s := source.Identify(ref)
	return identity{Input: ref, Kind: s.Kind, Key: s.Key, URL: s.URL, Path: s.Path, First: s.First, Last: s.Last}
}
