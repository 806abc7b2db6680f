package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/research-council/research-council/fleet/internal/batch"
	"github.com/research-council/research-council/fleet/internal/carry"
	"github.com/research-council/research-council/fleet/internal/ledger"
	"github.com/research-council/research-council/fleet/internal/store"
)

// Options of a connection.
type Options struct {
	Address, Namespace string
	Key                []byte // of the fleet
}

// Connect connects to a server; what passes it is encrypted, messages of errors too.
func Connect(ctx context.Context, o Options) (client.Client, error) {
	codec, err := newCodec(o.Key)
	if err != nil {
		return nil, err
	}
	c, err := client.DialContext(ctx, client.Options{
		HostPort: o.Address, Namespace: o.Namespace, Logger: quiet{}, DataConverter: dataConverter(codec),
		FailureConverter: failures(dataConverter(codec)),
	})
	if err != nil {
		return nil, fmt.Errorf("connect to Temporal at %s: %w", o.Address, err)
	}
	return c, nil
}

// Client is a connection.
type Client = client.Client

const askServer = 2 * time.Second

// Await connects once the server is there; told hears once that it is not.
func Await(ctx context.Context, o Options, told func(error)) (Client, error) {
	tick := time.NewTicker(askServer)
	defer tick.Stop()
	for {
		c, err := Connect(ctx, o)
		var down *serviceerror.Unavailable
		if err == nil || !errors.As(err, &down) && !isLate(err) {
			return c, err
		}
		if told != nil {
			told(fmt.Errorf("the Temporal server at %s does not answer", o.Address))
			told = nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

func dataConverter(c converter.PayloadCodec) converter.DataConverter {
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), c)
}

// failures encrypts and reads what went wrong.
func failures(c converter.DataConverter) converter.FailureConverter {
	return temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: c, EncodeCommonAttributes: true})
}

// quiet logs nothing: what matters is in the errors and in the store.
type quiet struct{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}

// Worker takes runs from the server and carries them.
type Worker struct {
	Client    client.Client
	Namespace string
	Carrier   *carry.Worker
	Store     *store.Store
	Converter converter.DataConverter
	Seats     []string // this machine has
	AtOnce    int      // runs
	Margin    time.Duration
	gate      *gate
}

const (
	lookForQueues = 10 * time.Second
	stopTime      = 90 * time.Second // for the last of each run when the worker stops
)

// Work carries runs until ctx is done, then hands over those under way; one that is to
// drain takes nothing new, and ends when what it has is over. It polls the
// queues that runs have asked for and whose seats are here, and looks for new ones.
func (w *Worker) Work(ctx context.Context) error {
	w.gate = newGate()
	places, fatal := make(room, w.AtOnce), make(chan error, 1)
	die := func(err error) {
		select {
		case fatal <- fmt.Errorf("take work from Temporal: %w", err):
		default: // one reason is enough
		}
	}
	commands := worker.New(w.Client, Commands, worker.Options{LocalActivityWorkerOnly: true, OnFatalError: die, Identity: w.Carrier.Name})
	commands.RegisterWorkflowWithOptions(Run, workflow.RegisterOptions{Name: RunWorkflow})
	commands.RegisterWorkflowWithOptions(standing, workflow.RegisterOptions{Name: standingWorkflow})
	commands.RegisterWorkflowWithOptions(tellWorker, workflow.RegisterOptions{Name: drainWorkflow})
	commands.RegisterWorkflowWithOptions(tell, workflow.RegisterOptions{Name: noticeWorkflow})
	if err := commands.Start(); err != nil {
		return fmt.Errorf("take work from Temporal: %w", err)
	}
	told, err := w.listen(places, die)
	if err != nil {
		return err
	}
	polled := map[string]worker.Worker{"": told}
	drain, empty := w.gate.drain, (<-chan time.Time)(nil)
	tick := time.NewTicker(lookForQueues)
	defer tick.Stop()
	for {
		if err := w.look(ctx, polled, places, die); err != nil {
			return err
		}
		var err error
		select {
		case <-ctx.Done():
		case err = <-fatal:
		case <-tick.C:
			continue
		case <-drain:
			drain, empty = nil, time.Tick(lookForRoom)
			continue
		case <-empty:
			if len(places) > 0 {
				continue
			}
		}
		var all sync.WaitGroup
		for _, p := range polled {
			all.Go(p.Stop)
		}
		all.Wait()
		commands.Stop()
		return err
	}
}

// look looks for queues that are not polled yet, and for what is paused. A store that fails
// is asked again the next time.
func (w *Worker) look(ctx context.Context, polled map[string]worker.Worker, places room, die func(error)) error {
	if p, err := w.Store.Paused(ctx); err == nil {
		w.gate.pause(p)
	}
	queues, err := w.Store.Asked(ctx)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	for _, q := range queues {
		if _, is := polled[q]; is || !w.serves(q) {
			continue
		}
		for name, begun := range map[string]bool{q: false, begunQueue(q): true} {
			if polled[name], err = w.poll(name, q, begun, places, die); err != nil {
				return err
			}
		}
	}
	return nil
}

// serves reports whether all seats of a queue are here.
func (w *Worker) serves(queue string) bool {
	seats, is := batch.SeatsOf(queue)
	return is && !slices.ContainsFunc(seats, func(s string) bool { return !slices.Contains(w.Seats, s) })
}

