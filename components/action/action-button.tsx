'use client';
import { useId } from 'react';
import { useMessages } from '@/components/locale';
import { useFreshness } from '@/components/shell/freshness';
import { Button } from '@/components/ui/button';
import { Tip } from '@/components/ui/tip';
import { useSnapshotPart } from '@/lib/client/queries';
import type { Action, Permission } from '@/lib/domain/action';
import { permission } from '@/lib/domain/action';
import type { World } from '@/lib/domain/model';
import type { Snapshot } from '@/lib/domain/snapshot';
import { blockedReason } from './gate';
import { useActionGround } from './ground';

interface ActionButtonProps {
  readonly action: Action;
  /** Verb and object. */
  readonly text: string;
  /** Who loses something; '' where there is none. */
  readonly label: string;
  /** Key, prefix or session. */
  readonly name: string;
  readonly limit?: number | null;
  readonly tone?: 'plain' | 'danger';
}

const allowed: Permission = { allowed: true };
const worldOf = (snapshot: Snapshot): World => snapshot;

/** A resize asks for its limit in the dialog, so the rule about one particular limit is not the button's. */
function permissionFor(action: Action, world: World): Permission {
  if (action.type !== 'semaphore.resize') return permission(action, world);
  const semaphore = world.semaphores.find((s) => s.prefix === action.prefix);
  const other = (semaphore?.recorded ?? 0) + (semaphore?.limit ?? 0) + 1;
  return semaphore === undefined ? allowed : permission({ ...action, limit: other }, world);
}

/** Opens the dialog of an action, or says why it cannot be done: readable by hover, keyboard and screen reader. */
export function ActionButton({ action, text, label, name, limit = null, tone = 'plain' }: ActionButtonProps) {
  const m = useMessages();
  const { actionsOff, ask } = useActionGround();
  const freshness = useFreshness();
  const world = useSnapshotPart(worldOf);
  const reason = blockedReason({ permission: permissionFor(action, world), freshness, actionsOff }, m);
  const reasonId = useId();
  const button = (
    <Button
      tone={tone}
      aria-disabled={reason === null ? undefined : true}
      aria-describedby={reason === null ? undefined : reasonId}
      onClick={() => {
        if (reason === null) ask({ action, label, name, limit });
      }}
    >
      {text}
    </Button>
  );
  if (reason === null) return button;
  return (
    <>
      <Tip text={reason}>{button}</Tip>
      <span id={reasonId} className="sr-only">
        {reason}
      </span>
    </>
  );
}
