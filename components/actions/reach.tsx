'use client';
import { useAllMessages } from '@/components/dom/locale';
import type { Plan } from '@/lib/domain/actions/plan';

interface Counts {
  readonly freed: number;
  readonly deleted: number;
  readonly fails: number;
}

/** The ghosts are a prune's target, so they do not count. */
function countsOf({ summary, touches }: Plan): Counts {
  // A lost place in line hits no other party, and a slot whose record stays is not free.
  const frees = ({ detail }: (typeof touches)[number]) =>
    detail?.code !== 'place-in-line' && detail?.code !== 'record-stays';
  const others = touches.filter(frees);
  const of = (...effects: (typeof touches)[number]['effect'][]) =>
    others.filter(({ effect }) => effects.includes(effect)).length;
  if (summary.code === 'prune-one' || summary.code === 'prune-many')
    return { freed: 0, deleted: 0, fails: 0 };
  return { freed: of('released', 'loses-slot'), deleted: of('deleted'), fails: of('fails') };
}

/** The reach in one line above the fields. On a phone with its keyboard up, the rest of the plan is out of sight. */
export function Reach({ plan }: { plan: Plan }) {
  const { reach } = useAllMessages().action;
  const { freed, deleted, fails } = countsOf(plan);
  // The holdings of a session that is itself the target are not "other".
  const other = plan.summary.code !== 'destroy-session';
  const phrases = [
    ...(freed === 0 ? [] : [reach.freed(freed, other)]),
    ...(deleted === 0 ? [] : [reach.deleted(deleted, other)]),
    ...(fails === 0 ? [] : [reach.fails(fails)]),
  ];
  if (phrases.length === 0) return null;
  return (
    <p className="mb-2 flex gap-2 text-[13px]">
      <span aria-hidden="true" className="w-3 shrink-0 text-center text-caution">
        △
      </span>
      <span className="min-w-0 font-medium">{phrases.join(reach.gap)}</span>
    </p>
  );
}
