/**
 * The badge: a small picture with the state of a scope. A proxy may keep it, so it never claims to be live. Its title
 * names the time of the state.
 */

import { freeOf } from '@/lib/domain/capabilities';
import { needOf } from '@/lib/domain/findings/need';
import { holdersOf } from '@/lib/domain/holders';
import type { Lock, Semaphore, Since } from '@/lib/domain/model';
import { type Scope, scopeName, subjectOfScope } from '@/lib/domain/sharing/grant';
import { isOf } from '@/lib/domain/subject';
import { type Snapshot, wasRead } from '@/lib/domain/world/snapshot';
import { type EmbedMessages, embedLanguages } from '@/lib/i18n/embed-languages';
import { formatAge, formatInstant, nameParts } from '@/lib/i18n/format/format';
import { slotsWords } from '@/lib/i18n/holding';
import type { EmbedFeeds } from './embed-feeds';
import { looksOf } from './embed-looks';
import type { OpenGrant } from './grant-watch';

export interface BadgeLooks {
  readonly theme: 'dark' | 'light' | 'auto';
  /** Replaces the name. */
  readonly title: string | null;
  /** `held`: how long it is held, in place of that it is. */
  readonly text?: 'state' | 'held';
}

type Tone = 'calm' | 'taken' | 'attention' | 'grey';

interface State {
  readonly text: string;
  readonly tone: Tone;
}

/** The duration of the longest present hold; `null`: no holder, or no known beginning. */
function heldFor(of: Lock | Semaphore, atMs: number, { embed, units }: EmbedMessages): string | null {
  const holders = holdersOf(of).filter(({ verdict }) => verdict !== 'ghost');
  const since = holders.flatMap((holder) => holder.since ?? []);
  const first = since.reduce<Since | null>((a, b) => (a === null || b.atMs < a.atMs ? b : a), null);
  if (first === null) return null;
  // A holder without a known beginning may have held longer.
  const isAtLeast = first.basis === 'at-least' || since.length < holders.length;
  return embed.badge.heldFor(formatAge(first.atMs, atMs, units), isAtLeast);
}

function stateOf({ scope, snapshot, words, looks }: BadgeInput, atMs: number): State {
  const { badge } = words.embed;
  if (!wasRead(snapshot.source)) return { text: badge.unread, tone: 'grey' };
  const { reach } = snapshot.source;
  if (reach === 'none' || (reach === 'part' && snapshot.locks.length + snapshot.semaphores.length === 0))
    return { text: badge.refused, tone: 'grey' };
  const need = needOf(snapshot.findings).all;
  if (scope.view === 'board' && reach === 'part' && need === 0) return { text: badge.part, tone: 'grey' };
  if (scope.view === 'board')
    return need === 0
      ? { text: badge.quiet, tone: 'calm' }
      : { text: need === 1 ? `1 ${badge.attentionOne}` : badge.attention(need), tone: 'attention' };
  const isShown = isOf(subjectOfScope(scope));
  const lock = scope.view === 'lock' ? snapshot.locks.find(isShown) : undefined;
  const semaphore = scope.view === 'semaphore' ? snapshot.semaphores.find(isShown) : undefined;
  if (lock === undefined && semaphore === undefined) return { text: badge.absent, tone: 'grey' };
  const tone: Tone = need > 0 ? 'attention' : 'calm';
  const suffix = need > 0 ? ` · ${badge.attentionOne}` : '';
  if (lock !== undefined) {
    if (lock.state === 'unknown') return { text: badge.unknown + suffix, tone: need > 0 ? tone : 'grey' };
    const taken: Tone = lock.state === 'free' ? 'calm' : 'taken';
    const lockHeld = looks.text === 'held' && lock.state === 'held' ? heldFor(lock, atMs, words) : null;
    return { text: (lockHeld ?? badge[lock.state]) + suffix, tone: need > 0 ? tone : taken };
  }
  if (semaphore !== undefined && freeOf(semaphore) != null)
    return { text: slotsWords(semaphore, words).short + suffix, tone };
  const { limit = null, recorded = null } = semaphore ?? {};
  if (limit === null || recorded === null)
    return { text: badge.unknown + suffix, tone: need > 0 ? tone : 'grey' };
  const slots = badge.slots(recorded, limit);
  if (recorded > limit) return { text: `${slots} · ${badge.over}`, tone: 'attention' };
  const semaphoreHeld =
    looks.text === 'held' && semaphore !== undefined ? heldFor(semaphore, atMs, words) : null;
  const counts = recorded === limit ? `${slots} · ${badge.full}` : slots;
  const text = semaphoreHeld === null ? counts : `${slots} · ${semaphoreHeld}`;
  return { text: text + suffix, tone: need > 0 ? tone : recorded === limit ? 'taken' : 'calm' };
}

/** Replaces characters that XML forbids. */
const escaped = (text: string) =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML forbids.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd')
    .replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

/** The server cannot measure text: a Han character is about twice as wide as a letter. */
const widthOf = (text: string) =>
  Math.ceil([...text].reduce((sum, c) => sum + ((c.codePointAt(0) ?? 0) > 0x2e7f ? 11.5 : 6.7), 0));

const namePointsMax = 40;
const short = (text: string) => {
  const points = [...text];
  return points.length <= namePointsMax ? text : `${points.slice(0, namePointsMax - 1).join('')}…`;
};

const colours: Readonly<
  Record<'dark' | 'light', Readonly<Record<Tone | 'panel' | 'line' | 'ink' | 'soft', string>>>
