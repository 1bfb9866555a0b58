/**
 * A person shares only what they may see. With access control on, a grant needs the maker's right to read the scope's
 * keys, and every row that the server sees there in the maker's own world. A new link never shows less than it
 * promises.
 *
 * Sessions need rights of their own, because any session may hold a free lock later. A person who may not read every
 * session, node and service makes a grant without them.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { AccessControl } from '@/lib/domain/identity';
import { subjectId, type World } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Readable } from '@/lib/domain/seam/provider';
import type { Scope } from '@/lib/domain/sharing/grant';
import { lockSubject, semaphoreSubject, subjectOf } from '@/lib/domain/subject';
import type { Caller } from '@/lib/server/identity/caller';
import type { CredentialPool } from '@/lib/server/identity/credential-pool';
import { createCut, sourceOfScope } from '@/lib/server/sharing/scope-cut';

/** The person's own world may have just started to watch. */
const seenMs = 4_000;
const lookMs = 100;

/**
 * The questions to the backend. A right to any entry below a prefix answers for all of them. A board's prefix is also
 * asked for itself, as a rule may match exactly that.
 */
export function readablesOf(scope: Scope): readonly Readable[] {
  if (scope.view === 'lock') return [lockSubject(scope)];
  const { source, prefix } = scope;
  return scope.view === 'board'
    ? [lockSubject({ source, key: prefix }), { source, kind: 'below', prefix }]
    : [semaphoreSubject(scope), { source, kind: 'below', prefix: `${prefix}/` }];
}

const namesOf = ({ locks, semaphores, sessions }: World) =>
  [...locks, ...semaphores, ...sessions].map((row) => subjectId(subjectOf(row)));

/**
 * Drops sessions that the person may not read. Throws `forbidden` for a scope beyond their reach, `unavailable` where
 * that is unknown.
 */
export async function withinReach(
  { viewpoint }: Pick<Caller, 'viewpoint'>,
  {
    viewpoints: { own },
    accessControl,
    now,
  }: {
    readonly viewpoints: CredentialPool;
    readonly accessControl: () => Promise<AccessControl>;
    readonly now: () => number;
  },
  requested: Scope,
  signal: AbortSignal,
): Promise<Scope> {
  const unknown = () =>
    new ProblemError({ code: 'unavailable', why: { code: 'grant-reach-unknown', facts: {} } });
  const beyond = () =>
    new ProblemError({ code: 'forbidden', why: { code: 'grant-beyond-reach', facts: {} } });
  const control = await accessControl();
  if (control === 'off') return requested;
  // These makers arrived before access control was on, so their present rights are unknown.
  if (viewpoint === own) throw unknown();
  const { readable, seesSessions } = viewpoint.provider;
  if (readable === undefined || seesSessions === undefined) throw unknown();
  if (viewpoint.provider.mayPassOn?.(requested.source) === false) throw beyond();
  const rights = await readable.call(viewpoint.provider, readablesOf(requested), signal);
  if (rights.includes('no')) throw beyond();
  if (rights.includes('unknown')) throw unknown();

  const sessions = requested.sessions
    ? await seesSessions.call(viewpoint.provider, requested.source, signal)
    : 'no';
  if (sessions === 'unknown') throw unknown();
  const scope = { ...requested, sessions: sessions === 'yes' };

  const cut = createCut(scope);
  await viewpoint.hub.ready(seenMs);
  for (const untilMs = now() + seenMs; ; await delay(lookMs, undefined, { signal })) {
    const [wide, narrow] = [own.hub.snapshot(), viewpoint.hub.snapshot()];
    const live = [wide, narrow].every(({ source }) => sourceOfScope(source, scope).state === 'live');
    const seen = new Set(namesOf(narrow));
    if (live && namesOf(cut.world(wide).judged).every((name) => seen.has(name))) return scope;
    if (now() >= untilMs) throw live ? beyond() : unknown();
  }
}