// poll takes runs from a queue, of those that ask for some seats; die hears why none can be
// taken any more.
func (w *Worker) poll(queue, asked string, begun bool, places room, die func(error)) (worker.Worker, error) {
	seats, _ := batch.SeatsOf(asked) // it serves them
	one, err := worker.NewFixedSizeSlotSupplier(1)
	if err != nil {
		return nil, err
	}
	a := &asking{room: places, shut: func() bool { return w.gate.shut(seats, begun) }, out: map[*worker.SlotPermit]bool{}}
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{WorkflowSlotSupplier: one, ActivitySlotSupplier: a, LocalActivitySlotSupplier: one, NexusSlotSupplier: one, SessionActivitySlotSupplier: one})
	if err != nil {
		return nil, err
	}
	p := worker.New(w.Client, queue, worker.Options{Tuner: tuner, DisableWorkflowWorker: true, WorkerStopTimeout: stopTime, MaxConcurrentActivityTaskPollers: questions, OnFatalError: die, Identity: w.Carrier.Name})
	p.RegisterActivityWithOptions(func(ctx context.Context, in carryIn) (ledger.End, error) {
		if !places.take() {
			return ledger.End{}, again("this worker has no room", time.Second)
		}
		defer places.give()
		if why := w.gate.why(ctx, w.Store, seats, begun); why != "" {
			return ledger.End{}, again(why, time.Second)
		}
		end, err := w.carry(ctx, in)
		if err != nil && !begun {
			return end, temporal.NewNonRetryableApplicationError(err.Error(), lostType, nil)
		}
		return end, err
	}, activity.RegisterOptions{Name: carryActivity})
	p.RegisterActivityWithOptions(w.Carrier.Notify, activity.RegisterOptions{Name: noticeActivity})
	if err := p.Start(); err != nil {
		return nil, fmt.Errorf("take work of %s from Temporal: %w", queue, err)
	}
	return p, nil
}

// again gives a run back, to be taken up after some time.
func again(why string, after time.Duration) error {
	return temporal.NewApplicationErrorWithOptions(why, "given back", temporal.ApplicationErrorOptions{NextRetryDelay: after})
}

// carry is the activity.
func (w *Worker) carry(ctx context.Context, in carryIn) (ledger.End, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	b := &beat{worker: w, info: activity.GetInfo(ctx), stop: stop}
	if !b.first(ctx) {
		return ledger.End{}, carry.ErrCutOff
	}
	go b.keep(ctx)
	go func() {
		select {
		case <-ctx.Done():
		case <-activity.GetWorkerStopChannel(ctx):
			stop(carry.ErrHandOver)
		}
	}()
	if in.Cancel {
		stop(carry.ErrCancelled)
	}
	hear := worker.New(w.Client, deliverQueue(in.Job.Run), worker.Options{DisableWorkflowWorker: true, MaxConcurrentActivityTaskPollers: 1})
	hear.RegisterActivityWithOptions(w.Carrier.Deliver, activity.RegisterOptions{Name: deliverActivity})
	if err := hear.Start(); err != nil {
		return ledger.End{}, err
	}
	defer hear.Stop()
	end, err := w.Carrier.Carry(ctx, in.Job, b.tell)
	if errors.Is(err, carry.ErrHandOver) {
		return end, again(err.Error(), time.Millisecond)
	}
	return end, err
}

// beat gives signs of life for one run, and stops it where they are not answered.
type beat struct {
	worker *Worker
	info   activity.Info
	stop   context.CancelCauseFunc
	lease  *carry.Lease

	mu    sync.Mutex
	facts int
}

func (b *beat) tell(facts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.facts = facts
}

// first begins the lease with a sign that is answered: how long the run was on its way
// to this worker nobody here can know.
func (b *beat) first(ctx context.Context) bool {
	sent := time.Now()
	b.lease = carry.NewLease(b.info.HeartbeatTimeout, b.worker.Margin, sent)
	return b.send(ctx, b.lease.Left(sent)) == nil
}

func (b *beat) keep(ctx context.Context) {
	for ctx.Err() == nil {
		wait := time.NewTimer(min(b.lease.Every(), max(0, b.lease.Left(time.Now()))))
		select {
		case <-ctx.Done():
			wait.Stop()
			return
		case <-wait.C:
		}
		sent := time.Now()
		left := b.lease.Left(sent)
		if left <= 0 {
			b.stop(carry.ErrCutOff)
			return
		}
		err := b.send(ctx, left)
		var gone *serviceerror.NotFound
		switch {
		case err == nil:
			b.lease.Answered(sent)
		case errors.As(err, &gone):
			b.stop(carry.ErrCutOff)
		}
	}
}

// send gives one sign of life, and waits for its answer for some time.
func (b *beat) send(ctx context.Context, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	b.mu.Lock()
	facts := b.facts
	b.mu.Unlock()
	details, err := b.worker.Converter.ToPayloads(facts, b.worker.Carrier.Name)
	if err != nil {
		details = &commonpb.Payloads{}
	}
	answer, err := b.worker.Client.WorkflowService().RecordActivityTaskHeartbeat(ctx, &workflowservice.RecordActivityTaskHeartbeatRequest{
		TaskToken: b.info.TaskToken, Namespace: b.worker.Namespace, Details: details, Identity: b.worker.Carrier.Name,
	})
	if err == nil && answer.GetCancelRequested() {
		b.stop(carry.ErrCancelled)
	}
	return err
}
