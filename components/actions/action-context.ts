'use client';
/** The shared context of all action buttons, and how they open a dialog. `ActionGround` provides it. */
import { createContext, use } from 'react';
import type { Why } from '@/lib/domain/refusal';
import type { Request } from '@/lib/view/actions/request';

interface Ground {
  /** Why this server takes no actions at all; `null` when it does. */
  readonly actionsOff: Why | null;
  readonly ask: (request: Request) => void;
}

export const GroundContext = createContext<Ground>({ actionsOff: null, ask: () => {} });

export function useActionGround(): Ground {
  return use(GroundContext);
}
