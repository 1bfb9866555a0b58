'use client';
import { useState } from 'react';
import { Link } from '@/components/dom/link';
import { useAllMessages } from '@/components/dom/locale';
import { Button } from '@/components/ui/button';
import { Copy } from '@/components/ui/copy';
import type { NewGrant } from '@/lib/client/grants';
import { paths } from '@/lib/client/paths';

/** The new link, shown once, in the form that the reader's page needs. */
export function Made({ made, name, onClose }: { made: NewGrant; name: string; onClose: () => void }) {
  const { share } = useAllMessages();
  const [kind, setKind] = useState<SnippetKind>('link');
  const origin = made.base ?? window.location.origin;
  const text = snippetOf(kind, { origin, address: made.address, name });
  return (
    <div className="flex flex-col gap-4 px-5 py-4 text-[13px]">
      <p>{share.made.once}</p>
      <fieldset className="flex flex-wrap gap-1.5">
        <legend className="mb-1 text-ink-soft">{share.snippets.label}</legend>
        {snippetKinds.map((one) => (
          <label
            key={one}
            className="cursor-pointer rounded-[5px] border border-line px-2.5 py-1 hover:border-line-strong has-checked:border-brass has-checked:bg-brass-wash has-focus-visible:outline-2 has-focus-visible:outline-brass"
          >
            <input
              type="radio"
              name="snippet"
              checked={kind === one}
              onChange={() => setKind(one)}
              className="sr-only"
            />
            {share.snippets[one]}
          </label>
        ))}
      </fieldset>
      <div className="flex items-start gap-2 rounded-[5px] border border-line bg-inset py-2 pr-2 pl-3">
        <pre
          data-snippet={kind}
          className="min-w-0 flex-1 whitespace-pre-wrap break-all text-[12px] leading-5"
        >
          {text}
        </pre>
        <Copy text={text} label={share.copy(share.snippets[kind])} done={share.copied} />
      </div>
      <p className="text-[12px] text-ink-soft">
        {share.snippets.notes[kind]}
        {made.base === null ? ` ${share.made.local}` : ''}
      </p>
      <div className="flex flex-wrap items-center justify-end gap-x-4 gap-y-2 border-line border-t pt-4">
        <Link href={paths.shares()} className="text-brass-strong underline underline-offset-3">
          {share.made.toList}
        </Link>
        <a
          href={made.address}
          target="_blank"
          rel="noopener noreferrer"
          className="text-brass-strong underline underline-offset-3"
        >
          {share.made.look}
        </a>
        <Button onClick={onClose}>{share.close}</Button>
      </div>
    </div>
  );
}

export const snippetKinds = ['link', 'html', 'badge', 'grafana', 'confluence', 'notion', 'json'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

interface SnippetParts {
  /** The address at which readers reach Signalbox, without a slash at the end. */
  readonly origin: string;
  readonly address: string;
  /** Key or prefix; '' for the whole board. */
  readonly name: string;
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
/** Markdown would end a picture's text at a bracket. */
const plain = (text: string) => text.replace(/[\\`*_[\]<>!]/g, (c) => `\\${c}`).replace(/\s+/g, ' ');

/**
 * Scripts and nothing else: no origin, no forms, no way up. The link to the console needs the rest: a sandboxed console
 * without an origin gets no answers.
 */
const sandbox = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';

/** The text to paste into a page, a wiki or a terminal. */
export function snippetOf(kind: SnippetKind, { origin, address, name }: SnippetParts): string {
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
