/** What these runs have found in Signalbox, and what was done about it: the end of `docs/faults.md`. */
export interface Found {
  /** By which fault, by its name. */
  readonly fault: string;
  readonly was: string;
  readonly mended: string;
}

export const found: readonly Found[] = [
  {
    fault: 'quorum-lost',
    was: 'With the quorum back, the screen said "live" over data that was up to 15.3 s old: Consul had held one read until there was a leader, and the watch rested in proportion to what it took for the cost of that read.',
    mended:
      'One read that takes far longer than usual counts as a pause, two in a row as load. Old while live after that: at most 2.4 s in nine rounds.',
  },
  {
    fault: 'quorum-lost',
    was: 'A leader that was just elected answered the first read from a copy that lacked what its predecessor had confirmed, so that a screen became live eight seconds behind.',
    mended: 'The first read of a watch, and the first after a failure, is a consistent one.',
  },
  {
    fault: 'console-ended',
    was: 'Asked to end in the middle of an action, Signalbox closed the way to Consul under it: the person was told 503 whatever had been written, and the outcome was not on record. Rows for a viewer who had left were cut off by the exit.',
    mended: 'The end waits up to 20 s for what was begun, and the exit for what is to be written.',
  },
  {
    fault: 'console-ended',
    was: 'A client that went on asking on one connection kept Signalbox from ever ending; meanwhile it watched Consul anew and answered plans.',
    mended:
      'From the signal on no connection is kept, and those that are left a second after the end are closed.',
  },
  {
    fault: 'store-removed',
    was: 'With its file removed or replaced, the store went on in the old one: rows were acknowledged, and actions let through on them, that nobody would ever read.',
    mended: 'The file is looked at before each use, and left when it is another one.',
  },
  {
    fault: 'store-locked',
    was: 'While another process held the write lock, the event loop was busy for 80 % of the time.',
    mended: 'A transaction that cannot begin is tried again from outside SQLite: 13 %.',
  },
  {
    fault: 'link-refused',
    was: 'On a machine at ten times its load the first reads after an outage were slow, and the watch rested 15 s for them: the screen said "live" for 5.7 s over old data, and equalled Consul only after 15.7 s.',
    mended: 'No rest is longer than 4 s, which with a read stays below the bound.',
  },
  {
    fault: 'connections-capped',
    was: 'Looked for after a run that had stood still, perhaps for this: Node 20 holds what `AbortSignal.any` is made of weakly, so that a time limit that is combined with another signal may be collected as garbage and never come. It was so in this suite and in Signalbox: a plan, a question of rights, one of the audit, a row for the webhook had no limit after a collection (0 of 20 fired).',
    mended: 'A limit is kept by its timer, and a rule looks for the other way to write it.',
  },
  {
    fault: 'header-garbled',
    was: 'An answer without an index was taken for one of index 1, and the next one for the same again: what it brought was dropped, and the screen said "live" over data up to 7.0 s old.',
    mended: 'Such an answer is taken and compared by what it says, and asked for again after a second.',
  },
  {
    fault: 'clock-back',
    was: 'A read during which the clock was set back cost minus an hour, so that every later one counted as costly: the watch rested 2.5 times as long for some hundred reads. An action that was looking for its outcome looked on for an hour, or until its whole time was over.',
    mended:
      'A cost below nothing is not counted, and how long is looked is told by a clock that nobody sets.',
  },
  {
    fault: 'descriptors-gone',
    was: 'With no descriptor left in its own process, Signalbox said that Consul takes no connections, and of a write that cannot have been sent that its outcome is not known.',
    mended: 'It is told as what it is, with what to do about it.',
  },
  {
    fault: 'link-slowed',
    was: 'Over a link so slow that an answer takes long, heartbeats, which are small, still come in time: the screen said "live" over old data for as long as the answer took, up to a minute.',
    mended:
      'Whether a screen is live counts from the head of an answer, and from the asking of one that does not wait: after 2.5 s it is catching up.',
  },
  {
    fault: 'entry-huge',
    was: 'In two runs of an hour, at a load of 4 to 17 on two cores, the screen said "live" for 5.7 to 10 s over old data: reads that cost seconds were followed by rests of up to 4 s, and what was read took its time to be compared.',
    mended:
      'Rests count against "live", and so does what was read and is not shown. Six rounds at a load of 10 to 15 after that: at most 5.2 s.',
  },
  {
    fault: 'health-unreachable',
    was: 'Looked for after a reader had asked what no invariant looked at: reads of health that failed alone left what had been read before on show for ever, and as live. A node that turned critical kept its holders well.',
    mended: 'After 2.5 s without an answer it is not known how nodes and checks are, and it is said so.',
  },
  {
    fault: 'snapshot-restored',
    was: 'A `consul lock` lost its slot while Signalbox was stopped, two faults after a restored snapshot, and the run said that nobody had taken it. Tried by hand: who asks for a slot after the snapshot has no session once it is restored, and is not told. It goes on asking, takes the next slot that is free, and loses it at once.',
    mended:
      'Nothing in Signalbox, which shows what Consul knows. The run takes such a loss, within a minute, for one of the snapshot.',
  },
  {
    fault: 'snapshot-restored',
    was: 'Looked for by a reader, as the runs write all the time: where nobody wrote after the restore, the screen showed the world before it as live for 54 s, and a key at a new place was 58 s late. Consul wakes whoever waits with what there was before, and to wait on with the index of that is to wait for an index that is yet to be reached again.',
    mended:
      'Whoever is woken for nothing reads without waiting, and so does whoever shares the watch: some 20 ms.',
  },
  {
    fault: 'visitors',
    was: 'In each of three hours of faults the heap grew by 4 to 5 MB; without faults it is flat. One kind at a time, again and again for minutes, none grows: connections ended (450 times), refused (35), actions (240), visits, agents restarted and emptied, crowds, huge entries.',
    mended:
      'Nothing in Signalbox. All kinds mixed with work and visits, 15 faults a round: two snapshots of the heap, 225 faults apart, differ by 3.2 MB of code that V8 has compiled meanwhile, with what belongs to it, and by 1.1 of 52 MB of everything else, no list of which had grown. From the middle third of 26 rounds to the last the heap grew by 1.8 %. With the optimising compiler off, over 16 rounds, it grew by 0.2 %, and resident memory by 1.8 %. What is compiled levels out, and the first third is for that.',
  },
  {
    fault: 'consul-disk-full',
    was: 'Screens said "live" over data up to 10.5 s old. Consul 1.22.7 held single waits that it had taken while nobody led: they were answered 10 and 19 s after the next leader had begun to take writes, and everything else, heartbeats included, at once.',
    mended: 'When there is a leader again every wait is ended, and what it was for is read anew.',
  },
  {
    fault: 'consul-disk-full',
    was: 'On a disk of 96 MB the second or third time left Consul without room for good: its log grows by 64 MB each time.',
    mended: 'Nothing in Signalbox. The disk of this run has 1 GB.',
  },
];

