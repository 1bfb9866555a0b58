'use client';
import { useId } from 'react';
import { Button } from '@/components/ui/button';
import { Tip } from '@/components/ui/tip';
import type { Action } from '@/lib/domain/actions/action';
import { pinnedOf } from '@/lib/view/actions/request';
import { useActionGround } from './action-context';
import { useBlocked } from './blocked';

interface ActionButtonProps {
  readonly action: Action;
  /** Verb and object. */
  readonly text: string;
  /** The text with the full name, where it holds only a part. */
  readonly whole?: string | undefined;
  /** The party that loses something; '' where there is none. */
  readonly label: string;
  /** Key, prefix or session. */
  readonly name: string;
  readonly tone?: 'plain' | 'danger';
}

/** Opens the dialog of an action, or shows why it cannot be done, by hover, keyboard and screen reader. */
export function ActionButton({ action, text, whole, label, name, tone = 'plain' }: ActionButtonProps) {
  const { ask } = useActionGround();
  const { reasons, notes, world } = useBlocked([action]);
  const reason = reasons[0] ?? null;
  const said = reason ?? notes[0] ?? null;
  const reasonId = useId();
  return (
    <>
      <Tip text={said}>
        <Button
          tone={tone}
          className="max-w-full"
          title={whole}
          aria-disabled={reason === null ? undefined : true}
          aria-describedby={said === null ? undefined : reasonId}
          onClick={() => {
            if (reason === null) ask({ action, label, name, ...pinnedOf(action, world), limitTyped: '' });
          }}
        >
          <span className="truncate">{text}</span>
        </Button>
      </Tip>
      {said === null ? null : (
        <span id={reasonId} className="sr-only">
          {said}
        </span>
      )}
    </>
  );
}
