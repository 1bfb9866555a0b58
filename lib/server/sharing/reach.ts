/**
 * Nobody shares more than they may see. With access control on, a grant shows at any time what its maker may read then; so before
 * it is made the backend is asked whether they may read what the scope names, and everything that the server sees of it right
 * now must be in their own world as well. Nobody is handed a link that shows less than it says.
 *
 * Sessions are rights of their own: whoever may read a lock need not see who holds it. A person who may not read every
 * session, node and service makes a grant without them, as a lock that is free now may be held by any session later.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { AccessControl } from '@/lib/domain/identity';
import type { World } from '@/lib/domain/model';
import { ProblemError } from '@/lib/domain/problem';
import type { Scope } from '@/lib/domain/sharing/grant';
import type { Caller } from '@/lib/server/identity/caller';
import type { Viewpoints } from '@/lib/server/identity/credential-pool';
import { createCut } from '@/lib/server/sharing/cut';

/** How long the person's own world may take to show what the server's shows: it may have just begun to watch. */
const seenMs = 4_000;
const lookMs = 100;

/** Stands for any key below a prefix: no key ends like this. */
const any = '00000000-0000-0000-0000-000000000000';

/**
 * Keys to ask the backend about. A prefix stands for all that begins with it, which rules of prefixes answer; the longer
 * one is asked about as well, as a rule may be about the key that is exactly the prefix.
 */
export function keysOfScope(scope: Scope): readonly string[] {
  if (scope.view === 'lock') return [scope.key];
  return scope.view === 'board'
    ? [scope.prefix, `${scope.prefix}${any}`]
    : [`${scope.prefix}/.lock`, `${scope.prefix}/${any}`];
}

const namesOf = ({ locks, semaphores, sessions }: World) => [
  ...locks.map(({ key }) => `lock:${key}`),
  ...semaphores.map(({ prefix }) => `semaphore:${prefix}`),
  ...sessions.map(({ id }) => `session:${id}`),
];

/**
 * The scope as this person may share it: without sessions where they may not read those. Throws `forbidden` for a scope
 * beyond their reach, `unavailable` where that cannot be found out.
 */
export async function withinReach(
  { viewpoint }: Pick<Caller, 'viewpoint'>,
  {
    viewpoints: { own },
    accessControl,
    now,
  }: {
    readonly viewpoints: Viewpoints;
    readonly accessControl: () => Promise<AccessControl>;
    readonly now: () => number;
  },
  asked: Scope,
  signal: AbortSignal,
): Promise<Scope> {
  const unknown = () =>
    new ProblemError({ code: 'unavailable', why: { code: 'grant-reach-unknown', facts: {} } });
  const beyond = () =>
    new ProblemError({ code: 'forbidden', why: { code: 'grant-beyond-reach', facts: {} } });
  const control = await accessControl();
  // Without access control there is nothing that one may see and another may not.
  if (control === 'off') return asked;
  // Whoever has no credential of their own came in while none was asked for: nothing says what they may read now.
  if (viewpoint === own) throw unknown();
  const { readable, seesSessions } = viewpoint.provider;
  if (readable === undefined || seesSessions === undefined) throw unknown();
  const rights = await readable.call(viewpoint.provider, keysOfScope(asked), signal);
  if (rights.includes('no')) throw beyond();
  if (rights.includes('unknown')) throw unknown();

  const sessions = asked.sessions ? await seesSessions.call(viewpoint.provider, signal) : 'no';
  if (sessions === 'unknown') throw unknown();
  const scope = { ...asked, sessions: sessions === 'yes' };

  const cut = createCut(scope);
  await viewpoint.hub.ready(seenMs);
  for (const untilMs = now() + seenMs; ; await delay(lookMs, undefined, { signal })) {
    const [wide, narrow] = [own.hub.snapshot(), viewpoint.hub.snapshot()];
    const live = wide.source.state === 'live' && narrow.source.state === 'live';
    const seen = new Set(namesOf(narrow));
    if (live && namesOf(cut.world(wide).judged).every((name) => seen.has(name))) return scope;
    if (now() >= untilMs) throw live ? beyond() : unknown();
  }
}
