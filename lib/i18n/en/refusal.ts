/** English: refusals and failures. */

import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import type { WhyFacts } from '@/lib/domain/refusal';
import { formatBytes, formatDuration } from '@/lib/i18n/format/format';
import { count } from './plural';
import { consulWhy } from './providers/consul-refusal';
import { redis } from './providers/redis';
import { standIn } from './providers/stand-in';
import { zookeeper } from './providers/zookeeper';

export const why: Sayings<WhyFacts> = {
  'lock-not-in-view': () => 'Signalbox cannot see this lock.',
  'semaphore-not-in-view': () => 'Signalbox cannot see this semaphore.',
  'session-not-in-view': () => 'Signalbox cannot see this session.',
  'name-not-sure': () =>
    'The name has bytes that are not UTF-8. It may mean more than one key. Use the server’s own tools.',
  'nobody-holds': () => 'Nobody holds this lock.',
  'holder-unknown': () => 'Signalbox does not know whether anybody holds this lock.',
  'lock-held': () => 'Somebody holds this lock.',
  'not-waiter': ({ sessionId }) => `${shortId(sessionId)} does not wait here.`,
  'limit-not-stored': () =>
    'The limit is not stored. Return permits instead, or configure the limit of this semaphore here.',
  'not-offered-here': () =>
    'Signalbox shows this kind of lock or semaphore, and does not change it in this way.',
  'several-hold': ({ holders }) => `${holders} hold it. Name the one to remove.`,
  'not-holder': ({ sessionId }) => `${shortId(sessionId)} does not hold it.`,
  'is-ghost': ({ sessionId }) =>
    `Session ${shortId(sessionId)} is a ghost: it holds nothing here. Prune it instead.`,
  'no-ghost': () => 'No recorded holder is a ghost.',
  'not-understood': () => 'Signalbox does not understand the coordination entry and does not write it.',
  'limit-already': ({ limit }) => `The limit is already ${limit}.`,
  'below-recorded': ({ recorded }) =>
    `${count(recorded, 'holder is', 'holders are')} recorded. Clients of this type compare for equality. Below that limit they would admit without bound.`,
  'holders-recorded': ({ recorded }) =>
    `${count(recorded, 'holder is', 'holders are')} recorded. Prune or evict them first.`,
  'sessions-wait': ({ waiters }) => `${count(waiters, 'session waits', 'sessions wait')} for a slot.`,
  'no-lock': ({ key }) => `There is no lock ${key}.`,
  'no-semaphore': ({ prefix }) => `There is no semaphore ${prefix}.`,
  'outside-view': ({ name }) => `${name} is outside the watched prefixes.`,
  'transaction-refused': () => 'The server refused the whole transaction. Nothing was written.',
  'changed-since': () => 'It changed since you looked. Nothing was written.',
  'done-before': () =>
    'This was done before your request, by another client or on its own. Your request wrote nothing.',
  'not-of-plan': ({ where }) =>
    `No plan of this action gives ${where} like this. Send expect back unchanged from the plan.`,
  'write-not-seen': () =>
    'The connection broke after the write was sent. The current state does not show it, so it probably failed. Check again before you act.',
  'state-not-readable': () =>
    'The connection broke after the write was sent. Signalbox cannot read the state now. Check again before you act.',
  'entry-busy': ({ tries }) => `The entry changed before each of ${tries} tries. Nothing was written.`,
  'given-up': () => 'The action timed out. Nothing was written.',
  'request-not-understood': ({ where }) =>
    `Signalbox does not understand the request${where === null ? '' : ` at ${where}`}.`,
  'reason-needed': () => 'Enter a reason: this action needs one.',
  'other-site': () => 'This server answers only its own pages, not another site’s.',
  'not-json': () => 'The body is not JSON.',
  'wrong-type': () => 'The body must be application/json.',
  'too-large': ({ bytesMax }) => `The body may have at most ${formatBytes(bytesMax)}.`,
  'address-too-long': ({ lengthMax }) => `The address may have at most ${lengthMax} characters.`,
  'wrong-method': ({ allowed }) => `This address accepts only ${allowed}.`,
  'server-bug': ({ id }) => `Internal error ${id}; see the server log.`,
  'actions-off': () => 'Actions are off here (SIGNALBOX_ACTIONS=off).',
  'not-this-machine-alone': () =>
    'Signalbox may be reachable from other machines, so it is read-only unless SIGNALBOX_ACTIONS=on.',
  'this-machine-only': () =>
    'Only this machine may act, under its own name. SIGNALBOX_ACTIONS=on lets other machines act.',
  'too-many-pages': () => 'Too many open pages follow this server right now.',
  'too-many-pages-of-address': ({ max }) =>
    `Your address has ${max} pages open here, the most for one address. Close some.`,
  'too-many-pages-of-person': ({ max }) =>
    `You have ${max} pages open here, the most for one person. Close some.`,
  'read-only-mode': () => 'Signalbox is read-only here (SIGNALBOX_MODE=read-only).',
  'sign-in-to-see': () => 'Sign in with a Consul token to see what it may read.',
  'sign-in-to-act': () => 'Sign in with a Consul token to act.',
  'access-unknown': () =>
    'Signalbox cannot find out right now whether Consul requires tokens. Without a token it shows and writes nothing.',
  'signed-out-idle': () => 'You were signed out after a period without activity.',
  'signed-out-expired': () => 'Your sign-in expired. Sign in again.',
  'signed-out-elsewhere': () => 'You were signed out in another tab or by the server.',
  'somebody-else': () => 'Another user signed in with this browser since this page was opened.',
  'sign-in-not-readable': () => 'Your sign-in is no longer valid here. Sign in again.',
  'no-sign-in-here': () => 'No tokens are required here. No sign-in needed.',
  'too-many-people': ({ max }) =>
    `${max} different tokens are already in use here. Try again when one is free.`,
  'too-many-actions': ({ max }) => `You have ${max} actions running. Try again when one ends.`,
  'audit-budget': ({ retryAfterMs }) =>
    `You or your address recorded too many actions. Try again in ${formatDuration(retryAfterMs)}.`,
  'too-often': ({ retryAfterMs }) => `Too many requests. Try again in ${formatDuration(retryAfterMs)}.`,
  'other-host': () =>
    'This server does not answer to that host name. Use its address (SIGNALBOX_URL) or a name of this machine.',
  'audit-not-written': () =>
    'Signalbox could not write the audit record and did not start the action. Nothing was written.',
  'audit-in-part': () => 'Only users who see all audit rows can verify the chain. You see part of them.',
  'audit-not-read': () => 'Signalbox cannot read the audit right now: this server’s store does not answer.',
  'store-not-reached': () =>
    'Signalbox cannot reach this server’s store right now. It can neither check nor change share links.',
  'embeds-off': () => 'Embeds are off here (SIGNALBOX_EMBEDS=off).',
  'no-embed-keys': () => 'This server has no key to sign tokens with (SIGNALBOX_EMBED_KEYS).',
  'not-granted': () => 'This link shows nothing, or no longer does.',
  'no-grant': () => 'You manage no such share link.',
  'grant-over': () => 'This share link was revoked or has ended. Make a new one.',
  'grant-end-past': () => 'The end is in the past.',
  'grant-beyond-reach': () =>
    'Your Consul token may not read everything that this would show. You cannot share it.',
  'grant-reach-unknown': () =>
    'Signalbox cannot find out right now whether your Consul token may read everything that this would show. Nothing was shared.',
  'grant-maker-gone': () => 'This link has ended: its creator’s token is gone.',
  'grant-server-narrow': () =>
    'Signalbox’s own Consul token may not read everything watched. Links cannot show what their creators may read. See docs/operations.md.',
  'too-many-grants': ({ max }) => `You already have ${max} share links. Revoke one first.`,
  'token-needs-grant': () =>
    'Consul requires tokens here. A signed token must name one of your share links (grant).',
  'server-answered': ({ status }) => `The server answered ${status} without a reason.`,
  'server-not-reached': () => 'The request did not reach Signalbox, or its answer was lost.',
  'probed-just-now': () => 'Signalbox asked about this a moment ago.',
  'second-sign-in': () =>
    'This source asks for tokens. Signalbox signs people in to another source here and does not show this one.',
  'token-not-of-source': () => 'This source does not know the token that you signed in with.',
  'source-read-only': () =>
    'This console only shows this source: its operator has not allowed actions on it here (access=act).',
  'no-source': ({ source, known }) => `No source is called ${source}. Configured: ${known}.`,
  'no-probe': () => 'This backend does not support this question.',
  'metrics-off': () => 'Metrics are off here. Set SIGNALBOX_METRICS_TOKEN, or SIGNALBOX_METRICS=on.',
  'metrics-token-needed': () =>
    'This address requires the metrics token (SIGNALBOX_METRICS_TOKEN) as a bearer token.',
  'no-answer': ({ timeoutMs }) => `The server did not answer within ${formatDuration(timeoutMs)}.`,
  'not-reached': ({ errno }) => `Signalbox cannot reach the server (${errno}).`,
  'connection-broke': () => 'The connection to the server broke.',
  'answer-too-large': ({ bytes }) =>
    `The server’s answer has more than ${Math.round(bytes / 1048576)} MiB, the most that Signalbox reads.`,
  'world-too-large': ({ bytes }) =>
    `All entries together take more than ${Math.round(bytes / 1048576)} MiB, the most that Signalbox holds.`,
  'answer-not-readable': ({ call }) => `Signalbox could not read the server’s answer to ${call}.`,
  'token-unknown': () => 'Consul does not know this token, or no longer does.',
  'token-refused': () => 'Consul refused this call to this token.',
  'call-refused': ({ call, status }) => `The server refused ${call} (${status}).`,
  'connections-capped': () => 'This address has reached its limit of connections to Consul.',
  ...consulWhy,
  ...redis.why,
  ...standIn.why,
  ...zookeeper.why,
};
