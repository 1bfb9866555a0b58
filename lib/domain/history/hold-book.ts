/** The open holds by subject, and how each ends. */
import { holdersOf } from '@/lib/domain/holders';
import {
  type Expiry,
  type Lock,
  type Party,
  type Semaphore,
  type Subject,
  shortId,
  subjectId,
  type World,
} from '@/lib/domain/model';
import { find } from '@/lib/domain/sorted';
import { lockName, semaphoreName, sessionName } from '@/lib/domain/subject';
import { AtOnce } from './at-once';
import { type Deed, deedMs, hit, markOf, onlyAsks, prunes } from './deeds';
import {
  type DeedMark,
  type HeldSubject,
  type Hold,
  type HoldEnd,
  type Moment,
  verdictsMax,
  type Who,
} from './episode';
import { Latest } from './latest';

export interface Look {
  readonly world: World;
  /** `null`: the lock or the record does not exist. */
  readonly row: Lock | Semaphore | null;
  /** True when its source was live until now. */
  readonly watched: boolean;
  /** The process slept until a moment ago, so the view reports as observed what it only found. */
  readonly asleep: boolean;
  /** The instant since which its source was not watched; `null`: it was. */
  readonly blindSinceMs: number | null;
  /** True when the holder was unknown at the look before. */
  readonly wasUnknown: boolean;
  readonly nowMs: number;
}

/** The action on this session at this subject, if any. */
export type DeedOf = (session: string) => DeedMark | null;

/** The facts that identify a key or a record; `undefined` where the backend has no such fact. */
interface Made {
  readonly createIndex: string | null | undefined;
  readonly flags: string | null | undefined;
}

/**
 * A hold, with the facts that decide how it ended. Flat and without what an open hold has no value for, because each
 * held lock of the world has one.
 */
interface Open
  extends Made,
    Pick<Hold, 'id' | 'who' | 'mode' | 'from' | 'verdicts' | 'waitersMax' | 'token'> {
  readonly expiry: Expiry;
  readonly count: number;
  /** The lock-delay of its session; `null`: unknown, or no session. */
  readonly lockDelayMs: number | null;
}

export const whoIs = ({ sessionId, label, session }: Party): Who => ({
  id: sessionId,
  label,
  name: session?.name ?? null,
  node: session?.node ?? null,
});

/** The names that a party has now. An absent name does not replace a known one. */
function namedIn(party: Party): Partial<Who> {
  const { id: _id, label, name, node } = whoIs(party);
  return name === null && node === null ? { label } : { label, name, node };
}

/** The instant at which a party began to hold or to wait. */
export function begunBy(
  { since }: Pick<Party, 'since'>,
  { watched, asleep, blindSinceMs, wasUnknown, nowMs }: Look,
): Moment {
  // The hold of before ended with the doubt, and must not count twice.
  if (wasUnknown) return { atMs: nowMs, basis: 'at-least' };
  if (since === null) return { atMs: nowMs, basis: watched ? 'observed' : 'at-least' };
  // An answer that hung arrives late as the newest of the view.
  const isFound = asleep || (blindSinceMs !== null && since.atMs > blindSinceMs);
  return isFound && since.basis === 'observed' ? { ...since, basis: 'at-least' } : since;
}

/** Most waiters; `null`: the backend does not show them. */
function waitersOf(row: Lock | Semaphore): number | null {
  const { waiters, waitingClients } = row;
  // Only clients that listen are counted, and others poll. A count of zero proves no empty queue.
  if (waitingClients !== undefined) return Math.max(waitingClients, waiters?.length ?? 0) || null;
  return waiters?.length ?? null;
}

const tokenOf = (row: Lock | Semaphore): string | null =>
  row.kind === 'lock' && row.readers === undefined && row.lockIndex !== undefined && row.lockIndex !== '0'
    ? row.lockIndex
    : null;

/** True when the holder is unknown. */
export const isUnknown = (row: Lock | Semaphore | null): boolean =>
  row?.kind === 'lock' && row.state === 'unknown';

