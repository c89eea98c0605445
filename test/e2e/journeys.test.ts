import { test } from 'vitest'
import { sharedBrowser } from './browser.ts'
import { lookAround } from './journeys/look-around.ts'
import { planWork } from './journeys/plan-work.ts'
import { watchRun } from './journeys/watch-run.ts'

const browser = sharedBrowser()
/** A journey has about a hundred steps, each of which may take long on a busy machine. */
const journey = { timeout: 600_000 }

test(
  'somebody starts a spec on the page and watches it to its end without a reload, also over a server that goes and comes',
  journey,
  () => watchRun(browser),
)

test(
  'somebody looks at a run that asks: its board, a story with its diff and logs, by mouse, by keyboard and by search',
  journey,
  () => lookAround(browser),
)

test(
  'somebody comes with a vague idea, is interviewed, plans, edits the plan at the same time as another, and builds it',
  journey,
  () => planWork(browser),
)
