import type { Action } from '@/lib/domain/action';

/** What a button asks for: the action and the words for its subject, pinned from here on. */
export interface Request {
  readonly action: Action;
  /** Who loses something: a holder's label; '' where there is none. */
  readonly label: string;
  /** Key, prefix or session. */
  readonly name: string;
  /** For a resize: the limit as shown. */
  readonly limit: number | null;
}
