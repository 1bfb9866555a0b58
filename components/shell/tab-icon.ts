/** The tab's icon with the number of needs, and grey while the data is old. */

export interface TabState {
  readonly needs: number;
  readonly urgent: number;
  readonly isOld: boolean;
}

/** Colours of the lamps in `public/signalbox.svg`. The icon stands outside of the page and its themes. */
const colours = {
  room: '#0a0e13',
  brass: '#d9b566',
  alive: '#4cd488',
  old: '#93a2ae',
  urgent: '#d92d20',
  warning: '#f5b83d',
};

/** More figures than these cannot be read at 16 pixels. */
const shown = (needs: number) => (needs > 9 ? '9+' : String(needs));

/** A picture as an address; `null` where the plain icon says it all. */
export function tabIcon({ needs, urgent, isOld }: TabState): string | null {
  if (needs === 0 && !isOld) return null;
  const ring = isOld ? `stroke="${colours.old}" stroke-dasharray="4 3"` : `stroke="${colours.brass}"`;
  const lamp = `<circle cx="16" cy="16" r="5.6" fill="${isOld ? colours.old : colours.alive}"/>`;
  const badge = `<circle cx="21.5" cy="21.5" r="10.5" fill="${urgent > 0 ? colours.urgent : colours.warning}"/><text x="21.5" y="27" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${needs > 9 ? 13 : 16}" fill="${urgent > 0 ? '#fff' : '#191204'}">${shown(needs)}</text>`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colours.room}"/><circle cx="16" cy="16" r="10.5" fill="none" stroke-width="2.2" ${ring}/>${needs === 0 ? lamp : badge}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
