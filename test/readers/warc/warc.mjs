// Reads the WARC file on stdin with warcio and writes a line of JSON for each
// record.
import { createHash } from "node:crypto";
import { WARCParser } from "warcio";

const parser = new WARCParser(process.stdin, { keepHeadersCase: false });
for await (const record of parser) {
  const payload = await record.readFully(true);
  console.log(JSON.stringify({
    type: record.warcType,
    id: record.warcHeaders.headers.get("WARC-Record-ID"),
    target: record.warcTargetURI ?? "",
    date: record.warcDate,
    block: record.warcHeaders.headers.get("WARC-Block-Digest"),
    status: record.httpHeaders ? Number(record.httpHeaders.statusCode) : 0,
    sha256: createHash("sha256").update(payload).digest("hex"),
  }));
}
