/** The state of several sources as one: no better than the worst of them, with each beside it. */
import type { SourceState } from '@/lib/domain/source-state';
import { wasRead } from '@/lib/domain/world/snapshot';

const order: readonly SourceState['state'][] = ['live', 'catching-up', 'stale', 'down'];

const oldest = (instants: readonly (number | null)[]): number | null => {
  const known = instants.filter((one) => one !== null);
  return known.length === 0 ? null : Math.min(...known);
};

/** The oldest instant; `null` as soon as one is unknown, because the sum knows no more than its weakest part. */
const leastKnown = (instants: readonly (number | null)[]): number | null =>
  instants.includes(null) ? null : oldest(instants);

/** `parts`: the states of all sources, at least one. */
export function sumOf(parts: readonly [SourceState, ...SourceState[]]): SourceState {
  const worst = parts.reduce((a, b) => (order.indexOf(b.state) > order.indexOf(a.state) ? b : a));
  // Rows of one source stay shown while another was never read.
  const stale = oldest(parts.filter(wasRead).map((one) => one.staleSinceMs ?? one.lastContactMs));
  const restored = parts.flatMap(({ restoredAtMs }) => restoredAtMs ?? []);
  const every = parts.flatMap(({ rightsEveryMs }) => rightsEveryMs ?? []);
  return {
    ...worst,
    // A forgotten credential concerns the viewer, whatever else is wrong.
    problem: parts.find(({ problem }) => problem?.code === 'signed-out')?.problem ?? worst.problem,
    title: parts.map(({ title }) => title).join(', '),
    origin: parts.map(({ origin }) => origin).join(', '),
    // The datacenter of the source that people sign in to, which stands first.
    datacenter: parts[0].datacenter,
    lastContactMs: leastKnown(parts.map(({ lastContactMs }) => lastContactMs)),
    staleSinceMs: worst.state === 'live' ? null : stale,
    endsSeenSinceMs: leastKnown(parts.map(({ endsSeenSinceMs }) => endsSeenSinceMs)),
    restoredAtMs: restored.length === 0 ? null : Math.max(...restored),
    renewals: parts.flatMap(({ renewals }) => renewals),
    ...(parts.some(({ sight }) => sight === 'own') ? { sight: 'own' as const } : {}),
    ...(every.length === 0 ? {} : { rightsEveryMs: Math.max(...every) }),
    parts,
  };
}
