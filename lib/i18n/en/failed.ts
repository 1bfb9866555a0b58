/** English: what the page for a bug in the frame says at once, before its other words have come. */

export const failed = {
  title: 'Signalbox failed to draw this page.',
  retry: 'Load again',
};
