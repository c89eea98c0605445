import { AxeBuilder } from '@axe-core/playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { build, createCrewFixture, greenStory, needsChanges, specLanes } from '../scenarios/crew.ts'
import type { Fixture } from '../scenarios/fixture.ts'
import { type Opened, sharedBrowser } from './browser.ts'
import { pagesOf } from './pages.ts'
import { serveApart } from './serving.ts'

const browser = sharedBrowser()
let fixture: Fixture
let run: string

/** One story is done, one asks a human, and one waits for it. */
beforeAll(async () => {
  fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
  const stopped = await build(fixture, {
    ...specLanes('good', 'asks', { id: 'waits', depends_on: ['asks'] }),
    ...greenStory('good'),
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges('Not like **this**.')],
  })
  run = String(stopped.events[0]?.run)
})
afterAll(() => fixture.remove())

async function show(options: Parameters<typeof browser.open>[1] = {}): Promise<Opened> {
  return browser.open((await serveApart(fixture, '--port', '0', '--no-own')).link, options)
}

async function go({ page, base }: Opened, path: string): Promise<void> {
  await page.goto(`${base}/${path}`)
  await page.locator('.loading').waitFor({ state: 'detached' })
}

describe('people can use every page', () => {
  test.each(['light', 'dark'] as const)(
    'in the %s theme axe finds nothing serious on any',
    async (colorScheme) => {
      const opened = await show({ colorScheme })
      const found: string[] = []
      for (const path of pagesOf(run, 'asks')) {
        await go(opened, path)
        const { violations } = await new AxeBuilder({ page: opened.page }).analyze()
        for (const { id, impact, nodes } of violations) {
          if (impact === 'serious' || impact === 'critical') found.push(`${path}: ${id}: ${nodes[0]?.html}`)
        }
      }
      expect({ found, problems: opened.problems }).toEqual({ found: [], problems: [] })
    },
    120_000,
  )

  test('on a phone nothing is wider than the screen, and the menu leads everywhere', async () => {
    const opened = await show({ width: 1_280 })
    const { page } = opened
    await page.setViewportSize({ width: 390, height: 844 })
    for (const path of pagesOf(run, 'asks')) {
      await go(opened, path)
      expect(await page.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(390)
    }
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('dialog').getByRole('link', { name: 'Figures' }).click()
    await page.getByRole('heading', { level: 1, name: 'Figures' }).waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(opened.problems).toEqual([])
  })

  test('with the keyboard alone: j and k walk, Enter opens, r replies, ? explains', async () => {
    const opened = await show()
    const { page } = opened
    await go(opened, `#/runs/${run}`)
    const focused = () => page.evaluate<string>('document.activeElement.dataset.story')
    await page.locator('[data-story]').first().waitFor()
    await page.keyboard.press('j')
    const first = await focused()
    await page.keyboard.press('j')
    const second = await focused()
    await page.keyboard.press('k')
    expect([await focused(), second]).toEqual([first, expect.not.stringMatching(`^${first}$`)])
    await page.keyboard.press('r')
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.press('?')
    expect(await page.locator('textarea:focus').inputValue()).toBe('?')
    await page.locator('[data-story]').first().focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator(`[data-story="${first}"]`).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: `Make ${first}` }).waitFor()
  })

  test('a browser without a session is told how to get one', async () => {
    const { link } = await serveApart(fixture, '--port', '0', '--no-own')
    await browser.open(link)
    const { page } = await browser.open(new URL(link).origin, { signedIn: false })
    await page.getByRole('heading', { name: 'Open the link that Drydock prints' }).waitFor()
  })
})
