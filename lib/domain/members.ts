import type { Lock, World } from './model';

/**
 * The members in view that could take over from this leader; `null` for other layouts, whose contenders leave no trace.
 * Patroni keeps its members beside the leader's key, each locked by the member's own session (patroni/dcs/consul.py).
 */
export function heirsAmong(leader: Lock, { locks }: Pick<World, 'locks'>): readonly Lock[] | null {
  if (leader.layout !== 'patroni-leader') return null;
  const members = `${leader.key.slice(0, -'leader'.length)}members/`;
  return locks.filter(
    ({ source, key, layout, holder }) =>
      source === leader.source &&
      layout === 'patroni-member' &&
      key.startsWith(members) &&
      holder !== null &&
      holder.sessionId !== leader.holder?.sessionId,
  );
}
