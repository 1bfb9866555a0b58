/**
 * ZooKeeper's requests and answers as bytes (`zookeeper.jute`, `ZooDefs.OpCode`, `Watcher.Event`). Pure: each request
 * knows how to read its answer.
 */
import { brokenFrame, createWriter, type JuteReader, type JuteWriter, readFrame } from './jute';
import type { ZkOp, ZkStat } from './node';

const opcodes = {
  delete: 2,
  getData: 4,
  setData: 5,
  sync: 9,
  getChildren: 8,
  check: 13,
  multi: 14,
  addWatch: 106,
  ping: 11,
  auth: 100,
  closeSession: -11,
} as const;

/** Ids of messages that answer no request of the queue. */
export const xids = { event: -1, ping: -2, auth: -4 } as const;

/** The codes of `KeeperException` that matter here. */
export const errors = {
  ok: 0,
  runtimeInconsistency: -2,
  connectionLoss: -4,
  unimplemented: -6,
  operationTimeout: -7,
  noNode: -101,
  noAuth: -102,
  badVersion: -103,
  notEmpty: -111,
  sessionExpired: -112,
  authFailed: -115,
  sessionMoved: -118,
  notReadOnly: -119,
  saslRequired: -124,
} as const;

/** A request, and the reader of its answer. */
export interface Request<T> {
  /** The name of the call, for people and tests. */
  readonly call: string;
  /** True when the call may change the store, so that a lost answer leaves its result unknown. */
  readonly writes: boolean;
  readonly opcode: number;
  write(to: JuteWriter): void;
  read(from: JuteReader): T;
}

const nothing = () => null;

export interface Found {
  readonly data: Buffer;
  readonly stat: ZkStat;
}

const unsigned = (value: bigint): string => BigInt.asUintN(64, value).toString(16);

/** A session's id as text, as in the servers' logs without `0x`. */
export const sessionText = unsigned;

function readStat(from: JuteReader): ZkStat {
  const czxid = from.long();
  const mzxid = from.long();
  const ctime = from.long();
  const mtime = from.long();
  const version = from.int();
  const cversion = from.int();
  from.int(); // aversion
  const owner = from.long();
  from.int(); // dataLength
  const numChildren = from.int();
  from.long(); // pzxid
  return {
    czxid: String(czxid),
    mzxid: String(mzxid),
    ctimeMs: Number(ctime),
    mtimeMs: Number(mtime),
    version,
    cversion,
    ephemeralOwner: ownerOf(owner),
    numChildren,
  };
}

/**
 * The owner by `EphemeralType` of the servers. A container has the lowest long, and a node with a time to live a first
 * byte of 0xff.
 */
function ownerOf(owner: bigint): string {
  const isTtl = BigInt.asUintN(64, owner) >> 56n === 0xffn;
  return owner === -(2n ** 63n) || isTtl ? '0' : unsigned(owner);
}

export const getData = (path: string): Request<Found> => ({
  call: 'getData',
  writes: false,
  opcode: opcodes.getData,
  write: (to) => to.text(path).bool(false),
  read: (from) => ({ data: from.buffer(), stat: readStat(from) }),
});

export const getChildren = (path: string): Request<readonly string[]> => ({
  call: 'getChildren',
  writes: false,
  opcode: opcodes.getChildren,
  write: (to) => to.text(path).bool(false),
  read: (from) => from.texts(),
});

/** Answered once this server has everything that the leader had at the call. */
export const sync = (path: string): Request<null> => ({
  call: 'sync',
  writes: false,
  opcode: opcodes.sync,
  write: (to) => to.text(path),
  read: nothing,
});

const persistentRecursive = 1;

/**
 * Watches a node, which may be missing, and everything below it, until the connection ends. Since 3.6: an older server
 * answers `unimplemented` and closes the connection.
 */
export const addWatch = (path: string): Request<null> => ({
  call: 'addWatch',
  writes: false,
  opcode: opcodes.addWatch,
  write: (to) => to.text(path).int(persistentRecursive),
  read: nothing,
});

