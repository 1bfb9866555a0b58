'use client';
import { useAllMessages } from '@/components/locale';
import { Button } from '@/components/ui/button';
import { useSnapshot } from '@/lib/client/shown';
import type { Undo } from '@/lib/domain/plan';
import { worded } from '@/lib/words/spoken';
import { useActionGround } from './asking';
import type { Pinned } from './follow';
import { pinnedOf } from './request';
import { actionWords } from './words';

/** The way back, after the act: one button that plans it like any other action, or that there is none. */
export function WayBack({ undo, before }: { undo: Undo; before: Pinned }) {
  const m = useAllMessages();
  const world = useSnapshot();
  const { ask } = useActionGround();
  const { action } = undo;
  // A prune removes only what nobody has; to say so once, before it, is enough.
  if (undo.code === 'not-needed') return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-3 text-[13px]">
      <p className="min-w-0 max-w-[60ch] text-ink-soft">
        <span className="text-ink-dim">{m.action.sections.undo}: </span>
        {worded(undo, m.plan.undos)}
      </p>
      {action?.type !== 'semaphore.resize' || before.action.type !== 'semaphore.resize' ? null : (
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
