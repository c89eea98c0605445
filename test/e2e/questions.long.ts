import { expect, test } from 'vitest'
import { sharedBrowser } from './browser.ts'
import { serveTeam } from './journeys/hub-people.ts'
import { look } from './journeys/world.ts'
import { shownNotifications, watchNotifications } from './notified.ts'

const browser = sharedBrowser()

test('on a hub an operator gives a question to a person, all see whose it is, and that person finds it among hers', async () => {
  const { world, url, token } = await serveTeam()
  await world.own()
  const enter = async (name: string, role: 'operator' | 'viewer') => {
    const opened = await browser.open(`${url}/`, { signedIn: false, notifications: true })
    await opened.page.getByLabel('Your personal token').fill(await token(name, role))
    await opened.page.getByRole('button', { name: /^Sign in( with the token)?$/ }).click()
    await opened.page.locator('.shell').waitFor()
    await opened.page.goto(`${url}/#/questions`)
    await opened.page.locator('.question').waitFor()
    await opened.page.evaluate(watchNotifications)
    return opened
  }
  const viewer = await enter('vic', 'viewer')
  const bea = await enter('bea', 'operator')
  const ada = await enter('ada', 'operator')
  const choice = ada.page.locator('.question').getByRole('combobox', { name: 'for' })
  await choice.locator('option').nth(2).waitFor({ state: 'attached' })
  expect(await choice.locator('option').allTextContents()).toEqual(['everybody', 'ada', 'bea'])
  await bea.page.getByLabel('Whose questions').selectOption('me')
  await bea.page.getByText('1 other question').waitFor()
  expect(await bea.page.locator('.question').count()).toBe(0)
  await choice.selectOption('bea')
  await viewer.page.getByText('for bea', { exact: true }).waitFor()
  await bea.page.locator('.question').waitFor()
  expect(bea.page.url()).toMatch(/\?for=me$/)
  await expect
    .poll(() => shownNotifications(bea.page))
    .toEqual([['ada gives you a question', expect.stringContaining('The code of asks'), expect.any(String)]])
  for (const { page } of [viewer, ada]) expect(await shownNotifications(page)).toEqual([])
  for (const { page } of [viewer, bea]) expect(await look(page, 'assigned')).toEqual([])
  await choice.selectOption('')
  await bea.page.locator('.question').waitFor({ state: 'detached' })
  await viewer.page.getByText('for bea', { exact: true }).waitFor({ state: 'detached' })
  expect([viewer, bea, ada].flatMap(({ problems }) => problems)).toEqual([])
})
