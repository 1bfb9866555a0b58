'use client';
/** Findings of one severity and one code under one heading; long groups open on demand. */
import { memo, useState } from 'react';
import { ActionButton } from '@/components/actions/action-button';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { useSnapshot } from '@/lib/client/shown';
import { prune as pruneOf, prunePrefixesMax } from '@/lib/domain/actions/semaphore';
import type { Finding, FindingCode, Severity } from '@/lib/domain/findings/finding';
import { actionWords } from '@/lib/view/actions/button-words';
import { FindingRow, SeverityMark } from './finding-row';

/** Rows before the rest of a group is only counted: thousands of notices must not bury what is below them. */
const rowsMax = 25;

interface GroupProps {
  readonly severity: Severity;
  readonly code: FindingCode;
  readonly rows: readonly { readonly finding: Finding; readonly goneAtMs: number | null }[];
  /** Prefixes that can be pruned, of all groups on the page: one plan goes over those of several. */
  readonly prunable: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** The prefix that pruning this finding is about; `null` for any other finding. */
export function prunablePrefix({ mend }: Finding): string | null {
  return mend !== null && 'prefixes' in mend ? (mend.prefixes[0] ?? null) : null;
}

export const FindingGroup = memo(function FindingGroup({
  severity,
  code,
  rows,
  prunable,
  chosen,
  onChoose,
}: GroupProps) {
  const m = useMessages();
  const texts = m.findingsPage;
  const [all, setAll] = useState(false);
  const present = rows.filter(({ goneAtMs }) => goneAtMs === null);
  const own = present.flatMap(({ finding }) => prunablePrefix(finding) ?? []);
  const bulk = own.length > 0 && prunable.length > 1;
  const shown = all ? rows : rows.slice(0, rowsMax);
  // What is gone needs nobody any more, however urgent it was.
  const isOver = present.length === 0;
  const title = isOver ? texts.cleared : texts.severities[severity].title;
  return (
    <section className="border-line border-b pt-4 pb-1" aria-label={`${title}: ${m.findings[code].short}`}>
      <h2 className="flex items-baseline gap-2 px-4 pb-1 sm:px-6">
        {isOver ? null : <SeverityMark severity={severity} />}
        <span className="font-semibold">{m.findings[code].short}</span>
        <span className="text-[13px] text-ink-dim">{isOver ? title : `${title} · ${present.length}`}</span>
      </h2>
      {bulk ? <PruneBar own={own} prunable={prunable} chosen={chosen} onChoose={onChoose} /> : null}
      <ul className="divide-y divide-line/60">
        {shown.map(({ finding, goneAtMs }) => {
          const prefix = prunablePrefix(finding);
          return (
            <FindingRow
              key={finding.id}
              finding={finding}
              goneAtMs={goneAtMs}
              chosen={bulk && prefix !== null ? chosen.has(prefix) : null}
              onChoose={(on) => {
                if (prefix === null) return;
                const next = new Set(chosen);
                if (on) next.add(prefix);
                else next.delete(prefix);
                onChoose(next);
              }}
            />
          );
        })}
      </ul>
      {shown.length < rows.length ? (
        <div className="px-4 py-2 sm:px-6">
          <Button tone="quiet" onClick={() => setAll(true)}>
            {texts.showAll(rows.length)}
          </Button>
        </div>
      ) : null}
    </section>
  );
});

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
  const action = pruneOf(prefixes);
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
