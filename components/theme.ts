/**
 * Night and day. Who chose one has it in every tab of this browser; who chose none has what the system has, as it changes.
 * `theme-choice.ts` is how the console reads and changes it.
 */

/** Fired on the window to choose; its detail is the theme. */
export const chooseEvent = 'signalbox:theme';
export type Theme = 'dark' | 'light';

/** Stands in the document as text, before anything that is drawn, and so refers to nothing outside of it. */
export function wear(): void {
  const place = 'theme';
  const system = window.matchMedia('(prefers-color-scheme: dark)');
  let chosen: string | null = null;
  const put = () => {
    const dark = chosen === null ? system.matches : chosen === 'dark';
    const { classList, style } = document.documentElement;
    classList.toggle('dark', dark);
    classList.toggle('light', !dark);
    // What the browser draws itself: scroll bars, fields, the list of a select.
    style.colorScheme = dark ? 'dark' : 'light';
  };
  const look = (text: string | null) => {
    chosen = text === 'dark' || text === 'light' ? text : null;
    put();
  };
  try {
    chosen = localStorage.getItem(place);
  } catch {
    // A browser may refuse to store anything: then a choice is the page's alone.
  }
  look(chosen);
  system.addEventListener('change', put);
  window.addEventListener('storage', ({ key, newValue }) => {
    if (key === place || key === null) look(newValue);
  });
  window.addEventListener('signalbox:theme', (event) => {
    const { detail } = event as CustomEvent<string>;
    try {
      localStorage.setItem(place, detail);
    } catch {
      // As above.
    }
    look(detail);
  });
}

/** Text of the script that puts the theme on before the first paint. */
export const themeScript = `(${wear.toString()})()`;
