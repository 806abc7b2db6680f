package flow_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/research-council/research-council/internal/engine/flow"
)

type bakery struct {
	Loaves int `json:"loaves"`
}

type dairy struct {
	Litres int `json:"litres"`
}

func TestAFactCarriesWhatAProductSaysOfItself(t *testing.T) {
	o := flow.Hold("bakery", &bakery{Loaves: 3})
	require.Equal(t, &bakery{Loaves: 3}, flow.Held[bakery](o, "bakery"))
	line, err := json.Marshal(flow.Setup{Own: o})
	require.NoError(t, err)
	require.Contains(t, string(line), `"own":{"bakery":{"loaves":3}}`)

	var read flow.Setup
	require.NoError(t, json.Unmarshal(line, &read))
	again, err := json.Marshal(read)
	require.NoError(t, err)
	require.JSONEq(t, string(line), string(again), "unread, it is passed on as it came")
	require.Nil(t, flow.Held[bakery](read.Own, "dairy"), "that is another product's")
	require.Equal(t, &bakery{Loaves: 3}, flow.Held[bakery](read.Own, "bakery"))
	require.Nil(t, flow.Held[dairy](read.Own, "bakery"), "that is another of its values")
	again, err = json.Marshal(read)
	require.NoError(t, err)
	require.JSONEq(t, string(line), string(again))

	flow.Held[bakery](o, "bakery").Loaves = 4
	require.Equal(t, 4, flow.Held[bakery](o, "bakery").Loaves, "whoever reads it holds the value itself")
}

func TestWhatNobodySaysIsNothing(t *testing.T) {
	for _, o := range []flow.Own{{}, flow.Hold[bakery]("bakery", nil)} {
		require.True(t, o.IsZero())
		require.Nil(t, flow.Held[bakery](o, "bakery"))
		line, err := json.Marshal(flow.Setup{Own: o})
		require.NoError(t, err)
		require.NotContains(t, string(line), "own")
		line, err = json.Marshal(o)
		require.NoError(t, err)
		require.Equal(t, "null", string(line))
	}
	var o flow.Own
	require.NoError(t, json.Unmarshal([]byte("null"), &o))
	require.True(t, o.IsZero())
}

func TestAnUnreadableOwnPartIsRefusedOrNothing(t *testing.T) {
	for _, text := range []string{`[]`, `{}`, `{"a":1,"b":2}`, `"bakery"`, `7`} {
		var o flow.Own
		require.Error(t, json.Unmarshal([]byte(text), &o), text)
	}
	for _, text := range []string{`{"bakery":7}`, `{"bakery":{"loaves":"three"}}`, `{"bakery":[]}`} {
		var o flow.Own
		require.NoError(t, json.Unmarshal([]byte(text), &o), text)
		require.Nil(t, flow.Held[bakery](o, "bakery"), text)
	}
}
