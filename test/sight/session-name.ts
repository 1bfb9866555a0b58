/** Names of sessions as client libraries make them, which identify their lock. */
import { type Chance, createChoice, type Place } from './policies';

/** `undefined`: any name. */
export function sessionNameOf(
  chance: Chance,
  {
    kind,
    path,
    key,
    member,
    word,
  }: Place & { readonly key: string; readonly member: string; word(): string },
): string | undefined {
  const { chosen, often } = createChoice(chance);
  if (kind === 'command') return `Consul lock for 'run ${word()}' at '${key}'`;
  if (kind === 'leader' && often(0.5)) return `${path.split('/').at(-1)}-${member}`;
  if (kind === 'lock' && often(0.3)) return chosen(['Vault Lock', 'Consul-Template de-duplication']);
  return undefined;
}
