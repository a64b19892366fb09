/**
 * A request body kept as a file: what an SDK would send, saved as JSON. It has no compactions and no asides, so
 * what it holds is also what the model sees.
 */
import { documentOf, writeDocument } from "./session-file.ts";
import type { BodyWire, SessionWire, Skipped } from "./wire.ts";

export function bodyFile(wire: BodyWire): SessionWire {
  return {
    kind: "session",
    name: wire.name,
    title: wire.title,
    read(source) {
      const skipped: Skipped[] = [];
      const transcript = wire.read(documentOf(source, skipped) ?? {});
      return {
        wire: wire.name,
        whole: transcript,
        seen: transcript,
        compactions: [],
        asides: [],
        skipped,
        about: {},
      };
    },
    write(session, source, next) {
      const isSame = next === undefined || next === session.seen;
      return writeDocument(source, isSame ? [] : [{ line: 1, path: [], to: () => wire.write(next) }]);
    },
    detect: (sample) => (sample.records.length === 1 ? wire.detect(sample.records[0] ?? null) : 0),
  };
}
