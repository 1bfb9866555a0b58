/** The open findings, and what clears each. */
import type { Finding } from '@/lib/domain/findings/finding';
import {
  type Clearing,
  type DeedMark,
  type FindingEpisode,
  type Moment,
  verdictsMax,
} from '@/lib/domain/history/episode';
import { type Subject, subjectId } from '@/lib/domain/model';
import { SharedFacts } from './shared-facts';

/** `watched`: the source of the finding was live until now. */
export interface FindingLook {
  readonly watched: boolean;
  readonly nowMs: number;
}

/** Why a finding ended. Asked only where its source was watched. */
export type CauseOf = (subject: Subject) => {
  readonly cleared: Clearing;
  readonly deed: DeedMark | null;
};

/** Without code and subject, to save memory: each step brings them. */
type Open = Pick<FindingEpisode, 'id' | 'from' | 'severities'>;

type Named = Pick<FindingEpisode, 'code' | 'subject'>;

const idOf = ({ code, subject }: Named) => [code, subjectId(subject)].join(' ');

export class FindingBook {
  private readonly open = new Map<string, Open>();
  /** Findings of an earlier process whose source was not seen since. */
  private readonly resumed = new Map<string, FindingEpisode>();
  private readonly begun = new SharedFacts<Omit<Open, 'id'>>();

  constructor(
    private readonly newId: () => string,
    private readonly write: (row: FindingEpisode) => void,
  ) {}

  resume(findings: readonly FindingEpisode[]): void {
    for (const one of findings) {
      const { id, from, severities } = one;
      const [first] = severities;
      const isOnly = severities.length === 1 && first?.atMs === from.atMs;
      const shared = isOnly ? this.only(first.severity, from) : { from, severities };
      this.open.set(idOf(one), { id, from: shared.from, severities: shared.severities });
      this.resumed.set(idOf(one), one);
    }
  }

  take({ id, code, subject, severity }: Finding, { watched, nowMs }: FindingLook): void {
    const open = this.open.get(id);
    if (open?.severities.at(-1)?.severity === severity) return;
    const next =
      open === undefined
        ? this.begin(severity, { atMs: nowMs, basis: watched ? 'observed' : 'at-least' })
        : { ...open, severities: [...open.severities.slice(0, verdictsMax - 1), { severity, atMs: nowMs }] };
    this.open.set(id, next);
    this.write({ ...next, code, subject, to: null, cleared: null, deed: null });
  }

  clear({ code, subject }: Named, { watched, nowMs }: FindingLook, causeOf: CauseOf): void {
    const id = idOf({ code, subject });
    const open = this.open.get(id);
    if (open === undefined) return;
    this.open.delete(id);
    this.write({
      ...open,
      code,
      subject,
      to: { atMs: nowMs, basis: watched ? 'observed' : 'at-most' },
      ...(watched ? causeOf(subject) : { cleared: 'not-watched', deed: null }),
    });
  }

  /**
   * Its source is seen for the first time: forgets what an earlier process left open of it, and returns what of that is
   * not in `present`, to be cleared. What this process opened, its own steps clear.
   */
  leftBehind(source: string, present: readonly Finding[]): readonly FindingEpisode[] {
    const ids = new Set(present.map(({ id }) => id));
    const known = [...this.resumed].filter(([, { subject }]) => subject.source === source);
    for (const [id] of known) this.resumed.delete(id);
    return known.flatMap(([id, one]) => (ids.has(id) ? [] : [one]));
  }

  private begin(severity: Finding['severity'], begun: Moment): Open {
    const { from, severities } = this.only(severity, begun);
    return { id: this.newId(), from, severities };
  }

  /** What is kept of a finding that has had this severity alone. */
  private only(severity: Finding['severity'], from: Moment): Omit<Open, 'id'> {
    return this.begun.get(from.atMs, `${severity} ${from.basis}`, () => ({
      from,
      severities: [{ severity, atMs: from.atMs }],
    }));
  }
}
