'use client';
import { Bookmark, Check, Link2, X } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useId, useState } from 'react';
import { Link } from '@/components/dom/link';
import { useMessages } from '@/components/dom/locale';
import { viewLink } from '@/components/dom/page-link';
import { Button } from '@/components/ui/button';
import { copyText } from '@/components/ui/clipboard';
import { removeView, saveView, useViews } from './saved-views';

const square =
  'inline-flex size-7 shrink-0 items-center justify-center rounded-[5px] text-ink-dim hover:bg-hover hover:text-ink';

/** The button with its menu, open from the start. */
export function ViewsMenu({ look }: { look: string }) {
  const { views: texts } = useMessages().desk;
  const [open, setOpen] = useState(true);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger className={look}>
        <Bookmark size={13} aria-hidden="true" />
        {texts.button}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={texts.label}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 flex w-80 max-w-[calc(100vw-1rem)] flex-col gap-2 rounded-[6px] border border-line-strong bg-raised p-3 shadow-xl"
        >
          <List onGo={() => setOpen(false)} />
          <Save />
          <p className="text-[12px] text-ink-dim">{texts.note}</p>
          <CopyView />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function List({ onGo }: { onGo: () => void }) {
  const { views: texts } = useMessages().desk;
  const views = useViews();
  if (views.length === 0) return <p className="text-[13px] text-ink-soft">{texts.none}</p>;
  return (
    <ul className="flex max-h-64 flex-col overflow-y-auto">
      {views.map(({ name, path }) => (
        <li key={name} className="flex items-center gap-1">
          <Link
            href={path}
            onClick={onGo}
            title={path}
            className="min-w-0 flex-1 truncate rounded-[4px] px-2 py-1.5 text-[13px] text-ink hover:bg-hover hover:text-brass-strong"
          >
            {name}
          </Link>
          <button
            type="button"
            aria-label={texts.remove(name)}
            title={texts.remove(name)}
            onClick={() => removeView(name)}
            className={square}
          >
            <X size={13} aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function Save() {
  const { views: texts } = useMessages().desk;
  const [name, setName] = useState('');
  const [refused, setRefused] = useState(false);
  const field = useId();
  const save = (event: React.FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const { pathname, search } = window.location;
    const done = saveView({ name, path: `${pathname}${search}` });
    setRefused(!done);
    if (done) setName('');
  };
  return (
    <form onSubmit={save} className="flex flex-col gap-1 border-line border-t pt-2">
      <label htmlFor={field} className="text-[12px] text-ink-dim">
        {texts.name}
      </label>
      <span className="flex gap-1.5">
        <input
          id={field}
          value={name}
          maxLength={80}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
          className="h-8 min-w-0 flex-1 rounded-[5px] border border-line bg-inset px-2 text-[13px] text-ink focus:border-brass"
        />
        <Button type="submit">{texts.save}</Button>
      </span>
      {refused ? (
        <p role="alert" className="text-[12px] text-danger">
          {texts.full}
        </p>
      ) : null}
    </form>
  );
}

function CopyView() {
  const { desk, copy } = useMessages();
  const [done, setDone] = useState(false);
  return (
    <Button
      tone="quiet"
      className="justify-start!"
      onClick={async () => setDone(await copyText(viewLink(window.location)))}
    >
      {done ? <Check size={13} aria-hidden="true" /> : <Link2 size={13} aria-hidden="true" />}
      {done ? copy.done : desk.views.copy}
    </Button>
  );
}
