/** English: renewals of sessions, as far as they are observed. Times, ages and agents arrive formatted. */

/** Why an end is when it is: from when two TTLs are counted. */
export type RenewalBasis = 'renewal' | 'gap' | 'election';

const basis: Readonly<Record<RenewalBasis, string>> = {
  renewal: 'two TTLs after the last renewal',
  gap: 'two TTLs after its agent was followed again, for a renewal may have gone by before',
  election: 'two TTLs after a new leader was seen, which started every session’s time anew',
};

/** Where time does not count from the last renewal, an age and a rest that do not add up stand side by side. */
const countedFrom: Readonly<Record<RenewalBasis, string>> = {
  renewal: '',
  gap: ', counted from when its agent was followed again',
  election: ', counted from when a new leader was seen',
};

export const renewals = {
  fact: 'renewals',
  /** While they come in time. */
  seen: (age: string, agents: string) => `Renewed ${age} ago, seen on agent ${agents}.`,
  due: (rest: string, from: RenewalBasis) =>
    `Overdue in ${rest} unless another one comes${countedFrom[from]}.`,
  dueNow: 'Another one is due.',
  /** Once they have stopped. */
  last: (time: string, age: string, agents: string) =>
    `Last one at ${time}, ${age} ago, seen on agent ${agents}.`,
  overdue: (age: string) => `Overdue for ${age}.`,
  ends: (latest: string, rest: string, from: RenewalBasis) =>
    `If it stays silent, Consul ends it by ${latest}, in ${rest}: ${basis[from]}.`,
  endsNow: 'Its time is over. Either Consul ends it now, or it is renewed where nobody looks.',
  agents: 'Renewals observed on',
  agentsNote:
    'Clients renew through the agent on their own machine. Renewals through agents that are not listed here are not seen.',
  states: {
    observed: (since: string | null) =>
      since === null ? 'observed' : `observed without a gap since ${since}`,
    connecting: () => 'opening its log',
    forbidden: () => 'not observed: this credential may not follow its log (agent:read)',
    unreachable: () => 'not observed: its log cannot be followed right now',
    off: () => 'not observed: switched off here (SIGNALBOX_RENEWAL_AGENTS)',
  },
};
