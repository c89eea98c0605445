import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts'
import { createDatabase } from '../../../src/adapters/store/database.ts'
import { openHubRows } from '../../../src/adapters/store/hub/open-hub-rows.ts'
import { addHubToken } from '../../../src/app/commands/hub/hub-tokens.ts'
import { serveToTeam } from '../../../src/compose/serve-state.ts'
import type { Role } from '../../../src/domain/hub/role.ts'
import type { WorkerSign } from '../../../src/ports/hub/worker-sign.ts'
import { shipped } from '../../../src/processes/installation.ts'
import { build, greenStory, needsChanges, specLanes } from '../../scenarios/world/crew.ts'
import { serveBareHub } from '../../server/bare-hub.ts'
import { serveOpenId } from '../../server/openid-server.ts'
import { pagesOf } from '../pages.ts'
import { type Browser, journeyWorld, look } from './world.ts'

const acts =
  /^(?:Start|Build|Write|One task|Reply|Pause|Resume|Retry|Try again|Suggest|Undo|Remove|Raise|Cancel|Accept|Post|Stop|Skip(?! to the )|Insist|Send|Your answer|Merge into|Open a change|Comment|Add a token|Revoke|Drain)/

async function enter(page: Page, token: string): Promise<void> {
  await page.getByLabel('Your personal token').fill(token)
  await page.getByRole('button', { name: /^Sign in( with the token)?$/ }).click()
}

const sign = (host: string, more: Partial<WorkerSign>): WorkerSign =>
  ({
    host,
    since: new Date().toISOString(),
    seenAt: new Date().toISOString(),
    silentMs: 100,
    version: '0.9.0',
    isGivenUp: false,
    hasLeft: false,
    isDraining: false,
    ...more,
  }) as WorkerSign

/** A hub over a run in memory that asks somebody, with a provider that knows its people. */
export async function serveTeam() {
  const world = await journeyWorld({
    steps: [{ name: 'test', command: 'true' }],
    config: { editor: { review_rounds: 1 } },
  })
  const stopped = await build(world.fixture, {
    ...specLanes('good', 'asks', { id: 'waits', depends_on: ['asks'] }),
    ...greenStory('good'),
    ...greenStory('asks'),
    'architect/REQUEST/code/asks/1': [needsChanges('Not like **this**.')],
  })
  expect(stopped.exitCode, stopped.stderr).toBe(6)
  const { drydock } = world
  const database = createDatabase({ state: drydock.state, server: null, clock: createSystemClock(), redact: String })
  await database.ensure()
  const rows = await openHubRows(database)
  const openid = await serveOpenId()
  const audit: string[] = []
  const drained = new Set<string>()
  const workers = () => [sign('one/one-aaaa', { isDraining: drained.has('one/one-aaaa') })]
  const hub = await serveToTeam(
    {
      ...drydock,
      state: drydock.state,
      openHubRows: () => openHubRows(database),
      openPeopleDoor: openid.door({ roles: { operator: { groups: ['crew'] } } }),
      workersNow: async () => workers(),
      async drainWorkers(host) {
        drained.add(host)
        return [host]
      },
    },
    world.reader,
    {
      door: { host: '127.0.0.1', port: 0, tls: null, proxyOrigin: null },
      options: {},
      onAudit: (line) => void audit.push(line),
      onError: (error) => void audit.push(`bug ${error}`),
    },
  )
  onTestFinished(async () => {
    await hub.close()
    await rows.close()
  })
  openid.start(hub.url)
  const token = async (name: string, role: Role) =>
    (await addHubToken(rows, { name, role, expires: undefined }, new Date())).token
  return { world, url: hub.url, run: String(stopped.events[0]?.run), rows, openid, audit, token }
}

