/** Finds the ways in which a hold ends without an action, and their instants. */
import { isOnServer } from '@/lib/domain/actions/risk';
import { capabilities } from '@/lib/domain/capabilities';
import type { Holder, Lock, Semaphore, Session } from '@/lib/domain/model';
import type { End, WithEvidence } from './fact';

interface Held {
  readonly of: Lock | Semaphore;
  readonly holder: Holder;
  /** `null`: it has none, or it is not in view. */
  readonly session: Session | null;
}

const isHidden = ({ session, evidence }: Holder) =>
  session === null &&
  evidence.some(({ code }) => code === 'session-not-visible' || code === 'session-not-listed');

/** No sentence is stronger than the expiry that the verdict rests on. */
function endOfHold({ of, holder, session }: Held): End {
  const { holds } = capabilities[of.layout];
  const { label: who, verdict, expiry } = holder;
  if (verdict === 'ghost') return { code: 'leak', holds };
  // A slot has no lock-delay; only the end of a session begins one.
  const delayMs = of.kind === 'lock' && holds === 'session' ? (session?.lockDelayMs ?? null) : null;
  const { kind, latestMs, withinMs } = expiry;
  if (kind === 'lease' && latestMs !== null) return { code: 'lease', who, atMs: latestMs };
  if (kind === 'observed' && latestMs !== null)
    return { code: 'silent', who, atMs: latestMs, delayMs, holds };
  if ((kind === 'bounded' || kind === 'observed') && withinMs !== null)
    return { code: 'dead', who, withinMs, delayMs, holds };
  if (kind === 'with-node')
    return { code: 'node', who, node: isOnServer(holder) ? null : (holder.session?.node ?? null) };
  if (kind === 'never') return { code: 'never', who };
  return { code: isHidden(holder) ? 'hidden' : 'untold', who };
}

/** The soonest first; what may last is behind it. */
const order: readonly End['code'][] = [
  'silent',
  'lease',
  'dead',
  'leak',
  'node',
  'never',
  'hidden',
  'untold',
];

/**
 * One end of each kind: the slot that comes back first, the reader that keeps the lock longest, and the longest of
 * spans, which is true of all.
 */
export function endsOf(
  of: Lock | Semaphore,
  holders: readonly Holder[],
  sessionOf: (id: string) => Session | null,
): readonly WithEvidence<End>[] {
  const byCode = new Map<End['code'], WithEvidence<End>>();
  for (const holder of holders) {
    // Only the end of a lock's holder needs its session.
    const session = of.kind === 'lock' ? sessionOf(holder.sessionId) : null;
    const fact = endOfHold({ of, holder, session });
    const known = byCode.get(fact.code)?.fact;
    const isBetter =
      known === undefined ||
      ('atMs' in fact &&
        'atMs' in known &&
        (of.kind === 'lock' ? fact.atMs > known.atMs : fact.atMs < known.atMs)) ||
      ('withinMs' in fact && 'withinMs' in known && fact.withinMs > known.withinMs);
    if (isBetter) byCode.set(fact.code, { fact, evidence: holder.evidence });
  }
  return order.flatMap((code) => byCode.get(code) ?? []);
}
