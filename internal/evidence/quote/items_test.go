package quote_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/research-council/research-council/internal/evidence/quote"
)

// Items of a list may be quoted a line each, with other marks than the text has.
func TestItemsWithOtherMarks(t *testing.T) {
	lease := "The tenant agrees that:\n  (a) the rent is paid on the third of each month;\n  (b) no more than 12 guests may stay overnight;\n  (c) the key of the cellar is never lent.\n\n(d) stands elsewhere."
	rules := "Règlement\n\n1. Les chiens sont tenus en laisse dans le parc.\n2. Les vélos ne sont pas admis après 18 heures.\n3. Le kiosque ferme à 20 heures.\n"
	steps := "Schritte:\n i) Den Haupthahn am Zähler schließen.\n ii) Alle Hähne im Haus öffnen.\n iii) Den Filter nach 10 Minuten ausbauen.\n"
	year := "The mill was sold in the spring of\n1. May and burnt in the autumn of that year by men who\n7. came from the valley below."
	for _, c := range []struct {
		text, quoted string
		passes       bool
	}{
		{lease, "- the rent is paid on the third of each month\n- no more than 12 guests may stay overnight", true},
		{lease, "• the rent is paid on the third of each month\n• no more than 12 guests may stay overnight\n• the key of the cellar is never lent", true},
		{lease, "no more than 12 guests may stay overnight;\nthe key of the cellar is never lent.", true},
		{rules, "- Les chiens sont tenus en laisse dans le parc.\n- Les vélos ne sont pas admis après 18 heures.", true},
		{rules, "– Les vélos ne sont pas admis après 18 heures.\n– Le kiosque ferme à 20 heures.", true},
		{steps, "- Alle Hähne im Haus öffnen.\n- Den Filter nach 10 Minuten ausbauen.", true},
		{lease, "- the rent is paid on the third of each month\n- the key of the cellar is never lent", false},
		{lease, "- no more than 20 guests may stay overnight\n- the key of the cellar is never lent", false},
		{lease, "- no more than 12 guests may stay overnight\n- the key of the cellar is lent", false},
		{lease, "(a) no more than 12 guests may stay overnight;\n(b) the key of the cellar is never lent.", false},
		{rules, "- Les vélos sont admis après 18 heures.\n- Le kiosque ferme à 20 heures.", false},
		{rules, "- Le kiosque ferme à 20 heures.\n- Les vélos ne sont pas admis après 18 heures.", false},
		{steps, "- Alle Hähne im Haus öffnen.\n- Den Filter nach 20 Minuten ausbauen.", false},
		{year, "and burnt in the autumn of that year by men who\ncame from the valley below", false},
	} {
		m, ok := quote.Find(c.text, c.quoted)
		assert.Equal(t, c.passes, ok && len(m.Findings) == 0, "%s: %v", c.quoted, m)
	}
}
