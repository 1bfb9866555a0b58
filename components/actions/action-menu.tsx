'use client';
/** The rarer actions, behind one button. An unavailable action stays in the list with its reason. */
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import type { Action } from '@/lib/domain/actions/action';
import { actionWords, menuText } from '@/lib/view/actions/button-words';
import { type DialogRequest, pinnedOf } from '@/lib/view/actions/request';
import { useActionContext } from './action-context';
import { useBlocked } from './blocked';

export function ActionMenu({ actions }: { actions: readonly Action[] }) {
  const m = useMessages();
  const { ask } = useActionContext();
  const { reasons, notes, world } = useBlocked(actions);
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = useRef<DialogRequest | null>(null);
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button ref={trigger}>{m.action.more}</Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          collisionPadding={8}
          className="z-30 min-w-52 max-w-80 rounded-[5px] border border-line-strong bg-raised p-1 text-[13px] shadow-lg"
          onCloseAutoFocus={() => {
            // The request waits until the menu has returned the focus, so that the dialog can return it to the button.
            const request = chosen.current;
            chosen.current = null;
            if (request !== null) queueMicrotask(() => ask(request));
          }}
        >
          {actions.map((action, i) => {
            const reason = reasons[i] ?? null;
            const hint = reason ?? notes[i] ?? null;
            const { label, name } = actionWords(action, world, m);
            return (
              <DropdownMenu.Item
                key={JSON.stringify(action)}
                aria-disabled={reason === null ? undefined : true}
                className="cursor-pointer rounded-sm px-3 py-1.5 outline-none aria-disabled:cursor-not-allowed aria-disabled:text-ink-dim data-highlighted:bg-hover"
                onSelect={(event) => {
                  if (reason === null)
                    chosen.current = { action, label, name, ...pinnedOf(action, world), limitTyped: '' };
                  else event.preventDefault();
                }}
              >
                {menuText(action, m)}
                {hint === null ? null : (
                  <span className="block whitespace-normal text-[12px] leading-4 text-ink-dim">{hint}</span>
                )}
              </DropdownMenu.Item>
            );
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
