'use client';
import { useMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { useSnapshot } from '@/lib/client/shown';
import type { Aftermath } from '@/lib/domain/actions/aftermath';
import type { Undo } from '@/lib/domain/actions/plan';
import { worded } from '@/lib/i18n/format/worded';
import { actionWords } from '@/lib/view/actions/button-words';
import { pinnedOf } from '@/lib/view/actions/request';
import { useActionGround } from './action-context';

/**
 * The undo, after the action: one button that plans it like any other action, or the reason for its absence.
 */
export function WayBack({ undo, before }: { undo: Undo; before: Aftermath }) {
  const m = useMessages();
  const world = useSnapshot();
  const { ask } = useActionGround();
  const { action } = undo;
  // A prune removes only records that no client has; its plan already said so.
  if (undo.code === 'not-needed') return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-3 text-[13px]">
      <p className="min-w-0 max-w-[60ch] text-ink-soft">
        <span className="text-ink-dim">{m.action.sections.undo}: </span>
        {worded(undo, m.plan.undos)}
      </p>
      {action === null || !('limit' in action && 'limit' in before.action) ? null : (
        <Button
          onClick={() => {
            const { label, name } = actionWords(action, world, m);
            ask({ action, label, name, ...pinnedOf(action, world), limitTyped: String(action.limit) });
          }}
        >
          {m.action.undoButton(action.limit)}
        </Button>
      )}
    </div>
  );
}
