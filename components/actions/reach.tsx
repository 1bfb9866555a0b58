'use client';
import { useMessages } from '@/components/dom/locale';
import type { Plan } from '@/lib/domain/actions/plan';

/** Who is hit beside the one that is meant, in numbers. */
interface Counts {
  readonly freed: number;
  readonly deleted: number;
  readonly fails: number;
}

/** The ghosts of a prune are what is meant, and no others. */
function countsOf({ summary, touches }: Plan): Counts {
  // A place in line is lost by nobody else: what it waits for stays as it is. And a slot whose record stays is not free.
  const frees = ({ detail }: (typeof touches)[number]) =>
    detail?.code !== 'place-in-line' && detail?.code !== 'record-stays';
  const others = touches.filter(frees);
  const of = (...effects: (typeof touches)[number]['effect'][]) =>
    others.filter(({ effect }) => effects.includes(effect)).length;
  if (summary.code === 'prune-one' || summary.code === 'prune-many')
    return { freed: 0, deleted: 0, fails: 0 };
  return { freed: of('released', 'loses-slot'), deleted: of('deleted'), fails: of('fails') };
}

/**
 * Whom else it hits, in one line above what must be typed: on a phone with its keyboard up, this is all of the plan that is
 * still in sight.
 */
export function Reach({ plan }: { plan: Plan }) {
  const { reach } = useMessages().action;
  const { freed, deleted, fails } = countsOf(plan);
  // Of a session that is ended for its own sake, all that it holds is what it hits, and nothing is "other".
  const other = plan.summary.code !== 'destroy-session';
  const said = [
    ...(freed === 0 ? [] : [reach.freed(freed, other)]),
    ...(deleted === 0 ? [] : [reach.deleted(deleted, other)]),
    ...(fails === 0 ? [] : [reach.fails(fails)]),
  ];
  if (said.length === 0) return null;
  return (
    <p className="mb-2 flex gap-2 text-[13px]">
      <span aria-hidden="true" className="w-3 shrink-0 text-center text-caution">
        △
      </span>
      <span className="min-w-0 font-medium">{said.join(reach.gap)}</span>
    </p>
  );
}
