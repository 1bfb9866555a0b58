'use client';
/**
 * The command palette: every destination, every command, and the actions that are allowed, with the keyboard
 * alone. An action opens its plan: nothing is written from here.
 */
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useMessages } from '@/components/dom/locale';
import { Lamp } from '@/components/marks/lamp';
import { rangesIn } from '@/components/marks/marked';
import { Name } from '@/components/marks/name';
import { SeverityMark } from '@/components/marks/severity-mark';
import { useLampWord } from '@/components/marks/slots';
import { readPasted } from '@/lib/view/search/line';
import { type Result, useResults } from './palette-results';

interface PaletteProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

export function Palette({ open, onOpenChange }: PaletteProps) {
  const { palette } = useMessages().desk;
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/55" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-50 flex max-h-[76vh] w-[min(40rem,calc(100vw-1.5rem))] -translate-x-1/2 flex-col overflow-hidden rounded-[8px] border border-line-strong bg-panel shadow-2xl outline-none"
        >
          <Dialog.Title className="sr-only">{palette.label}</Dialog.Title>
          <Commands close={() => onOpenChange(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

const entry =
  'flex cursor-pointer items-center justify-between gap-4 rounded-[4px] px-3 py-2 text-[13px] text-ink data-[selected=true]:bg-brass-wash data-[selected=true]:text-brass-strong';
const group =
  '[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[12px] [&_[cmdk-group-heading]]:text-ink-dim';

function Commands({ close }: { close: () => void }) {
  const { palette } = useMessages().desk;
  const [text, setText] = useState('');
  // Not deferred: the first result is selected as soon as the text changes, so it must be there by then.
  const groups = useResults(text);
  return (
    <Command shouldFilter={false} label={palette.label} loop className="flex min-h-0 flex-col">
      <Command.Input
        autoFocus
        value={text}
        onValueChange={setText}
        placeholder={palette.placeholder}
        className="h-12 w-full border-line border-b bg-transparent px-4 text-[15px] text-ink outline-none placeholder:text-ink-dim"
      />
      <Command.List className="min-h-0 overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-[13px] text-ink-soft">{palette.nothing}</Command.Empty>
        {groups.map(({ title, results }) =>
          results.length === 0 ? null : (
            <Command.Group key={title} heading={title} className={group}>
              {results.map((result) => (
                <Command.Item
                  key={result.id}
                  value={result.id}
                  onSelect={() => {
                    close();
                    result.run();
                  }}
                  className={entry}
                >
                  <span className="flex min-w-0 items-center gap-2">
                    <Judged result={result} />
                    <Label result={result} sought={text} />
                  </span>
                  {result.note === undefined ? null : (
                    <span className="shrink-0 text-[12px] text-ink-dim">{result.note}</span>
                  )}
                </Command.Item>
              ))}
            </Command.Group>
          ),
        )}
      </Command.List>
    </Command>
  );
}

/** The lamp and the severity of a result: shapes, and words for screen readers. */
function Judged({ result: { lamp, severity } }: { result: Result }) {
  const word = useLampWord();
  return (
    <>
      {severity === undefined ? null : <SeverityMark severity={severity} />}
      {lamp == null ? null : <Lamp kind={lamp} label={word(lamp)} />}
    </>
  );
}

function Label({ result, sought }: { result: Result; sought: string }) {
  if (!/^([a-z0-9-]+!)?(lock|semaphore):/.test(result.id))
    return <span className="min-w-0 truncate">{result.text}</span>;
  const marks = sought.trim() === '' ? [] : rangesIn(result.text, readPasted(sought));
  return <Name name={result.text} marks={marks} />;
}
