'use client';
import { useMessages } from '@/components/dom/locale';
import { Copy } from '@/components/ui/copy';
import type { ManualStep } from '@/lib/domain/actions/plan';
import { scriptOf } from '@/lib/i18n/script';

/** The order of the tools: Signalbox's own calls first. */
const tools = ['curl', 'consul'] as const;

/** The same by hand, as one script for each tool. */
export function ByHand({ steps }: { steps: readonly ManualStep[] }) {
  const m = useMessages();
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
