import { expect, test } from 'vitest';
import type { EvidenceCode, Verdict } from './model';
import { isSeenAlive } from './revival';
import { fact } from './verdict';

const judged = (before: Verdict, ...codes: EvidenceCode[]) =>
  isSeenAlive(
    before,
    codes.map((code) => fact(code)),
  );

test.each<[string, boolean]>([
  ['a renewal came in time', judged('overdue', 'session-exists', 'renewal-observed')],
  [
    'it outlived its TTL, so it is renewed elsewhere',
    judged('overdue', 'renewal-observed', 'renewals-elsewhere'),
  ],
  ['its node is well again', judged('suspect', 'node-passing', 'checks-passing')],
  ['its node is well, and a check of it only warns', judged('suspect', 'node-passing', 'check-warning')],
  ['it locks an entry', judged('ghost', 'recorded-as-holder', 'holds-entry')],
])('%s: something was seen of it', (_, seen) => expect(seen).toBe(true));

test.each<[string, boolean]>([
  ['its agent is not followed any more', judged('overdue', 'renewal-observed', 'renewals-not-observed')],
  ['no renewal of it is known here', judged('overdue', 'session-exists', 'renewals-not-observed')],
  ['a new leader has given it time', judged('overdue', 'renewal-observed', 'timers-restarted')],
  ['health cannot be read', judged('suspect', 'session-exists', 'node-unknown')],
  ['its node is well, and its check cannot be read', judged('suspect', 'node-passing', 'check-unknown')],
  ['where it must lock cannot be read', judged('ghost', 'recorded-as-holder', 'view-incomplete')],
  ['it never was likely dead', judged('alive', 'node-passing', 'renewal-observed')],
])('%s: nothing was seen of it', (_, seen) => expect(seen).toBe(false));
