/** Events as bytes. Viewers with one filter and one version share one, however many they are. */
import { type Patch, rowsIn, type Step } from '@/lib/domain/change';
import type { Problem } from '@/lib/domain/problem';
import type { Snapshot } from '@/lib/domain/snapshot';
import { type Filter, filterPatch, filterSnapshot } from './filter';
import type { Hub } from './hub';
import { spokenProblem } from './spoken';

/** How long a browser waits before it connects anew by itself. */
const retryMs = 1_000;

const event = (name: string, id: string | null, data: unknown) =>
  Buffer.from(`event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`);

export const pingEvent = event('ping', null, {});
/** Passes proxies that know nothing of our events and end a connection that seems idle. */
export const comment = Buffer.from(': still here\n\n');
export const retryLine = Buffer.from(`retry: ${retryMs}\n\n`);
export const signedOutEvent = (problem: Problem) => event('signed-out', null, spokenProblem(problem));

/** A filter and the name by which viewers with the same one are known. */
export interface View {
  readonly filter: Filter | null;
  readonly name: string;
}

export const viewOf = (filter: Filter | null): View => ({
  filter,
  name: filter === null ? '' : JSON.stringify([filter.prefix, filter.kind]),
});

export interface Events {
  snapshot(snapshot: Snapshot, view: View): Uint8Array;
  /** For a viewer that has `version`; `null` when nothing in the step concerns it. */
  patch(step: Step, view: View, version: number): Uint8Array | null;
}

/**
 * Bytes kept of one snapshot or step, beside the first event of it. Filters are whatever viewers write into an address, and a
 * snapshot lives for hours when the backend is away.
 */
const keptBytesMax = 16 * 1024 * 1024;

interface Made {
  readonly of: Map<string, Uint8Array | null>;
  bytes: number;
}

/** Of one hub. */
export function createEvents(hub: Pick<Hub, 'instance' | 'snapshot'>): Events {
  const known = new WeakMap<object, Made>();
  const once = <B extends Uint8Array | null>(of: object, name: string, make: () => B): B => {
    const made = known.get(of) ?? { of: new Map(), bytes: 0 };
    known.set(of, made);
    const bytes = made.of.get(name);
    if (bytes !== undefined) return bytes as B;
    const fresh = make();
    const size = 2 * name.length + (fresh?.length ?? 0);
    if (made.of.size > 0 && made.bytes + size > keptBytesMax) return fresh;
    if (made.of.size > 0) made.bytes += size;
    made.of.set(name, fresh);
    return fresh;
  };
  return {
    snapshot: (snapshot, { filter, name }) =>
      once(snapshot, name, () =>
        event('snapshot', `${hub.instance}-${snapshot.version}`, filterSnapshot(snapshot, filter)),
      ),
    patch: (step, { filter, name }, version) =>
      once(step, `${version} ${name}`, () => {
        const part = filterPatch(step, filter, hub.snapshot());
        if (part === null) return null;
        // Of what was filtered out in between the viewer knows nothing, so this one begins where it stands.
        const joined: Patch = part.from === version ? part : { ...part, from: version };
        return event(rowsIn(joined) === 0 ? 'status' : 'patch', `${hub.instance}-${joined.to}`, joined);
      }),
  };
}
