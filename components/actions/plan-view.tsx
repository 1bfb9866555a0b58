'use client';
/** A plan for people: what to know, the risks, then the writes, their other effects and the undo. */
import { clsx } from 'clsx';
import { useAllMessages } from '@/components/dom/locale';
import { Copy } from '@/components/ui/copy';
import type { ManualStep, Plan, PlannedWrite, StateFacts, Warning } from '@/lib/domain/actions/plan';
import type { Said } from '@/lib/domain/message';
import { cutName } from '@/lib/i18n/format/format';
import { worded } from '@/lib/i18n/format/worded';
import { scriptOf } from '@/lib/i18n/script';
import { type PlanPart as Part, placeOf } from '@/lib/view/actions/warning-place';
import { Touches } from './touches';

/** Characters of a name in the summary; the writes show it whole. */
const nameMax = 64;

/** The summary with its names cut, so that a long one does not push the rest out of sight. */
function cut({ code, facts }: Plan['summary']): Plan['summary'] {
  const short = Object.entries(facts).map(([name, fact]) => [
    name,
    typeof fact === 'string' ? cutName(fact, nameMax) : fact,
  ]);
  return { code, facts: Object.fromEntries(short) } as Plan['summary'];
}

/**
 * The plan. Other parties that it hits stand first, beside the chosen way. Warnings stand above the writes and effects,
 * which may be long.
 */
export function PlanView({ plan }: { plan: Plan }) {
  const m = useAllMessages();
  const { sections } = m.action;
  const of = (part: Part) => plan.warnings.filter(({ code }) => placeOf(code).part === part);
  const reach = of('reach');
  return (
    <div className="flex flex-col gap-3">
      {reach.length === 0 ? null : (
        <div className="rounded-[5px] border border-caution/40 bg-caution-wash px-3 py-2 text-[13px]">
          <WarningList warnings={reach} />
        </div>
      )}
      <p className="break-words text-[15px] leading-6">{worded(cut(plan.summary), m.plan.summaries)}</p>
      <Warnings name={sections.warnings} warnings={of('know')} />
      <Warnings name={sections.unprotected} warnings={of('unprotected')} />
      <Warnings name={sections.notices} warnings={of('notices')} />
      <Writes writes={plan.writes} />
      <PlanPart name={sections.touches}>
        <Touches touches={plan.touches} />
      </PlanPart>
      <PlanPart name={sections.undo}>
        <p className="text-ink-soft">{worded(plan.undo, m.plan.undos)}</p>
      </PlanPart>
      <ByHand steps={plan.manual} />
    </div>
  );
}

function Warnings({ name, warnings }: { name: string; warnings: readonly Warning[] }) {
  if (warnings.length === 0) return null;
  return (
    <PlanPart name={name}>
      <WarningList warnings={warnings} />
    </PlanPart>
  );
}

function WarningList({ warnings }: { warnings: readonly Warning[] }) {
  const m = useAllMessages();
  return (
    <ul className="flex flex-col gap-1.5">
      {warnings.map((warning) => {
        const { grave } = placeOf(warning.code);
        return (
          <li key={`${warning.code} ${JSON.stringify(warning.facts)}`} className="flex gap-2">
            <span
              aria-hidden="true"
              className={clsx('w-3 shrink-0 text-center', grave ? 'text-caution' : 'text-ink-dim')}
            >
              {grave ? '△' : '·'}
            </span>
            <span className="min-w-0 break-words">{worded(warning, m.plan.warnings)}</span>
          </li>
        );
      })}
    </ul>
  );
}

function PlanPart({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="grid gap-x-4 gap-y-1 text-[13px] sm:grid-cols-[9.5rem_minmax(0,1fr)]">
      <h3 className="text-ink-dim">{name}</h3>
      <div className="min-w-0">{children}</div>
    </div>
  );
}

/** Writes shown at first; the rest is behind one line, because a prune may have hundreds. */
const writesMax = 4;

