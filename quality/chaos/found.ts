/** The faults that these runs found in Signalbox, and their remedies: the end of `docs/faults.md`. */
export interface Found {
  /** The name of the fault that showed it. */
  readonly fault: string;
  readonly was: string;
  readonly mended: string;
}

export const found: readonly Found[] = [
  {
    fault: 'quorum-lost',
    was: 'With the quorum back, the screen said "live" over data up to 15.3 s old: Consul had held one read until there was a leader, and the watch rested in proportion.',
    mended: 'One slow read counts as a pause, two in a row as load: at most 2.4 s in nine rounds.',
  },
  {
    fault: 'quorum-lost',
    was: 'A new leader’s first answer lacked its predecessor’s last writes, so a screen became live eight seconds behind.',
    mended: 'The first read of a watch, and after a failure, is consistent.',
  },
  {
    fault: 'console-ended',
    was: 'Asked to end during an action, Signalbox closed its way to Consul: 503 whatever had been written, and no outcome on record. The exit cut off rows for a viewer who had left.',
    mended: 'Shutdown waits up to 20 s for running actions, and the exit for rows.',
  },
  {
    fault: 'console-ended',
    was: 'A client that kept asking on one connection kept Signalbox running; meanwhile it watched Consul and answered plans.',
    mended: 'From the signal on no connection is kept alive, and the rest close a second after the end.',
  },
  {
    fault: 'store-removed',
    was: 'With its file removed or replaced, the store acknowledged rows, and allowed actions on them, that no reader would ever find.',
    mended: 'The store checks its file before each use.',
  },
  {
    fault: 'store-locked',
    was: 'While another process held the write lock, the event loop was busy for 80 % of the time.',
    mended: 'A transaction that cannot begin is retried outside SQLite: 13 %.',
  },
  {
    fault: 'link-refused',
    was: 'At ten times a machine’s load the first reads after an outage were slow, and the watch rested 15 s for them: "live" for 5.7 s over old data, equal after 15.7 s.',
    mended: 'No rest is longer than 4 s.',
  },
  {
    fault: 'connections-capped',
    was: 'A run stood still. Node 20 holds the sources of `AbortSignal.any` weakly, so a combined timeout may be collected: plans, questions of rights and of the audit, and webhook rows then had no limit (0 of 20 fired).',
    mended: 'A timer holds each limit, and a rule refuses the other way.',
  },
  {
    fault: 'header-garbled',
    was: 'Two answers without an index both counted as index 1, and the second was dropped: "live" over data up to 7.0 s old.',
    mended: 'Such an answer is compared by its content, and repeated after a second.',
  },
  {
    fault: 'clock-back',
    was: 'A read during which the clock was set back cost minus an hour, so the watch rested 2.5 times as long for some hundred reads. An action looked for its outcome for up to an hour.',
    mended: 'Negative costs do not count, and outcomes use a monotonic clock.',
  },
  {
    fault: 'descriptors-gone',
    was: 'Without a free descriptor of its own, Signalbox blamed Consul, and called the outcome of a write that was never sent unknown.',
    mended: 'The screen names the real cause and the remedy.',
  },
  {
    fault: 'link-slowed',
    was: 'Over a slow link small heartbeats still arrive: "live" over old data for as long as an answer took, up to a minute.',
    mended:
      'Liveness counts from the head of an answer, or from the request of one that does not wait: after 2.5 s it is catching up.',
  },
  {
    fault: 'entry-huge',
    was: 'In two hours at a load of 4 to 17 on two cores, "live" for 5.7 to 10 s over old data: costly reads, rests of up to 4 s, and slow comparisons.',
    mended: 'Rests and unshown data count against "live": at most 5.2 s in six rounds at a load of 10 to 15.',
  },
  {
    fault: 'health-unreachable',
    was: 'No invariant looked at this. When reads of health alone failed, the old state stayed on show as live.',
    mended: 'After 2.5 s the screen says that nodes and checks are unknown.',
  },
  {
    fault: 'snapshot-restored',
    was: 'A `consul lock` lost its slot after a restored snapshot. By hand: a client that asks between snapshot and restore has no session afterwards, keeps asking, takes the next free slot, and loses it at once.',
    mended: 'Nothing in Signalbox. The run blames such a loss, within a minute, on the snapshot.',
  },
  {
    fault: 'snapshot-restored',
    was: 'Without a write after the restore, the earlier world was live for 54 s, and a new key 58 s late: Consul wakes waiting reads with the earlier index, which it has yet to reach again.',
    mended: 'A watch woken without news reads without waiting, and so do all that share it: some 20 ms.',
  },
  {
    fault: 'visitors',
    was: 'In each of three hours of faults the heap grew by 4 to 5 MB; no single kind of fault makes it grow.',
    mended:
      'Nothing in Signalbox. 225 faults apart, two heap snapshots differ by 3.2 MB of code compiled by V8, and by 1.1 of 52 MB of everything else, without a list that grew. Over 16 rounds without the optimising compiler the heap grew by 0.2 %, with it, over 26, by 1.8 %. The first third of a run is for that.',
  },
  {
    fault: 'consul-disk-full',
    was: '"Live" over data up to 10.5 s old. Consul 1.22.7 answered single waits from the time without a leader only 10 and 19 s after the next leader took writes, and everything else at once.',
    mended: 'With a leader again every wait ends, and its data is read again.',
  },
  {
    fault: 'consul-disk-full',
    was: 'A disk of 96 MB left Consul without room for good the second or third time: its log grows by 64 MB each time.',
    mended: 'Nothing in Signalbox. The disk of this run has 1 GB.',
  },
  {
    fault: 'history',
    was: 'A holder that let go of its slot and waited on under the same session was "taken off the record"; one whose record was deleted under waiting contenders as well; and one whose key was deleted and taken again at once had "released" it.',
    mended:
      'A lone holder that leaves a well-formed record has released it: the record has no author. Lost flags or form, or several living holders at once, are an overwriting; another index of creation is a deletion.',
  },
  {
    fault: 'history',
    was: 'A slot that was let go shortly before an action ended its session was "evicted here".',
    mended: 'What was over before an action was ordered is not its effect.',
  },
  {
    fault: 'history',
    was: 'A hold that ended within two seconds before Signalbox was killed never got the name of its end.',
    mended: 'Each end is named at the look that shows it.',
  },
  {
    fault: 'history',
    was: 'After a stop (SIGSTOP) of some seconds, holds that had begun or ended meanwhile were told as observed at the moment of waking.',
    mended: 'A process that has not run for 3 s has seen nothing: the time is a gap.',
  },
];

