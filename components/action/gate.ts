/** Why an action cannot be done now, in one sentence, or `null`. The reason is the value; "disabled" follows. */
import type { Freshness } from '@/components/shell/freshness';
import type { Messages } from '@/lib/client/messages';
import type { Permission } from '@/lib/domain/action';

interface Gate {
  readonly permission: Permission;
  readonly freshness: Freshness;
  /** Why this server takes no actions at all; `null` when it does. */
  readonly actionsOff: string | null;
}

const blockedBy: Readonly<Record<Freshness, keyof Messages['action']['blocked'] | null>> = {
  live: null,
  connecting: 'connecting',
  lost: 'lost',
  'catching-up': 'catchingUp',
  stale: 'stale',
  down: 'down',
};

/** The server's setting speaks first, then the age of the data, then the rule of the action itself. */
export function blockedReason({ permission, freshness, actionsOff }: Gate, m: Messages): string | null {
  if (actionsOff !== null) return actionsOff;
  const old = blockedBy[freshness];
  if (old !== null) return m.action.blocked[old];
  return permission.allowed ? null : permission.reason;
}
