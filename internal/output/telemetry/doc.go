// Package telemetry makes traces and metrics of a run's facts.
//
// The spans of a run are one trace: run, stage (one for each visit), task,
// turn, and below a turn the tools it called where the seat's stream says when.
// Their ids are reckoned from the run's id and the place of the work in it, so
// a run that is taken up after a crash goes on in the same trace, a span told
// twice is the same span, and a seat's process can be told its parent before it
// starts ([Traceparent]). Metrics count the spans that have ended. [Spans] and
// [Metrics] are pure; [Recorder] takes facts as they come and costs its caller
// no time.
//
// Attributes have the names of OpenTelemetry's conventions for generative AI
// and for errors where there are any, else they begin with research_council.
// What people and models wrote (topic, reasons, messages) is in none of them
// unless the configuration says so; prompts and answers never are. error.type is
// the class of a turn's fault, the outcome of a task, "gate" for a stage that
// its gate failed, and "failed" for a run.
//
// # The file
//
// trace.jsonl in the run's folder has one span a line, written when it ends, a
// part before its whole:
//
//	{"traceId":"…","spanId":"…","parentSpanId":"…","name":"invoke_agent claude",
//	 "kind":"client","start":"2026-02-22T14:30:00Z","end":"2026-02-22T14:41:07.5Z",
//	 "status":"ok","attributes":{"research_council.level":"turn",…},
//	 "events":[{"name":"issue.met","time":"…","attributes":{…}}]}
//
// Ids are those of OTLP as hex digits, kind is internal or client, status is
// unset, ok or error, times are RFC 3339 in UTC, and attributes are plain JSON:
// a number with a point or an exponent is a double, any other is an integer.
// The file is a projection: what is missing is written when the run is taken
// up, for the journal has it.
//
// # The collector
//
// With an endpoint the same spans, and the metrics, are posted as JSON by
// OTLP/HTTP. The requests are made here and not by OpenTelemetry's exporters,
// which bring gRPC and protobuf into every process of the program, and it starts
// one for each seat. A collector takes both forms at one address, so that a
// protocol of http/protobuf is heeded as far as it says HTTP; grpc is refused.
// Of the standard variables these are heeded:
// OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER and OTEL_METRICS_EXPORTER (none),
// OTEL_EXPORTER_OTLP_ENDPOINT, _HEADERS, _TIMEOUT, _COMPRESSION, _PROTOCOL,
// _CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY, each also with TRACES_ or
// METRICS_ for one signal, OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES,
// OTEL_BSP_SCHEDULE_DELAY and OTEL_METRIC_EXPORT_INTERVAL. Metrics are
// cumulative from the beginning of the run, which is service.instance.id.
//
// A collector that cannot be reached slows nothing: what it has not taken in
// stays in the file, whose beginning it has (trace.sent says how many bytes),
// and goes to it later, by the next process if need be. Wiring the recorder to a
// run is left to package driver.
package telemetry
