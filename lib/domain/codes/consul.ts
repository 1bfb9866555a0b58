/** What Consul's provider says in evidence. The sentences are in `lib/i18n/{en,zh}/rest/evidence.ts`. */

/** One fact behind a verdict; its `detail` and `atMs` are as the code says. */
export type ConsulEvidence =
  | 'session-exists'
  | 'session-not-visible'
  | 'session-not-listed'
  | 'holds-entry'
  | 'recorded-as-holder'
  | 'no-entry-locked'
  | 'name-of-no-session'
  // Locks nothing, under other flags than Go's: its program may keep a holder in the record alone.
  | 'may-need-no-entry'
  | 'view-incomplete'
  | 'ttl'
  | 'no-ttl'
  | 'no-checks'
  | 'node-checks-only'
  // The node is a Consul server, so it need not be the holder's machine. `detail`: the node.
  | 'server-node'
  // As above, and only that node's checks can end the session.
  | 'bound-to-server'
  | 'node-passing'
  | 'node-critical'
  | 'node-gone'
  | 'node-unknown'
  | 'check-critical'
  | 'check-warning'
  | 'check-unknown'
  | 'checks-passing'
  // `detail` is why: a state of `RenewalWatch`, or 'unseen'.
  | 'renewals-not-observed'
  // `atMs`: the last renewal seen; `detail`: the agent that carried it.
  | 'renewal-observed'
  // `atMs`: when the next renewal was due.
  | 'renewal-overdue'
  // It outlived the silence, so it renews through an unwatched agent. `atMs`: when Signalbox noticed.
  | 'renewals-elsewhere'
  // A leader election at `atMs` restarted every session's clock.
  | 'timers-restarted'
  // `detail`: "2 -> 3"; `atMs`: when Signalbox saw the change.
  | 'limit-changed-while-waiting'
  // The verdict rests on more than this person may see.
  | 'evidence-withheld';
