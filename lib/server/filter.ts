/** The part of a snapshot or patch that a viewer asked for: `?prefix=` (a string prefix) and `?kind=`. */
import { z } from 'zod';
import type { Patch } from '@/lib/domain/change';
import { concernedBy, type Finding } from '@/lib/domain/finding';
import type { Session, Subject } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/snapshot';

export const filterSchema = z.object({
  prefix: z.string().max(2048).default(''),
  kind: z.enum(['lock', 'semaphore', 'session']).nullable().default(null),
});

export type Filter = z.infer<typeof filterSchema>;

/** Reads the filter of a request; `null` for none. Throws a `ProblemError` of code `invalid`. */
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

function matches({ prefix, kind }: Filter) {
  const wants = (other: NonNullable<Filter['kind']>) => kind === null || kind === other;
  const touches = (subject: Subject) =>
    subject.kind === 'lock'
      ? subject.key.startsWith(prefix)
      : subject.kind === 'semaphore' && subject.prefix.startsWith(prefix);
  return {
    touches,
    lock: (key: string) => wants('lock') && key.startsWith(prefix),
    semaphore: (name: string) => wants('semaphore') && name.startsWith(prefix),
    session: ({ holds, wants: wanted }: Session) =>
      wants('session') && (prefix === '' || holds.some(touches) || wanted.some(touches)),
    finding: (finding: Finding) =>
      concernedBy(finding).some((subject) => wants(subject.kind) && (prefix === '' || touches(subject))),
  };
}

/** The rows of a snapshot that match; everything for `null`. */
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

/** Picks what is about a session that holds or wants something that matches, whatever kind was asked for. */
function inSight(sessions: readonly Session[], { touches }: ReturnType<typeof matches>) {
  const ids = new Set(
    sessions.filter(({ holds, wants }) => holds.some(touches) || wants.some(touches)).map(({ id }) => id),
  );
  return ({ id }: { readonly id: string }) => ids.has(id);
}

/**
 * The part of a patch that matches, or `null` when nothing does. A session may come to match or cease to, so one
 * that changed and does not match is removed: to remove what is not there does no harm. `known`: the sessions now.
 */
export function filterPatch(
  patch: Patch,
  filter: Filter | null,
  known: readonly Session[] = [],
): Patch | null {
  if (filter === null) return patch;
  const match = matches(filter);
  const { upsert, remove } = patch;
  // Whoever asked for locks alone has no sessions to remove.
  const noSessions = filter.kind !== null && filter.kind !== 'session';
  const sessions = noSessions ? [] : (upsert.sessions ?? []);
  const kept = {
    upsert: {
      locks: (upsert.locks ?? []).filter((row) => match.lock(row.key)),
      semaphores: (upsert.semaphores ?? []).filter((row) => match.semaphore(row.prefix)),
      sessions: sessions.filter(match.session),
      findings: (upsert.findings ?? []).filter(match.finding),
      // Most patches move none, and to look through all sessions for each viewer is not free.
      renewals: upsert.renewals === undefined ? [] : upsert.renewals.filter(inSight(known, match)),
    },
    remove: {
      locks: (remove.locks ?? []).filter(match.lock),
      semaphores: (remove.semaphores ?? []).filter(match.semaphore),
      sessions: [
        ...(noSessions ? [] : (remove.sessions ?? [])),
        ...sessions.filter((row) => !match.session(row)).map((row) => row.id),
      ],
      findings: remove.findings ?? [],
      renewals: remove.renewals ?? [],
    },
  };
  const lists = [...Object.values(kept.upsert), ...Object.values(kept.remove)];
  return patch.source === undefined && lists.every((list) => list.length === 0)
    ? null
    : { ...patch, ...kept };
}
