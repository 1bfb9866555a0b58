/** Makes the names of a semaphore's contenders distinct. A shared name gets the id of each session. */
import { type Party, shortId } from '@/lib/domain/model';

type Named = Pick<Party, 'label' | 'sessionId'>;

const mark = ({ sessionId }: Named) => ` ${shortId(sessionId)}`;

/** The contender without the id that `toldApart` added. */
export function alone<T extends Named>(one: T): T {
  const marked = mark(one);
  return one.label.endsWith(marked) ? { ...one, label: one.label.slice(0, -marked.length) } : one;
}

/** Names distinct from each other and from all in `among`. */
export function toldApart<T extends Named>(parties: readonly T[], among: readonly Named[]): T[] {
  const names = new Map<string, number>();
  for (const { label } of among) names.set(label, (names.get(label) ?? 0) + 1);
  return parties.map((one) =>
    (names.get(one.label) ?? 0) > 1 && one.label !== shortId(one.sessionId)
      ? { ...one, label: `${one.label}${mark(one)}` }
      : one,
  );
}
