'use client';
/** The menu that copies a subject: its name, links, the state in words, and how to read it by hand. */
import { clsx } from 'clsx';
import { Check, ClipboardCopy, Ellipsis } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { DropdownMenu } from 'radix-ui';
import { useRef, useState } from 'react';
import { useAllMessages } from '@/components/dom/locale';
import { viewLink } from '@/components/dom/page-link';
import { useZone } from '@/components/live/clock';
import { useFreshness } from '@/components/live/freshness';
import { useFrozen } from '@/components/live/frozen';
import { stateOf, useSourceTitle } from '@/components/live/sources';
import { Button } from '@/components/ui/button';
import { copyText } from '@/components/ui/clipboard';
import { isOld } from '@/lib/client/freshness';
import { useSnapshot } from '@/lib/client/page-data';
import { subjectPath } from '@/lib/client/paths';
import { serverClock } from '@/lib/client/server-clock';
import { readingCommand, readingTransaction } from '@/lib/domain/by-hand/reading';
import { capabilities } from '@/lib/domain/capabilities';
import { concerns } from '@/lib/domain/findings/finding';
import {
  type Lock,
  type Semaphore,
  type Session,
  type Subject,
  subjectId,
  subjectName,
} from '@/lib/domain/model';
import { isOf } from '@/lib/domain/subject';
import type { Snapshot } from '@/lib/domain/world/snapshot';
import { markdownText } from './markdown';
import { Refused } from './refused';

/** `null`: it is gone. */
export function subjectIn(snapshot: Snapshot, subject: Subject): Lock | Semaphore | Session | null {
  switch (subject.kind) {
    case 'lock':
      return snapshot.locks.find(isOf(subject)) ?? null;
    case 'semaphore':
      return snapshot.semaphores.find(isOf(subject)) ?? null;
    case 'session':
      return snapshot.sessions.find(isOf(subject)) ?? null;
  }
}

type Item = keyof ReturnType<typeof useAllMessages>['copy']['items'];

function itemsOf(of: Lock | Semaphore | Session | null, subject: Subject, inList: boolean): Item[] {
  const name: Item = subject.kind === 'lock' ? 'key' : subject.kind === 'semaphore' ? 'prefix' : 'id';
  const view: Item = inList ? 'view' : 'here';
  if (of === null) return [name, 'link', view];
  if ('kind' in of && !capabilities[of.layout].byHand) return [name, 'link', view, 'markdown'];
  // Consul refuses every transaction about a key that it does not write.
  const byTxn = 'kind' in of && of.unwritable !== true;
  return [name, 'link', view, 'markdown', 'curl', ...(byTxn ? (['txn'] as const) : [])];
}

/** Texts from the moment of the request. */
function useText(subject: Subject): (item: Item) => string {
  const m = useAllMessages();
  const snapshot = useSnapshot();
  const frozen = useFrozen();
  const old = isOld(useFreshness(subject.source));
  const zone = useZone();
  const titleOf = useSourceTitle();
  return (item) => {
    const { origin } = window.location;
    const link = `${origin}${subjectPath(subject)}`;
    const of = subjectIn(snapshot, subject);
    switch (item) {
      case 'link':
        return link;
      case 'view':
        return viewLink(window.location, subjectId(subject));
      case 'here':
        return viewLink(window.location);
      case 'markdown': {
        if (of === null) return link;
        const findings = snapshot.findings.filter((finding) => concerns(finding, subject));
        const nowMs = frozen?.takenMs ?? serverClock.now();
        const source = stateOf(snapshot.source, subject.source);
        const holder = 'kind' in of && of.kind === 'lock' ? of.holder?.sessionId : undefined;
        const session =
          snapshot.sessions.find((one) => one.source === subject.source && one.id === holder) ?? null;
        const sourceTitle = titleOf(subject.source);
        const at = { source, sourceTitle, nowMs, zone, link };
        return markdownText({ of, findings, session, ...at, frozen: frozen !== null, old }, m);
      }
      case 'curl':
        return of === null ? link : readingCommand(of, stateOf(snapshot.source, subject.source));
      case 'txn':
        return of === null || !('kind' in of) ? '' : readingTransaction(of);
      default:
        return subjectName(subject);
    }
  };
}

