package librarian

import "context"

func (d Desk) refine(ctx context.Context, a assignment, topic string) error {
	return d.research(ctx, a, topic)
}

func (d Desk) synthesise(assignment, string) error { return refused("the librarian cannot write a synthesis") }
