/**
 * Jute, ZooKeeper's encoding of records (`zookeeper.jute`): big-endian numbers, with lengths before text, buffers and
 * lists.
 */

/** The bytes have another form. Never leaves this room: see `readFrame`. */
class BrokenFrame extends Error {}

export interface JuteWriter {
  int(value: number): JuteWriter;
  long(value: bigint): JuteWriter;
  bool(value: boolean): JuteWriter;
  buffer(value: Buffer): JuteWriter;
  text(value: string): JuteWriter;
  texts(values: readonly string[]): JuteWriter;
  /** The record with its length in front, as the line carries it. */
  frame(): Buffer;
}

export function createWriter(): JuteWriter {
  const parts: Buffer[] = [];
  const put = (size: number, write: (part: Buffer) => void): JuteWriter => {
    const part = Buffer.allocUnsafe(size);
    write(part);
    parts.push(part);
    return writer;
  };
  const writer: JuteWriter = {
    int: (value) => put(4, (part) => part.writeInt32BE(value)),
    long: (value) => put(8, (part) => part.writeBigInt64BE(value)),
    bool: (value) => put(1, (part) => part.writeUInt8(value ? 1 : 0)),
    buffer: (value) => {
      writer.int(value.length);
      parts.push(value);
      return writer;
    },
    text: (value) => writer.buffer(Buffer.from(value, 'utf8')),
    texts: (values) => {
      writer.int(values.length);
      for (const value of values) writer.text(value);
      return writer;
    },
    frame: () => {
      const length = Buffer.allocUnsafe(4);
      length.writeInt32BE(parts.reduce((sum, part) => sum + part.length, 0));
      return Buffer.concat([length, ...parts]);
    },
  };
  return writer;
}

export interface JuteReader {
  int(): number;
  long(): bigint;
  bool(): boolean;
  /** A copy, so that a node's few bytes do not keep a whole piece of the line in memory. */
  buffer(): Buffer;
  text(): string;
  texts(): readonly string[];
}

function createReader(frame: Buffer): JuteReader {
  let at = 0;
  const take = (size: number): number => {
    if (size < 0 || at + size > frame.length) throw new BrokenFrame();
    const from = at;
    at += size;
    return from;
  };
  /** Null has length -1, and is read as empty. */
  const length = (): number => Math.max(frame.readInt32BE(take(4)), 0);
  const bytes = (): Buffer => {
    const size = length();
    const from = take(size);
    return frame.subarray(from, from + size);
  };
  const reader: JuteReader = {
    int: () => frame.readInt32BE(take(4)),
    long: () => frame.readBigInt64BE(take(8)),
    bool: () => frame.readUInt8(take(1)) !== 0,
    buffer: () => Buffer.from(bytes()),
    text: () => bytes().toString('utf8'),
    texts: () => {
      const count = length();
      // Each item takes at least four bytes, so a false length fails before any allocation.
      if (count * 4 > frame.length - at) throw new BrokenFrame();
      return Array.from({ length: count }, () => reader.text());
    },
  };
  return reader;
}

/** The value that `read` makes; `null`: the bytes have another form. Never throws. */
export function readFrame<T>(frame: Buffer, read: (from: JuteReader) => T): T | null {
  try {
    return read(createReader(frame));
  } catch (error) {
    if (error instanceof BrokenFrame) return null;
    throw error;
  }
}

/** For `read` inside `readFrame`: the value cannot be. */
export function brokenFrame(): never {
  throw new BrokenFrame();
}

export interface Frames {
  /** Adds bytes, and returns the frames that they complete. `null`: an impossible length, so the line is unusable. */
  take(piece: Buffer): readonly Buffer[] | null;
}

/** Cuts a line into frames of at most `bytesMax`. Allocates only for bytes that have arrived. */
export function createFrames(bytesMax: number): Frames {
  let pieces: Buffer[] = [];
  let buffered = 0;
  /** The length of the frame under way; `null`: not arrived yet. */
  let wanted: number | null = null;
  /** Joins the held bytes, once for each frame. */
  const joined = (): Buffer => {
    const [only] = pieces;
    const all = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
    pieces = [all];
    return all;
  };
  const keep = (rest: Buffer) => {
    pieces = rest.length === 0 ? [] : [rest];
    buffered = rest.length;
  };
  return {
    take: (piece) => {
      pieces.push(piece);
      buffered += piece.length;
      const frames: Buffer[] = [];
      for (;;) {
        if (wanted === null) {
          if (buffered < 4) return frames;
          const all = joined();
          wanted = all.readInt32BE(0);
          if (wanted < 0 || wanted > bytesMax) return null;
          keep(all.subarray(4));
        }
        if (buffered < wanted) return frames;
        const all = joined();
        frames.push(all.subarray(0, wanted));
        keep(all.subarray(wanted));
        wanted = null;
      }
    },
  };
}
