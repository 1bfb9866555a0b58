'use client';
/**
 * What a page has asked the server beside the live view, and what was answered. The query cache that keeps it is made by what
 * asks first, and its code comes with that: the board asks nothing before it is live.
 */
import type { QueryClient } from '@tanstack/react-query';
import { createContext } from 'react';

export interface Answers {
  /** `null`: nothing was asked yet. */
  cache: QueryClient | null;
}

/** Provided by `LiveRoot`, which empties it when the page's person is signed out. */
export const AnswersContext = createContext<Answers | null>(null);
