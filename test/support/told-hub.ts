/** A hub whose world a test sets, with nothing behind it. */
import type { World } from '@/lib/domain/model';
import type { ProviderListener } from '@/lib/domain/seam/provider';
import { createHub, type Hub } from '@/lib/server/live/hub';

export interface ToldHub {
  readonly hub: Hub;
  /** Called once the hub has a follower. */
  readonly tell: (world: World) => void;
  /** A world of nothing but sessions. */
  readonly tellSessions: (ids: readonly string[], name?: string) => void;
  /** The backend has answered. */
  readonly tellContact: (atMs: number) => void;
}

export function createToldHub(): ToldHub {
  let listener: ProviderListener | null = null;
  const hub = createHub({
    provider: {
      id: 'test',
      watch: (given, signal) => {
        listener = given;
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
      },
    },
    now: () => 0,
    instance: 'one',
    findingsOf: () => [],
    onBug: () => {},
  });
  const tell = (world: World) => listener?.world(world, 1);
  const tellSessions = (ids: readonly string[], name = '') => {
    const sessions = ids.map((id) => ({ id, name, holds: [], wants: [], checks: [] }));
    tell({ locks: [], semaphores: [], sessions } as unknown as World);
  };
  const tellContact = (atMs: number) => listener?.contact?.(atMs);
  return { hub, tell, tellSessions, tellContact };
}
