package archive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/research-council/research-council/internal/evidence/experiment"
)

// NoExperiment is why there is nothing of an experiment that nobody has made.
const NoExperiment = "there is no such experiment in this run"

// AddExperiment archives an experiment under the next id there is: its record as
// the bytes of a source, what it said as the text, and the bytes it said beside.
func (a *Archive) AddExperiment(ctx context.Context, r experiment.Record, raw []byte, text string) (experiment.Record, error) {
	unlock, err := a.store.lock(ctx, "experiments")
	if err != nil {
		return r, err
	}
	defer unlock()
	all, err := a.Experiments()
	if err != nil {
		return r, err
	}
	r.ID = experiment.ID(len(all) + 1)
	if r.Raw, err = a.store.put(raw); err != nil {
		return r, err
	}
	if r.Output, err = a.store.put([]byte(text)); err != nil {
		return r, err
	}
	record, err := json.Marshal(r)
	if err != nil {
		return r, fmt.Errorf("describe the experiment: %w", err)
	}
	snap := Snapshot{
		Key: experiment.Reference(r.ID), Asked: experiment.Reference(r.ID), State: Live, Fetched: r.At, MIME: "text/plain",
		Title: shortLine(r.Title()), Text: r.Output, Bytes: int64(len(record)), Chars: int64(len(text)),
	}
	if snap.Body, err = a.store.put(record); err != nil {
		return r, err
	}
	return r, a.store.add(ctx, snap)
}

// Experiments are all that were archived, those of other processes too, in order.
func (a *Archive) Experiments() ([]experiment.Record, error) {
	if err := a.store.refresh(); err != nil {
		return nil, err
	}
	var list []experiment.Record
	for _, s := range a.store.snapshots() {
		if _, ok := experiment.Number(s.Key); !ok {
			continue
		}
		data, err := a.Bytes(s)
		if err != nil {
			return nil, err
		}
		r, err := experiment.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", strconv.Quote(s.Key), err)
		}
		list = append(list, r)
	}
	return slices.Clip(list), nil
}

// DataFile is where below its folder an archive keeps what has a hash.
func (a *Archive) DataFile(hash string) string { return dataName + "/" + hash }
