package campaignwork

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/flow"
	"github.com/research-council/research-council/internal/engine/supervisor"
	"github.com/research-council/research-council/internal/product/campaign"
	"github.com/research-council/research-council/internal/product/campaign/feature"
)

// The feature list people see is a copy of the program's own. What somebody
// changes in it while the campaign is worked on is put back; what a person has
// changed while nothing ran is taken over when they let it go on.

// RejectedListFile is the name, beside the feature list, of one that was changed and
// not taken over.
const RejectedListFile = "feature-list.not-taken.json"

// previouslyPublished is what was published before the last time: a program that
// was killed between its two copies has left that.
const previouslyPublished = PublishedDir + "/" + campaign.Features + ".before"

// ListRequest is what is to become of a campaign's feature list before it goes on.
type ListRequest struct {
	Person  bool     // a person asks: what they have changed in the file is taken over
	Retry   bool     // failed features are tried again, by Features or all
	Mended  bool     // what failed for reasons of the environment is tried again
	Feature []string // ids
}

// EditList makes what is wished of the feature list of a campaign that nobody
// works on, and says what has changed. Where something of it is refused,
// nothing is changed.
func EditList(o supervisor.Options, w ListRequest) (says []string, err error) {
	err = supervisor.Amend(o, func(a supervisor.Amendment) error {
		s, is := a.Work().(*work)
		if !is {
			return errors.New("only campaigns have a list of features")
		}
		says, err = s.editList(a, w)
		return err
	})
	return says, err
}

func (s *work) editList(a supervisor.Amendment, w ListRequest) (says []string, err error) {
	edits, taken, err := s.requestedEdits(w)
	if err != nil || len(edits) == 0 {
		return nil, err
	}
	if err := a.Settle(); err != nil {
		return nil, err
	}
	for _, e := range edits {
		says = append(says, e.Says...)
		if err := a.Record(flow.Event{Kind: flow.Edited, Own: campaign.OwnEdit(&e), Reason: e.By}); err != nil {
			return nil, err
		}
		if err := s.applyEdits(); err != nil {
			return nil, err
		}
	}
	s.keepShownList = false
	if taken { // theirs is in the journal
		_ = s.papers.Write(campaign.Features, edits[len(edits)-1].List.Encode()) // publishList says why it could not
	}
	if r := a.Now(); r.Status == "" && (r.Stage == agent.Code || r.Stage == campaign.Test) { // another feature may be next
		if err := a.Record(flow.Event{Kind: flow.RunReopened, Stage: agent.Code, Setup: &r.Setup, Reason: "the feature list was edited"}); err != nil {
			return nil, err
		}
	}
	s.refreshCampaignFiles()
	return says, a.WriteStatus()
}

// requestedEdits are the edits that are asked for, in order, and whether what a person
// has changed in the file is among them.
func (s *press) requestedEdits(w ListRequest) (edits []feature.Edit, taken bool, err error) {
	list, err := s.features()
	if err != nil {
		if w.Retry {
			return nil, false, fmt.Errorf("the campaign %q has no list of features yet", campaign.Of(s.Setup.Own).Name)
		}
		return nil, false, nil
	}
	add := func(e feature.Edit) {
		if len(e.Says) > 0 {
			edits, list = append(edits, e), e.List
		}
	}
	if w.Person {
		e, err := s.userEdit(list)
		if err != nil {
			return nil, false, fmt.Errorf("%s is not taken over: %w. Nothing is changed; mend it, or delete it to have the program's own back", path.Join(campaign.Of(s.Setup.Own).Folder(), campaign.Features), err)
		}
		add(e)
		taken = len(edits) > 0
	}
	if w.Retry {
		e, err := list.Retry(w.Feature...)
		if err != nil {
			return nil, false, err
		}
		add(e)
	}
	if w.Mended {
		e, _ := list.RetryMended()
		add(e)
	}
	return edits, taken, nil
}

// userEdit is what a person has changed in the list they see; nothing where
// nobody has, or where it may have been a worker whose turn was cut off.
func (s *press) userEdit(list feature.List) (feature.Edit, error) {
	there, changed := s.changedList()
	if !changed || s.wasTurnCutOff() {
		return feature.Edit{}, nil
	}
	published := list
	if data, err := s.Folder.Read(path.Join(PublishedDir, campaign.Features)); err == nil {
		if p, err := feature.Parse(data); err == nil {
			published = p
		}
	}
	return list.ApplyFile(published, there)
}

// wasTurnCutOff reports whether a worker's turn was under way when the last
// supervisor was killed.
func (s *press) wasTurnCutOff() bool {
	for _, t := range s.Now.Tasks {
		if t.Running != nil && t.Seat != flow.Program {
			return true
		}
	}
	return false
}

// changedList is the feature list people see where somebody has changed it.
func (s *press) changedList() ([]byte, bool) {
	there, err := s.papers.Read(campaign.Features)
	if err != nil {
		return nil, false // one that was deleted is written anew
	}
	now, err := s.Folder.Read(path.Join(PublishedDir, campaign.Features))
	if err != nil || bytes.Equal(there, now) {
		return nil, false
	}
	before, err := s.Folder.Read(previouslyPublished)
	return there, err != nil || !bytes.Equal(there, before)
}

// restoreList keeps a changed feature list beside the program's own, which is
// about to take its place.
func (s *press) restoreList() {
	there, changed := s.changedList()
	if !changed {
		return
	}
	text := fmt.Sprintf("%s was changed while the campaign was worked on, and is put back as the program has it", campaign.Features)
	if err := s.papers.Write(RejectedListFile, there); err == nil {
		text += "; what it held is in " + RejectedListFile
	}
	s.progress(text + ". A person edits it while nothing runs; `council campaign resume " + campaign.Of(s.Setup.Own).Slug + "` takes it over")
}

// publishList writes the feature list people see.
func (s *press) publishList(data []byte) error {
	if s.keepShownList {
		return nil
	}
	s.restoreList()
	if now, err := s.Folder.Read(path.Join(PublishedDir, campaign.Features)); err == nil && !bytes.Equal(now, data) {
		if err := s.Folder.Write(previouslyPublished, now); err != nil {
			return err
		}
	}
	return s.publishPaper(campaign.Features, data)
}

// applyEdits brings the program's list in step with the journal: it may have
// been killed between the fact and the file.
func (s *attempts) applyEdits() error {
	if len(s.Now.Edits) == 0 {
		return nil
	}
	last := campaign.EditOf(s.Now.Edits[len(s.Now.Edits)-1].Own)
	list, err := s.features()
	if err == nil && list.Edits >= last.List.Edits {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Log("The feature list is written anew: " + err.Error())
	}
	for _, id := range last.Anew { // the project has changed since its first attempt
		if err := s.removeSnapshots(id); err != nil {
			return err
		}
	}
	return s.Folder.Write(campaign.FeatureFile, last.List.Encode())
}

// testCommand is what runs the project's tests: as the person said it or the
// project has it, else as the breakdown chose it; "" while nobody has.
func (s *records) testCommand() string {
	if c := campaign.Of(s.Setup.Own).Test; c != "" {
		return c
	}
	list, err := s.features()
	if err != nil {
		return ""
	}
	return list.Test
}

// toolchain says what the breakdown has chosen, for people; "" for nothing.
func toolchain(l feature.List) string {
	var parts []string
	if l.Stack != "" {
		parts = append(parts, l.Stack)
	}
	if l.Test != "" {
		parts = append(parts, "tests: `"+l.Test+"`")
	}
	return strings.Join(parts, ", ")
}
