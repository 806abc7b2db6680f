package records

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"unicode/utf8"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/base/marker"
	"github.com/research-council/research-council/internal/base/usage"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/campaignwork"
)

// requireOpenIteration refuses to speak of an iteration that is not open, or that the session
// has not been told of: the next one may be there as soon as one has ended.
func (s *Store) requireOpenIteration() error {
	if s.turn.Record == "" || s.host && !s.folder.Has(campaignwork.BegunFile(s.turn.Task)) {
		return usage.Errorf("no iteration is open here; in a session `council campaign begin` hands over the next one")
	}
	return nil
}

// record is the name of the iteration's record, in the worker's folder.
func (s *Store) record() (string, error) {
	if err := s.requireOpenIteration(); err != nil {
		return "", err
	}
	if filepath.Dir(s.turn.Record) != s.folder.Join(filepath.FromSlash(s.dir())) {
		return "", fmt.Errorf("the record %s does not lie in the worker's folder", s.turn.Record)
	}
	return filepath.Base(s.turn.Record), nil
}

// End ends the iteration with its record: a summary, what a file holds, or,
// without either, what the worker has written into the record already. It gives
// the record's path.
func (s *Store) End(summary, file string) (record string, err error) {
	name, err := s.record()
	if err != nil {
		return "", err
	}
	text, err := s.recordText(name, summary, file)
	if err != nil {
		return "", err
	}
	if err := errors.Join(s.checkComplete(), s.checkLength(name, text)); err != nil {
		return "", err
	}
	return s.turn.Record, s.write(name, text)
}

// recordText is the record with its mark: what is handed in, or what the worker
// has written already.
func (s *Store) recordText(name, summary, file string) ([]byte, error) {
	text := []byte(summary)
	var err error
	switch {
	case file != "":
		text, err = s.readInput("file", file, MaxTextBytes)
	case summary == "":
		text, err = s.folder.Read(s.name(name))
	}
	if err != nil && file != "" {
		return nil, err
	}
	text = bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(text), []byte(marker.CompleteMarker)))
	switch {
	case len(text) == 0:
		return nil, usage.Errorf("an iteration ends with its record: --summary TEXT, or --file FILE")
	case len(text) > MaxTextBytes:
		return nil, usage.Errorf("the record is longer than %d KiB", MaxTextBytes>>10)
	case !utf8.Valid(text):
		return nil, usage.Errorf("the record is not UTF-8")
	}
	text = append(append([]byte{}, text...), "\n\n"+marker.CompleteMarker+"\n"...)
	if !marker.IsComplete(text) {
		return nil, usage.Errorf("a code fence in the record is not closed")
	}
	return text, nil
}

// maxRecordWords is how long a record may be, with a little over what is asked
// for.
const maxRecordWords = 600

// checkLength sends a record back that is too long to be read by anybody, once.
func (s *Store) checkLength(name string, text []byte) error {
	n := len(bytes.Fields(bytes.ReplaceAll(text, []byte(marker.CompleteMarker), nil)))
	if n <= maxRecordWords {
		return nil
	}
	first, err := s.folder.CreateOnce(s.name("long-"+name), nil)
	if err != nil || !first {
		return err
	}
	return fmt.Errorf("the record has %d words; 200 to 500 are asked for: cut it to what was found, or end once more as it is", n)
}

// checkComplete refuses to end an iteration that has not left what it is for.
func (s *Store) checkComplete() error {
	switch s.turn.Role {
	case agent.Code:
		_, id, err := s.features()
		if err != nil {
			return err
		}
		data, err := s.folder.Read(s.name(campaign.CoderNoteFile))
		if said, bad := campaign.DecodeCoderNote(data); err != nil || bad != nil || said.ID != id {
			return usage.Errorf("say first how the feature went: `council campaign feature pass %s` or `feature fail %s`", id, id)
		}
	case agent.Breakdown:
		if !s.folder.Filled(s.name(campaign.Features)) {
			return usage.Errorf("record the feature list first: `council campaign record --feature-list FILE`")
		}
	}
	return nil
}
