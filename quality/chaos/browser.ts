/** A page in a real browser beside the plain clients, judged like any other screen. */
import { type Browser, chromium } from '@playwright/test';
import { type PageViewer, watchPage } from '@/quality/chaos/page-viewer';
import type { Stage } from './stage';

export interface Pages {
  /** Opens a page on this stage, which stays open until the stage is struck. */
  open(stage: Stage): Promise<PageViewer>;
  close(): Promise<void>;
}

/** `null`: no Chromium was found. */
export async function openPages(): Promise<Pages | null> {
  const executablePath = process.env.SIGNALBOX_CHROMIUM;
  if (executablePath === undefined) return null;
  const browser: Browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  return {
    open: async (stage) => {
      const page = await browser.newPage();
      stage.defer(() => page.close(), 'the page');
      const viewer = await watchPage(page, stage.server.baseUrl);
      stage.defer(viewer.close, 'what looks at the page');
      stage.viewers.push(viewer);
      return viewer;
    },
    close: () => browser.close(),
  };
}
