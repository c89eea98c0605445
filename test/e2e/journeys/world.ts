import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { createMemoryWorld, type MemoryWorld, type ServedOptions } from '../../server/memory-server.ts'
import type { Gates } from '../../world/gates.ts'
import type { Program } from '../../world/sandbox.ts'
import { violationsOf } from '../axe.ts'
import type { sharedBrowser } from '../browser.ts'

export type Browser = ReturnType<typeof sharedBrowser>

/** A Drydock in memory that ends with the test, with its gates open. */
export async function journeyWorld({
  gates,
  programs = {},
  ...options
}: ServedOptions & { readonly gates?: Gates } = {}): Promise<MemoryWorld> {
  const world = await createMemoryWorld({ ...options, programs: { ...programs, ...gates?.programs } })
  onTestFinished(() => {
    gates?.openAll()
    return world.close()
  })
  return world
}

/** A test command that fails while a file contains "bad", with the given output. */
export const redWhenBad =
  (path: string, says = 'it was verified\n'): Program =>
  (seen) =>
    seen.read(path)?.includes('bad') ? { exitCode: 1, output: `${path} is bad\n` } : { exitCode: 0, output: says }

const { SHOTS } = process.env

/** The faults of the present page; with SHOTS, its screenshot is stored in that folder. */
export async function look(page: Page, name: string): Promise<readonly string[]> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
  return violationsOf(page)
}
