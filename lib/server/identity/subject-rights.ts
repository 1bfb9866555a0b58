/**
 * The right of a credential to read the subjects that a record names. The provider is asked now, whatever the right was
 * then.
 */
import type { Right } from '@/lib/domain/identity';
import type { Provider, Readable } from '@/lib/domain/seam/provider';
import { subjectOfId } from '@/lib/domain/subject';
import { within } from '@/lib/server/process/deadline';

const rememberedMs = 10_000;
const rememberedMax = 10_000;
const askTimeoutMs = 5_000;

interface Remembered {
  readonly right: Right;
  readonly untilMs: number;
}
/** Rights by provider, so by credential. */
const remembered = new WeakMap<Provider, Map<string, Remembered>>();

/** The right to each of these, remembered for 10 s by credential. */
export async function rightsTo(
  subjects: readonly string[],
  provider: Provider,
  now: () => number,
  signal: AbortSignal,
) {
  const known = remembered.get(provider) ?? new Map<string, Remembered>();
  remembered.set(provider, known);
  const answers = new Map<string, Right>();
  for (const subject of subjects) {
    const before = known.get(subject);
    if (before !== undefined && before.untilMs > now()) answers.set(subject, before.right);
  }
  const missing = [...new Set(subjects)].flatMap((subject) => {
    const what = answers.has(subject) ? null : readableOf(subject);
    return what === null ? [] : [{ subject, what }];
  });
  if (known.size + missing.length > rememberedMax) known.clear();
  if (missing.length > 0) {
    const limited = within(askTimeoutMs, signal);
    const readables = missing.map(({ what }) => what);
    const rights = await provider.readable?.(readables, limited).catch(() => {
      signal.throwIfAborted();
      return null;
    });
    missing.forEach(({ subject }, i) => {
      const right = rights?.[i] ?? 'unknown';
      answers.set(subject, right);
      // A question without an answer is asked again at once, so that an outage hides rows no longer than it lasts.
      if (right !== 'unknown') known.set(subject, { right, untilMs: now() + rememberedMs });
    });
  }
  return (subject: string): Right => answers.get(subject) ?? 'unknown';
}

/** The entry whose right decides about a subject; `null` where none does. */
export function readableOf(id: string): Readable | null {
  const subject = subjectOfId(id);
  // A semaphore's record names the holders, which the row is about.
  return subject === null || subject.kind === 'session' ? null : subject;
}
