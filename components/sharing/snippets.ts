/** What is pasted elsewhere so that an embed appears there. */

export const snippetKinds = ['link', 'html', 'badge', 'grafana', 'confluence', 'notion', 'json'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

interface Asked {
  /** Where readers reach Signalbox, without a slash at the end. */
  readonly origin: string;
  /** Path and query of the embedded page. */
  readonly address: string;
  /** Key or prefix; '' for the whole board. */
  readonly name: string;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
/** Markdown would end the text of a picture at a bracket, and begin something at the others. */
const plain = (text: string) => text.replace(/[\\`*_[\]<>!]/g, (c) => `\\${c}`).replace(/\s+/g, ' ');

/**
 * Scripts and nothing else: no origin, no forms, no way up. But for the link to the console: what it opens would be in
 * the same sandbox, and a console without an origin is answered nothing.
 */
const sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';

/** One snippet. */
export function snippetOf(kind: SnippetKind, { origin, address, name }: Asked): string {
  const page = `${origin}${address}`;
  const query = address.slice(address.indexOf('?'));
  const title = `Signalbox: ${name === '' ? 'board' : name}`;
  switch (kind) {
    case 'link':
    case 'confluence':
    case 'notion':
      return page;
    case 'html':
      return `<iframe src="${page}" title="${escaped(title)}" sandbox="${sandbox}" loading="lazy" width="100%" height="320" style="border:0"></iframe>`;
    case 'grafana':
      return `<iframe src="${page}&amp;density=compact" title="${escaped(title)}" sandbox="${sandbox}" width="100%" height="100%" style="border:0"></iframe>`;
    case 'badge':
      return `[![${plain(title)}](${origin}/embed/v1/badge.svg${query})](${page})`;
    case 'json':
      return `curl '${origin}/embed/v1/snapshot${query}'`;
  }
}
