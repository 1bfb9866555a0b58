import { expect, test } from 'vitest';
import { createFrames, createWriter, readFrame } from './jute';
import {
  connectFrame,
  errors,
  getChildren,
  getData,
  multi,
  noSession,
  type Request,
  readAnswer,
  readEvent,
  readWelcome,
  requestFrame,
} from './message';

/** The same numbers at every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const stat = () => {
  const to = createWriter().long(1n).long(2n).long(3n).long(4n).int(5).int(6).int(0);
  return to.long(-1n).int(0).int(7).long(8n);
};
const body = (frame: Buffer) => frame.subarray(4);

const reads: readonly [string, (bytes: Buffer) => unknown, Buffer][] = [
  [
    'a welcome',
    readWelcome,
    body(createWriter().int(0).int(10_000).long(7n).buffer(Buffer.alloc(16)).frame()),
  ],
  ['a header', readAnswer, body(createWriter().int(1).long(2n).int(0).frame())],
  ['an event', readEvent, body(createWriter().int(1).int(3).text('/a/é').frame())],
  ...(
    [
      [getData('/a'), Buffer.concat([body(createWriter().text('data').frame()), body(stat().frame())])],
      [getChildren('/a'), body(createWriter().texts(['a', 'b', 'c']).frame())],
      [
        multi([{ op: 'setData', path: '/a', version: 1, data: Buffer.from('x') }]),
        Buffer.concat([
          body(createWriter().int(5).bool(false).int(0).frame()),
          body(stat().frame()),
          body(createWriter().int(-1).bool(true).int(-1).frame()),
        ]),
      ],
      [
        multi([{ op: 'check', path: '/a', version: 1 }]),
        body(createWriter().int(13).bool(false).int(0).int(-1).bool(true).int(-1).frame()),
      ],
    ] as [Request<unknown>, Buffer][]
  ).map(([request, bytes]): [string, (bytes: Buffer) => unknown, Buffer] => [
    `the answer to ${request.call}`,
    (frame) => readFrame(frame, (from) => request.read(from)),
    bytes,
  ]),
];

test.each(reads)('%s is read, and no broken bytes make its reader throw', (_name, read, whole) => {
  expect(read(whole)).not.toBeNull();
  for (let length = 0; length < whole.length; length += 1) read(whole.subarray(0, length));
  const random = createRandom(whole.length);
  for (let round = 0; round < 5_000; round += 1) {
    const broken = Buffer.from(whole.subarray(0, Math.ceil(random() * whole.length)));
    for (let spots = 0; spots < 4; spots += 1)
      broken[Math.floor(random() * broken.length)] = Math.floor(random() * 256);
    read(broken);
  }
  for (let round = 0; round < 1_000; round += 1)
    read(Buffer.from(Array.from({ length: Math.floor(random() * 80) }, () => Math.floor(random() * 256))));
});

test('a length that lies makes no room: a list of two thousand million names in eight bytes is refused', () => {
  const bytes = Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1]);
  expect(readFrame(bytes, (from) => from.texts())).toBeNull();
  expect(readFrame(bytes, (from) => from.buffer())).toBeNull();
});

test('frames are the same however the line cuts them, and one beyond the bound ends the line', () => {
  const sent = Array.from({ length: 50 }, (_, i) =>
    createWriter()
      .text('x'.repeat(i * 7))
      .frame(),
  );
  const line = Buffer.concat(sent);
  const random = createRandom(1);
  for (let round = 0; round < 200; round += 1) {
    const frames = createFrames(1_000);
    const got: Buffer[] = [];
    for (let at = 0; at < line.length; ) {
      const size = 1 + Math.floor(random() * (round % 2 === 0 ? 5 : 500));
      got.push(...(frames.take(line.subarray(at, at + size)) ?? []));
      at += size;
    }
    expect(got.map(String)).toEqual(sent.map((frame) => String(frame.subarray(4))));
  }
  expect(createFrames(10).take(Buffer.from([0, 0, 0, 11]))).toBeNull();
  expect(createFrames(10).take(Buffer.from([0xff, 0, 0, 0]))).toBeNull();
});

test('ids keep their 64 bits, and containers and nodes that expire are owned by no session', () => {
  const of = (owner: bigint) => {
    const bytes = createWriter()
      .text('')
      .long((1n << 62n) + 1n)
      .long(0n)
      .long(0n)
      .long(0n)
      .int(0)
      .int(0)
      .int(0);
    const frame = body(bytes.long(owner).int(0).int(0).long(0n).frame());
    return readFrame(frame, (from) => getData('/').read(from))?.stat;
  };
  expect(of(0x100_0187_accd_0001n)).toMatchObject({
    czxid: '4611686018427387905',
    ephemeralOwner: '1000187accd0001',
  });
  expect(of(BigInt.asIntN(64, 0xe000_0000_0000_0001n))?.ephemeralOwner).toBe('e000000000000001');
  expect(of(-(2n ** 63n))?.ephemeralOwner).toBe('0');
  expect(of(BigInt.asIntN(64, 0xff00_0000_0000_03e8n))?.ephemeralOwner).toBe('0');
  expect(of(0n)?.ephemeralOwner).toBe('0');
});

test('a request is the bytes that the protocol wants', () => {
  expect(requestFrame(1, getData('/a')).toString('hex')).toBe('0000000f0000000100000004000000022f6100');
  expect(connectFrame(noSession, 5n, 1_000).length).toBe(4 + 4 + 8 + 4 + 8 + 4 + 16 + 1);
});

test('the parts of a refused multi are read with their errors', () => {
  const ops = [
    { op: 'check', path: '/a', version: 1 },
    { op: 'delete', path: '/b', version: 1 },
  ] as const;
  const refused = (error: number) => (to: ReturnType<typeof createWriter>) =>
    to.int(-1).bool(false).int(error).int(error);
  const to = createWriter();
  refused(errors.ok)(to);
  refused(errors.noNode)(to);
  to.int(-1).bool(true).int(-1);
  expect(readFrame(body(to.frame()), (from) => multi(ops).read(from))).toEqual([errors.ok, errors.noNode]);
});
