package telemetry

import (
	"encoding/hex"
	"maps"
	"slices"
	"time"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
)

// scope names who made spans and metrics.
func scope() *commonpb.InstrumentationScope {
	return &commonpb.InstrumentationScope{Name: "research-council"}
}

// traces is the message of an export request of spans: TracesData has the same
// fields on the wire.
func traces(about Attributes, spans []Span) *tracepb.TracesData {
	list := make([]*tracepb.Span, len(spans))
	for i, s := range spans {
		list[i] = s.message()
	}
	return &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource:   &resourcepb.Resource{Attributes: about.message()},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope(), Spans: list}},
	}}}
}

func (s Span) message() *tracepb.Span {
	kind := tracepb.Span_SPAN_KIND_INTERNAL
	if s.Kind == Client {
		kind = tracepb.Span_SPAN_KIND_CLIENT
	}
	m := &tracepb.Span{
		TraceId: id(s.Trace), SpanId: id(s.ID), ParentSpanId: id(s.Parent), Name: s.Name, Kind: kind, Flags: 1,
		StartTimeUnixNano: nanos(s.Start), EndTimeUnixNano: nanos(s.End), Attributes: s.Attributes.message(),
		Status: &tracepb.Status{Code: s.Status.code()},
	}
	for _, e := range s.Events {
		m.Events = append(m.Events, &tracepb.Span_Event{TimeUnixNano: nanos(e.At), Name: e.Name, Attributes: e.Attributes.message()})
	}
	return m
}

func (s Status) code() tracepb.Status_StatusCode {
	switch s {
	case OK:
		return tracepb.Status_STATUS_CODE_OK
	case Error:
		return tracepb.Status_STATUS_CODE_ERROR
	}
	return tracepb.Status_STATUS_CODE_UNSET
}

// id is an id as bytes; nil for none. Ids that come here are hex digits.
func id(digits string) []byte {
	b, err := hex.DecodeString(digits)
	if err != nil || len(b) == 0 {
		return nil
	}
	return b
}

func nanos(at time.Time) uint64 { return uint64(max(at.UnixNano(), 0)) }

// message is attributes in the order of their names.
func (a Attributes) message() []*commonpb.KeyValue {
	list := make([]*commonpb.KeyValue, 0, len(a))
	for _, name := range slices.Sorted(maps.Keys(a)) {
		list = append(list, &commonpb.KeyValue{Key: name, Value: value(a[name])})
	}
	return list
}

func value(of any) *commonpb.AnyValue {
	switch v := of.(type) {
	case bool:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: v}}
	case int64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: v}}
	case float64:
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: v}}
	case []string:
		list := make([]*commonpb.AnyValue, len(v))
		for i, s := range v {
			list[i] = value(s)
		}
		return &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{Values: list}}}
	}
	s, _ := of.(string)
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

// reading is what a meter says at a moment.
type reading struct {
	run       string
	began, at time.Time
	metrics   []Metric
}

// message is the message of an export request of metrics.
func (r reading) message(about Attributes) *metricspb.MetricsData {
	list := make([]*metricspb.Metric, len(r.metrics))
	for i, m := range r.metrics {
		list[i] = &metricspb.Metric{Name: m.Name, Unit: m.Unit, Description: m.Description}
		if m.Histogram {
			list[i].Data = &metricspb.Metric_Histogram{Histogram: r.histogram(m)}
		} else {
			list[i].Data = &metricspb.Metric_Sum{Sum: r.sum(m)}
		}
	}
	return &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource:     &resourcepb.Resource{Attributes: about.message()},
		ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: scope(), Metrics: list}},
	}}}
}

const cumulative = metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE

func (r reading) sum(m Metric) *metricspb.Sum {
	s := &metricspb.Sum{AggregationTemporality: cumulative, IsMonotonic: true}
	for _, p := range m.Points {
		s.DataPoints = append(s.DataPoints, &metricspb.NumberDataPoint{
			Attributes: p.Attributes.message(), StartTimeUnixNano: nanos(r.began), TimeUnixNano: nanos(r.at),
			Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: p.Value},
		})
	}
	return s
}

func (r reading) histogram(m Metric) *metricspb.Histogram {
	h := &metricspb.Histogram{AggregationTemporality: cumulative}
	for _, p := range m.Points {
		h.DataPoints = append(h.DataPoints, &metricspb.HistogramDataPoint{
			Attributes: p.Attributes.message(), StartTimeUnixNano: nanos(r.began), TimeUnixNano: nanos(r.at),
			Count: p.Count, Sum: &p.Value, BucketCounts: p.Buckets, ExplicitBounds: m.Bounds,
		})
	}
	return h
}
