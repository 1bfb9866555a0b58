/** The places in visible queues, and how each ends. */

import { type Deed, deedMs, hit, markOf, onlyAsks } from '@/lib/domain/history/deeds';
import type { HeldSubject, Wait, WaitEnd } from '@/lib/domain/history/episode';
import { subjectId, type Waiter } from '@/lib/domain/model';
import { Latest } from './latest';
import { begunBy, type DeedOf, isUnknown, type Look, partiesOf, sessionOf, whoIs } from './look';

export class WaitBook {
  private readonly open = new Map<string, Wait[]>();
  /** The latest ends, whose action may still arrive. */
  private readonly ended = new Latest<Wait>(deedMs);

  constructor(
    private readonly newId: () => string,
    private readonly write: (wait: Wait) => void,
  ) {}

  resume(waits: readonly Wait[]): void {
    for (const wait of waits) {
      const name = subjectId(wait.subject);
      this.open.set(name, [...(this.open.get(name) ?? []), wait]);
    }
  }

  /** Subjects of a source with known waiters. */
  subjects(source: string): readonly HeldSubject[] {
    return [...this.open.values()].flatMap(([first]) =>
      first?.subject.source === source ? [first.subject] : [],
    );
  }

  take(subject: HeldSubject, look: Look, deedOf: DeedOf): void {
    const name = subjectId(subject);
    const before = this.open.get(name) ?? [];
    // With an unknown holder, each waiter may hold instead.
    const waiters = isUnknown(look.row) ? [] : (look.row?.waiters ?? []);
    if (before.length === 0 && waiters.length === 0) return;
    const known = new Map<string, Wait>();
    // An earlier version may have left several open waits of one session. The first has its true start.
    for (const wait of before)
      if (wait.from.atMs < (known.get(wait.who.id)?.from.atMs ?? Number.POSITIVE_INFINITY))
        known.set(wait.who.id, wait);
    // A session waits once, whatever the number of its entries: it gets in with all of them.
    const now = new Map<string, Wait>();
    for (const waiter of waiters) {
      const id = waiter.sessionId;
      if (!now.has(id)) now.set(id, known.get(id) ?? this.begin(subject, waiter, look));
    }
    for (const wait of before) if (now.get(wait.who.id) !== wait) this.end(wait, look, deedOf);
    if (now.size === 0) this.open.delete(name);
    else this.open.set(name, [...now.values()]);
  }

  /** Assigns an action that arrived after its effect. */
  attribute(deed: Deed): void {
    if (onlyAsks(deed)) return;
    const isHit = ({ subject, who, to, end }: Wait) =>
      (end === 'left' || end === 'session-ended') && to !== null && hit(deed, subject, who.id, to.atMs);
    for (const wait of this.ended.all().filter(isHit))
      this.close({ ...wait, end: 'removed-here', deed: markOf(deed) });
  }

  private begin(subject: HeldSubject, waiter: Waiter, look: Look): Wait {
    const wait: Wait = {
      id: this.newId(),
      subject,
      who: whoIs(waiter),
      from: begunBy(waiter, look),
      to: null,
      end: null,
      deed: null,
    };
    this.write(wait);
    return wait;
  }

  private end(wait: Wait, look: Look, deedOf: DeedOf): void {
    const { row, nowMs } = look;
    const watched = look.watched && !isUnknown(row);
    const { id } = wait.who;
    const gotIn = partiesOf(row).some(({ sessionId }) => sessionId === id);
    const deed = gotIn || !watched ? null : deedOf(id);
    const end: WaitEnd = gotIn
      ? 'got-in'
      : !watched
        ? 'not-watched'
        : deed !== null
          ? 'removed-here'
          : wait.who.name !== null && sessionOf(look.world, wait.subject, id) === null
            ? 'session-ended'
            : 'left';
    this.close({ ...wait, to: { atMs: nowMs, basis: watched ? 'observed' : 'at-most' }, end, deed });
  }

  private close(wait: Wait): void {
    if (wait.to !== null) this.ended.put(wait.id, wait, wait.to.atMs);
    this.write(wait);
  }
}
