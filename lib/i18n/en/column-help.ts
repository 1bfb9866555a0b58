/** English: what the columns of the board mean, on a closer look. */
export const columnHelp = {
  slots: 'Recorded holders of the limit. In brackets: holders that are really there, when that differs.',
  waiting:
    'n/v: not visible. Sessions that wait for a plain lock leave no trace in Consul, so nobody can count them.',
  since: '≥: it was there already when Signalbox began to see it, so it may be older. Consul keeps no time.',
  ends: 'How long Consul takes to free it if the process is dead, from the TTL of its session.',
};
