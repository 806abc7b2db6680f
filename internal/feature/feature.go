// Package feature is the list of features a campaign implements: which one is
// next, what attempts it has had, which can no longer be built.
package feature
