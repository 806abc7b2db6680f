package plant

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEverySentenceIsWholeAndEveryAlterationAnother(t *testing.T) {
	kinds := []Kind{Number, Year, Month, Unit, Magnitude, Comparator, Negation, Quantifier, Hedge, Name, Thing}
	for _, lang := range Languages() {
		g, err := read(lang)
		require.NoError(t, err)
		dice := rand.New(rand.NewPCG(1, 2))
		seen := map[Kind]bool{}
		for range 2000 {
			s := g.draw(dice)
			require.NotContains(t, s.String(), "{")
			require.False(t, strings.HasPrefix(s.String(), " "))
			for _, k := range kinds {
				altered, has := s.Altered(k)
				if has {
					seen[k] = true
					require.NotEqual(t, s.String(), altered, "%s in %s", k, lang)
				}
			}
		}
		require.Len(t, seen, len(kinds), "%s has words of every kind: %v", lang, seen)
	}
}
