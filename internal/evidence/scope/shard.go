package scope

import "strings"

// Role is what sort of sources a researcher looks in first.
type Role string

const (
	Official  Role = "Official"
	Code      Role = "Code"
	Community Role = "Community"
)

// Shard is the part of the question one researcher must cover first. The
// question stays whole for everybody: what only one has looked at, nobody can
// confirm.
type Shard struct {
	ID           string `json:"id"` // A, B or C
	Name         string `json:"name"`
	Role         Role   `json:"role"`
	Description  string `json:"description"`
	Instructions string `json:"instructions"`
}

// Shards are the three parts, in the order one researcher takes them in turn.
func Shards() []Shard {
	return []Shard{
		{
			ID: "A", Name: "Official/Web", Role: Official,
			Description: "Official documentation, API references, standards, and the publications of those who make or govern the subject.",
			Instructions: "Find the primary source of each fact: the specification, the reference manual, the standard's own text, the release notes, the regulator's page. " +
				"Note the version and the date it speaks of. Prefer the page that defines a thing to the pages that repeat it. " +
				"Mark such sources official_doc, or standard where a standards body issued them.",
		},
		{
			ID: "B", Name: "Code/Implementation", Role: Code,
			Description: "What code really does: the files of the local scope, and the public source code of what the question is about.",
			Instructions: "Read the code itself, then its tests, then its comments, and trust them in this order. Cite path:line and quote the lines. " +
				"Look for the existing pattern, for the modules it touches, and for where code and documentation differ. " +
				"Where no code is within reach, take what documentation says of how it works and is set up, and try that in experiments. " +
				"Mark such sources code_reference.",
		},
		{
			ID: "C", Name: "Community/Cases", Role: Community,
			Description: "Experience in the field: accounts of real use, measurements, post-mortems, issue threads, and the known mistakes.",
			Instructions: "Look for who tried it and what happened: measurements with their conditions, failures with their causes, known anti-patterns. " +
				"Say who speaks and from what experience; an account without figures or particulars is weak. Record each known mistake or danger as a claim marked pitfall. " +
				"Where no accounts are within reach, take the limits, warnings and known problems that the sources at hand name. " +
				"Mark such sources community.",
		},
	}
}

// Assignment is what one researcher covers.
type Assignment struct {
	Seat   string  `json:"seat,omitempty"` // "" while no seats are known
	Shard  string  `json:"shard"`          // ids joined by +, in the order they are taken
	Shards []Shard `json:"shards"`
}

// Assign deals the shards out. One researcher takes all three in turn, of two
// one takes what is on the web and the other the code, three take one each,
// and with more the shards go round.
func Assign(agents int, seats []string) []Assignment {
	all := Shards()
	a, b, c := all[0], all[1], all[2]
	work := make([]Assignment, 0, max(agents, 0))
	for i := range agents {
		shards := []Shard{all[i%len(all)]}
		switch {
		case agents == 1:
			shards = all
		case agents == 2:
			shards = [][]Shard{{a, c}, {b}}[i]
		}
		w := Assignment{Shard: ids(shards), Shards: shards}
		if i < len(seats) {
			w.Seat = seats[i]
		}
		work = append(work, w)
	}
	return work
}

func ids(shards []Shard) string {
	list := make([]string, len(shards))
	for i, s := range shards {
		list[i] = s.ID
	}
	return strings.Join(list, "+")
}
