/**
 * Reads one log from two streams of it that overlap. An agent writes each line to all its streams in one order, so a
 * mark and the number of renewals after it name the same line in each. The first stream is reported. Renewals that only
 * the second one has shown wait for the first. When the first ends, the second continues at the same line. Once both
 * have shown one mark, no renewal is reported twice or lost.
 */

export interface LogStream {
  /** The first mark that the stream has shown; `null` before it. */
  firstMark: number | null;
  /** The last mark that the stream has shown. */
  mark: number | null;
  /** The number of renewals since that mark. */
  renewals: number;
  /** Renewals that this stream has shown, and the first one has not. */
  ahead: LoggedRenewal[];
}

interface LoggedRenewal {
  /** The place in the log: the mark before it times `perMark`, plus the number of renewals since. */
  readonly at: number;
  readonly sessionId: string;
  readonly atMs: number;
}

/** More renewals than an agent answers between two marks. Multiplied by a mark, the number stays exact for decades. */
const perMark = 2 ** 22;

export interface LogOverlap<S extends LogStream> {
  first(): S | null;
  second(): S | null;
  add(stream: S): void;
  /** Takes out a stream that is not the first. */
  drop(stream: S): void;
  /** A stream has shown a renewal. */
  renewal(stream: S, sessionId: string, atMs: number): void;
  /** A stream has shown a mark. False: the mark before it is missing, so other lines may be. */
  mark(stream: S, number: number): boolean;
  /** True when the second stream can continue the first one. */
  joined(): boolean;
  /** Lets the second stream continue the first. Only when they are `joined`. */
  handOver(): void;
}

export function createLogOverlap<S extends LogStream>(options: {
  readonly onRenewal: (sessionId: string, atMs: number) => void;
  /** Every renewal before this mark has been reported. */
  readonly onMark: (number: number) => void;
}): LogOverlap<S> {
  let streams: readonly S[] = [];
  /** The place in the log up to which renewals were reported. */
  let reportedTo = 0;
  let lastMark = 0;

  const first = () => streams[0] ?? null;
  const second = () => streams[1] ?? null;
  const passed = (at: number) => {
    reportedTo = Math.max(reportedTo, at);
    const ahead = second()?.ahead ?? [];
    while ((ahead[0]?.at ?? Infinity) <= reportedTo) ahead.shift();
  };
  const report = ({ at, sessionId, atMs }: LoggedRenewal) => {
    if (at <= reportedTo) return;
    passed(at);
    options.onRenewal(sessionId, atMs);
  };
  const reached = (number: number) => {
    passed(number * perMark);
    if (number <= lastMark) return;
    lastMark = number;
    options.onMark(number);
  };
  const joined = () => (first()?.mark ?? -1) >= (second()?.firstMark ?? Infinity);
  return {
    first,
    second,
    add: (stream) => {
      streams = [...streams, stream];
    },
    drop: (stream) => {
      streams = streams.filter((one) => one !== stream);
    },
    renewal: (stream, sessionId, atMs) => {
      stream.renewals += 1;
      const at = (stream.mark ?? 0) * perMark + stream.renewals;
      if (stream === first()) report({ at, sessionId, atMs });
      // Before the stream's first mark, the renewal's place in the log is unknown.
      else if (stream.mark !== null && at > reportedTo) stream.ahead.push({ at, sessionId, atMs });
    },
    mark: (stream, number) => {
      if (stream.mark !== null && number !== stream.mark + 1) return false;
      stream.firstMark ??= number;
      stream.mark = number;
      stream.renewals = 0;
      if (stream === first()) reached(number);
      return true;
    },
    joined,
    handOver: () => {
      if (!joined()) throw new Error('The streams do not overlap.');
      streams = streams.slice(1);
      const next = first();
      for (const shown of next?.ahead.splice(0) ?? []) report(shown);
      reached(next?.mark ?? 0);
    },
  };
}
