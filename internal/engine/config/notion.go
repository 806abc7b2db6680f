package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// Notion is where a report is put as a page of Notion. It is off without a
// parent. The token is no part of it: it stands in a variable of the
// environment or in a file nobody else may read.
type Notion struct {
	Server     string        `yaml:"server"`
	Parent     string        `yaml:"parent"`      // id or address of what pages are made below
	ParentKind string        `yaml:"parent_kind"` // page or database
	TokenEnv   string        `yaml:"token_env"`
	TokenFile  string        `yaml:"token_file"` // instead of TokenEnv; absolute
	Timeout    time.Duration `yaml:"timeout"`    // of one request
	Pace       time.Duration `yaml:"pace"`       // between the beginnings of two requests
}

// What a parent of pages may be.
const (
	ParentPage     = "page"
	ParentDatabase = "database"
)

// Bounds of the times that may be set.
const (
	maxRequestTimeout = 5 * time.Minute
	maxPace           = 10 * time.Second
)

// check never repeats what may be a token in the wrong place.
func (n Notion) check() error {
	u := web(n.Server)
	switch {
	case u == nil:
		return errors.New("notion: server has to be an http or https address")
	case !isPlainAddress(u):
		return errors.New("notion: server has to be an address without a password, a query or a fragment")
	case n.ParentKind != ParentPage && n.ParentKind != ParentDatabase:
		return errors.New("notion: parent_kind has to be page or database")
	case n.TokenEnv == "" && n.TokenFile == "":
		return errors.New("notion: token_env or token_file has to say where the token is")
	case !variable(n.TokenEnv):
		return errors.New("notion: token_env has to be the name of a variable of the environment, not what it holds")
	case n.TokenFile != "" && !filepath.IsAbs(n.TokenFile):
		return errors.New("notion: token_file has to be an absolute path")
	case n.Timeout <= 0 || n.Timeout > maxRequestTimeout:
		return fmt.Errorf("notion: timeout has to be more than 0s and at most %s", maxRequestTimeout)
	case n.Pace < 0 || n.Pace > maxPace:
		return fmt.Errorf("notion: pace has to be from 0s to %s", maxPace)
	}
	return nil
}

// Variables names the variables of the environment that may hold the token: no
// child of ours needs to see them.
func (n Notion) Variables() []string {
	if n.TokenEnv == "" {
		return nil
	}
	return []string{n.TokenEnv}
}
