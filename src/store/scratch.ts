/**
 * Memory to spell into, used again and again: fresh memory is cold, and has to be collected, which was a twentieth of what
 * keeping originals took. There is one such piece, for one at a time: who comes meanwhile, or needs more, gets memory of
 * its own. It costs a process that keeps what its largest batch took, at most this:
 */
const SCRATCH_BYTES = 4 * 1024 * 1024;

let spare: Buffer | undefined;

export interface Scratch {
  /** Called once. */
  take(bytes: number): Buffer;
  /** When nobody looks at it any more. Where that is not known, it is left to the garbage collector. */
  giveBack(): void;
}

export function scratch(): Scratch {
  let taken: Buffer | undefined;
  return {
    take(bytes) {
      if (bytes > SCRATCH_BYTES) return Buffer.allocUnsafeSlow(bytes);
      taken = spare ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
      spare = undefined;
      return taken;
    },
    giveBack() {
      spare = taken ?? spare;
      taken = undefined;
    },
  };
}