export const partiesOf = (row: Lock | Semaphore | null): readonly Party[] =>
  row === null ? [] : row.kind === 'lock' ? holdersOf(row) : row.holders;

export class HoldBook {
  private readonly open = new Map<string, Open[]>();
  /** The latest ends, whose action may still arrive. */
  private readonly ended = new Latest<Hold>(deedMs);
  /** Subjects whose hold a TTL, a lease or a check has just ended. */
  private readonly endedByClock = new Latest<Hold>(deedMs);
  /** Subjects with holds of an earlier process, not seen since. */
  private readonly resumed = new Map<string, HeldSubject>();
  private readonly verdicts = new AtOnce<Hold['verdicts']>();

  constructor(
    private readonly newId: () => string,
    private readonly write: (hold: Hold) => void,
  ) {}

  resume(holds: readonly Hold[]): void {
    for (const { id, subject, who, mode, from, verdicts, waitersMax, token } of holds) {
      const expiry: Expiry = { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null };
      const name = subjectId(subject);
      const one = {
        ...{ id, who, mode, from, verdicts, waitersMax, token },
        ...{ expiry, count: 1, lockDelayMs: null, ...madeOf(null) },
      };
      this.open.set(name, [...(this.open.get(name) ?? []), one]);
      this.resumed.set(name, subject);
    }
  }

  /** The subjects of a source that an earlier process left held, and that were not seen since. */
  unseen(source: string): readonly HeldSubject[] {
    return [...this.resumed.values()].filter((subject) => subject.source === source);
  }

  take(subject: HeldSubject, look: Look, deedOf: DeedOf): void {
    const name = subjectId(subject);
    const before = this.open.get(name) ?? [];
    const parties = partiesOf(look.row);
    if (before.length === 0 && parties.length === 0) return;
    this.resumed.delete(name);
    const left = new Set(before);
    const now = parties.map((party) => {
      const known = before.find((one) => left.has(one) && isSame(one, party, look.row));
      // The holder released and acquired again since the last look. The view's `since` is that of the hold before.
      const isAgain = before.some(({ who }) => who.id === party.sessionId);
      if (known === undefined) return this.begin(subject, isAgain ? { ...party, since: null } : party, look);
      left.delete(known);
      return this.goOn(subject, known, party, look);
    });
    // No client removes several living holders.
    const taken = [...left].filter(({ who }) => waitsIn(look.row, who.id)).length > 1;
    for (const one of left)
      this.end(subject, one, { ...look, nowMs: readMs(one, now, before, look) }, deedOf, taken);
    if (now.length === 0) this.open.delete(name);
    else this.open.set(name, now);
  }

  /** Assigns an action that arrived after its effect. */
  attribute(deed: Deed): void {
    const mark = markOf(deed);
    const isHit = ({ subject, who, to, deed: known }: Hold) =>
      known === null && to !== null && hit(deed, subject, who.id, to.atMs);
    for (const hold of this.ended.all().filter(isHit)) this.close(byDeed(hold, mark));
  }

  /** True when a TTL, a lease or a check has just ended a hold of this subject. */
  endedByTime(subject: Subject, nowMs: number): boolean {
    const hold = this.endedByClock.get(subjectId(subject));
    return hold?.to != null && nowMs - hold.to.atMs <= deedMs;
  }

  private begin(subject: HeldSubject, party: Party, look: Look): Open {
    const { world, row, nowMs } = look;
    const { verdict } = party;
    const { createIndex, flags } = madeOf(row);
    // Named one by one: V8 keeps what is spread here in a second object.
    const open: Open = {
      id: this.newId(),
      who: whoIs(party),
      mode: party.mode ?? null,
      from: begunBy(party, look),
      verdicts: this.verdicts.get(nowMs, verdict, () => [{ verdict, atMs: nowMs }]),
      waitersMax: row === null ? null : waitersOf(row),
      token: row === null ? null : tokenOf(row),
      expiry: party.expiry,
      count: party.count ?? 1,
      lockDelayMs: sessionOf(world, subject, party.sessionId)?.lockDelayMs ?? null,
      createIndex,
      flags,
    };
    this.write(asHold(subject, open));
    return open;
  }

