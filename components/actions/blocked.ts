'use client';
/** The reasons why an action cannot start from this page now. */
import { useMessages } from '@/components/dom/locale';
import { useStopped } from '@/components/live/frozen';
import { useSessionState } from '@/components/live/session-root';
import { stateOf } from '@/components/live/sources';
import { freshnessOf } from '@/lib/client/freshness';
import { useConnection, useSnapshot } from '@/lib/client/page-data';
import { type KnownRight, useRights } from '@/lib/client/rights';
import { type Action, permission } from '@/lib/domain/actions/action';
import type { Permission } from '@/lib/domain/actions/descriptor';
import type { World } from '@/lib/domain/model';
import { outageOf } from '@/lib/domain/outage';
import { isOf, semaphoreSubject } from '@/lib/domain/subject';
import { blockedReason } from '@/lib/view/actions/blocked-reason';
import { bestOf, deniedReason, rightsAsked, wordOf } from '@/lib/view/actions/rights-asked';
import { useActionContext } from './action-context';

/** A resize asks for its limit in the dialog, so the button ignores rules about a particular limit. */
function permissionFor(action: Action, world: World): Permission {
  if (!('limit' in action)) return permission(action, world);
  const semaphore = world.semaphores.find(isOf(semaphoreSubject(action)));
  const other = (semaphore?.recorded ?? 0) + (semaphore?.limit ?? 0) + 1;
  return permission({ ...action, limit: other }, world);
}

/** The known rights to these buttons' actions. Nothing is asked where the backend knows no rights. */
function useKnownRights(actions: readonly Action[], world: World, on: boolean): readonly KnownRight[] {
  const requests = actions.map((action) => rightsAsked(action, world));
  const rights = useRights(requests.flat(), on);
  let from = 0;
  return requests.map((ways) => {
    from += ways.length;
    return bestOf(rights.slice(from - ways.length, from));
  });
}

/** True when the page asks for rights: with access control on, for a person who may write here. */
export function useRightsMatter(): boolean {
  const state = useSessionState();
  return state.at === 'in' && state.session.accessControl === 'on' && state.session.writes.allowed;
}

/**
 * For each action, the reason against it (`null` where it may start), a note where its success is uncertain, and the
 * world for its pin.
 */
export function useBlocked(actions: readonly Action[]): {
  readonly reasons: readonly (string | null)[];
  readonly notes: readonly (string | null)[];
  readonly world: World;
} {
  const m = useMessages();
  const { actionsOff } = useActionContext();
  const connection = useConnection().state;
  const frozen = useStopped();
  const world = useSnapshot();
  const rights = useKnownRights(actions, world, useRightsMatter());
  const reasons = actions.map((action, i) => {
    const source = stateOf(world.source, action.source);
    return blockedReason(
      {
        permission: permissionFor(action, world),
        freshness: freshnessOf(connection, source.state),
        outage: outageOf(source),
        actionsOff,
        frozen,
        readOnly: source.readOnly,
        denied: deniedReason(rights[i] ?? null, action, world, m),
      },
      m,
    );
  });
  const notes = reasons.map((reason, i) =>
    reason === null && wordOf(rights[i] ?? null) === 'unknown' ? m.identity.rights.unknown : null,
  );
  return { reasons, notes, world };
}
