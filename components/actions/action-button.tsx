'use client';
import type { Action } from '@/lib/domain/actions/action';
import { boundTo, pinnedOf } from '@/lib/view/actions/request';
import { useActionContext } from './action-context';
import { AskButton, type AskButtonProps } from './ask-button';
import { useBlocked } from './blocked';

interface ActionButtonProps extends Pick<AskButtonProps, 'text' | 'whole' | 'spoken' | 'tone'> {
  readonly action: Action;
  /** The party that loses something; '' where there is none. */
  readonly label: string;
  /** Key, prefix or session. */
  readonly name: string;
}

/** Opens the dialog of an action, or explains its absence by hover, keyboard and screen reader. */
export function ActionButton({ action, label, name, ...shown }: ActionButtonProps) {
  const { ask } = useActionContext();
  const { reasons, notes, world } = useBlocked([action]);
  return (
    <AskButton
      {...shown}
      reason={reasons[0] ?? null}
      note={notes[0] ?? null}
      bound={boundTo(action, world)}
      onAsk={() => ask({ action, label, name, ...pinnedOf(action, world), limitTyped: '' })}
    />
  );
}
