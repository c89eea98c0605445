import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { fromAnywhere } from '../../src/app/commands/scheduled-start.ts'

test('a schedule keeps each option of its runs, and names files so that any process finds them', () => {
  const models = { model: 'a/b', architectModel: 'c/d', editorModel: 'e/f', scoutModel: 'g/h' }
  const options = { ...models, target: 'main', budgetUsd: 2, maxWait: 60, priority: 'high' } as const
  expect(fromAnywhere(options)).toEqual(options)
  expect(fromAnywhere({ model: 'replay:a.json,b/c', config: 'd.json' })).toEqual({
    model: `replay:${resolve('a.json')},b/c`,
    config: resolve('d.json'),
  })
})
