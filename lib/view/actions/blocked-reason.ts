/** Why an action cannot be done now, in one sentence, or `null`. The reason is the value; "disabled" follows. */
import type { Freshness } from '@/lib/client/freshness';
import type { Permission } from '@/lib/domain/actions/descriptor';
import type { OutageCode } from '@/lib/domain/outage';
import type { Why } from '@/lib/domain/refusal';
import { worded } from '@/lib/i18n/format/worded';
import type { Messages } from '@/lib/i18n/messages';

interface Gate {
  readonly permission: Permission;
  readonly freshness: Freshness;
  /** What keeps the data from being live, where that is known. */
  readonly outage?: OutageCode | null;
  /** Why this server takes no actions at all; `null` when it does. */
  readonly actionsOff: Why | null;
  /** The page shows an earlier moment, on request. */
  readonly frozen?: boolean;
  /** Why this person may not, by what the backend says of the credential, in words. */
  readonly denied?: string | null;
}

const blockedBy: Readonly<Record<Freshness, keyof Messages['action']['blocked'] | null>> = {
  live: null,
  connecting: 'connecting',
  lost: 'lost',
  'catching-up': 'catchingUp',
  stale: 'stale',
  down: 'down',
};

/** Which trouble keeps the data from being live: each asks something else of the reader. `null` while it is live. */
export function oldReason(
  { freshness, outage = null }: Pick<Gate, 'freshness' | 'outage'>,
  m: Messages,
): string | null {
  const old = blockedBy[freshness];
  if (old === null) return null;
  const { blocked } = m.action;
  // The link to Signalbox itself comes first; of one that is only being made, the banner says nothing either.
  if (outage === null || outage === 'unknown' || freshness === 'lost' || freshness === 'connecting')
    return blocked[old];
  return [m.outage.outages[outage].title, blocked.until].join(m.joint);
}

/**
 * The server's setting speaks first, then a page that stands still, the age of the data, the rule of the action itself,
 * and then what the person may not do.
 */
export function blockedReason(
  { permission, freshness, outage = null, actionsOff, frozen = false, denied = null }: Gate,
  m: Messages,
): string | null {
  if (actionsOff !== null) return worded(actionsOff, m.why);
  if (frozen) return m.action.blocked.frozen;
  const old = oldReason({ freshness, outage }, m);
  if (old !== null) return old;
  return permission.allowed ? denied : worded(permission.reason, m.why);
}
