package main

import (
	"context"
)

func catalogue(context.Context, bench) (Result, error)   { return Result{Skipped: "not yet"}, nil }
func quotation(context.Context, bench) (Result, error)   { return Result{Skipped: "not yet"}, nil }
func structure(context.Context, bench) (Result, error)   { return Result{Skipped: "not yet"}, nil }
func wrongSource(context.Context, bench) (Result, error) { return Result{Skipped: "not yet"}, nil }
func offline(context.Context, bench) (Result, error)     { return Result{Skipped: "not yet"}, nil }
