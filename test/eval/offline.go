package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/research-council/research-council/internal/evidence/claim"
	"github.com/research-council/research-council/test/eval/plant"
	"github.com/research-council/research-council/test/eval/stage"
)

const (
	citations = 500
	damages   = 40 // bytes turned over, one at a time
)

// offline verifies a finished run while nothing can be fetched, and then with
// one byte of it changed.
func offline(ctx context.Context, b bench) (Result, error) {
	plan, err := plant.New(plant.Size{Seed: b.seed + 1, Each: 36, Sources: 2, Hosts: hosts, Seats: len(families()), PerPage: claimsAPage})
	if err != nil {
		return Result{}, err
	}
	p, err := play(ctx, b.bin, filepath.Join(b.tmp, "verify"), plan)
	if err != nil {
		return Result{}, err
	}
	sound, err := p.stage.Council(ctx, "verify", stage.ID(p.run))
	if err != nil {
		return Result{}, err
	}
	located := p.located()
	found, tried, missed, err := p.damage(ctx, rand.New(rand.NewPCG(b.seed, 2)))
	if err != nil {
		return Result{}, err
	}
	r := Result{Inputs: fmt.Sprintf("Seed %d: a run of %d claims, %d of them located, about %d archived sources; the fake web is closed. %s",
		b.seed+1, len(p.registry.Entries), located, len(p.archive.Snapshots()), strings.TrimSpace(sound.Out))}
	r.Bars = []Bar{
		{"an unchanged run verifies", "exit code 0", fmt.Sprintf("exit code %d", sound.Code), sound.Code == 0},
		{fmt.Sprintf("time for %d citations", located), "< 10 s for 500", fmt.Sprintf("%.2f s", sound.Took.Seconds()), located >= citations && sound.Took.Seconds() < 10},
		{"one byte turned over in the journal, in what was published or in the archive is found", "all", fmt.Sprintf("%d of %d", found, tried), found == tried},
	}
	r.Notes = missed
	return r, nil
}

// located counts the claims whose quotations verify has to find again: all of them,
// since a report of bounded length names some alone.
func (p *played) located() int {
	n := 0
	for _, e := range p.registry.Entries {
		if e.Location.State == claim.Located {
			n++
		}
	}
	return n
}

// damage turns one byte over in one file after another and counts how often
// verify ends with 1. What the run's promise does not cover is left alone: the
// log, locks, the rules of sites, the streams of processes and the seats' own
// folders.
func (p *played) damage(ctx context.Context, dice *rand.Rand) (found, tried int, missed []string, err error) {
	files, err := covered(p.run)
	if err != nil {
		return 0, 0, nil, err
	}
	for range damages {
		path := files[dice.IntN(len(files))]
		data, err := os.ReadFile(path)
		if err != nil {
			return 0, 0, nil, err
		}
		at := dice.IntN(len(data))
		turned := slices.Clone(data)
		turned[at] ^= 1 << dice.IntN(7)
		if err := os.WriteFile(path, turned, 0o600); err != nil {
			return 0, 0, nil, err
		}
		r, err := p.stage.Council(ctx, "verify", stage.ID(p.run))
		if err != nil {
			return 0, 0, nil, err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return 0, 0, nil, err
		}
		tried++
		if r.Code == 1 {
			found++
			continue
		}
		name, _ := filepath.Rel(p.run, path)
		missed = append(missed, fmt.Sprintf("Not found: byte %d of `%s`, exit code %d.", at, name, r.Code))
	}
	return found, tried, missed, nil
}

// covered lists the files whose bytes a run vouches for: its journal, what it
// has published, and every archived source.
func covered(run string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(run, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(run, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{"seats", "turns", "sources/locks", "sources/robots"}, filepath.ToSlash(name)) {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		vouched := strings.HasPrefix(filepath.ToSlash(name), "sources/") || slices.Contains([]string{"journal.jsonl", "registry.json", "final-report.md", "synthesis.md", "score.json"}, name)
		if d.Type().IsRegular() && info.Size() > 0 && vouched && !strings.HasSuffix(name, ".lock") {
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
