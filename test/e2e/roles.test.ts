import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  build,
  createCrewFixture,
  greenStory,
  needsChanges,
  specLanes,
  submit,
  writeFile,
} from '../scenarios/world/crew.ts'
import type { Fixture } from '../scenarios/world/fixture.ts'
import { launch, type Running } from '../scenarios/world/process.ts'
import { serveBareHub } from '../server/bare-hub.ts'
import { faults, violationsOf } from './axe.ts'
import { sharedBrowser } from './browser.ts'
import { pagesOf } from './pages.ts'

const browser = sharedBrowser()
const folder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Your personal token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('.shell').waitFor()
}

describe('on a hub with a run that asks somebody', () => {
  let fixture: Fixture
  let hub: Running
  let url: string
  let run: string

  beforeAll(async () => {
    fixture = await createCrewFixture({ config: { editor: { review_rounds: 1 } } })
    const stopped = await build(fixture, {
      ...specLanes('good', 'asks', { id: 'waits', depends_on: ['asks'] }),
      ...greenStory('good'),
      'editor/good/CODING': [writeFile('good.ts', '// Says good.\nexport const good = 1\n'), submit('good')],
      ...greenStory('asks'),
      'architect/REQUEST/code/asks/1': [needsChanges('Not like **this**.')],
    })
    run = String(stopped.events[0]?.run)
  })
  afterAll(() => fixture?.remove())

  async function startHub(): Promise<void> {
    hub = launch(['hub', '--repo', fixture.repo, '--json', '--no-own', '--listen', '127.0.0.1:0'], { env: fixture.env })
    url = JSON.parse(await hub.line(/"type":"serving"/)).url
  }

  /** The names of what acts on every page, as somebody with a role sees it. */
  async function actionsOf(role: string): Promise<readonly string[]> {
    const added = await fixture.drydock('hub', 'token', 'add', `a-${role}`, '--role', role)
    const { page, problems } = await browser.open(url, { signedIn: false })
    await enter(page, added.stdout.trim())
    const found = new Set<string>()
    const pages = ['asks', 'good'].flatMap((story) => pagesOf(run, story))
    for (const path of new Set([...pages, '#/tokens'])) {
      await page.goto(`${url}/${path}`)
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      // All that one can press, write or follow there to act.
      const names = await page.evaluate<readonly string[]>(`
        [...document.querySelectorAll('main button, main textarea, main input, main fieldset, main a.button')]
          .map((each) => each.getAttribute('aria-label') || each.textContent || each.labels?.[0]?.textContent || each.tagName)`)
      for (const name of names) found.add(name.trim())
    }
    expect(problems).toEqual([])
    return [...found]
  }

  const acts =
    /^(?:Start|Build|Write|One task|Reply|Pause|Resume|Retry|Raise|Cancel|Accept|Post|Stop|Skip|Insist|Send|Your answer|Merge into|Open a change|Comment|Add a token|Revoke|Drain)/

  test('a viewer sees nothing that acts, an operator does, and nobody asks for what they may not have', async () => {
    await startHub()
    const operator = await actionsOf('operator')
    const found = operator.filter((name) => acts.test(name))
    for (const name of ['Start', 'Build a spec', 'Cancel', 'Comment on asks.txt', 'Reply', 'Post'])
      expect(found).toContain(name)
    const viewer = await actionsOf('viewer')
    expect(viewer.filter((name) => acts.test(name))).toEqual([])
    expect(operator.filter((name) => /token|Revoke/.test(name))).toEqual([])
    hub.child.kill('SIGTERM')
    const { stderr } = await hub.ended
    expect(stderr.split('\n').filter((line) => line.includes('"not_allowed"'))).toEqual([])
  })
})

describe('an admin', () => {
  test('adds a token, which is shown once, and revokes it, by keyboard alone', async () => {
    const hub = await serveBareHub({ folder })
    const { page, problems } = await browser.open(hub.url, { signedIn: false })
    await enter(page, await hub.token('root', 'admin'))
    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await page.getByRole('heading', { name: 'Tokens' }).waitFor()
    await page.getByLabel('Name of the person or program').focus()
    await page.keyboard.type('Not a name')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('is not a name for a token').waitFor()
    await page.getByLabel('Name of the person or program').fill('ada')
    await page.keyboard.press('Tab')
    await page.keyboard.type('op')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const shown = page.getByRole('region', { name: 'The token of ada' })
    const token = (await shown.locator('code').textContent()) ?? ''
    await page.locator('[aria-label="The token of ada"]:focus').waitFor()
    expect((await hub.rows.hubTokens()).map(({ name, role }) => `${name} ${role}`)).toContain('ada operator')
    await shown.getByRole('button', { name: 'Close' }).press('Enter')
    await shown.waitFor({ state: 'detached' })
    await page.getByRole('listitem', { name: 'ada' }).waitFor()
    const kept = await page.evaluate(
      'document.body.textContent + JSON.stringify({ ...localStorage, ...sessionStorage })',
    )
    expect(token).toMatch(/^drydock_hub_/)
    expect(kept).not.toContain(token)

    await page.getByRole('button', { name: 'Revoke ada' }).press('Enter')
    await page.getByRole('button', { name: 'Revoke it' }).press('Enter')
    await page.getByRole('listitem', { name: 'ada' }).waitFor({ state: 'detached' })
    expect((await hub.rows.hubTokens()).map(({ name }) => name)).toEqual(['root'])
    expect(problems).toEqual([])
  })

  test('can use the page of tokens on every screen, light or dark', async () => {
    const hub = await serveBareHub({ folder })
    await hub.token('a-very-long-name-of-a-program-0123456789', 'monitor', '1d')
    await hub.rows.putHubPerson({
      ...{ name: 'ada.with.a.long.name@example.com', role: 'operator', subject: 'https://id.example u' },
      expiresAt: '2999-01-01T00:00:00.000Z',
    })
    const token = await hub.token('root', 'admin')
    for (const width of [390, 1440]) {
      const { page } = await browser.open(hub.url, { signedIn: false, width })
      await enter(page, token)
      await page.goto(`${hub.url}/#/tokens`)
      await page.getByRole('listitem', { name: 'root' }).waitFor()
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(`${width} ${colorScheme} ${await violationsOf(page)}`).toBe(`${width} ${colorScheme} `)
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        const shots = process.env.SHOTS
        if (shots) await page.screenshot({ path: `${shots}/tokens-${width}-${colorScheme}.png`, fullPage: true })
      }
      await page.getByLabel('Name of the person or program').fill(`b-${width}`)
      await page.getByRole('button', { name: 'Add a token' }).click()
      await page.getByRole('region', { name: /The token of b/ }).waitFor()
      expect(await faults(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
  })
})
