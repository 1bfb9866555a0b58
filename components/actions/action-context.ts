'use client';
/** Shared by all action buttons, and how they open a dialog. `ActionProvider` provides it. */
import { createContext, use } from 'react';
import type { Why } from '@/lib/domain/refusal';
import type { DialogRequest } from '@/lib/view/actions/request';

interface Actions {
  /** The reason why this server takes no actions at all; `null` when it does. */
  readonly actionsOff: Why | null;
  readonly ask: (request: DialogRequest) => void;
}

export const ActionContext = createContext<Actions>({ actionsOff: null, ask: () => {} });

export function useActionContext(): Actions {
  return use(ActionContext);
}
