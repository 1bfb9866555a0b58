/**
 * The wire format of a stream's events. In gzip each event is compressed once for all viewers, independently of earlier
 * events and up to a byte boundary. Any sequence of such events is one gzip stream (RFC 1951, 3.2.4; zlib's
 * `Z_SYNC_FLUSH`). A compressor for each viewer would hold a window of 256 kB for each.
 */
import { promisify } from 'node:util';
import { constants, deflateRaw, deflateRawSync } from 'node:zlib';

/** A value of `Content-Encoding`. */
export type Encoding = 'identity' | 'gzip';

/** Events from this size are compressed on another thread, as they would block the event loop for milliseconds. */
export const besideMinBytes = 64 * 1024;

/** The gzip header (RFC 1952, 2.3). The checksum at the end never comes, as a stream breaks off. */
const head = Buffer.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);

const finishFlush = constants.Z_SYNC_FLUSH;
/**
 * For events of up to 4 kB, which fit this window. Clearing the usual compressor's ten times larger memory would take
 * most of the time.
 */
const small = { windowBits: 12, memLevel: 4 };
const smallBytesMax = 1 << small.windowBits;
const beside = promisify(deflateRaw) as (bytes: Uint8Array, options: object) => Promise<Buffer>;
const deflated = (bytes: Uint8Array) =>
  deflateRawSync(bytes, { finishFlush, ...(bytes.length > smallBytesMax ? {} : small) });

/** A small event for all viewers, in both encodings. */
export type InBoth = Readonly<Record<Encoding, Uint8Array>>;
export const inBoth = (bytes: Uint8Array): InBoth => ({ identity: bytes, gzip: deflated(bytes) });

/** The same, as the first bytes of a stream. */
export const inBothFirst = (bytes: Uint8Array): InBoth => ({
  identity: bytes,
  gzip: Buffer.concat([head, deflated(bytes)]),
});

/**
 * From this size the compressor emits larger pieces, because the allocator would retain hundreds of 16 kB
 * (docs/decisions/0032).
 */
const hugeMinBytes = 2 * 1024 * 1024;
const hugePieceBytes = 256 * 1024;

/** A large event resolves later. */
export function encode(bytes: Uint8Array, encoding: Encoding): Uint8Array | Promise<Uint8Array> {
  if (encoding === 'identity') return bytes;
  if (bytes.length < besideMinBytes) return deflated(bytes);
  const pieces = bytes.length < hugeMinBytes ? {} : { chunkSize: hugePieceBytes };
  // Level 6 takes far longer for little (docs/decisions/0034).
  return beside(bytes, { finishFlush, level: 3, ...pieces });
}

/** The encoding for an `Accept-Encoding`: every browser takes gzip. */
export function encodingFor(accepted: string | null): Encoding {
  const acceptsGzip = (accepted ?? '').split(',').some((part) => {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    return (
      (coding === 'gzip' || coding === 'x-gzip') && !parameters.some((text) => /^q=0(\.0*)?$/.test(text))
    );
  });
  return acceptsGzip ? 'gzip' : 'identity';
}
