'use client';
/** Findings of one severity and code; long groups open on demand. */
import { memo, useState } from 'react';
import { ActionButton } from '@/components/actions/action-button';
import { useAllMessages } from '@/components/dom/locale';
import { useSourceTitle } from '@/components/live/sources';
import { SeverityMark } from '@/components/marks/severity-mark';
import { Button } from '@/components/ui/button';
import { useSnapshot } from '@/lib/client/page-data';
import { prune as pruneOf, prunePrefixesMax } from '@/lib/domain/actions/semaphore';
import type { Finding, FindingCode, Severity } from '@/lib/domain/findings/finding';
import { partsOfName, rowName, type SourceId } from '@/lib/domain/source';
import { actionWords } from '@/lib/view/actions/button-words';
import { FindingRow } from './finding-row';

/** Thousands of notices must not bury what is below them. */
const rowsMax = 25;

interface GroupProps {
  readonly severity: Severity;
  readonly code: FindingCode;
  readonly rows: readonly { readonly finding: Finding; readonly goneAtMs: number | null }[];
  /** Names of all rows on the page that can be pruned, because one plan may prune rows of several groups. */
  readonly prunable: readonly string[];
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

/** The row's name of the semaphore that a finding asks to prune; `null`: it asks for something else. */
export function prunableRow({ mend }: Finding): string | null {
  const [prefix] = mend !== null && 'prefixes' in mend ? mend.prefixes : [];
  return mend === null || prefix === undefined ? null : rowName(mend.source, prefix);
}

export const FindingGroup = memo(function FindingGroup({
  severity,
  code,
  rows,
  prunable,
  chosen,
  onChoose,
}: GroupProps) {
  const m = useAllMessages();
  const texts = m.findingsPage;
  const [all, setAll] = useState(false);
  const present = rows.filter(({ goneAtMs }) => goneAtMs === null);
  const own = present.flatMap(({ finding }) => prunableRow(finding) ?? []);
  const bulk = own.length > 0 && prunable.length > 1;
  const shown = all ? rows : rows.slice(0, rowsMax);
  // A finding that has ended needs no attention, however urgent it was.
  const isOver = present.length === 0;
  const title = isOver ? texts.cleared : texts.severities[severity].title;
  return (
    <section className="border-line border-b pt-4 pb-1" aria-label={`${title}: ${m.findings[code].short}`}>
      <h3 className="flex items-baseline gap-2 px-4 pb-1 sm:px-6">
        {isOver ? null : <SeverityMark severity={severity} near />}
        <span className="font-semibold">{m.findings[code].short}</span>
        <span className="text-[13px] text-ink-dim">{isOver ? title : `${title} · ${present.length}`}</span>
      </h3>
      {bulk ? <PruneBar own={own} prunable={prunable} chosen={chosen} onChoose={onChoose} /> : null}
      <ul className="divide-y divide-line/60">
        {shown.map(({ finding, goneAtMs }) => {
          const row = prunableRow(finding);
          return (
            <FindingRow
              key={finding.id}
              finding={finding}
              goneAtMs={goneAtMs}
              chosen={bulk && row !== null ? chosen.has(row) : null}
              onChoose={(on) => {
                if (row === null) return;
                const next = new Set(chosen);
                if (on) next.add(row);
                else next.delete(row);
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
  /** Names of the rows in this group that can be pruned. */
  readonly own: readonly string[];
  /** Names of the rows in all groups that can be pruned. */
  readonly prunable: readonly string[];
  /** Names of the rows that are ticked. */
  readonly chosen: ReadonlySet<string>;
  readonly onChoose: (chosen: ReadonlySet<string>) => void;
}

type Prune = ReturnType<typeof pruneOf>;

/** One plan for each source: a batch is written to one server. */
function plansOf(rows: readonly string[]): Prune[] {
  const bySource = new Map<SourceId, string[]>();
  for (const { source, name } of rows.map(partsOfName)) {
    const prefixes = bySource.get(source) ?? [];
    if (prefixes.length < prunePrefixesMax) prefixes.push(name);
    bySource.set(source, prefixes);
  }
  return [...bySource].map(([source, prefixes]) => pruneOf(source, prefixes));
}

/** Stands under each heading of ghost slots. The box ticks the rows of its group, and the button prunes every ticked row. */
export function PruneBar({ own, prunable, chosen, onChoose }: BarProps) {
  const m = useAllMessages();
  const { prune } = m.findingsPage;
  const titleOf = useSourceTitle();
  const world = useSnapshot();
  const plans = plansOf(prunable.filter((row) => chosen.has(row)));
  const here = own.filter((row) => chosen.has(row)).length;
  const elsewhere = prunable.filter((row) => chosen.has(row)).length - here;
  const textOf = ({ source, prefixes }: Prune) =>
    [prune.button(prefixes.length), titleOf(source)].filter(Boolean).join(' · ');
  const all = own.length > 0 && here === own.length;
  const others = () => [...chosen].filter((row) => !own.includes(row));
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
      {plans.length === 0 ? (
        <span className="text-[13px] text-ink-dim">{prune.none}</span>
      ) : (
        <>
          {plans.map((action) => {
            const { label, name } = actionWords(action, world, m);
            return (
              <ActionButton
                key={action.source}
                action={action}
                text={textOf(action)}
                label={label}
                name={name}
              />
            );
          })}
          <span className="text-[13px] text-ink-dim">{prune.note(elsewhere)}</span>
        </>
      )}
    </div>
  );
}