  /** Writes only when a kept fact changed. */
  private goOn(subject: HeldSubject, open: Open, party: Party, { world, row, nowMs }: Look): Open {
    let { verdicts, who } = open;
    if (verdicts.at(-1)?.verdict !== party.verdict) {
      const mark = { verdict: party.verdict, atMs: nowMs };
      verdicts = [...(verdicts.length >= verdictsMax ? verdicts.slice(0, -1) : verdicts), mark];
    }
    // Terraform and other clients write their name a moment after they acquire the lock. Without its session or entry a
    // party has only its id, which says less.
    if (who.label !== party.label && party.label !== shortId(party.sessionId))
      who = { ...who, ...namedIn(party) };
    const waiters = row === null ? null : waitersOf(row);
    const more = waiters !== null && waiters > (open.waitersMax ?? -1);
    const waitersMax = more ? waiters : open.waitersMax;
    const token = row === null ? null : tokenOf(row);
    const session = open.lockDelayMs === null ? sessionOf(world, subject, party.sessionId) : null;
    const next: Open = {
      ...{ ...open, who, verdicts, waitersMax, token },
      expiry: party.expiry,
      count: party.count ?? 1,
      lockDelayMs: open.lockDelayMs ?? session?.lockDelayMs ?? null,
      ...madeOf(row),
    };
    if (verdicts !== open.verdicts || who !== open.who || more || token !== open.token)
      this.write(asHold(subject, next));
    return next;
  }

  private end(subject: HeldSubject, open: Open, look: Look, deedOf: DeedOf, taken: boolean): void {
    const hold = asHold(subject, open);
    const { row, watched, nowMs } = look;
    if (!watched || isUnknown(row)) {
      this.close({ ...hold, to: { atMs: nowMs, basis: 'at-most' }, end: 'not-watched' });
      return;
    }
    const delay = row?.kind === 'lock' && row.delay?.sessionId === hold.who.id ? row.delay : null;
    const delayMs = delay === null || delay.basis === 'possible' ? null : delay.lengthMs;
    const gone: Hold = { ...hold, to: { atMs: nowMs, basis: 'observed' }, delayMs };
    const deed = deedOf(hold.who.id);
    const end = endOf(subject, open, look, taken);
    this.close(deed === null ? { ...gone, end } : byDeed({ ...gone, end }, deed));
  }

  private close(hold: Hold): void {
    if (hold.to !== null) {
      this.ended.put(hold.id, hold, hold.to.atMs);
      if (hold.end === 'session-ended' || hold.end === 'lease-ended')
        this.endedByClock.put(subjectId(hold.subject), hold, hold.to.atMs);
    }
    this.write(hold);
  }
}

const asHold = (subject: HeldSubject, { id, who, mode, from, verdicts, waitersMax, token }: Open): Hold => ({
  ...{ id, subject, who, mode, from, to: null, end: null, deed: null },
  ...{ verdicts, waitersMax, delayMs: null, token },
});

/**
 * The end of a hold after an action. A long dead holder ended with its session, not with its removal from the record.
 * An eviction with the session makes a ghost for a moment. A holder that was only asked released on its own.
 */
function byDeed(hold: Hold, deed: DeedMark): Hold {
  if (onlyAsks(deed)) return { ...hold, deed };
  const last = hold.verdicts.at(-1);
  const wasDead =
    last?.verdict === 'ghost' && (prunes(deed) || (hold.to?.atMs ?? deed.atMs) - last.atMs > deedMs);
  return { ...hold, deed, end: wasDead ? 'session-ended' : 'evicted-here' };
}

/**
 * The instant of the world without this hold. The provider dates a beginning by its read, and this look comes later.
 * Without the bound, the next holder would begin before this one ended.
 */
function readMs(open: Open, now: readonly Open[], before: readonly Open[], { nowMs }: Look): number {
  const known = new Set(before.map(({ id }) => id));
  const begun = now.flatMap(({ id, from }) => (known.has(id) || from.basis !== 'observed' ? [] : from.atMs));
  return Math.max(open.from.atMs, Math.min(nowMs, ...begun));
}

