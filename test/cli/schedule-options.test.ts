import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { keptOptions } from '../../src/app/commands/kept-options.ts'

test('a schedule keeps each option of its runs, and names files so that any process finds them', () => {
  const models = { model: 'a/b', architectModel: 'c/d', editorModel: 'e/f', scoutModel: 'g/h' }
  const options = { ...models, target: 'main', budgetUsd: 2, maxWait: 60, priority: 'high' } as const
  expect(keptOptions(options)).toEqual(options)
  expect(keptOptions({ model: 'replay:a.json,b/c', config: 'd.json' })).toEqual({
    model: `replay:${resolve('a.json')},b/c`,
    config: resolve('d.json'),
  })
})
