import type { Page } from 'playwright-core'

/** The list of models on the page that is open. */
export const modelList = (page: Page) => page.getByRole('combobox', { name: /^Model/ })

/** Names a model that no list has, such as a recording. */
export async function nameModel(page: Page, model: string): Promise<void> {
  await modelList(page).selectOption('other')
  await page.getByLabel('Name of the model').fill(model)
}
