import { notFound } from 'next/navigation';

/** Refused like a link that shows nothing, not by a page of the console. */
export default function MissingEmbed() {
  notFound();
}
