'use client';
/** Pruning many semaphores in one go: choose, plan once, and read one outcome each in the dialog. */
import { ActionButton } from '@/components/actions/action-button';
import { useMessages } from '@/components/dom/locale';
import { useSnapshot } from '@/lib/client/shown';
import { type Action, prunePrefixesMax } from '@/lib/domain/actions/action';
import { actionWords } from '@/lib/view/actions/button-words';

interface BarProps {
  /** Prefixes of its group that could be pruned. */
  readonly own: readonly string[];
  /** Those of all groups. */
  readonly prunable: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** Stands under each heading of ghost slots, where there are several. Its box ticks its own group, its button prunes all that is ticked. */
export function PruneBar({ own, prunable, chosen, onChoose }: BarProps) {
  const m = useMessages();
  const { prune } = m.findingsPage;
  const world = useSnapshot();
  const prefixes = prunable.filter((prefix) => chosen.has(prefix)).slice(0, prunePrefixesMax);
  const action = { type: 'semaphore.prune', prefixes } as const satisfies Action;
  const { label, name } = actionWords(action, world, m);
  const here = own.filter((prefix) => chosen.has(prefix)).length;
  const elsewhere = prunable.filter((prefix) => chosen.has(prefix)).length - here;
  const all = own.length > 0 && here === own.length;
  const others = () => [...chosen].filter((prefix) => !own.includes(prefix));
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pb-2 sm:px-6">
      {own.length === 1 ? null : (
        <label className="inline-flex h-8 cursor-pointer items-center gap-3 text-[13px] text-ink-soft">
          <input
            type="checkbox"
            checked={all}
            ref={(box) => {
              if (box !== null) box.indeterminate = !all && here > 0;
            }}
            onChange={() => onChoose(new Set(all ? others() : [...others(), ...own]))}
            className="size-4 accent-brass"
          />
          {prune.all(own.length)}
        </label>
      )}
      {prefixes.length === 0 ? (
        <span className="text-[13px] text-ink-dim">{prune.none}</span>
      ) : (
        <>
          <ActionButton action={action} text={prune.button(prefixes.length)} label={label} name={name} />
          <span className="text-[13px] text-ink-dim">{prune.note(elsewhere)}</span>
        </>
      )}
    </div>
  );
}