/** `null`: the lock or the record does not exist. */
export const rowOf = (world: World, of: HeldSubject): Lock | Semaphore | null =>
  (of.kind === 'lock'
    ? find(world.locks, lockName(of), lockName)
    : find(world.semaphores, semaphoreName(of), semaphoreName)) ?? null;

export const sessionOf = (world: World, { source }: HeldSubject, id: string) =>
  find(world.sessions, sessionName({ source, id }), sessionName) ?? null;

/**
 * True for the same party, and the same acquisition where the backend counts them. Redisson's fencing token also rises
 * when a holder enters again.
 */
function isSame(open: Open, party: Party, row: Lock | Semaphore | null): boolean {
  if (open.who.id !== party.sessionId || open.mode !== (party.mode ?? null)) return false;
  const token = row === null ? null : tokenOf(row);
  return token === open.token || token === null || open.token === null || (party.count ?? 1) > open.count;
}

const madeOf = (row: Lock | Semaphore | null): Made => ({
  createIndex: row?.createIndex,
  flags: row?.kind === 'semaphore' ? row.flags : undefined,
});

/** True when the key was deleted and created again. */
const isOther = (was: Made, is: Made): boolean =>
  was.createIndex != null && is.createIndex != null && was.createIndex !== is.createIndex;

const waitsIn = (row: Lock | Semaphore | null, id: string): boolean =>
  row?.waiters?.some(({ sessionId }) => sessionId === id) === true;

/**
 * True when the session may have expired. ZooKeeper ends none before two thirds of `withinMs`, and the last renewal may
 * be somewhat older than known. Earlier, a client deleted the node, and its connection was not seen.
 */
const mayHaveEnded = ({ kind, withinMs, lastRenewalMs }: Open['expiry'], nowMs: number): boolean =>
  kind === 'observed' && withinMs !== null && lastRenewalMs !== null && nowMs - lastRenewalMs >= withinMs / 2;

/** `taken`: several living holders went off the record at this look. */
function endOf(subject: HeldSubject, open: Open, { world, row, nowMs }: Look, taken: boolean): HoldEnd {
  const { who, verdicts, expiry, lockDelayMs } = open;
  if (expiry.kind === 'lease' && expiry.latestMs !== null && expiry.latestMs <= nowMs) return 'lease-ended';
  const hadSession = who.name !== null || who.node !== null;
  const sessionGone = hadSession && sessionOf(world, subject, who.id) === null;
  // No server had its connection, so its client cannot have deleted the node. ZooKeeper ended the session.
  if (!hadSession && verdicts.at(-1)?.verdict === 'overdue' && mayHaveEnded(expiry, nowMs))
    return 'session-ended';
  const now = madeOf(row);
  const wasDeleted = row === null || isOther(open, now);
  if (subject.kind === 'semaphore') {
    // The record keeps the holder of an ended session until a client or a person prunes it.
    if (verdicts.at(-1)?.verdict === 'ghost' && (sessionGone || !hadSession)) return 'session-ended';
    if (wasDeleted || now.flags === null) return sessionGone ? 'session-ended' : 'entry-deleted';
    // A client keeps the record's flags and form.
    const isSpoiled = open.flags !== undefined && now.flags !== open.flags;
    if (isSpoiled || (row.kind === 'semaphore' && row.layout === 'unreadable')) return 'entry-overwritten';
    return taken && waitsIn(row, who.id) ? 'entry-overwritten' : 'released';
  }
  // Even a possible delay proves that the session is gone.
  if (row?.kind === 'lock' && row.delay?.sessionId === who.id) return 'session-ended';
  // The end of a session with a lock-delay would have left one.
  if (sessionGone)
    return lockDelayMs !== null && lockDelayMs > 0 && !wasDeleted && row.kind === 'lock' && row.exists
      ? 'released'
      : 'session-ended';
  return wasDeleted || (row.kind === 'lock' && !row.exists) ? 'entry-deleted' : 'released';
}
