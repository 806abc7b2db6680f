package relation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/evidence/relation"
)

func TestAmountsOfAUnit(t *testing.T) {
	for _, c := range []struct {
		text, unit string
		want       []float64
	}{
		{"In a day it uses 18 kWh.", "kWh", []float64{18}},
		{"The median was 41 ms, the worst 94 ms.", "ms", []float64{41, 94}},
		{"It took 1.5 seconds.", "ms", nil},
		{"It took 1.5 seconds.", "s", []float64{1.5}},
		{"It reads 120 MB/s.", "MB", nil},
		{"It fell by 5.5 million euros.", "EUR", []float64{5.5e6}},
		{"It costs €30 a year.", "EUR", []float64{30}},
		{"Of all users 12.5 % left.", "%", []float64{12.5}},
		{"Of all users 12.5 percent left.", "%", []float64{12.5}},
		{"It serves 40,000 requests.", "requests", []float64{40000}},
		{"It costs $30.", "USD", []float64{30}},
		{"It reads 120 MB/s.", "MB/s", []float64{120}},
		{"We sold 3 million cars.", "cars", []float64{3e6}},
		{"It uses 18 kWh, yes, 18 kWh.", "kWh", []float64{18}},
		{"Version 1.8 came in 2019.", "kWh", nil},
		{"It uses 18 kWh.", "ms", nil},
		{"It uses 18 kWh.", "", nil},
		{"It uses 18 kWh.", "5", nil},
		{"In 2018 it had 1,900 users.", "users", []float64{1900}},
		{"In 2019 users came back.", "users", nil},
		{"It weighs 1900 kg.", "kg", []float64{1900}},
		{"In 2021 there were 7 regions.", "regions", []float64{7}},
	} {
		var got []float64
		for _, a := range relation.Amounts(c.text, c.unit) {
			got = append(got, a.Value)
			assert.False(t, a.Loose, c.text)
		}
		assert.Equal(t, c.want, got, "%s in %s", c.text, c.unit)
	}
	for _, bound := range []string{"It uses at least 18 kWh.", "It uses up to 18 kWh.", "It uses about 18 kWh.", "It uses more than 18 kWh.", "It uses ~18 kWh."} {
		got := relation.Amounts(bound, "kWh")
		assert.Len(t, got, 1, bound)
		require.True(t, got[0].Loose, bound)
	}
	for _, several := range []string{"It uses 18 kWh or 20 kWh.", "It uses 18-20 kWh.", "It uses 18 to 20 kWh.", "It uses 18–20 kWh."} {
		got := relation.Amounts(several, "kWh")
		assert.False(t, len(got) == 1 && !got[0].Loose, several)
	}
}
