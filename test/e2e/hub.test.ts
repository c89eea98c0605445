import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { serveBareHub } from '../server/bare-hub.ts'
import { serveOpenId } from '../server/openid-server.ts'
import { faults } from './axe.ts'
import { sharedBrowser } from './browser.ts'

const browser = sharedBrowser()
const folder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

test('a person signs in to a hub with a token that the page does not keep, and is out when it is revoked', async () => {
  const hub = await serveBareHub({ folder })
  const token = await hub.token('ada', 'viewer')
  const { page, problems } = await browser.open(hub.url, { signedIn: false })
  const field = page.getByLabel('Your personal token')
  const enter = async (text: string) => {
    await field.fill(text)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  await enter('not a token')
  await page.getByRole('alert').waitFor()
  await enter(token)
  await page.locator('.shell').waitFor()
  const readable = await page.evaluate('JSON.stringify({ ...localStorage }) + document.cookie + location.href')
  expect(readable).not.toContain(token)
  expect(readable).not.toContain('drydock-hub')

  await page.getByRole('button', { name: 'Sign out ada (viewer)' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await field.waitFor()
  await enter(token)
  await page.locator('.shell').waitFor()
  await hub.rows.deleteHubToken('ada')
  await page.getByText('Your session has ended').waitFor()
  expect(problems).toEqual([])
})

test('a person signs in with the provider of the team, comes back to where they were, and is somebody', async () => {
  const openid = await serveOpenId()
  openid.people.set('u-ada', { email: 'ada@example.com', email_verified: true, groups: ['crew'] })
  const hub = await serveBareHub({ folder, openPeopleDoor: openid.door({ roles: { operator: { groups: ['crew'] } } }) })
  openid.start(hub.url)
  const { page, problems } = await browser.open(`${hub.url}/#/start`, { signedIn: false })
  const button = page.getByRole('button', { name: `Sign in with ${new URL(openid.issuer).host}` })
  await button.waitFor()
  expect(await faults(page)).toEqual([])
  const signIn = async (name: string) => {
    await button.click()
    await page.locator('[name=login]').fill(name)
    await page.locator('[name=password]').fill('any')
    await page.locator('[type=submit]').click()
  }
  await signIn('u-eve')
  await page.getByRole('alert').getByText('who has no role on this hub').waitFor()
  expect(new URL(page.url()).search).toBe('')
  await page.context().clearCookies({ domain: new URL(openid.issuer).hostname })

  await signIn('u-ada')
  await page.getByRole('button', { name: 'Sign out ada@example.com (operator)' }).waitFor()
  expect(page.url()).toBe(`${hub.url}/#/start`)
  const readable = await page.evaluate(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }]) + document.cookie + location.href',
  )
  expect(readable).not.toMatch(/drydock-hub|code=|"flow"/)
  expect(problems).toEqual([])
})

test('a link with the answer for another signs nobody in, and a provider that is gone is told of', async () => {
  const openid = await serveOpenId()
  const hub = await serveBareHub({ folder, openPeopleDoor: openid.door() })
  const { page } = await browser.open(`${hub.url}/signed-in?code=abc&state=def`, { signedIn: false })
  await page.getByRole('alert').getByText('not begun in this tab').waitFor()
  expect(page.url()).toBe(`${hub.url}/#/`)
  await openid.stop()
  await page.getByRole('button', { name: /^Sign in with 127/ }).click()
  await page.getByRole('alert').getByText('does not answer').waitFor()
  await page.getByLabel('Your personal token').fill(await hub.token('ada', 'viewer'))
  await page.getByRole('button', { name: 'Sign in with the token' }).click()
  await page.locator('.shell').waitFor()
})
