/** English: why something is refused or failed, and what differs from what was seen. */
import { shortId } from '@/lib/domain/model';
import type { DifferenceFacts, WhyFacts } from '@/lib/domain/refusal';
import type { Sayings } from '@/lib/domain/said';
import { formatBytes, formatCount, formatDuration } from '@/lib/i18n/format/format';
import { verdicts } from './verdict';

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
const holder = (sessionId: string | null) => (sessionId === null ? 'nobody' : shortId(sessionId));
/** Ids in a list, shortened for people. */
const ids = (list: string) => (list === '' ? 'none' : list.split(', ').map(shortId).join(', '));

export const why: Sayings<WhyFacts> = {
  'lock-not-in-view': () => 'This lock is not in view.',
  'semaphore-not-in-view': () => 'This semaphore is not in view.',
  'session-not-in-view': () => 'This session is not in view.',
  'name-not-sure': () =>
    'The name has bytes that are no UTF-8, so it cannot be told which key is meant. Consul’s own tools can name it.',
  'key-refused': () =>
    'Consul refuses to write this key. A key may not begin with a slash, have a space at an end, or “..” as a part, also not in percent signs. Ending the session that locks it still works.',
  'nobody-holds': () => 'Nobody holds this lock.',
  'key-gone': () => 'The key is gone already; only its name is still under the lock-delay.',
  'holder-unknown': () => 'Whether a session holds this lock cannot be told.',
  'lock-held': () => 'A session holds this lock.',
  'not-holder': ({ sessionId }) => `Session ${shortId(sessionId)} does not hold a slot here.`,
  'is-ghost': ({ sessionId }) =>
    `Session ${shortId(sessionId)} is a ghost: it holds nothing here. Prune it instead.`,
  'not-a-session': ({ name }) =>
    `${name} is the name of no session: there is nothing to end, and no entry by which the slot could be taken from it alone.`,
  'locks-nothing-here': ({ sessionId }) =>
    `Session ${shortId(sessionId)} locks no key here, so its slot cannot be taken by comparison. End its session instead.`,
  'no-ghost': () => 'No recorded holder is a ghost.',
  'not-understood': () => 'The coordination entry could not be understood, so it is not written.',
  'limit-already': ({ limit }) => `The limit is ${limit} already.`,
  'below-recorded': ({ recorded }) =>
    `${count(recorded, 'holder is', 'holders are')} recorded. Clients of this layout compare for equality and would admit without bound below that.`,
  'holders-recorded': ({ recorded }) =>
    `${count(recorded, 'holder is', 'holders are')} recorded. Prune or evict them first.`,
  'sessions-wait': ({ waiters }) => `${count(waiters, 'session waits', 'sessions wait')} for a slot.`,
  'no-lock': ({ key }) => `There is no lock ${key}.`,
  'no-semaphore': ({ prefix }) => `There is no semaphore ${prefix}.`,
  'no-session': ({ sessionId }) => `There is no session ${shortId(sessionId)}.`,
  'no-entry': ({ key }) => `There is no coordination entry ${key}.`,
  'entry-delayed': ({ key }) =>
    `A lock-delay of ${key} runs, for a minute at most. Until it is over Consul does not say which of the recorded sessions have ended. Try again then.`,
  'session-hidden': ({ sessionId }) =>
    `Session ${shortId(sessionId)} is no ghost: Consul has it, and only keeps it from the token in use. Its slot may be in use.`,
  'outside-view': ({ name }) => `${name} is outside the prefixes in view here.`,
  'entry-locked': () => 'A session locks the coordination entry.',
  'prefixes-not-readable': () =>
    'Not every key under these prefixes can be read, so no holder is called a ghost.',
  'idle-not-sure': () => 'Not every key under this prefix can be read, so it is not called idle.',
  'transaction-refused': () => 'Consul refused the transaction as a whole. Nothing was written.',
  'changed-since': () => 'It changed since you looked, so nothing was written.',
  'done-before': () =>
    'This was done before your request, by someone else or on its own. Your request wrote nothing.',
  'not-in-plan': ({ name }) => `The plan did not look at ${name}. Plan again.`,
  'not-of-plan': ({ where }) =>
    `No plan of this action gives ${where} like this. Send expect back as the plan gave it.`,
  'write-not-seen': () =>
    'The link to Consul broke after the write was sent. What is read now does not show it, so it was probably not made; look again before you act.',
  'state-not-readable': () =>
    'The link to Consul broke after the write was sent, and the state cannot be read now. Look again before you act.',
  'entry-busy': ({ tries }) => `The entry changed before each of ${tries} tries. Nothing was written.`,
  'given-up': () => 'It took too long and was given up. Nothing was written.',
  'record-left': () =>
    'The session was destroyed, but its record in the coordination entry could not be cleaned up. Look again, and prune it if it is still there.',
  'request-not-understood': ({ where }) =>
    `The request is not understood${where === null ? '' : ` at ${where}`}.`,
  'reason-needed': () => 'Say why: this action needs a reason.',
  'other-site': () => 'This server answers its own pages only, not those of another site.',
  'not-json': () => 'The body is not JSON.',
  'wrong-type': () => 'The body must be application/json.',
  'too-large': ({ bytesMax }) => `The body may have ${formatBytes(bytesMax)} at the most.`,
  'address-too-long': ({ lengthMax }) => `The address may have ${lengthMax} characters at the most.`,
  'wrong-method': ({ allowed }) => `This address knows ${allowed} only.`,
  'server-bug': ({ id }) => `Signalbox made a mistake. The server’s log says more under ${id}.`,
  'actions-off': () => 'Actions are switched off here (SIGNALBOX_ACTIONS=off).',
  'not-this-machine-alone': () =>
    'Signalbox is not known to listen on this machine alone, so it is read-only unless SIGNALBOX_ACTIONS=on.',
  'this-machine-only': () =>
    'Actions are open to this machine only, under its own name. SIGNALBOX_ACTIONS=on opens them to others.',
  'too-many-pages': () => 'Too many pages follow this server right now.',
  'too-many-pages-of-address': ({ max }) =>
    `Your address has ${max} pages open here. One address may have no more. Close some.`,
  'too-many-pages-of-person': ({ max }) =>
    `You have ${max} pages open here. One person may have no more. Close some.`,
  'read-only-mode': () => 'Signalbox is read-only here (SIGNALBOX_MODE=read-only).',
  'sign-in-to-see': () => 'Sign in with a Consul token to see what it may read.',
  'sign-in-to-act': () => 'Sign in with a Consul token to act: Signalbox never writes with its own.',
  'access-unknown': () =>
    'Whether Consul asks for tokens cannot be found out right now, so nothing is shown or written without one.',
  'signed-out-idle': () => 'You were signed out because nothing was done for a while.',
  'signed-out-expired': () => 'Your sign-in has reached its end. Sign in again.',
  'signed-out-elsewhere': () => 'You were signed out, in another tab or by the server.',
  'somebody-else': () => 'Somebody else has signed in with this browser since this page was opened.',
  'sign-in-not-readable': () => 'Your sign-in is not valid here any more. Sign in again.',
  'no-sign-in-here': () =>
    'Consul asks nobody for a token here (its ACLs are off), so there is nothing to sign in to.',
  'too-many-people': ({ max }) =>
    `${max} different tokens are in use here already. Try again when somebody has left.`,
  'too-many-rights': ({ max, retryAfterMs }) =>
    `${max} tokens with different rights are in use here, and there is room for no more. Signalbox tries again every ${formatDuration(retryAfterMs)}.`,
  'too-many-actions': ({ max }) => `You have ${max} actions under way. Try again when one has ended.`,
  'audit-budget': ({ retryAfterMs }) =>
    `Too many actions on record from you or your address. Try again in ${formatDuration(retryAfterMs)}.`,
  'too-often': ({ retryAfterMs }) => `Too many requests. Try again in ${formatDuration(retryAfterMs)}.`,
  'other-host': () =>
    'This server does not answer to that host name. Use its own address (SIGNALBOX_URL), or a name of this machine.',
  'audit-not-written': () =>
    'The audit record could not be written, so the action was not begun. Nothing was written to Consul.',
  'audit-in-part': () =>
    'Only those who see all rows of the audit can have its chain checked. You see a part of them.',
  'audit-not-read': () => 'The audit cannot be read right now: the store of this server does not answer.',
  'store-not-reached': () =>
    'The store of this server cannot be reached right now, so share links can be neither checked nor changed.',
  'embeds-off': () => 'Embeds are switched off here (SIGNALBOX_EMBEDS=off).',
  'no-embed-keys': () => 'This server has no key to sign tokens with (SIGNALBOX_EMBED_KEYS).',
  'not-granted': () => 'This link shows nothing, or nothing any more.',
  'no-grant': () => 'There is no such share link among those that you may manage.',
  'grant-over': () => 'This share link has been revoked or has ended. Make a new one.',
  'grant-end-past': () => 'The end is in the past.',
  'grant-beyond-reach': () =>
    'Your Consul token may not read everything that this would show, so you cannot share it.',
  'grant-reach-unknown': () =>
    'Whether your Consul token may read everything that this would show cannot be found out right now. Nothing was shared.',
  'grant-maker-gone': () => 'This link has ended: the token of the person who made it is gone.',
  'grant-server-narrow': () =>
    'Signalbox’s own Consul token may not read everything that is watched, so links cannot show what their makers may read. See docs/operations.md.',
  'too-many-grants': ({ max }) => `You have ${max} share links already. Revoke one first.`,
  'token-needs-grant': () =>
    'Consul asks for tokens here, so a signed token must name a share link of yours (grant).',
  'server-answered': ({ status }) => `The server answered ${status} without saying why.`,
  'server-not-reached': () => 'The request did not reach Signalbox, or its answer did not come back.',
  'probed-just-now': () => 'Consul was asked about this a moment ago.',
  'no-probe': () => 'This backend cannot be asked.',
  'metrics-off': () => 'Metrics are off here. Set SIGNALBOX_METRICS_TOKEN, or SIGNALBOX_METRICS=on.',
  'metrics-token-needed': () =>
    'This needs the token of the metrics (SIGNALBOX_METRICS_TOKEN) as a bearer token.',
  'no-answer': ({ timeoutMs }) => `Consul did not answer within ${formatDuration(timeoutMs)}.`,
  'not-reached': ({ errno }) => `Consul cannot be reached (${errno}).`,
  'connection-broke': () => 'The connection to Consul broke.',
  'answer-too-large': ({ bytes }) =>
    `Consul’s answer has more than ${Math.round(bytes / 1048576)} MiB, which is more than Signalbox reads.`,
  'world-too-large': ({ bytes }) =>
    `All entries together take more than ${Math.round(bytes / 1048576)} MiB, which is more than Signalbox holds.`,
  'answer-not-readable': ({ call }) => `Consul’s answer to ${call} could not be read.`,
  'token-unknown': () => 'Consul does not know this token (any more).',
  'token-refused': () => 'Consul refused this call to the token in use.',
  'rate-limited': () => 'Consul limits the rate of requests right now.',
  'name-unknown': () => 'Consul knows nothing by that name.',
  // Rows of the audit that older versions wrote have no count.
  'write-too-large': ({ bytes }) =>
    `${bytes == null ? 'The write is larger than this Consul accepts.' : `The write takes ${formatCount(bytes)} bytes with its values in base64. This Consul accepts fewer.`} The default is 524,288 bytes; the agent’s limits set it (txn_max_req_len, kv_max_value_size).`,
  'no-leader-now': () => 'The Consul cluster has no leader right now.',
  'no-server-known': () => 'The Consul agent knows no server right now.',
  'leader-lost': () => 'Consul lost its leader during the call.',
  'call-refused': ({ call, status }) => `Consul refused ${call} (${status}).`,
  'call-failed': ({ call, status }) => `Consul, or a proxy before it, failed at ${call} (${status}).`,
  'connection-not-taken': () => 'Consul closed a new connection without an answer.',
  'connections-capped': () => 'This address has as many connections to Consul as it may have.',
  'leader-rate-limited': () => 'Consul’s leader limits the rate of requests right now.',
  'old-copy': () => 'There is no leader: what was read is one server’s own copy.',
};

