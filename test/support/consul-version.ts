/** Which Consul the tests run on, for what only some versions have. */
import { findConsul } from '@/scripts/consul-binary.mjs';

const numbers = (version: string) => version.split(/\D+/, 3).map(Number);

/** Whether the Consul of the tests is this version or a later one. `2.1.0-dev` counts as 2.1.0. */
export async function isConsulSince(wanted: string): Promise<boolean> {
  const { version } = await findConsul();
  const [has, needs] = [numbers(version), numbers(wanted)];
  const differs = has.findIndex((part, n) => part !== needs[n]);
  return differs === -1 || (has[differs] ?? 0) > (needs[differs] ?? 0);
}
