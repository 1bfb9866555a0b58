/** The page's own connection, where no worker follows for all pages. A page gives it back while it stays hidden. */
import { followStream, type StreamOptions } from './stream';

/** Long enough to look something up in another tab and come back to a page that never stopped. */
const hiddenMaxMs = 60_000;

/** Follows until it is called off by what this returns. */
export function followHere(options: StreamOptions): () => void {
  const stream = followStream(options);
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(hiding);
    if (document.visibilityState === 'hidden') hiding = setTimeout(stream.pause, hiddenMaxMs);
    else stream.resume();
  };
  document.addEventListener('visibilitychange', onVisibility);
  window.addEventListener('online', stream.resume);
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    window.removeEventListener('online', stream.resume);
    clearTimeout(hiding);
    stream.pause();
  };
}
