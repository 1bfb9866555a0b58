/** Faults in Consul's entries, whichever client wrote them. */
import { pool, pools } from './contenders';
import { deedPrefixes, limitPrefix } from './deeds';
import type { Entry } from './holders';
import { coordinationOf, lockFlags, semaphoreFlags } from './reader';

/** The faults of these entries; an empty list for none. */
export function spoiled(entries: readonly Entry[]): string[] {
  const wrong: string[] = [];
  const limits = new Map<string, number>([
    [pool.prefix, pool.limit],
    ...pools.filter(({ n }) => n > 1).map(({ prefix, n }): [string, number] => [prefix, n]),
  ]);
  for (const { key, value, flags, session } of entries) {
    const prefix = [...limits.keys(), ...deedPrefixes].find((one) => key.startsWith(`${one}/`));
    if (flags !== (prefix === undefined ? lockFlags : semaphoreFlags))
      wrong.push(`${key} has flags ${flags}`);
    if (prefix === undefined || key !== `${prefix}/.lock`) continue;
    const found = coordinationOf(value);
    const limit = limits.get(prefix);
    if (found === null) wrong.push(`${key} has become ${value}`);
    else if (limit !== undefined && found.limit !== limit) wrong.push(`${key} has the limit ${found.limit}`);
    else if (limit !== undefined && found.holders.length > limit)
      wrong.push(`${key} records ${found.holders.length} holders of ${limit}`);
    if (session !== null) wrong.push(`${key} is locked by ${session}`);
  }
  return wrong;
}

/** The refused limits that these entries contain. */
export function reappeared(entries: readonly Entry[], refusedLimits: ReadonlySet<number>): number[] {
  return entries
    .filter(({ key }) => key === `${limitPrefix}/.lock`)
    .flatMap(({ value }) => coordinationOf(value)?.limit ?? [])
    .filter((limit) => refusedLimits.has(limit));
}
