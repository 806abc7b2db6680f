package telemetry

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"time"
)

// object is a message of OTLP in JSON: protobuf's mapping
// (https://protobuf.dev/programming-guides/json), in which a number of 64 bits
// is a text, but for ids, which are hex digits, and enumerations, which are
// numbers.
type object map[string]any

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
func scope() object { return object{"name": "research-council"} }

// traces is an export request of spans.
func traces(about Attributes, spans []Span) object {
	list := make([]object, len(spans))
	for i, s := range spans {
		list[i] = s.message()
	}
	return object{"resourceSpans": []object{{
		"resource":   object{"attributes": about.message()},
		"scopeSpans": []object{{"scope": scope(), "spans": list}},
	}}}
}

func (s Span) message() object {
	kind := kindInternal
	if s.Kind == Client {
		kind = kindClient
	}
	m := object{
		"traceId": s.Trace, "spanId": s.ID, "name": s.Name, "kind": kind, "flags": 1,
		"startTimeUnixNano": nanos(s.Start), "endTimeUnixNano": nanos(s.End),
		"attributes": s.Attributes.message(), "status": object{"code": s.Status.code()},
	}
	if s.Parent != "" {
		m["parentSpanId"] = s.Parent
	}
	var events []object
	for _, e := range s.Events {
		events = append(events, object{"timeUnixNano": nanos(e.At), "name": e.Name, "attributes": e.Attributes.message()})
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

// message is attributes in the order of their names.
func (a Attributes) message() []object {
	list := make([]object, 0, len(a))
	for _, name := range slices.Sorted(maps.Keys(a)) {
		list = append(list, object{"key": name, "value": value(a[name])})
	}
	return list
}

func value(of any) object {
	switch v := of.(type) {
	case bool:
		return object{"boolValue": v}
	case int64:
		return object{"intValue": strconv.FormatInt(v, 10)}
	case float64:
		return object{"doubleValue": double(v)}
	case []string:
		list := make([]object, len(v))
		for i, s := range v {
			list[i] = value(s)
		}
		return object{"arrayValue": object{"values": list}}
	}
	s, _ := of.(string)
	return object{"stringValue": s}
}

// double is a number, or the word for what is none in JSON.
func double(f float64) any {
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

// reading is what a meter says at a moment.
type reading struct {
	run       string
	began, at time.Time
	metrics   []Metric
}

// message is an export request of metrics.
func (r reading) message(about Attributes) object {
	list := make([]object, len(r.metrics))
	for i, m := range r.metrics {
		list[i] = object{"name": m.Name, "unit": m.Unit, "description": m.Description}
		if m.Histogram {
			list[i]["histogram"] = object{"aggregationTemporality": cumulative, "dataPoints": r.points(m)}
		} else {
			list[i]["sum"] = object{"aggregationTemporality": cumulative, "isMonotonic": true, "dataPoints": r.points(m)}
		}
	}
	return object{"resourceMetrics": []object{{
		"resource":     object{"attributes": about.message()},
		"scopeMetrics": []object{{"scope": scope(), "metrics": list}},
	}}}
}

func (r reading) points(m Metric) []object {
	list := make([]object, len(m.Points))
	for i, p := range m.Points {
		list[i] = object{"attributes": p.Attributes.message(), "startTimeUnixNano": nanos(r.began), "timeUnixNano": nanos(r.at)}
		if !m.Histogram {
			list[i]["asDouble"] = double(p.Value)
			continue
		}
		buckets := make([]string, len(p.Buckets))
		for j, n := range p.Buckets {
			buckets[j] = strconv.FormatUint(n, 10)
		}
		list[i]["count"], list[i]["sum"] = strconv.FormatUint(p.Count, 10), double(p.Value)
		list[i]["bucketCounts"], list[i]["explicitBounds"] = buckets, m.Bounds
	}
	return list
}
