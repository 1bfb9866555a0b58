/** The part of a snapshot or patch for `?prefix=` (a string prefix) and `?kind=`. */
import { z } from 'zod';
import { concernedBy, type Finding } from '@/lib/domain/findings/finding';
import { type Renewal, type Session, type Subject, subjectName } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import { find } from '@/lib/domain/sorted';
import { partsOfName, type SourceId, sourceIdPattern } from '@/lib/domain/source';
import { type LockRef, renewalName, type SemaphoreRef, sessionName } from '@/lib/domain/subject';
import { type Moved, type Patch, rowsIn, saidOf, type WorldStep } from '@/lib/domain/world/change';
import { editedName, removal, removedIn } from '@/lib/domain/world/row-names';
import type { Snapshot } from '@/lib/domain/world/snapshot';

export const filterSchema = z.object({
  prefix: z.string().max(2048).default(''),
  kind: z.enum(['lock', 'semaphore', 'session']).nullable().default(null),
  /** `null`: every source. */
  source: z.string().regex(sourceIdPattern).nullable().default(null),
});

export type Filter = z.infer<typeof filterSchema>;

/** `null` for none. Throws a `ProblemError` of code `invalid`. */
export function readFilter(query: URLSearchParams): Filter | null {
  const parsed = filterSchema.safeParse({
    prefix: query.get('prefix') ?? undefined,
    kind: query.get('kind') ?? undefined,
    source: query.get('source') ?? undefined,
  });
  if (!parsed.success)
    throw new ProblemError({
      code: 'invalid',
      detail:
        'prefix must be at most 2048 characters, kind one of lock, semaphore, session, and source the id of a source.',
    });
  const { prefix, kind, source } = parsed.data;
  return prefix === '' && kind === null && source === null ? null : parsed.data;
}

type Match = ReturnType<typeof matches>;

function matches({ prefix, kind, source }: Filter) {
  const wants = (other: NonNullable<Filter['kind']>) => kind === null || kind === other;
  const isIn = (of: SourceId) => source === null || of === source;
  const touches = (subject: Subject) =>
    isIn(subject.source) && subject.kind !== 'session' && subjectName(subject).startsWith(prefix);
  const isNear = ({ holds, wants: wanted }: Session) => holds.some(touches) || wanted.some(touches);
  return {
    /** The session holds or wants something that matches. */
    isNear,
    lock: ({ source: of, key }: LockRef) => wants('lock') && isIn(of) && key.startsWith(prefix),
    semaphore: ({ source: of, prefix: name }: SemaphoreRef) =>
      wants('semaphore') && isIn(of) && name.startsWith(prefix),
    session: (session: Session) =>
      wants('session') && isIn(session.source) && (prefix === '' || isNear(session)),
    finding: (finding: Finding) =>
      concernedBy(finding).some(
        (subject) => wants(subject.kind) && isIn(subject.source) && (prefix === '' || touches(subject)),
      ),
  };
}

/** All rows for `null`. */
export function filterSnapshot(snapshot: Snapshot, filter: Filter | null): Snapshot {
  if (filter === null) return snapshot;
  const match = matches(filter);
  return {
    ...snapshot,
    locks: snapshot.locks.filter(match.lock),
    semaphores: snapshot.semaphores.filter(match.semaphore),
    sessions: snapshot.sessions.filter(match.session),
    findings: snapshot.findings.filter(match.finding),
    ...(snapshot.renewals === undefined
      ? {}
      : { renewals: snapshot.renewals.filter(inSight(snapshot.sessions, match)) }),
  };
}

const idOf = ({ id }: Finding) => id;

/** Rows of sessions that hold or want something that matches, whatever kind the filter has. */
const inSight =
  (sessions: readonly Session[], { isNear }: Match) =>
  (renewal: Renewal) => {
    const session = find(sessions, renewalName(renewal), sessionName);
    return session !== undefined && isNear(session);
  };

/** The rows seen by a reader who has only matching ones. */
const seenOf = <R>(moved: readonly Moved<R>[], match: (row: R) => boolean): readonly Moved<R>[] =>
  moved.map(({ was, is, edit }) => {
    const had = was !== null && match(was) ? was : null;
    const has = is !== null && match(is) ? is : null;
    // A reader without the row has nothing to edit.
    return { was: had, is: has, edit: had === null ? 'all' : edit };
  });

/**
 * The matching part of a step's patch; `null` for none. A session or finding that starts to match is added whole.
 * `now`: the world after the step, or a later one for a viewer who gets all steps up to it. Only renewals come from
 * `now`, and the following steps end with the same ones.
 */
export function filterPatch(
  { patch, sessions, findings }: WorldStep,
  filter: Filter | null,
  now: Pick<Snapshot, 'sessions' | 'renewals'>,
): Patch | null {
  if (filter === null) return patch;
  const match = matches(filter);
  const { put, edit } = patch;
  // Renewals are separate from their sessions, and come and go with them.
  const near = sessions.map(({ was, is }) => {
    const session = is ?? was;
    return {
      name: session === null ? '' : sessionName(session),
      had: was !== null && match.isNear(was),
      has: is !== null && match.isNear(is),
    };
  });
  const moving = put.renewals ?? [];
  const cameNear = near.filter(
    ({ had, has, name }) => has && !had && find(moving, name, renewalName) === undefined,
  );
  const seen = {
    sessions: saidOf(seenOf(sessions, match.session), sessionName),
    findings: saidOf(seenOf(findings, match.finding), idOf),
  };
  const lockAt = (row: string) => {
    const { source, name } = partsOfName(row);
    return match.lock({ source, key: name });
  };
  const semaphoreAt = (row: string) => {
    const { source, name } = partsOfName(row);
    return match.semaphore({ source, prefix: name });
  };
  const part = {
    put: {
      locks: (put.locks ?? []).filter(match.lock),
      semaphores: (put.semaphores ?? []).filter(match.semaphore),
      sessions: seen.sessions.put,
      findings: seen.findings.put,
      renewals: [
        ...moving.filter(inSight(now.sessions, match)),
        ...cameNear.flatMap(({ name }) => find(now.renewals ?? [], name, renewalName) ?? []),
      ],
    },
    edit: {
      locks: (edit.locks ?? []).filter((one) => lockAt(editedName(one))),
      semaphores: (edit.semaphores ?? []).filter((one) => semaphoreAt(editedName(one))),
      sessions: seen.sessions.edit,
      findings: seen.findings.edit,
    },
    ...removal({
      locks: removedIn(patch, 'locks').filter(lockAt),
      semaphores: removedIn(patch, 'semaphores').filter(semaphoreAt),
      sessions: seen.sessions.remove,
      findings: seen.findings.remove,
      // Removing an absent row does no harm.
      renewals: [
        ...removedIn(patch, 'renewals'),
        ...near.filter(({ had, has }) => had && !has).map(({ name }) => name),
      ],
    }),
  };
  if (patch.source === undefined && rowsIn(part) === 0) return null;
  const { removeIn: _, ...rest } = patch;
  return { ...rest, ...part };
}
