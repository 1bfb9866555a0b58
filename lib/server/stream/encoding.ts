/**
 * How the events of a stream go over the wire. In gzip each event is compressed by itself and once for all viewers: without
 * anything from the event before it, and up to a byte, so that any such events one after the other are one gzip stream
 * (RFC 1951, 3.2.4; zlib's `Z_SYNC_FLUSH`). A compressor of its own for each viewer would keep a window of 256 kB for each.
 */
import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync } from 'node:zlib';

/** As in `Content-Encoding`. */
export type Encoding = 'identity' | 'gzip';

/** From here on an event is compressed beside the event loop, which it would hold for milliseconds. */
export const besideMinBytes = 64 * 1024;

/** Ten bytes that say nothing but what this is (RFC 1952, 2.3). Its checksum at the end never comes: a stream breaks off. */
const head = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

const finishFlush = constants.Z_SYNC_FLUSH;
/**
 * For events of up to 4 kB, which this window holds as well: most of what one of these takes is to clear the memory of its
 * compressor, of which the usual one has ten times as much.
 */
const small = { windowBits: 12, memLevel: 4 };
const smallBytesMax = 1 << small.windowBits;
const beside = promisify(deflateRaw) as (bytes: Uint8Array, options: object) => Promise<Buffer>;
const deflated = (bytes: Uint8Array) =>
  deflateRawSync(bytes, { finishFlush, ...(bytes.length > smallBytesMax ? {} : small) });

/** What is small and the same for everybody, in both. */
export type InBoth = Readonly<Record<Encoding, Uint8Array>>;
export const inBoth = (bytes: Uint8Array): InBoth => ({ identity: bytes, gzip: deflated(bytes) });

/** The same, as the first bytes of a stream. */
export const inBothFirst = (bytes: Uint8Array): InBoth => ({
  identity: bytes,
  gzip: Buffer.concat([head, deflated(bytes)]),
});

/** Of an event from here on the compressor gives larger pieces: hundreds of 16 kB stay with the allocator (docs/decisions/0032). */
const hugeMinBytes = 2 * 1024 * 1024;
const hugePieceBytes = 256 * 1024;

/** A large event takes a moment: for 20 MB some hundred milliseconds of another thread. */
export function encode(bytes: Uint8Array, encoding: Encoding): Uint8Array | Promise<Uint8Array> {
  if (encoding === 'identity') return bytes;
  if (bytes.length < besideMinBytes) return deflated(bytes);
  const pieces = bytes.length < hugeMinBytes ? {} : { chunkSize: hugePieceBytes };
  // Level 6 took nearly three times as long as level 3 for a tenth less (docs/decisions/0034).
  return beside(bytes, { finishFlush, level: 3, ...pieces });
}

/** What a reader takes, by its `Accept-Encoding`: every browser takes gzip. */
export function encodingFor(accepted: string | null): Encoding {
  const takes = (accepted ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return (
      (coding === 'gzip' || coding === 'x-gzip') && !parameters.some((text) => /^q=0(\.0*)?$/.test(text))
    );
  });
  return takes ? 'gzip' : 'identity';
}
