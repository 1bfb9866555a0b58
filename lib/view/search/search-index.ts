/** The searched texts of one lock, semaphore or session, made on first use. */

import { holdersOf } from '@/lib/domain/holders';
import type { Lock, Party, Semaphore, Session, StoredValue, Subject } from '@/lib/domain/model';
import { nameParts } from '@/lib/i18n/format/format';
import { cachesViews } from '@/lib/view/view-cache';

/** Everything in lower case. */
export interface Hay {
  /** Key, prefix, or the name of a session. */
  readonly name: string;
  /** The name without `/.lock` and slashes at its ends. */
  readonly bare: string;
  readonly last: string;
  /** Ids of the sessions that hold it or wait for it. */
  readonly ids: readonly string[];
  /** Labels and session names. */
  readonly labels: readonly string[];
  /** Every field, one a line. */
  readonly lines: string;
  /** Name and labels that are not too long, one a line: typos are forgiven here. */
  readonly forgiving: string;
  /** The same without separators, for names typed without them. */
  readonly squashed: string;
}

export interface Field {
  readonly what: 'holder' | 'waiter' | 'session' | 'node' | 'value' | 'detail' | 'holds' | 'wants';
  readonly text: string;
}

/** The cost of a typo search grows with the length and the number of words. */
export const forgivenMax = 256;

const known = new WeakMap<Lock | Semaphore | Session, Hay>();

/** A name in its own case, without a layout's suffix and without slashes at its ends. */
export function bareAsWritten(name: string): string {
  // The look-behind keeps a run of slashes from being scanned once for each slash.
  return name.replace(/\/\.lock(info)?\/?$/i, '').replace(/^\/+|(?<!\/)\/+$/g, '');
}

/** A contender's own entry is `<prefix>/<session>`: the name is the part before it. */
export const entry = /\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function bareName(name: string): string {
  return bareAsWritten(name.toLowerCase());
}

export function squash(text: string): string {
  // Nearly all names are ASCII, and the classes for all scripts cost several times as much.
  return isPlain.test(text) ? text.replace(/[^A-Za-z0-9\n]+/g, '') : text.replace(/[^\p{L}\p{N}\n]+/gu, '');
}

const isPlain = /^[ -~\n]*$/;

const textOf = (value: StoredValue | null) => (value?.encoding === 'text' ? value.content : '');

function partyFields(party: Party, what: 'holder' | 'waiter'): Field[] {
  const { label, sessionId, session, value } = party;
  return [
    { what, text: label },
    { what: 'session', text: session?.name ?? '' },
    { what: 'session', text: sessionId },
    { what: 'node', text: session?.node ?? '' },
    { what: 'value', text: textOf(value) },
  ];
}

const nameOf = (subject: Subject) =>
  subject.kind === 'lock' ? subject.key : subject.kind === 'semaphore' ? subject.prefix : subject.id;

/** Without its name, the best known first. */
export function fieldsOf(of: Lock | Semaphore | Session): Field[] {
  const fields: Field[] = [];
  if (!('kind' in of)) {
    fields.push({ what: 'session', text: of.id }, { what: 'node', text: of.node });
    for (const subject of of.holds) fields.push({ what: 'holds', text: nameOf(subject) });
    for (const subject of of.wants) fields.push({ what: 'wants', text: nameOf(subject) });
  } else if (of.kind === 'lock') {
    for (const holder of holdersOf(of)) fields.push(...partyFields(holder, 'holder'));
    for (const waiter of of.waiters ?? []) fields.push(...partyFields(waiter, 'waiter'));
    for (const detail of of.details) fields.push({ what: 'detail', text: detail.value });
    fields.push({ what: 'value', text: textOf(of.value) });
  } else {
    for (const holder of of.holders) fields.push(...partyFields(holder, 'holder'));
    for (const waiter of of.waiters) fields.push(...partyFields(waiter, 'waiter'));
    fields.push({ what: 'value', text: textOf(of.value) });
  }
  return fields.filter((field) => field.text !== '');
}

function partiesOf(of: Lock | Semaphore): readonly Party[] {
  return [...holdersOf(of), ...(of.waiters ?? [])];
}

function make(of: Lock | Semaphore | Session): Hay {
  const own = 'kind' in of ? (of.kind === 'lock' ? of.key : of.prefix) : of.name;
  const parties = 'kind' in of ? partiesOf(of) : [];
  const name = own.toLowerCase();
  const labels = parties.flatMap(({ label, session }) => [label, session?.name ?? '']);
  const forgiving = [...new Set([own, ...labels])]
    .filter((text) => text !== '' && text.length <= forgivenMax)
    .join('\n')
    .toLowerCase();
  return {
    name,
    bare: bareName(own),
    last: bareName(nameParts(own).last),
    ids: 'kind' in of ? parties.map((party) => party.sessionId.toLowerCase()) : [of.id.toLowerCase()],
    labels: labels.filter(Boolean).map((label) => label.toLowerCase()),
    lines: [own, ...fieldsOf(of).map((field) => field.text)].join('\n').toLowerCase(),
    forgiving,
    squashed: squash(forgiving),
  };
}

/** Made at the first search; unchanged rows keep theirs. */
export function hayOf(of: Lock | Semaphore | Session): Hay {
  const cached = known.get(of);
  if (cached !== undefined) return cached;
  const hay = make(of);
  if (cachesViews) known.set(of, hay);
  return hay;
}

/** The work in one idle moment, and the entries between two looks at the clock. */
const sliceMs = 5;
const sliceRows = 50;

/**
 * Makes entries ahead, in idle moments, so that the first letter costs no more than the second. A restart skips those
 * already made. Returns the function that stops it.
 */
export function makeAhead(all: readonly (Lock | Semaphore | Session)[]): () => void {
  if (typeof requestIdleCallback === 'undefined') return () => {};
  let at = 0;
  let next = requestIdleCallback(step);
  function step() {
    const endMs = performance.now() + sliceMs;
    do {
      for (let built = 0; built < sliceRows && at < all.length; at += 1) {
        const of = all[at];
        if (of === undefined || known.has(of)) continue;
        hayOf(of);
        built += 1;
      }
    } while (at < all.length && performance.now() < endMs);
    if (at < all.length) next = requestIdleCallback(step);
  }
  return () => cancelIdleCallback(next);
}
