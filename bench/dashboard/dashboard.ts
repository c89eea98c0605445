import { createCrewFixture } from '../../test/scenarios/world/crew.ts'
import type { GroupFigures } from '../benchmarks.ts'
import { median, quantile } from '../statistics.ts'
import { withPage } from './browser.ts'
import { lanes, someStory, watchCrew } from './crew-on-screen.ts'
import { firstLoad, mostHeap, paints } from './pages.ts'
import { storeSixty, watchSixty } from './sixty-stories.ts'

/**
 * Measures the experience of a viewer: the delay from commit to screen, the load time of a page,
 * and its memory.
 */
export async function measureDashboard(): Promise<GroupFigures> {
  return { ...(await measureCrew()), ...(await measureSixty()) }
}

async function measureCrew(): Promise<GroupFigures> {
  const fixture = await createCrewFixture()
  try {
    return await withPage(fixture, ['--max-coders', '2'], async ({ browser, page }) => {
      const { run, delays, shift } = await watchCrew(page, await fixture.replay(lanes))
      return {
        'dashboard, commit to screen': median(delays),
        'dashboard, layout shift of a live run': shift,
        'dashboard, first paint': median(await paints(page)),
        'dashboard, first load of the board': await firstLoad(browser, page, run),
        'dashboard, heap of the fullest page': await mostHeap(page, run, someStory),
      }
    })
  } finally {
    await fixture.remove()
  }
}

async function measureSixty(): Promise<GroupFigures> {
  const fixture = await createCrewFixture()
  try {
    await storeSixty(fixture)
    return await withPage(fixture, ['--no-own'], async ({ page }) => {
      const { alone, amongTwenty, slowestTab } = await watchSixty(page, fixture)
      return {
        '60 stories, commit to screen, p95': quantile(alone, 0.95),
        '60 stories and 20 tabs, commit to screen, p95': quantile(amongTwenty, 0.95),
        '20 tabs, the slowest one to come to the front': slowestTab,
      }
    })
  } finally {
    await fixture.remove()
  }
}
