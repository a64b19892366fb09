/**
 * One error class for the whole package. `code` is public API and pinned by a test; the message is for
 * people: what, which value, what to do.
 */
export type ErrorCode =
  | "unknown-wire" // nothing we know reads this
  | "not-this-wire" // the wire asked for does not read this
  | "unreadable" // the file cannot be opened, or holds nothing a conversation could be read from
  | "unwritable" // the file asked for cannot be written: full disk, no permission
  | "cannot-write" // the change asked for has no spelling in this wire
  | "store" // the store cannot be used, or cannot be trusted: damaged, locked, full, of a newer version
  | "summary" // no usable summary came from the program or the model that was asked for one
  | "unknown-usage" // what was observed of a request is no usage we know
  | "policy" // there is no such policy, or what was written is none
  | "usage"; // the command line, or an option, says something we do not understand

export class PalimpsestError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.name = "PalimpsestError";
    this.code = code;
  }
}
