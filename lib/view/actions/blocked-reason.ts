/** The reason why an action is unavailable, in one sentence, or `null`. */
import type { Freshness } from '@/lib/client/freshness';
import type { Permission } from '@/lib/domain/actions/descriptor';
import type { OutageCode } from '@/lib/domain/outage';
import type { Why } from '@/lib/domain/refusal';
import { worded } from '@/lib/i18n/format/worded';
import type { Messages } from '@/lib/i18n/messages';

interface Gate {
  readonly permission: Permission;
  readonly freshness: Freshness;
  /** The reason why the data is not live, where known. */
  readonly outage?: OutageCode | null;
  /** `null`: this server takes actions. */
  readonly actionsOff: Why | null;
  /** The page shows an earlier moment, on request. */
  readonly frozen?: boolean;
  /** This console takes no action on the source (`SourceState.readOnly`). */
  readonly readOnly?: boolean | undefined;
  /** The reason by the backend's answer on the credential. */
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

/** The reason for old data. Each trouble needs another step of the reader. `null` while live. */
export function oldReason(
  { freshness, outage = null }: Pick<Gate, 'freshness' | 'outage'>,
  m: Messages,
): string | null {
  const old = blockedBy[freshness];
  if (old === null) return null;
  const { blocked } = m.action;
  // The link to Signalbox comes first; while it is only connecting, the banner is silent, too.
  if (outage === null || outage === 'unknown' || freshness === 'lost' || freshness === 'connecting')
    return blocked[old];
  return [m.outage.outages[outage].title, blocked.until].join(m.joint);
}

const shownOnly: Why = { code: 'source-read-only', facts: {} };

/**
 * Reasons in this order: the server's setting, a frozen page, the data's age, the action's own rule, the person's
 * rights.
 */
export function blockedReason(
  { permission, freshness, outage = null, actionsOff, frozen = false, readOnly = false, denied = null }: Gate,
  m: Messages,
): string | null {
  const off = actionsOff ?? (readOnly ? shownOnly : null);
  if (off !== null) return worded(off, m.why);
  if (frozen) return m.action.blocked.frozen;
  const old = oldReason({ freshness, outage }, m);
  if (old !== null) return old;
  return permission.allowed ? denied : worded(permission.reason, m.why);
}
