// Package repo is a project's git repository and its test command.
package repo