/** What is known and not mended, and what is not played: the last words of `docs/faults.md`. */
export const open: readonly string[] = [
  'Each row tells its day and its Consul: those of other versions than 1.22.7 are of runs before the last hour.',
  'Resident memory was 14 % higher in the last third of the last hour than in the middle one (309.7 and 354.2 MB), where 5 % are allowed; the heap grew by 3.5 %, what lies outside of it not at all. Missed, and the cause is not known.',
  'A certificate that has ended is noticed when a connection is opened anew without a ticket: Node does not look at the certificate again when it resumes a TLS session, so the fault is played without tickets.',
  'The clock of the machine itself: a time namespace shifts the time since the start, not the time of day. With Debian’s libfaketime (`SIGNALBOX_FAKETIME`) libc tells the server another time, TLS included; without it only JavaScript does. The row says which.',
  'Packets that the kernel drops: the proxy makes of it what TCP does, a piece that comes later and all behind it.',
  '`disk-full` and `consul-disk-full` mount a small file system, so they are played by root alone. `servers-upgraded` needs an older Consul (`SIGNALBOX_CONSUL_FROM`, or Debian’s where it was fetched). From 1.8.7 to 1.22.7 in one step is more than HashiCorp supports; it went well on these data in the one run there was, as did 1.22.7 to 2.1.0.',
  'A byte on the way that turns one letter into another in sound JSON cannot be told from the truth: only TLS has a checksum for it.',
  'The collection of tombstones comes 15 minutes after a key was deleted, and no setting of Consul shortens that: `tombstones-collected` is played in runs of an hour, or by its name.',
  'Instants are told by the wall clock: where that is set while Signalbox runs, what it had seen before ("held since", the end of a lock-delay) is told off by as much, and a sign-in, whose end stands in its cookie, ends sooner or later by as much. Whether the screen is live is not told by it.',
  'On a machine at eight times its load a stopped agent, or a link that has become slow, was noticed some tenths of a second after the bound now and then (5.7 s at most): what notices it waits for its turn as well.',
];
