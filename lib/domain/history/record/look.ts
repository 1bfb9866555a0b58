/** One look at a subject: its row in a world, and what is known of the time before. */
import type { DeedMark, HeldSubject, Moment, Who } from '@/lib/domain/history/episode';
import { holdersOf } from '@/lib/domain/holders';
import type { Lock, Party, Semaphore, World } from '@/lib/domain/model';
import { find } from '@/lib/domain/sorted';
import { lockName, semaphoreName, sessionName } from '@/lib/domain/subject';

export interface Look {
  readonly world: World;
  /** `null`: the lock or the record does not exist. */
  readonly row: Lock | Semaphore | null;
  /** True when its source was live until now. */
  readonly watched: boolean;
  /** The process slept until a moment ago, so the view reports as observed what it only found. */
  readonly asleep: boolean;
  /** The instant since which its source was not watched; `null`: it was. */
  readonly blindSinceMs: number | null;
  /** True when the holder was unknown at the look before. */
  readonly wasUnknown: boolean;
  readonly nowMs: number;
}

/** The action on this session at this subject, if any. */
export type DeedOf = (session: string) => DeedMark | null;

/** `null`: the lock or the record does not exist. */
export const rowOf = (world: World, of: HeldSubject): Lock | Semaphore | null =>
  (of.kind === 'lock'
    ? find(world.locks, lockName(of), lockName)
    : find(world.semaphores, semaphoreName(of), semaphoreName)) ?? null;

export const sessionOf = (world: World, { source }: HeldSubject, id: string) =>
  find(world.sessions, sessionName({ source, id }), sessionName) ?? null;

/** True when the holder is unknown. In Consul hidden entries only wait: the coordination entry names the holders. */
export const isUnknown = (row: Lock | Semaphore | null): boolean =>
  row?.kind === 'lock' ? row.state === 'unknown' : row?.part === true && row.flags === undefined;

export const partiesOf = (row: Lock | Semaphore | null): readonly Party[] =>
  row === null ? [] : row.kind === 'lock' ? holdersOf(row) : row.holders;

export const waitsIn = (row: Lock | Semaphore | null, id: string): boolean =>
  row?.waiters?.some(({ sessionId }) => sessionId === id) === true;

export const whoIs = ({ sessionId, label, session }: Party): Who => ({
  id: sessionId,
  label,
  name: session?.name ?? null,
  node: session?.node ?? null,
});

/** The instant at which a party began to hold or to wait. */
export function begunBy(
  { since }: Pick<Party, 'since'>,
  { watched, asleep, blindSinceMs, wasUnknown, nowMs }: Look,
): Moment {
  // The hold of before ended with the doubt, and must not count twice.
  if (wasUnknown) return { atMs: nowMs, basis: 'at-least' };
  if (since === null) return { atMs: nowMs, basis: watched ? 'observed' : 'at-least' };
  // An answer that hung arrives late as the newest of the view.
  const isFound = asleep || (blindSinceMs !== null && since.atMs > blindSinceMs);
  return isFound && since.basis === 'observed' ? { ...since, basis: 'at-least' } : since;
}
