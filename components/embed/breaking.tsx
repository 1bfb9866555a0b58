import { Fragment } from 'react';

/** A text that may break after what joins its parts, and inside of a part only where there is no other way. */
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
