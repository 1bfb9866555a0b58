/** The part of a snapshot or patch for `?prefix=` (a string prefix) and `?kind=`. */
import { z } from 'zod';
import { concernedBy, type Finding } from '@/lib/domain/findings/finding';
import type { Session, Subject } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import { find } from '@/lib/domain/sorted';
import { type Moved, type Patch, rowsIn, type Step, saidOf } from '@/lib/domain/world/change';
import type { Snapshot } from '@/lib/domain/world/snapshot';

export const filterSchema = z.object({
  prefix: z.string().max(2048).default(''),
  kind: z.enum(['lock', 'semaphore', 'session']).nullable().default(null),
});

export type Filter = z.infer<typeof filterSchema>;

/** `null` for none. Throws a `ProblemError` of code `invalid`. */
export function readFilter(query: URLSearchParams): Filter | null {
  const parsed = filterSchema.safeParse({
    prefix: query.get('prefix') ?? undefined,
    kind: query.get('kind') ?? undefined,
  });
  if (!parsed.success)
    throw new ProblemError({
      code: 'invalid',
      detail: 'prefix must be at most 2048 characters, and kind one of lock, semaphore, session.',
    });
  return parsed.data.prefix === '' && parsed.data.kind === null ? null : parsed.data;
}

type Match = ReturnType<typeof matches>;

function matches({ prefix, kind }: Filter) {
  const wants = (other: NonNullable<Filter['kind']>) => kind === null || kind === other;
  const touches = (subject: Subject) =>
    subject.kind === 'lock'
      ? subject.key.startsWith(prefix)
      : subject.kind === 'semaphore' && subject.prefix.startsWith(prefix);
  const isNear = ({ holds, wants: wanted }: Session) => holds.some(touches) || wanted.some(touches);
  return {
    /** The session holds or wants something that matches. */
    isNear,
    lock: (key: string) => wants('lock') && key.startsWith(prefix),
    semaphore: (name: string) => wants('semaphore') && name.startsWith(prefix),
    session: (session: Session) => wants('session') && (prefix === '' || isNear(session)),
    finding: (finding: Finding) =>
      concernedBy(finding).some((subject) => wants(subject.kind) && (prefix === '' || touches(subject))),
  };
}

/** All rows for `null`. */
export function filterSnapshot(snapshot: Snapshot, filter: Filter | null): Snapshot {
  if (filter === null) return snapshot;
  const match = matches(filter);
  return {
    ...snapshot,
    locks: snapshot.locks.filter((row) => match.lock(row.key)),
    semaphores: snapshot.semaphores.filter((row) => match.semaphore(row.prefix)),
    sessions: snapshot.sessions.filter(match.session),
    findings: snapshot.findings.filter(match.finding),
    ...(snapshot.renewals === undefined
      ? {}
      : { renewals: snapshot.renewals.filter(inSight(snapshot.sessions, match)) }),
  };
}

const idOf = ({ id }: { readonly id: string }) => id;

/** Rows of sessions that hold or want something that matches, whatever kind the filter has. */
const inSight =
  (sessions: readonly Session[], { isNear }: Match) =>
  ({ id }: { readonly id: string }) => {
    const session = find(sessions, id, idOf);
    return session !== undefined && isNear(session);
  };

/** For a reader who has only matching rows. */
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
  { patch, sessions, findings }: Step,
  filter: Filter | null,
  now: Pick<Snapshot, 'sessions' | 'renewals'>,
): Patch | null {
  if (filter === null) return patch;
  const match = matches(filter);
  const { put, edit, remove } = patch;
  // Renewals are separate from their sessions, and come and go with them.
  const near = sessions.map(({ was, is }) => ({
    id: (is ?? was)?.id ?? '',
    had: was !== null && match.isNear(was),
    has: is !== null && match.isNear(is),
  }));
  const moving = put.renewals ?? [];
  const cameNear = near.filter(({ had, has, id }) => has && !had && find(moving, id, idOf) === undefined);
  const seen = {
    sessions: saidOf(seenOf(sessions, match.session), idOf),
    findings: saidOf(seenOf(findings, match.finding), idOf),
  };
  const part = {
    put: {
      locks: (put.locks ?? []).filter((row) => match.lock(row.key)),
      semaphores: (put.semaphores ?? []).filter((row) => match.semaphore(row.prefix)),
      sessions: seen.sessions.put,
      findings: seen.findings.put,
      renewals: [
        ...moving.filter(inSight(now.sessions, match)),
        ...cameNear.flatMap(({ id }) => find(now.renewals ?? [], id, idOf) ?? []),
      ],
    },
    edit: {
      locks: (edit.locks ?? []).filter(({ of }) => match.lock(of)),
      semaphores: (edit.semaphores ?? []).filter(({ of }) => match.semaphore(of)),
      sessions: seen.sessions.edit,
      findings: seen.findings.edit,
    },
    remove: {
      locks: (remove.locks ?? []).filter(match.lock),
      semaphores: (remove.semaphores ?? []).filter(match.semaphore),
      sessions: seen.sessions.remove,
      findings: seen.findings.remove,
      // Removing an absent row does no harm.
      renewals: [...(remove.renewals ?? []), ...near.filter(({ had, has }) => had && !has).map(idOf)],
    },
  };
  return patch.source === undefined && rowsIn(part) === 0 ? null : { ...patch, ...part };
}
