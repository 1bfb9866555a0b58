import { notFound } from 'next/navigation';

/** An address of no embed is refused like a link that shows nothing, and not by a page of the console. */
export default function MissingEmbed() {
  notFound();
}
