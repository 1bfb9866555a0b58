'use client';
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { setSingleKeys, useSingleKeys } from '@/components/dom/keys';
import { useAllMessages } from '@/components/dom/locale';
import { useClockNote } from '@/components/live/clock';
import { Lamp } from '@/components/marks/lamp';
import { RenewalAgents } from '@/components/subject/renewal';
import type { LampKind } from '@/lib/view/board-rows';

const kinds: readonly LampKind[] = [
  'alive',
  'overdue',
  'suspect',
  'node-bound',
  'immortal',
  'ghost',
  'unknown',
  'free',
  'delayed',
  'waiting',
];

interface LegendProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Gets the focus when the panel closes. */
  readonly back: React.RefObject<HTMLElement | null>;
}

export function LegendPanel({ open, onOpenChange, back }: LegendProps) {
  const { shell, desk, verdicts, lampWords, meanings, renewals } = useAllMessages();
  const words = { ...verdicts, ...lampWords };
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/55" />
        <Dialog.Content
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            back.current?.focus();
          }}
          className="fixed inset-y-0 right-0 z-50 w-full max-w-md overflow-y-auto border-l border-line-strong bg-panel p-6 shadow-2xl outline-none"
        >
          <div className="flex items-start justify-between gap-4">
            <Dialog.Title className="text-[17px] font-semibold">{shell.legend.title}</Dialog.Title>
            <Dialog.Close
              aria-label={shell.legend.close}
              className="inline-flex size-8 items-center justify-center rounded-[5px] text-ink-soft hover:bg-hover"
            >
              <X size={16} aria-hidden="true" />
            </Dialog.Close>
          </div>
          <Dialog.Description className="mt-2 text-ink-soft">{shell.legend.intro}</Dialog.Description>
          <dl className="mt-5 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-4">
            {kinds.map((kind) => (
              <div key={kind} className="contents">
                <dt className="pt-0.5">
                  <Lamp kind={kind} size={20} className="lamp-lit" />
                  <span className="sr-only">{words[kind].word}</span>
                </dt>
                <dd>
                  <p className="font-medium" aria-hidden="true">
                    {words[kind].word}
                  </p>
                  <p className="text-[13px] text-ink-soft">{meanings[kind]}</p>
                </dd>
              </div>
            ))}
          </dl>
          <p className="mt-5 border-t border-line pt-4 text-[13px] text-ink-soft">
            <span aria-hidden="true" className="mr-2 text-danger">
              ▲
            </span>
            {shell.legend.urgent}
          </p>
          <p className="mt-1 text-[13px] text-ink-soft">
            <span aria-hidden="true" className="mr-2 text-caution">
              △
            </span>
            {shell.legend.warning}
          </p>
          <p className="mt-3 text-[13px] text-ink-soft">{shell.legend.notVisible}</p>
          <p className="mt-3 text-[13px] text-ink-soft empty:hidden">{useClockNote()}</p>
          <h3 className="mt-5 border-line border-t pt-4 font-medium">{renewals.agents}</h3>
          <p className="mt-1 mb-2 text-[13px] text-ink-soft">{renewals.agentsNote}</p>
          <RenewalAgents all />
          <h3 className="mt-5 border-line border-t pt-4 font-medium">{shell.legend.keysTitle}</h3>
          <Keys title={desk.keys.everywhere} keys={desk.keys.list} />
          <Keys title={desk.keys.lists} keys={desk.keys.rows} />
          <SingleKeys />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Keys({ title, keys }: { title: string; keys: readonly (readonly string[])[] }) {
  return (
    <>
      <h4 className="mt-3 text-[13px] text-ink-soft">{title}</h4>
      <dl className="mt-1.5 grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-[13px]">
        {keys.map(([key, text]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-line px-1.5 text-[12px]">{key}</kbd>
            </dt>
            <dd className="text-ink-soft">{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Single letters can be switched off: speech input and some screen readers send them unintentionally. */
function SingleKeys() {
  const { keys } = useAllMessages().desk;
  const on = useSingleKeys();
  return (
    <label className="mt-4 flex cursor-pointer gap-2.5 text-[13px]">
      <input
        type="checkbox"
        checked={on}
        onChange={(event) => setSingleKeys(event.target.checked)}
        className="mt-1 size-3.5 shrink-0 accent-brass"
      />
      <span>
        {keys.toggle}
        <span className="block text-ink-soft">{keys.toggleHelp}</span>
      </span>
    </label>
  );
}
