package telemetry

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// otlpObject is a message of OTLP in JSON: protobuf's mapping
// (https://protobuf.dev/programming-guides/json), in which a number of 64 bits
// is a text, but for ids, which are hex digits, and enumerations, which are
// numbers.
type otlpObject map[string]any

// Values of OTLP's enumerations.
const (
	kindInternal = 1
	kindClient   = 3
	statusUnset  = 0
	statusOK     = 1
	statusError  = 2
	cumulative   = 2
)

// scope names who made spans and metrics.
func scope() otlpObject { return otlpObject{"name": "research-council"} }

// traces is an export request of spans.
func traces(about Attributes, spans []Span) otlpObject {
	list := make([]otlpObject, len(spans))
	for i, s := range spans {
		list[i] = s.toOTLP()
	}
	return otlpObject{"resourceSpans": []otlpObject{{
		"resource":   otlpObject{"attributes": about.toOTLP()},
		"scopeSpans": []otlpObject{{"scope": scope(), "spans": list}},
	}}}
}

func (s Span) toOTLP() otlpObject {
	kind := kindInternal
	if s.Kind == Client {
		kind = kindClient
	}
	m := otlpObject{
		"traceId": s.Trace, "spanId": s.ID, "name": s.Name, "kind": kind, "flags": 1,
		"startTimeUnixNano": nanos(s.Start), "endTimeUnixNano": nanos(s.End),
		"attributes": s.Attributes.toOTLP(), "status": otlpObject{"code": s.Status.code()},
	}
	if s.Parent != "" {
		m["parentSpanId"] = s.Parent
	}
	var events []otlpObject
	for _, e := range s.Events {
		events = append(events, otlpObject{"timeUnixNano": nanos(e.At), "name": e.Name, "attributes": e.Attributes.toOTLP()})
	}
	if len(events) > 0 {
		m["events"] = events
	}
	return m
}

func (s Status) code() int {
	switch s {
	case OK:
		return statusOK
	case Error:
		return statusError
	}
	return statusUnset
}

func nanos(at time.Time) string { return strconv.FormatInt(max(at.UnixNano(), 0), 10) }

// toOTLP is attributes in the order of their names.
func (a Attributes) toOTLP() []otlpObject {
	list := make([]otlpObject, 0, len(a))
	for _, name := range slices.Sorted(maps.Keys(a)) {
		list = append(list, otlpObject{"key": name, "value": value(a[name])})
	}
	return list
}

func value(of any) otlpObject {
	switch v := of.(type) {
	case bool:
		return otlpObject{"boolValue": v}
	case int64:
		return otlpObject{"intValue": strconv.FormatInt(v, 10)}
	case float64:
		return otlpObject{"doubleValue": jsonNumber(v)}
	case []string:
		list := make([]otlpObject, len(v))
		for i, s := range v {
			list[i] = value(s)
		}
		return otlpObject{"arrayValue": otlpObject{"values": list}}
	}
	s, _ := of.(string)
	return otlpObject{"stringValue": s}
}

// jsonNumber is a number, or the word for what is none in JSON.
func jsonNumber(f float64) any {
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	}
	return f
}

// meterReading is what a meter says at a moment.
type meterReading struct {
	run       string
	began, at time.Time
	metrics   []Metric
}

// toOTLP is an export request of metrics.
func (r meterReading) toOTLP(about Attributes) otlpObject {
	list := make([]otlpObject, len(r.metrics))
	for i, m := range r.metrics {
		list[i] = otlpObject{"name": m.Name, "unit": m.Unit, "description": m.Description}
		if m.Histogram {
			list[i]["histogram"] = otlpObject{"aggregationTemporality": cumulative, "dataPoints": r.dataPoints(m)}
		} else {
			list[i]["sum"] = otlpObject{"aggregationTemporality": cumulative, "isMonotonic": true, "dataPoints": r.dataPoints(m)}
		}
	}
	return otlpObject{"resourceMetrics": []otlpObject{{
		"resource":     otlpObject{"attributes": about.toOTLP()},
		"scopeMetrics": []otlpObject{{"scope": scope(), "metrics": list}},
	}}}
}

func (r meterReading) dataPoints(m Metric) []otlpObject {
	list := make([]otlpObject, len(m.Points))
	for i, p := range m.Points {
		list[i] = otlpObject{"attributes": p.Attributes.toOTLP(), "startTimeUnixNano": nanos(r.began), "timeUnixNano": nanos(r.at)}
		if !m.Histogram {
			list[i]["asDouble"] = jsonNumber(p.Value)
			continue
		}
		buckets := make([]string, len(p.Buckets))
		for j, n := range p.Buckets {
			buckets[j] = strconv.FormatUint(n, 10)
		}
		list[i]["count"], list[i]["sum"] = strconv.FormatUint(p.Count, 10), jsonNumber(p.Value)
		list[i]["bucketCounts"], list[i]["explicitBounds"] = buckets, m.Bounds
	}
	return list
}