export async function hubPeople(browser: Browser): Promise<void> {
  const { url, run, rows, openid, audit, token } = await serveTeam()
  const readable =
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) + document.cookie + location.href + document.body.textContent'

  // Nobody can sign in with a wrong token, or with the answer to another request.
  const viewer = await token('vic', 'viewer')
  const { page, problems } = await browser.open(`${url}/signed-in?code=abc&state=def`, { signedIn: false })
  await page.getByRole('alert').getByText('not begun in this tab').waitFor()
  expect(page.url()).toBe(`${url}/#/`)
  expect(await look(page, 'hub-door')).toEqual([])
  await enter(page, 'not a token')
  await page.getByRole('alert').getByText(/token/).first().waitFor()
  await enter(page, viewer)
  await page.locator('.shell').waitFor()
  expect(await page.evaluate<string>(readable)).not.toContain(viewer)
  expect(await page.evaluate<string>(readable)).not.toContain('drydock-hub')

  // A viewer sees no actions, and sends no forbidden requests.
  const said: string[] = []
  const actionsIn = async (of: Page) => {
    const found = new Set<string>()
    said.length = 0
    for (const path of [...pagesOf(run, 'asks'), '#/tokens']) {
      await of.goto(`${url}/${path}`)
      await of.locator('.loading').first().waitFor({ state: 'detached' })
      // All elements that can be pressed, filled in or followed to act.
      const names = await of.evaluate<readonly string[]>(`
        [...document.querySelectorAll('main button, main textarea, main input, main fieldset, main a.button')]
          .map((each) => each.getAttribute('aria-label') || each.textContent || each.labels?.[0]?.textContent || each.tagName)`)
      for (const name of names) found.add(name.trim())
      said.push(`${path}\n${await of.evaluate<string>('document.querySelector("main").innerText')}`)
    }
    return [...found]
  }
  expect((await actionsIn(page)).filter((name) => acts.test(name))).toEqual([])
  // Nothing asks somebody who cannot answer. The report is one text for all readers.
  const toReader = /\b(?:asks?|needs?|for|waits for) you\b|\byour answer\b/i
  const told = said.filter((text) => !/\/report\n/.test(text))
  expect(told.filter((text) => toReader.test(text)).map((text) => text.split('\n', 1)[0])).toEqual([])
  await page.goto(`${url}/#/workers`)
  await page.getByText('one-aaaa').first().waitFor()

  // A viewer cannot answer: the page names the people who can, and counts no question for her.
  await page.locator('.foot-me', { hasText: 'vic' }).getByText('viewer').waitFor()
  await page.goto(`${url}/#/runs/${run}`)
  await page.locator('.page-head').getByText('It waits for an operator.').waitFor()
  await page.getByRole('article', { name: 'Question of the architect' }).getByText('asks an operator').waitFor()
  expect(await page.locator('.sidebar .badge, .topbar .badge').count()).toBe(0)
  expect(await page.title()).not.toMatch(/^\(/)

  // A revoked person is signed out at once.
  await rows.deleteHubToken('vic')
  await page.getByText('Your session has ended').waitFor()

  // The provider admits nobody without a role; a person with one returns to the previous page.
  await page.goto(`${url}/#/start`)
  const withProvider = page.getByRole('button', { name: `Sign in with ${new URL(openid.issuer).host}` })
  const signIn = async (name: string) => {
    await withProvider.click()
    await page.locator('[name=login]').fill(name)
    await page.locator('[name=password]').fill('any')
    await page.locator('[type=submit]').click()
  }
  await signIn('u-eve')
  await page.getByRole('alert').getByText('who has no role on this hub').waitFor()
  await page.context().clearCookies({ domain: new URL(openid.issuer).hostname })
  openid.people.set('u-ada', { email: 'ada@example.com', email_verified: true, groups: ['crew'] })
  await signIn('u-ada')
  const signOut = page.getByRole('button', { name: 'Sign out ada@example.com (operator)' })
  await signOut.waitFor()
  expect(page.url()).toBe(`${url}/#/start`)
  expect(await page.evaluate<string>(readable)).not.toMatch(/drydock-hub|code=|"flow"/)

  // An operator acts, manages no tokens, and drains a machine.
  const operator = await actionsIn(page)
  for (const name of ['Start', 'Build a spec', 'Cancel', 'Comment on asks.txt', 'Reply', 'Post'])
    expect(operator).toContain(name)
  expect(operator.filter((name) => /token|Revoke/.test(name))).toEqual([])
  expect(audit.filter((line) => /"not_allowed"|^bug/.test(line) && !line.includes('sign_in'))).toEqual([])
  await page.goto(`${url}/#/workers`)
  const row = page.getByRole('listitem').filter({ hasText: 'one-aaaa' })
  await row.getByText(/^Drydock \d/).waitFor()
  expect(await look(page, 'workers')).toEqual([])
  await row.getByRole('button', { name: /^Drain one-/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Drain it' }).click()
  await row.getByText('Draining').waitFor()
  expect(audit.join('\n')).toMatch(/"what":"worker_drained",.*"by":"ada@example\.com"/)
  await signOut.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await withProvider.waitFor()

  // An admin adds a token, which is shown once, and revokes it, only by keyboard.
  await enter(page, await token('root', 'admin'))
  await page.locator('.shell').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await page.getByRole('heading', { name: 'Tokens' }).waitFor()
  const name = page.getByLabel('Name of the person or program')
  await name.focus()
  await page.keyboard.type('Not a name')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('is not a name for a token').waitFor()
  await name.fill('bea')
  await page.keyboard.press('Tab')
  await page.keyboard.type('op')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const shown = page.getByRole('region', { name: 'The token of bea' })
  const added = (await shown.locator('code').textContent()) ?? ''
  await page.locator('[aria-label="The token of bea"]:focus').waitFor()
  expect(await look(page, 'tokens')).toEqual([])
  const names = async () => (await rows.hubTokens()).map(({ name, role }) => `${name} ${role}`)
  expect(await names()).toContain('bea operator')
  await shown.getByRole('button', { name: 'Close' }).press('Enter')
  await shown.waitFor({ state: 'detached' })
  await page.getByRole('listitem', { name: 'bea' }).waitFor()
  expect(added).toMatch(/^drydock_hub_/)
  expect(await page.evaluate<string>(readable)).not.toContain(added)
  await page.getByRole('button', { name: 'Revoke bea' }).press('Enter')
  await page.getByRole('button', { name: 'Revoke it' }).press('Enter')
  await page.getByRole('listitem', { name: 'bea' }).waitFor({ state: 'detached' })
  expect(await names()).not.toContain('bea operator')

  // The page reports an unreachable provider, and people with a token can still sign in.
  await page.getByRole('button', { name: /^Sign out root/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await openid.stop()
  const later = await serveBareHub({ folder: shipped('dist/dashboard'), openPeopleDoor: openid.door() })
  await page.goto(later.url)
  await withProvider.click()
  await page.getByRole('alert').getByText('does not answer').waitFor()
  await enter(page, await later.token('eve', 'viewer'))
  await page.locator('.shell').waitFor()
  expect(problems).toEqual([])
}