function Writes({ writes }: { writes: readonly PlannedWrite[] }) {
  const { action } = useAllMessages();
  const rest = writes.slice(writesMax);
  return (
    <PlanPart name={action.sections.writes}>
      <WriteList writes={writes.slice(0, writesMax)} />
      {rest.length === 0 ? null : (
        <details className="mt-2">
          <summary className="cursor-pointer text-brass-strong">{action.moreTouches(rest.length)}</summary>
          <div className="mt-2">
            <WriteList writes={rest} />
          </div>
        </details>
      )}
    </PlanPart>
  );
}

function WriteList({ writes }: { writes: readonly PlannedWrite[] }) {
  return (
    <ul className="flex flex-col gap-2">
      {writes.map((write) => (
        <Write key={`${write.operation} ${write.target}`} write={write} />
      ))}
    </ul>
  );
}

function Write({ write }: { write: PlannedWrite }) {
  const m = useAllMessages();
  const { action } = m;
  return (
    <li className="min-w-0">
      <p className="break-all font-medium">{action.operations[write.operation](write.target)}</p>
      <p className="text-ink-soft">
        {write.condition === null
          ? action.unconditional
          : action.condition(worded(write.condition, m.plan.conditions))}
      </p>
      <States write={write} />
    </li>
  );
}

/** Longer stored values are behind one line, so that the effects stay in sight. */
const valueMax = 72;

const isLong = (state: Said<StateFacts> | null) =>
  state?.code === 'stored' && state.facts.text.length > valueMax;

function States({ write: { before, after } }: { write: PlannedWrite }) {
  const { action } = useAllMessages();
  if (before === null && after === null) return null;
  const list = (
    <dl className="mt-1 grid grid-cols-[3.5rem_minmax(0,1fr)] gap-x-2 text-[12px] leading-5">
      <State name={action.before} state={before} soft />
      <State name={action.after} state={after} />
    </dl>
  );
  if (!isLong(before) && !isLong(after)) return list;
  return (
    <details>
      <summary className="cursor-pointer text-[12px] text-brass-strong">{action.values}</summary>
      {list}
    </details>
  );
}

function State({
  name,
  state,
  soft = false,
}: {
  name: string;
  state: Said<StateFacts> | null;
  soft?: boolean;
}) {
  const m = useAllMessages();
  if (state === null) return null;
  return (
    <>
      <dt className="text-ink-dim">{name}</dt>
      <dd
        className={clsx(
          'max-h-24 overflow-y-auto break-all',
          state.code === 'stored' && 'font-mono',
          soft && 'text-ink-soft',
        )}
      >
        {worded(state, m.plan.states)}
      </dd>
    </>
  );
}

/** The order of the tools: Signalbox's own calls first. */
const tools = ['curl', 'consul', 'redis-cli', 'zkCli.sh'] as const;

/** The same by hand, as one script for each tool. */
function ByHand({ steps }: { steps: readonly ManualStep[] }) {
  const m = useAllMessages();
  const { sections, tools: names } = m.action;
  if (steps.length === 0) return null;
  return (
    <details>
      <summary className="cursor-pointer text-[13px] text-brass-strong">{sections.manual}</summary>
      <div className="mt-2 flex flex-col gap-2">
        {tools.map((tool) => {
          const of = steps.filter((step) => step.tool === tool);
          if (of.length === 0) return null;
          const script = scriptOf(of, m);
          return (
            <div key={tool}>
              <p className="mb-1 text-[12px] text-ink-dim">{names[tool]}</p>
              <div className="flex items-start gap-1 rounded-[5px] border border-line bg-inset py-2 pr-1 pl-3">
                {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must scroll by keyboard, too. */}
                <pre tabIndex={0} className="min-w-0 flex-1 overflow-x-auto text-[12px] leading-5">
                  {script}
                </pre>
                <Copy text={script} label={m.shell.copy.label(names[tool])} done={m.shell.copy.done} />
              </div>
            </div>
          );
        })}
      </div>
    </details>
  );
}
