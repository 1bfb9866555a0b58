/** A row of the audit before it is written, with what a test does not care for left to this. */
import type { AuditEntry } from '@/lib/domain/actions/audit';

export const entryOf = (over: Partial<AuditEntry> = {}): AuditEntry => ({
  kind: 'sign-in',
  thread: 'thread',
  who: { kind: 'anonymous' },
  address: null,
  action: null,
  subjects: [],
  reason: '',
  detail: {},
  ...over,
});
