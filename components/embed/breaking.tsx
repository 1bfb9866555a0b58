import { Fragment } from 'react';

/** Breaks after joining characters, and inside a part only as a last resort. */
export function Breaking({ text }: { text: string }) {
  let at = 0;
  return (
    <span className="wrap-anywhere">
      {text.split(/(?<=[/\-_.:])(?=[^/\-_.:])/).map((part) => {
        at += part.length;
        return (
          <Fragment key={at}>
            {part}
            {at < text.length ? <wbr /> : null}
          </Fragment>
        );
      })}
    </span>
  );
}
