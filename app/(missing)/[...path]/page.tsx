import { notFound } from 'next/navigation';

/** Any address without a page. With several documents in one app, Next has no place of its own for it. */
export default function MissingPage() {
  notFound();
}
