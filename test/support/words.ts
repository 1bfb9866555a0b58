/** Parts of a page are tested without a page around them: they read English. */
import { keepWords } from '@/lib/words/at-hand';
import { en } from '@/lib/words/en/messages';

keepWords('en', en);