/** Known and unmended faults, and faults that are not played: the last words of `docs/faults.md`. */
export const open: readonly string[] = [
  'In earlier hours of the history’s comparison, on a machine at five times its load, once in some 1,000 holds a lock whose session ended under it, with a lock-delay that was not seen, was called released. The newest hours had none.',
  'Memory still grows a little. The hour of this page, on a quiet machine, had 2.5 % more resident memory (324.0 and 332.1 MB) and 2.1 % more heap in the last third than in the middle one, of 5 % allowed; what grew is V8’s heap, and which objects fill it is unknown. Earlier hours had 14 % (2026-11-23) and, beside builds and tests, 5.5 % (2026-11-27, tree fbdd5bca). In that busy hour `client-agent-cut-off` broke once of five times: screens said live over data 5.6 s old. On the quiet machine it held five times, with 3.8 s at most.',
  'An expired certificate shows only on a new connection without a ticket: Node does not check it when it resumes a TLS session. The fault is played without tickets.',
  'The machine’s own clock is not set: a time namespace shifts the time since the start, not the time of day. With Debian’s libfaketime (`SIGNALBOX_FAKETIME`) libc gives the server another time, TLS included; without it only JavaScript does. The row says which.',
  'The proxy plays dropped packets as TCP does: a late piece, with everything behind it.',
  '`disk-full` and `consul-disk-full` mount a small file system, so only root plays them. `servers-upgraded` needs an older Consul (`SIGNALBOX_CONSUL_FROM`, or Debian’s where it was fetched). HashiCorp does not support 1.8.7 to 1.22.7 in one step; it succeeded in each of its runs, as did 1.22.7 to 2.1.0 in its one.',
  'A byte that turns one letter into another in valid JSON cannot be detected: only TLS has a checksum.',
  'Consul collects tombstones 15 minutes after a deletion, so `tombstones-collected` is played in runs of an hour, or by its name.',
  'When the wall clock is set while Signalbox runs, earlier observations ("held since", the end of a lock-delay) and the end of a sign-in are off by as much. Liveness is not.',
  'At eight times a machine’s load a stopped agent, or a slowed link, was sometimes noticed up to 0.2 s after the bound (5.7 s at most): the check waits for a processor as well.',
];
