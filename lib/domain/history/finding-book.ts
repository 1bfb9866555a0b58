/** The open findings, and what clears each. */
import type { Finding } from '@/lib/domain/findings/finding';
import { type Subject, subjectId } from '@/lib/domain/model';
import { AtOnce } from './at-once';
import { type Clearing, type DeedMark, type FindingEpisode, type Moment, verdictsMax } from './episode';

/** A look at a finding. `watched`: its source was live until now. */
export interface FindingLook {
  readonly watched: boolean;
  readonly nowMs: number;
}

/** What ended a finding whose source was watched. */
export type ClearedBy = (subject: Subject) => {
  readonly cleared: Clearing;
  readonly deed: DeedMark | null;
};

/** What only this book knows of an open finding. The step that changes it brings its subject. */
type Open = Pick<FindingEpisode, 'id' | 'from' | 'severities'>;

type Named = Pick<FindingEpisode, 'code' | 'subject'>;

const idOf = ({ code, subject }: Named) => [code, subjectId(subject)].join(' ');

export class FindingBook {
  private readonly open = new Map<string, Open>();
  /** Findings of an earlier process whose source was not seen since. */
  private readonly resumed = new Map<string, FindingEpisode>();
  private readonly begun = new AtOnce<Pick<Open, 'from' | 'severities'>>();

  constructor(
    private readonly newId: () => string,
    private readonly write: (row: FindingEpisode) => void,
  ) {}

  resume(findings: readonly FindingEpisode[]): void {
    for (const one of findings) {
      const { id, from, severities } = one;
      this.open.set(idOf(one), { id, from, severities });
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

  clear({ code, subject }: Named, { watched, nowMs }: FindingLook, by: ClearedBy): void {
    const id = idOf({ code, subject });
    const open = this.open.get(id);
    if (open === undefined) return;
    this.open.delete(id);
    this.write({
      ...{ ...open, code, subject },
      to: { atMs: nowMs, basis: watched ? 'observed' : 'at-most' },
      ...(watched ? by(subject) : { cleared: 'not-watched', deed: null }),
    });
  }

  /** Its source is seen for the first time: returns what an earlier process left open, and is not in `now`. */
  seen(source: string, now: readonly Finding[]): readonly FindingEpisode[] {
    const ids = new Set(now.map(({ id }) => id));
    const known = [...this.resumed].filter(([, { subject }]) => subject.source === source);
    for (const [id] of known) this.resumed.delete(id);
    return known.flatMap(([id, one]) => (ids.has(id) ? [] : [one]));
  }

  private begin(severity: Finding['severity'], begun: Moment): Open {
    const { from, severities } = this.begun.get(begun.atMs, `${severity} ${begun.basis}`, () => ({
      from: begun,
      severities: [{ severity, atMs: begun.atMs }],
    }));
    return { id: this.newId(), from, severities };
  }
}
