'use client';
/** Why an action cannot start from here and now. */
import { useFrozen } from '@/components/freeze/frozen';
import { useMessages } from '@/components/locale';
import { useFreshness } from '@/components/shell/freshness';
import { useSnapshot } from '@/lib/client/queries';
import { type Action, type Permission, permission } from '@/lib/domain/action';
import type { World } from '@/lib/domain/model';
import { outageOf } from '@/lib/domain/outage';
import { useActionGround } from './asking';
import { blockedReason } from './gate';

/** A resize asks for its limit in the dialog, so the rule about one particular limit is not the button's. */
function permissionFor(action: Action, world: World): Permission {
  if (action.type !== 'semaphore.resize') return permission(action, world);
  const semaphore = world.semaphores.find((s) => s.prefix === action.prefix);
  const other = (semaphore?.recorded ?? 0) + (semaphore?.limit ?? 0) + 1;
  return permission({ ...action, limit: other }, world);
}

/** One reason for each action, `null` where it may start; and the world that it would be pinned to. */
export function useBlocked(actions: readonly Action[]): {
  readonly reasons: readonly (string | null)[];
  readonly world: World;
} {
  const m = useMessages();
  const { actionsOff } = useActionGround();
  const freshness = useFreshness();
  const frozen = useFrozen() !== null;
  const world = useSnapshot();
  const outage = outageOf(world.source);
  const reasons = actions.map((action) =>
    blockedReason({ permission: permissionFor(action, world), freshness, outage, actionsOff, frozen }, m),
  );
  return { reasons, world };
}
