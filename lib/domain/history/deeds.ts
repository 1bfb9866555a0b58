/** Actions of Signalbox beside what was seen to happen: which of them ended a hold or cleared a finding. */
import type { DeedMark } from './episode';

export interface Deed extends DeedMark {
  /** `subjectId`s. */
  readonly subjects: readonly string[];
  /** Holders or waiters that it was about; none for a limit. */
  readonly sessions: readonly string[];
}

/** An action's effect shows, or its row in the audit comes, at most so much later than the other. */
export const deedMs = 10_000;

/** The latest actions. Bounded: what is forgotten is not attributed. */
export class Deeds {
  private deeds: Deed[] = [];

  add(deed: Deed): void {
    this.deeds = [...this.deeds.filter(({ seq }) => seq !== deed.seq), deed].slice(-1_000);
  }

  forget(nowMs: number): void {
    this.deeds = this.deeds.filter(({ atMs }) => nowMs - atMs <= deedMs);
  }

  /** Of this subject, about this session unless `null`, at most `deedMs` before. */
  of(subject: string, session: string | null, atMs: number): DeedMark | null {
    const found = this.deeds.findLast(
      (deed) => isNear(deed, atMs) && deed.subjects.includes(subject) && isAbout(deed, session),
    );
    return found === undefined ? null : markOf(found);
  }
}

const isNear = ({ atMs }: Deed, thenMs: number) => Math.abs(thenMs - atMs) <= deedMs;

export const isAbout = ({ sessions }: Deed, session: string | null): boolean =>
  session === null || sessions.includes(session);

export const markOf = ({ seq, by, type, reason, atMs }: Deed): DeedMark => ({ seq, by, type, reason, atMs });
