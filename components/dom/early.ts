/**
 * What a person does on a page that is painted and does not answer yet: its script is on the way. A press, what is put
 * into a field, and a form that is sent with Enter are kept, and done again when the page answers (`early-again.ts`);
 * lost, they would have to be made twice.
 */

/** A field and what was put into it. */
export type EarlyField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export interface Early {
  /** The button that was pressed last: who presses again, or something else, means that. */
  press: HTMLButtonElement | null;
  readonly fields: Map<EarlyField, string | boolean>;
  /**
   * The form in which Enter was pressed. The browser sends nothing while its button is off; one that is on it presses
   * itself, and `press` is that button then.
   */
  sent: HTMLFormElement | null;
  /** Ends the keeping: the page answers by itself. */
  readonly end: () => void;
}

declare global {
  interface Window {
    signalboxEarly?: Early;
  }
}

/** Stands in the document as text, before everything that can be pressed, and so refers to nothing outside of it. */
function keep(): void {
  const gone = new AbortController();
  const how = { capture: true, signal: gone.signal };
  const early: Early = { press: null, fields: new Map(), sent: null, end: () => gone.abort() };
  window.signalboxEarly = early;
  window.addEventListener(
    'click',
    (event) => {
      const button = event.target instanceof Element ? event.target.closest('button') : null;
      if (button === null) return;
      // The browser would send a form by itself; and React, which may be there just now, would do what is done again later.
      event.preventDefault();
      event.stopImmediatePropagation();
      early.press = button;
    },
    how,
  );
  window.addEventListener(
    'input',
    ({ target }) => {
      // A token is in its field, and nowhere else.
      if (target instanceof HTMLInputElement && target.type === 'password') return;
      if (target instanceof HTMLInputElement && target.type === 'checkbox')
        early.fields.set(target, target.checked);
      else if (
        target instanceof HTMLInputElement ||
        target instanceof HTMLSelectElement ||
        target instanceof HTMLTextAreaElement
      )
        early.fields.set(target, target.value);
    },
    how,
  );
  window.addEventListener(
    'keydown',
    ({ key, isComposing, target }) => {
      if (key === 'Enter' && !isComposing && target instanceof HTMLInputElement && target.form !== null)
        early.sent = target.form;
    },
    how,
  );
}

/** Text of the script that keeps. */
export const earlyScript = `(${keep.toString()})()`;
