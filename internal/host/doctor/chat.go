package doctor

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"

	"github.com/research-council/research-council/internal/agent"
	"github.com/research-council/research-council/internal/engine/config"
	"github.com/research-council/research-council/internal/engine/flow"
)

// checkChatServer looks at one server: where it is, whether there is a key for it, and
// whether it can be seen what it costs. One that cannot
// take part is worth a warning only where it is to take part unless others are
// named.
func (x exam) checkChatServer(name string) (checks []Check, ready bool) {
	var found []flow.Seat
	for _, tier := range config.Tiers() {
		seats, missing := x.Config.Roster([]string{name}, tier, config.Resolver{Getenv: func(name string) string { return x.env[name] }})
		found = append(found, seats...)
		if len(missing) > 0 {
			checks = append(checks, x.missingSeat(name, tier, missing[0].Reason))
		}
	}
	if len(found) == 0 {
		return checks[:1], false // the reason is the same for each tier, or one is enough to mend
	}
	server := found[0].Server
	checks = append([]Check{okCheck(name, "%s; %s", server.BaseURL, x.payerText(server))}, checks...)
	if server.KeyEnv+server.KeyFile != "" && isUnencrypted(server.BaseURL) {
		checks = append(checks, newCheck(name, Note, "its key goes over the network unencrypted", "use an https address"))
	}
	if p, ok := x.checkChatPrices(name, found); !ok {
		checks = append(checks, p)
	}
	return checks, true
}

// askChatServer asks a server that can take part which models it has, which costs
// nothing.
func (x exam) askChatServer(ctx context.Context, name string, ready bool) []Check {
	if !ready || x.Models == nil {
		return nil
	}
	seats, _ := x.Config.Roster([]string{name}, x.Config.Tier, config.Resolver{Getenv: func(name string) string { return x.env[name] }})
	if len(seats) == 0 {
		return nil
	}
	server := seats[0].Server
	key, err := config.ServerKey(server, func(name string) string { return x.env[name] })
	if err == nil {
		err = x.Models(ctx, server.BaseURL, key)
	}
	if err != nil {
		return []Check{x.missingSeat(name, x.Config.Tier, err.Error())}
	}
	return []Check{okCheck(name, "it answers")}
}

func (x exam) missingSeat(name, tier, reason string) Check {
	level := Note
	if slices.Contains(x.Config.Seats, name) {
		level = Warning
	}
	return newCheck(name, level, fmt.Sprintf("MISSING (%s): %s", tier, reason), "it is needed for nothing but the seat "+name)
}

// payerText says who pays.
func (x exam) payerText(s agent.Server) string {
	switch {
	case s.KeyEnv != "" && x.env[s.KeyEnv] != "":
		return "login: " + s.KeyEnv + "; the owner of that key pays by use"
	case s.KeyFile != "":
		return "login: the key in " + s.KeyFile + "; the owner of that key pays by use"
	}
	return "it wants no key"
}

// isUnencrypted reports whether what is sent to an address can be read on its way.
func isUnencrypted(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback())
}

// checkChatPrices says that a cap on money cannot see a seat: servers tell tokens alone.
func (x exam) checkChatPrices(name string, seats []flow.Seat) (Check, bool) {
	var without []string
	for _, s := range seats {
		if _, ok := x.Config.Prices[s.Model]; !ok && !s.Free && !slices.Contains(without, s.Model) {
			without = append(without, s.Model)
		}
	}
	return unpricedCheck(name, without)
}