export const auth = (scheme: string, secret: Buffer): Request<null> => ({
  call: 'auth',
  writes: false,
  opcode: opcodes.auth,
  write: (to) => to.int(0).text(scheme).buffer(secret),
  read: nothing,
});

export const ping: Request<null> = {
  call: 'ping',
  writes: false,
  opcode: opcodes.ping,
  write: () => {},
  read: nothing,
};

export const closeSession: Request<null> = {
  call: 'closeSession',
  writes: false,
  opcode: opcodes.closeSession,
  write: () => {},
  read: nothing,
};

function writeOp(to: JuteWriter, op: ZkOp): void {
  to.int(opcodes[op.op]).bool(false).int(-1).text(op.path);
  if (op.op === 'setData') to.buffer(op.data);
  to.int(op.version);
}

/** The error of one operation; `null`: there are no more. */
function readPart(from: JuteReader): number | null {
  const type = from.int();
  const done = from.bool();
  from.int();
  if (done) return null;
  if (type === -1) return from.int();
  if (type === opcodes.setData) readStat(from);
  else if (type !== opcodes.check && type !== opcodes.delete) return brokenFrame();
  return errors.ok;
}

/** All or nothing. Answers the error of each operation, which `sessionMoved` or a missing right may be. */
export const multi = (ops: readonly ZkOp[]): Request<readonly number[]> => ({
  call: 'multi',
  writes: ops.some(({ op }) => op !== 'check'),
  opcode: opcodes.multi,
  write: (to) => {
    for (const op of ops) writeOp(to, op);
    to.int(-1).bool(true).int(-1);
  },
  read: (from) => {
    const parts: number[] = [];
    for (;;) {
      const part = readPart(from);
      if (part === null) break;
      parts.push(part);
    }
    return parts.length === ops.length ? parts : brokenFrame();
  },
});

export const requestFrame = (xid: number, { opcode, write }: Request<unknown>): Buffer => {
  const to = createWriter().int(xid).int(opcode);
  write(to);
  return to.frame();
};

export interface Session {
  readonly id: bigint;
  readonly password: Buffer;
}

export const noSession: Session = { id: 0n, password: Buffer.alloc(16) };

/** `zxid`: the last transaction seen. A server behind it refuses the connection. */
export const connectFrame = ({ id, password }: Session, zxid: bigint, timeoutMs: number): Buffer =>
  createWriter().int(0).long(zxid).int(timeoutMs).long(id).buffer(password).bool(false).frame();

export interface Welcome {
  readonly session: Session;
  /** The time-out that the server grants; 0: the requested session has ended. */
  readonly timeoutMs: number;
}

export const readWelcome = (frame: Buffer): Welcome | null =>
  readFrame(frame, (from) => {
    from.int();
    const timeoutMs = from.int();
    return { timeoutMs: Math.max(timeoutMs, 0), session: { id: from.long(), password: from.buffer() } };
  });

export interface Answer {
  readonly xid: number;
  readonly zxid: bigint;
  readonly error: number;
  /** The bytes after the header. */
  readonly body: Buffer;
}

const headerBytes = 16;

export const readAnswer = (frame: Buffer): Answer | null =>
  readFrame(frame, (from) => ({
    xid: from.int(),
    zxid: from.long(),
    error: from.int(),
    body: frame.subarray(headerBytes),
  }));

const eventTypes: Readonly<Record<number, ZkEvent['type']>> = { 1: 'created', 2: 'deleted', 3: 'data' };

/** A change below a watch. `other`: a kind that recursive watches do not bring, or an event of the session. */
export interface ZkEvent {
  readonly type: 'created' | 'deleted' | 'data' | 'other';
  readonly path: string;
}

export const readEvent = (body: Buffer): ZkEvent | null =>
  readFrame(body, (from) => {
    const type = eventTypes[from.int()] ?? 'other';
    from.int();
    return { type, path: from.text() };
  });
