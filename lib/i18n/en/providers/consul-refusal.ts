/**
 * English: what Consul refuses, and how it fails. Apart from `consul.ts`, which embeds load too: they say none of it.
 */
import type { ConsulFailure, ConsulRefusal, ConsulRule } from '@/lib/domain/codes/consul';
import type { Sayings } from '@/lib/domain/message';
import { shortId } from '@/lib/domain/model';
import { formatCount, formatDuration } from '@/lib/i18n/format/format';

export const consulWhy = {
  'key-refused': () =>
    'Consul refuses to write this key. A key may not start with a slash, have a space at an end, or contain “..” as a part, percent-encoded or not. You can still end its session.',
  'key-gone': () => 'The key is already gone. Only its name is still under the lock-delay.',
  'not-a-session': ({ name }) =>
    `${name} is not a session id. There is no session to end, and no entry to take only its slot by.`,
  'locks-nothing-here': ({ sessionId }) =>
    `Session ${shortId(sessionId)} locks no key here. Signalbox cannot take its slot by comparison. End its session instead.`,
  'no-session': ({ sessionId }) => `There is no session ${shortId(sessionId)}.`,
  'no-entry': ({ key }) => `There is no coordination entry ${key}.`,
  'entry-delayed': ({ key }) =>
    `A lock-delay of ${key} runs, for at most a minute. Until it ends, Consul does not say which recorded sessions have ended. Try again then.`,
  'session-hidden': ({ sessionId }) =>
    `Session ${shortId(sessionId)} is no ghost: Consul has it but hides it from this token. Its slot may be in use.`,
  'entry-locked': () => 'A session locks the coordination entry.',
  'prefixes-not-readable': () =>
    'Signalbox may not read every key under these prefixes. It calls no holder a ghost.',
  'idle-not-sure': () => 'Signalbox may not read every key under this prefix and does not call it idle.',
  'not-in-plan': ({ name }) => `The plan did not cover ${name}. Plan again.`,
  'record-left': () =>
    'The session was destroyed, but Signalbox could not clean up its record in the coordination entry. Check again, and prune it if it is still there.',
  'too-many-rights': ({ max, retryAfterMs }) =>
    `${max} tokens with different rights are in use here, the most that fit. Signalbox tries again every ${formatDuration(retryAfterMs)}.`,
  'rate-limited': () => 'The server limits the rate of requests right now.',
  'name-unknown': () => 'The server knows no such name.',
  // Audit rows of older versions have no count.
  'write-too-large': ({ bytes }) =>
    `${bytes == null ? 'The write is larger than this Consul accepts.' : `The write takes ${formatCount(bytes)} bytes with its values in base64. This Consul accepts fewer.`} The default is 524,288 bytes; the agent’s limits set it (txn_max_req_len, kv_max_value_size).`,
  'no-leader-now': () => 'The cluster has no leader right now.',
  'no-server-known': () => 'The Consul agent knows no server right now.',
  'leader-lost': () => 'Consul lost its leader during the call.',
  'datacenter-away': ({ datacenter }) => `The Consul agent does not reach the datacenter ${datacenter}.`,
  'call-failed': ({ call, status }) =>
    `The server, or a proxy in front of it, failed at ${call} (${status}).`,
  'connection-not-taken': () => 'The server closed a new connection without an answer.',
  'leader-rate-limited': () => 'Consul’s leader limits the rate of requests right now.',
  'old-copy': () => 'There is no leader. This is one server’s own copy.',
} satisfies Sayings<ConsulRule & ConsulRefusal & ConsulFailure>;
