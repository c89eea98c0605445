import type { Page } from 'playwright-core'
import type { RunDetail } from '../../src/api/runs.ts'
import { greenStory, type Lanes, specLanes } from '../../test/scenarios/world/crew.ts'
import { ask } from './browser.ts'
import { type CardChange, watching } from './watching.ts'

const ids = ['one', 'two', 'three', 'four', 'five', 'six']
/** A story whose pages the benchmark opens. */
export const someStory = 'one'

export const lanes: Lanes = Object.assign(specLanes(...ids), ...ids.map((id) => greenStory(id)))

export interface CrewOnScreen {
  readonly run: string
  /** Milliseconds from the stored time of each move to the frame that shows it. */
  readonly delays: readonly number[]
  /** Layout shift, from the start of the Run to its end. */
  readonly shift: number
}

/** Runs a crew of six stories while a browser shows its board. */
export async function watchCrew(page: Page, model: string): Promise<CrewOnScreen> {
  const request = { spec: 'Make the files', models: { default: model } }
  const { run } = await ask<{ readonly run: string }>(page, '/api/runs', request)
  await page.evaluate(`location.hash = '#/runs/${run}'`)
  await page.evaluate(watching)
  await page.locator('.page-head [data-state="DONE"]').waitFor({ timeout: 120_000 })
  const { seen, shift } = await page.evaluate<{ seen: readonly CardChange[]; shift: number }>('({ seen, shift })')
  const { transitions } = await ask<RunDetail>(page, `/api/runs/${run}`)
  const delays = seen.flatMap(({ story, state, at }) => {
    // The newest move comes first.
    const move = transitions.find((each) => each.story === story && each.to === state && Date.parse(each.at) <= at)
    return move ? [at - Date.parse(move.at)] : []
  })
  return { run, delays, shift }
}
