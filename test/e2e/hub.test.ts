import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { serveBareHub } from '../server/bare-hub.ts'
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