export const differences: Sayings<DifferenceFacts> = {
  'entry-came': ({ key, index }) => `${key} did not exist, has index ${index} now`,
  'entry-gone': ({ key }) => `${key} was there, is gone now`,
  'entry-replaced': ({ key }) => `${key} was deleted and made again`,
  'holder-changed': ({ key, before, now }) => `holder of ${key} was ${holder(before)}, is ${holder(now)} now`,
  'index-changed': ({ key, before, now }) => `index of ${key} was ${before ?? 'none'}, is ${now} now`,
  'limit-changed': ({ before, now }) => `limit was ${before}, is ${now} now`,
  'ghosts-changed': ({ before, now }) => `ghosts were ${ids(before)}, are ${ids(now)} now`,
  'session-gone': ({ sessionId }) => `session ${shortId(sessionId)} existed, is gone now`,
  'verdict-changed': ({ sessionId, before, now }) =>
    `session ${shortId(sessionId)} was ${verdicts[before].word}, is ${verdicts[now].word} now: its process may be at work`,
  'verdict-lost': ({ sessionId, before }) =>
    `session ${shortId(sessionId)} was ${verdicts[before].word}, and whether it still is cannot be told now: its process may be at work`,
  'holdings-changed': ({ sessionId, before, now, keys }) =>
    `session ${shortId(sessionId)} held ${count(before, 'key')}, ${
      now === 0
        ? 'holds none now'
        : `holds ${now} now: ${keys.split('\n').join(', ')}${now > keys.split('\n').length ? ', …' : ''}`
    }`,
};
