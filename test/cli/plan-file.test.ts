import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPlan, writePlan } from '../../src/cli/commands/start/plan-file.ts'
import { planned } from './crew-world.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-plan-'))
})

afterAll(() => rm(folder, { recursive: true }))

async function read(content: unknown) {
  const file = join(folder, 'plan.json')
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
  return readPlan(file)
}

const stories = [planned('parser'), planned('printer', { depends_on: ['parser'], files_hint: ['src/print.ts'] })]

test('a written plan is read back unchanged, and is formatted for editing', async () => {
  const file = join(folder, 'written.json')
  await writePlan(file, { version: null, stories })
  expect(await readPlan(file)).toEqual(stories)
  expect(await readFile(file, 'utf8')).toMatch(/^\{\n {2}"stories": \[\n {4}\{\n {6}"id": "parser",\n/)
  await expect(writePlan(file, { version: null, stories: [] })).rejects.toThrow('EEXIST')
})

test('a bare list is taken, and what may be left out', async () => {
  const short = { id: 'a', title: 'Do a', acceptance_criteria: ['a is done'] }
  expect(await read([short])).toEqual([{ ...short, content: '', depends_on: [], files_hint: [] }])
})

test.each([
  ['no JSON', '{', /plan\.json cannot be built: no JSON: /],
  ['nothing', 'null', /plan\.json cannot be built: the top level: /],
  ['no story', [], /there are no stories/],
  ['an unknown key', [{ ...stories[0], depend_on: [] }], /stories\.0 \(story "parser"\): .*depend_on/],
  ['a bad id', [planned('a/b')], /stories\.0\.id \(story "a\/b"\): an id has at most 40 letters/],
  ['a missing title', [{ id: 'a', acceptance_criteria: ['x'] }], /stories\.0\.title \(story "a"\)/],
  ['an unknown dependency', [planned('a', { depends_on: ['b'] })], /story "a" depends on "b", which is not a story/],
  ['a cycle', [planned('a', { depends_on: ['b'] }), planned('b', { depends_on: ['a'] })], /wait for each other: a, b/],
  ['no criterion', [planned('a', { acceptance_criteria: [] })], /story "a" has no acceptance criterion/],
])('%s is refused, with the file and what is wrong', async (_, content, message) => {
  await expect(read(content)).rejects.toMatchObject({ code: 'bad_usage', message: expect.stringMatching(message) })
})

test('a file that is not there is refused', async () => {
  await expect(readPlan(join(folder, 'none.json'))).rejects.toMatchObject({ code: 'bad_usage' })
})