> = {
  light: {
    panel: '#fbfaf6',
    line: '#b9b3a1',
    ink: '#1a2127',
    soft: '#47525b',
    calm: '#17803d',
    taken: '#7c5a10',
    attention: '#b3261e',
    grey: '#5a6267',
  },
  dark: {
    panel: '#0f151b',
    line: '#364552',
    ink: '#dfe7ec',
    soft: '#b0bdc7',
    calm: '#4cd488',
    taken: '#d9b566',
    attention: '#ff7a6b',
    grey: '#8797a3',
  },
};

/** Shapes in a box of 10 by 10, because colour alone must not carry the state. */
const lamps: Readonly<Record<Tone, string>> = {
  calm: '<circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" stroke-width="1.6"/>',
  taken: '<circle cx="5" cy="5" r="4.4" fill="currentColor"/>',
  attention: '<path d="M5 .6 9.8 9.2H.2Z" fill="currentColor"/>',
  grey: '<circle cx="5" cy="5" r="4" fill="none" stroke="currentColor" stroke-width="1.4" stroke-dasharray="2 1.4"/>',
};

/** Attributes draw the badge where a page's policy forbids styles. */
const nightOf = (tone: Tone) => {
  const c = colours.dark;
  return `<style>@media(prefers-color-scheme:dark){.p{fill:${c.panel};stroke:${c.line}}.n{fill:${c.soft}}.s{fill:${c.ink}}.l{color:${c[tone]}}}</style>`;
};

interface Drawing {
  readonly name: string;
  readonly text: string;
  readonly tone: Tone;
  /** The text for screen readers and the tooltip. */
  readonly alt: string;
  readonly theme: BadgeLooks['theme'];
}

function draw({ name, text, tone, alt, theme }: Drawing): string {
  const [nameWidth, textWidth] = [widthOf(name), widthOf(text)];
  const textAt = 26 + nameWidth + 10;
  const width = textAt + textWidth + 9;
  const c = colours[theme === 'dark' ? 'dark' : 'light'];
  const font = 'font-family="ui-sans-serif,system-ui,sans-serif" font-size="12"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="24" viewBox="0 0 ${width} 24" role="img" aria-label="${escaped(alt)}">`,
    `<title>${escaped(alt)}</title>${theme === 'auto' ? nightOf(tone) : ''}`,
    `<rect class="p" fill="${c.panel}" stroke="${c.line}" x=".5" y=".5" width="${width - 1}" height="23" rx="4"/>`,
    `<g class="l" color="${c[tone]}" transform="translate(9 7)">${lamps[tone]}</g>`,
    `<text class="n" fill="${c.soft}" ${font} x="26" y="16" textLength="${nameWidth}" lengthAdjust="spacingAndGlyphs">${escaped(name)}</text>`,
    `<text class="s" fill="${c.ink}" ${font} x="${textAt}" y="16" textLength="${textWidth}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`,
    '</svg>\n',
  ].join('');
}

export interface BadgeInput {
  readonly scope: Scope;
  readonly snapshot: Snapshot;
  readonly looks: BadgeLooks;
  readonly words: EmbedMessages;
  readonly nowMs: number;
}

/** The badge as SVG. Times are in UTC, as the reader's time zone is unknown. */
export function drawBadge(input: BadgeInput): string {
  const { scope, snapshot, looks, words, nowMs } = input;
  const { badge, title } = words.embed;
  const whole = scopeName(scope);
  const name = looks.title ?? (whole === '' ? title : nameParts(whole).last);
  const { state: link, staleSinceMs } = snapshot.source;
  const old = link !== 'live';
  // While the source is live the state holds until now, however old the last change is.
  const atMs = old ? (staleSinceMs ?? snapshot.asOfMs) : nowMs;
  const state = stateOf(input, atMs);
  const time = `${formatInstant(atMs, 'UTC')} UTC`;
  if (!old || !wasRead(snapshot.source))
    return draw({
      ...state,
      name: short(name),
      alt: badge.alt(looks.title ?? (whole || title), state.text, time),
      theme: looks.theme,
    });
  return draw({
    name: short(name),
    text: `${state.text} · ${badge.asOf(time)}`,
    tone: 'grey',
    alt: badge.staleAlt(looks.title ?? (whole || title), state.text, time),
    theme: looks.theme,
  });
}

/** The badge for a reader without a valid grant. */
export function drawRefusal(words: EmbedMessages, theme: BadgeLooks['theme']): string {
  const { badge, title, refused } = words.embed;
  return draw({ name: title, text: badge.refused, tone: 'grey', alt: refused.title, theme });
}

const firstWorldMs = 3_000;

/** Picture proxies such as GitHub's otherwise show the badge for hours. */
const headers = {
  'content-type': 'image/svg+xml; charset=utf-8',
  'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
  expires: '0',
};

const looksOfRequest = (request: Request) => looksOf(new URL(request.url).searchParams, request.headers);

export async function answerBadge(
  request: Request,
  grant: OpenGrant,
  { embeds, now }: { readonly embeds: EmbedFeeds; readonly now: () => number },
): Promise<Response> {
  const { hub } = embeds.of(grant);
  await hub.ready(firstWorldMs);
  const looks = looksOfRequest(request);
  const words = embedLanguages[looks.language];
  return new Response(
    drawBadge({ scope: grant.scope, snapshot: hub.snapshot(), looks, words, nowMs: now() }),
    {
      headers,
    },
  );
}

/** Every refusal is the same picture; the status is for machines. */
export function answerRefusedBadge(request: Request, status: number): Response {
  const { language, theme } = looksOfRequest(request);
  return new Response(drawRefusal(embedLanguages[language], theme), { status, headers });
}
