package quote_test

import "testing"

// Numbers that are one character, or raised, are found as they are typed on a keyboard, and
// no other number is.
func TestNumbersAsTheyAreTyped(t *testing.T) {
	requireTold(t, []told{
		{"The dough rests for 1½ hours before it is shaped.", "The dough rests for 1 1/2 hours before it is shaped.", "The dough rests for 11/2 hours before it is shaped."},
		{"The dough rests for 1 1/2 hours before it is shaped.", "The dough rests for 1½ hours before it is shaped.", "The dough rests for ½ hours before it is shaped."},
		{"Nur ¼ der Beete trug im ersten Jahr.", "Nur 1/4 der Beete trug im ersten Jahr.", "Nur 3/4 der Beete trug im ersten Jahr."},
		{"Se añaden ⅔ de taza de leche tibia.", "Se añaden 2/3 de taza de leche tibia.", "Se añaden 1/3 de taza de leche tibia."},
		{"A share of 3⁄8 went to the widow.", "A share of 3/8 went to the widow.", "A share of 38 went to the widow."},
		{"The tracer (¹⁸F) decays within hours.", "The tracer (18F) decays within hours.", "The tracer (19F) decays within hours."},
		{"Lenses are sold in three powers (×4, ×10, ×40) only.", "Lenses are sold in three powers (x4, x10, x40) only.", "Lenses are sold in three powers (x4, x100, x40) only."},
		{"The dose is 2.5 × 10⁶ units a day.", "The dose is 2.5 × 106 units a day.", "The dose is 2.5 × 108 units a day."},
		{"Leaks must stay below 10⁻³ l/min in service.", "Leaks must stay below 10-3 l/min in service.", "Leaks must stay below 103 l/min in service."},
		{"The level Lₐₚ may not pass 20 dB at night.", "The level Lap may not pass 20 dB at night.", "The level Las may not pass 20 dB at night."},
		{"After n days 2ⁿ cells had grown.", "After n days 2^n cells had grown.", "After n days 2n cells had grown."},
		{"The court did not accept that submission.", "> The court did **not** accept that submission.", "> The court did accept that submission."},
	})
}
