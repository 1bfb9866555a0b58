/** The open holds by subject. */
import { type Deed, deedMs, hit, markOf } from '@/lib/domain/history/deeds';
import { type HeldSubject, type Hold, verdictsMax, type Who } from '@/lib/domain/history/episode';
import {
  type Lock,
  type Party,
  type Semaphore,
  type Subject,
  shortId,
  subjectId,
  type Verdict,
} from '@/lib/domain/model';
import { byDeed, endOf, madeOf, type OpenHold } from './hold-end';
import { Latest } from './latest';
import { begunBy, type DeedOf, isUnknown, type Look, partiesOf, sessionOf, waitsIn, whoIs } from './look';
import { SharedFacts } from './shared-facts';

/** The names that a party has now. An absent name does not replace a known one. */
function namedIn(party: Party): Partial<Who> {
  const { id: _id, label, name, node } = whoIs(party);
  return name === null && node === null ? { label } : { label, name, node };
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

/** What an earlier process did not leave of a hold. The first look fills it in. */
const notStored: Pick<OpenHold, 'expiry' | 'count' | 'lockDelayMs' | 'createIndex' | 'flags'> = {
  expiry: { kind: 'unknown', withinMs: null, latestMs: null, lastRenewalMs: null },
  count: 1,
  lockDelayMs: null,
  ...madeOf(null),
};

export class HoldBook {
  private readonly open = new Map<string, OpenHold[]>();
  /** The latest ends, whose action may still arrive. */
  private readonly ended = new Latest<Hold>(deedMs);
  /** Subjects whose hold a TTL, a lease or a check has just ended. */
  private readonly endedByClock = new Latest<Hold>(deedMs);
  /** Subjects with holds of an earlier process, not seen since. */
  private readonly resumed = new Map<string, HeldSubject>();
  private readonly verdicts = new SharedFacts<Hold['verdicts']>();

  constructor(
    private readonly newId: () => string,
    private readonly write: (hold: Hold) => void,
  ) {}

  resume(holds: readonly Hold[]): void {
    for (const { id, subject, who, mode, from, verdicts, waitersMax, token } of holds) {
      const name = subjectId(subject);
      const first = verdicts.length === 1 ? verdicts[0] : undefined;
      const shared = first === undefined ? verdicts : this.only(first.verdict, first.atMs);
      const open: OpenHold = {
        id,
        who,
        mode,
        from,
        verdicts: shared,
        waitersMax,
        token,
        expiry: notStored.expiry,
        count: notStored.count,
        lockDelayMs: notStored.lockDelayMs,
        createIndex: notStored.createIndex,
        flags: notStored.flags,
      };
      this.open.set(name, [...(this.open.get(name) ?? []), open]);
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

  /** The verdicts of a hold that has had this one alone. */
  private only(verdict: Verdict, atMs: number): Hold['verdicts'] {
    return this.verdicts.get(atMs, verdict, () => [{ verdict, atMs }]);
  }

  private begin(subject: HeldSubject, party: Party, look: Look): OpenHold {
    const { world, row, nowMs } = look;
    const { verdict } = party;
    const { createIndex, flags } = madeOf(row);
    const open: OpenHold = {
      id: this.newId(),
      who: whoIs(party),
      mode: party.mode ?? null,
      from: begunBy(party, look),
      verdicts: this.only(verdict, nowMs),
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
  private goOn(subject: HeldSubject, open: OpenHold, party: Party, { world, row, nowMs }: Look): OpenHold {
    let { verdicts, who } = open;
    if (verdicts.at(-1)?.verdict !== party.verdict)
      verdicts = [...verdicts.slice(0, verdictsMax - 1), ...this.only(party.verdict, nowMs)];
    // Terraform and other clients write their name a moment after they acquire the lock. Without its session or entry a
    // party has only its id, which says less.
    if (who.label !== party.label && party.label !== shortId(party.sessionId))
      who = { ...who, ...namedIn(party) };
    const waiters = row === null ? null : waitersOf(row);
    const hasMore = waiters !== null && waiters > (open.waitersMax ?? -1);
    const waitersMax = hasMore ? waiters : open.waitersMax;
    const token = row === null ? null : tokenOf(row);
    const session = open.lockDelayMs === null ? sessionOf(world, subject, party.sessionId) : null;
    const next: OpenHold = {
      ...{ ...open, who, verdicts, waitersMax, token },
      expiry: party.expiry,
      count: party.count ?? 1,
      lockDelayMs: open.lockDelayMs ?? session?.lockDelayMs ?? null,
      ...madeOf(row),
    };
    if (verdicts !== open.verdicts || who !== open.who || hasMore || token !== open.token)
      this.write(asHold(subject, next));
    return next;
  }

  private end(subject: HeldSubject, open: OpenHold, look: Look, deedOf: DeedOf, taken: boolean): void {
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

const asHold = (
  subject: HeldSubject,
  { id, who, mode, from, verdicts, waitersMax, token }: OpenHold,
): Hold => ({
  id,
  subject,
  who,
  mode,
  from,
  to: null,
  end: null,
  deed: null,
  verdicts,
  waitersMax,
  delayMs: null,
  token,
});

/**
 * The instant of the world without this hold. The provider dates a beginning by its read, and this look comes later.
 * Without the bound, the next holder would begin before this one ended.
 */
function readMs(
  open: OpenHold,
  now: readonly OpenHold[],
  before: readonly OpenHold[],
  { nowMs }: Look,
): number {
  const known = new Set(before.map(({ id }) => id));
  const begun = now.flatMap(({ id, from }) => (known.has(id) || from.basis !== 'observed' ? [] : from.atMs));
  return Math.max(open.from.atMs, Math.min(nowMs, ...begun));
}

/**
 * True for the same party, and the same acquisition where the backend counts them. Redisson's fencing token also rises
 * when a holder enters again.
 */
function isSame(open: OpenHold, party: Party, row: Lock | Semaphore | null): boolean {
  if (open.who.id !== party.sessionId || open.mode !== (party.mode ?? null)) return false;
  const token = row === null ? null : tokenOf(row);
  return token === open.token || token === null || open.token === null || (party.count ?? 1) > open.count;
}
