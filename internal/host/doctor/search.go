package doctor

import (
	"context"
	"sync"

	"github.com/research-council/research-council/internal/base/plural"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/evidence/websearch/engine"
)

// search tries each search engine that is set. One that costs by the search is not
// asked: whether there is a key for it is seen without.
func (x exam) search(ctx context.Context) []Check {
	list := make([]Check, len(x.Config.Network.Search))
	var all sync.WaitGroup
	for i, s := range x.Config.Network.Search {
		all.Go(func() { list[i] = x.tryEngine(ctx, s) })
	}
	all.Wait()
	return list
}

func (x exam) tryEngine(ctx context.Context, s engine.Service) Check {
	area := "search: " + s.Engine
	const remedy = "seats search without it; council config show prints what is set under search"
	e, _ := engine.Named(s.Engine)
	_, err := config.SearchKey(s, func(name string) string { return x.env[name] })
	switch {
	case err != nil:
		return newCheck(area, Warning, err.Error(), remedy)
	case s.KeyEnv+s.KeyFile != "" && isUnencrypted(s.URL):
		return newCheck(area, Warning, "its key goes over the network unencrypted", "use an https address")
	case s.USD > 0:
		return okCheck(area, "%s; its key is there, and it was not asked: a search costs $%.4f, which the owner of the key pays", s.URL, s.USD)
	case x.Search == nil || e.Kind == engine.Archived:
		return okCheck(area, "%s; it was not asked", s.URL)
	}
	n, err := x.Search(ctx, s)
	if err != nil {
		return newCheck(area, Warning, err.Error(), remedy)
	}
	return okCheck(area, "%s; it answers (%s)", s.URL, leads(n))
}

func leads(n int) string {
	if n == 1 {
		return "one lead"
	}
	return plural.Of(n, "lead")
}
