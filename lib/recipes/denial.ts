/** A transaction that was refused because the token may not do it, told from one that was refused because something moved. */

import { ProblemError } from '@/lib/domain/problem';
import type { TxnRefusal } from '@/lib/providers/consul/client/client';

/** Throws `forbidden` for the former: it would be refused for ever, and whoever tried again would never stop writing. */
export function throwDenied(errors: TxnRefusal['errors']): void {
  const denied = errors.find(({ what }) => /permission denied/i.test(what));
  if (denied !== undefined) throw new ProblemError({ code: 'forbidden', detail: denied.what });
}