const item =
  'flex cursor-pointer items-center justify-between gap-6 rounded-[4px] px-2.5 py-1.5 text-[13px] text-ink outline-none data-highlighted:bg-hover data-highlighted:text-brass-strong';

interface ContentProps {
  readonly subject: Subject;
  readonly inList: boolean;
  readonly onCopied: (copied: { readonly item: Item; readonly refused: string | null }) => void;
}

/** A closed menu of a row costs nothing. */
function Content({ subject, inList, onCopied }: ContentProps) {
  const { copy } = useAllMessages();
  const text = useText(subject);
  const router = useRouter();
  const snapshot = useSnapshot();
  return (
    <DropdownMenu.Content
      align="end"
      sideOffset={4}
      collisionPadding={8}
      className="z-50 max-w-[calc(100vw-1rem)] rounded-[6px] border border-line-strong bg-raised p-1 shadow-xl"
    >
      {inList ? (
        <>
          <DropdownMenu.Item className={item} onSelect={() => router.push(subjectPath(subject))}>
            {copy.open}
            <kbd className="text-[11px] text-ink-dim">Enter</kbd>
          </DropdownMenu.Item>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
        </>
      ) : null}
      <DropdownMenu.Group>
        <DropdownMenu.Label className="px-2.5 py-1 text-[12px] text-ink-dim">
          {copy.button}
        </DropdownMenu.Label>
        {itemsOf(subjectIn(snapshot, subject), subject, inList).map((name) => (
          <DropdownMenu.Item
            key={name}
            className={item}
            onSelect={async () => {
              const content = text(name);
              const done = await copyText(content);
              onCopied({ item: name, refused: done ? null : content });
            }}
          >
            {copy.items[name]}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Group>
    </DropdownMenu.Content>
  );
}

interface MenuProps {
  readonly subject: Subject;
  /** True in a list, where the button is three dots, and the menu can open the row. */
  readonly inList?: boolean;
  readonly tabIndex?: number;
  /** Open from the start. */
  readonly opened?: boolean;
  /** Rows stay in place while the menu is open. */
  readonly onOpenChange?: (open: boolean) => void;
}

export function CopyMenu({ subject, inList = false, tabIndex, opened = false, onOpenChange }: MenuProps) {
  const { copy } = useAllMessages();
  const [copied, setCopied] = useState<{ item: Item; refused: string | null } | null>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const done = copied !== null && copied.refused === null;
  const label = inList ? copy.row(subjectName(subject)) : undefined;
  return (
    <>
      <DropdownMenu.Root
        modal={false}
        defaultOpen={opened}
        onOpenChange={(open) => {
          if (open) setCopied(null);
          onOpenChange?.(open);
        }}
      >
        <DropdownMenu.Trigger asChild ref={trigger}>
          {inList ? (
            <button
              type="button"
              aria-label={done ? copy.done : label}
              title={label}
              tabIndex={tabIndex}
              data-menu
              className="relative inline-flex size-7 items-center justify-center rounded-[5px] text-ink-dim hover:bg-raised hover:text-ink data-[state=open]:bg-raised data-[state=open]:text-ink"
            >
              {done ? <Check size={14} aria-hidden="true" /> : <Ellipsis size={15} aria-hidden="true" />}
            </button>
          ) : (
            <Button tone="quiet" className="h-7! border-line! px-2.5!">
              {done ? <Check size={13} aria-hidden="true" /> : <ClipboardCopy size={13} aria-hidden="true" />}
              <span className={clsx(done && 'text-brass-strong')}>{done ? copy.done : copy.button}</span>
            </Button>
          )}
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <Content subject={subject} inList={inList} onCopied={setCopied} />
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <span role="status" className="sr-only">
        {done ? copy.done : ''}
      </span>
      {copied !== null && copied.refused !== null ? (
        <Refused text={copied.refused} back={trigger.current} onClose={() => setCopied(null)} />
      ) : null}
    </>
  );
}
