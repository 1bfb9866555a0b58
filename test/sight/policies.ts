/** Policies by chance about a world: rules that let through, holes in them, and rules about what is beside. */

/** 0 (included) to 1 (excluded). */
export type Chance = () => number;

export interface Place {
  readonly kind: 'lock' | 'terraform' | 'command' | 'leader' | 'semaphore';
  readonly path: string;
}

/** All that rules may be about. */
export interface Ground {
  readonly folders: readonly string[];
  readonly places: readonly Place[];
  readonly regions: readonly string[];
  readonly nodeNames: readonly string[];
  readonly services: readonly string[];
}

export const createChoice = (chance: Chance) => ({
  chosen: <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T,
  often: (share: number) => chance() < share,
});

/** Rules for one token. */
export function policyBy(chance: Chance, { folders, places, regions, nodeNames, services }: Ground): string {
  const { chosen, often } = createChoice(chance);
  const rules = new Map<string, 'read' | 'deny'>();
  const set = (resource: string, name: string, may: 'read' | 'deny') =>
    rules.set(`${resource} "${name}"`, may);
  const prefixed = often(0.8);
  switch (Math.floor(chance() * 5)) {
    case 0:
    case 1:
      set('key_prefix', '', 'read');
      if (often(0.5)) set('key_prefix', chosen(folders), 'deny');
      break;
    case 2:
      for (const folder of folders) if (often(0.5)) set('key_prefix', `${folder}/`, 'read');
      break;
    case 3:
      for (const { path } of places) if (often(0.5)) set(prefixed ? 'key_prefix' : 'key', path, 'read');
      break;
    default:
      for (const { kind, path } of places)
        if (often(0.5))
          set('key', kind === 'lock' ? path : `${path}/${kind === 'leader' ? 'leader' : '.lock'}`, 'read');
  }
  const holes = chance() * 0.5;
  for (const { kind, path } of places) {
    if (!often(holes)) continue;
    const may = often(0.6) ? 'deny' : 'read';
    switch (Math.floor(chance() * 6)) {
      case 0:
        set('key', kind === 'lock' ? path : `${path}/.lock`, may);
        break;
      case 1:
        set('key_prefix', path, may);
        break;
      case 2:
        set('key_prefix', `${path}/`, 'deny');
        set('key', `${path}/.lock`, 'read');
        break;
      case 3:
        set('key', `${path}/.lockinfo`, may);
        break;
      default:
        // Some of the later contenders.
        for (let digit = 0; digit < 16; digit += 1)
          if (often(0.5)) set('key_prefix', `${path}/${digit.toString(16)}`, may);
    }
  }
  const about = (resource: string, names: readonly string[]) => {
    const style = Math.floor(chance() * 5);
    if (style >= 2) set(`${resource}_prefix`, '', 'read');
    if (style === 1)
      for (const region of regions) if (often(0.5)) set(`${resource}_prefix`, `n-${region}`, 'read');
    if (style <= 2)
      for (const name of names) if (often(0.4)) set(resource, name, style === 2 ? 'deny' : 'read');
  };
  about('session', nodeNames);
  about('node', nodeNames);
  about('service', services);
  return [...rules].map(([name, may]) => `${name} { policy = "${may}" }`).join('\n');
}
