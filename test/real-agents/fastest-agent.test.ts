import { expect, test } from 'vitest'
import { installPinned } from './install-pinned.ts'
import { pinnedAgent } from './pinned-agents.ts'
import { doesTask } from './trials.ts'

const smallest = pinnedAgent('gemini')

/** The others, and what else they are tried with, take minutes: `npm run test:long -- agents`. */
test('a real agent from the registry, the smallest of them, does a task', async (context) => {
  const problem = await installPinned(smallest).then(
    () => null,
    (error: Error) => error.message,
  )
  if (problem !== null) context.skip(`the registry cannot be reached: ${problem}`)
  expect((await doesTask(smallest)).version).toContain('gemini')
})
