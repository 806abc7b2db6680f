package temporal

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
)

type permit struct {
	worker.SlotReleaseInfo
	permit *worker.SlotPermit
}

func (p permit) Permit() *worker.SlotPermit { return p.permit }

// A queue that has no runs holds no place that another needs, and none is asked while
// all places are taken.
func TestQueuesShareThePlacesOfAWorker(t *testing.T) {
	places := make(room, 1)
	shut := false
	queue := func() *asking {
		return &asking{room: places, shut: func() bool { return shut }, out: map[*worker.SlotPermit]bool{}}
	}
	idle, busy := queue(), queue()
	asks := func(a *asking) *worker.SlotPermit {
		ctx, cancel := context.WithTimeout(t.Context(), 2*lookForRoom)
		defer cancel()
		p, _ := a.ReserveSlot(ctx, nil)
		return p
	}
	var waiting *worker.SlotPermit
	for range questions {
		waiting = asks(idle)
		require.NotNil(t, waiting)
	}
	require.Nil(t, asks(idle), "a queue is asked so often at once")
	p := asks(busy)
	require.NotNil(t, p, "an idle queue holds nothing")
	busy.MarkSlotUsed(permit{permit: p})
	require.True(t, places.take())
	idle.ReleaseSlot(permit{permit: waiting})
	require.Nil(t, asks(busy), "there is no room")
	require.Nil(t, asks(idle))
	require.False(t, places.take(), "a run that comes all the same is given back")
	places.give()
	busy.ReleaseSlot(permit{permit: p})
	require.NotNil(t, asks(idle))
	require.Nil(t, asks(idle), "the others are not answered yet")
	shut = true
	require.Nil(t, asks(busy), "nothing is taken from it now")
}
