/** Places in visible queues: who came, and whether they got in. */
import { subjectId, type Waiter } from '@/lib/domain/model';
import { find } from '@/lib/domain/sorted';
import { sessionName } from '@/lib/domain/subject';
import { type Deed, deedMs, isAbout, markOf } from './deeds';
import type { HeldSubject, Wait, WaitEnd } from './episode';
import { type DeedOf, type Look, whoIs } from './hold-book';

export class WaitBook {
  private readonly open = new Map<string, Wait[]>();
  /** The latest ends, for which the action may still come. */
  private ended: Wait[] = [];

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

  /** Subjects of a source in whose queues somebody is known to wait. */
  subjects(source: string): readonly HeldSubject[] {
    return [...this.open.values()].flatMap(([first]) =>
      first?.subject.source === source ? [first.subject] : [],
    );
  }

  take(subject: HeldSubject, look: Look, deedOf: DeedOf): void {
    const name = subjectId(subject);
    const before = this.open.get(name) ?? [];
    const waiters = look.row?.waiters ?? [];
    if (before.length === 0 && waiters.length === 0) return;
    const known = new Map(before.map((wait) => [wait.who.id, wait]));
    const now = waiters.map((waiter) => {
      const wait = known.get(waiter.sessionId) ?? this.begin(subject, waiter, look);
      known.delete(waiter.sessionId);
      return wait;
    });
    for (const wait of known.values()) this.end(wait, look, deedOf);
    if (now.length === 0) this.open.delete(name);
    else this.open.set(name, now);
  }

  /** An action came after its effect. */
  attribute(deed: Deed): void {
    const hit = this.ended.filter(
      ({ subject, who, to, end }) =>
        end === 'left' &&
        Math.abs((to?.atMs ?? 0) - deed.atMs) <= deedMs &&
        deed.subjects.includes(subjectId(subject)) &&
        deed.sessions.length > 0 &&
        isAbout(deed, who.id),
    );
    for (const wait of hit) this.close({ ...wait, end: 'removed-here', deed: markOf(deed) });
  }

  private begin(subject: HeldSubject, waiter: Waiter, { watched, nowMs }: Look): Wait {
    const wait: Wait = {
      id: this.newId(),
      subject,
      who: whoIs(waiter),
      from: waiter.since ?? { atMs: nowMs, basis: watched ? 'observed' : 'at-least' },
      to: null,
      end: null,
      deed: null,
    };
    this.write(wait);
    return wait;
  }

  private end(wait: Wait, look: Look, deedOf: DeedOf): void {
    const { row, watched, nowMs } = look;
    const { id } = wait.who;
    const holders =
      row === null ? [] : row.kind === 'lock' ? [row.holder, ...(row.readers ?? [])] : row.holders;
    const gotIn = holders.some((holder) => holder?.sessionId === id);
    const deed = gotIn || !watched ? null : deedOf(id);
    const end: WaitEnd = gotIn
      ? 'got-in'
      : !watched
        ? 'not-watched'
        : deed !== null
          ? 'removed-here'
          : wait.who.name !== null && sessionGone(wait, look)
            ? 'session-ended'
            : 'left';
    this.close({ ...wait, to: { atMs: nowMs, basis: watched ? 'observed' : 'at-most' }, end, deed });
  }

  private close(wait: Wait): void {
    this.ended = [...this.ended.filter(({ id }) => id !== wait.id), wait].slice(-1_000);
    this.write(wait);
  }
}

const sessionGone = ({ subject: { source }, who: { id } }: Wait, { world }: Look): boolean =>
  find(world.sessions, sessionName({ source, id }), sessionName) === undefined;
