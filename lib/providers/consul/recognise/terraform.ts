/**
 * Terraform's state lock: `<path>/.lock` is an `api.Lock`, and beside it `<path>/.lockinfo` says who, what and when.
 * Authority: hashicorp/terraform, internal/backend/remote-state/consul/client.go (`lockSuffix`, `lockInfoSuffix`)
 * and internal/states/statemgr/locker.go (`LockInfo`).
 */

import type { LeftRecord, Lock } from '@/lib/domain/model';
import type { Row } from '@/lib/providers/consul/client/wire';
import { jsonObject, oneLine } from '@/lib/providers/consul/rows/stored-value';

export interface TerraformLock {
  readonly who: string | null;
  /** From `Created`, which is the clock of the machine that runs Terraform. */
  readonly createdAtMs: number | null;
  readonly details: Lock['details'];
  readonly leftBehind: LeftRecord | null;
}

/** Longest fact shown; Terraform's own are far shorter. */
const factLengthMax = 512;
const fields = ['Who', 'Operation', 'Created', 'Version', 'Path', 'Info'] as const;

/** The key of the lock info beside a lock, or `null` when the key is not named as Terraform names its locks. */
export function lockInfoKey(key: string): string | null {
  return key.endsWith('/.lock') ? `${key}info` : null;
}

/** The other way round: the lock that an entry of this name could inform of, or `null`. */
export function lockOfInfo(key: string): string | null {
  return key.endsWith('/.lockinfo') ? key.slice(0, -'info'.length) : null;
}

/** The session that the lock info was written by, as far as it says. */
function writerOf(members: Readonly<Record<string, unknown>>): string | null {
  const info = /^consul session: (\S+)/.exec(typeof members.Info === 'string' ? members.Info : '');
  if (info?.[1] !== undefined) return info[1];
  return typeof members.ID === 'string' && members.ID !== '' ? members.ID : null;
}

/**
 * Reads the lock info, or `null` when it is not one. Facts of an earlier holder are no facts of this one: a name that is
 * no longer true would send someone to the wrong person. While nobody holds the lock they are what was left behind.
 */
export function readLockInfo(row: Row, holder: string | null): TerraformLock | null {
  const members = jsonObject(row.value);
  if (members === null || typeof members.ID !== 'string' || !('Operation' in members || 'Who' in members))
    return null;
  const text = (name: string) => {
    const value = members[name];
    return typeof value === 'string' ? oneLine(value, factLengthMax) || null : null;
  };
  const who = text('Who')?.slice(0, 64) ?? null;
  const created = Date.parse(text('Created') ?? '');
  const createdAtMs = Number.isNaN(created) ? null : created;
  const none = { who: null, createdAtMs: null, details: [] };
  if (holder === null) return { ...none, leftBehind: { key: row.key, who, createdAtMs } };
  if (writerOf(members) !== holder) return { ...none, leftBehind: null };
  return {
    who,
    createdAtMs,
    details: fields.flatMap((name) => {
      const value = text(name);
      return value === null ? [] : [{ name: name.toLowerCase(), value }];
    }),
    leftBehind: null,
  };
}
