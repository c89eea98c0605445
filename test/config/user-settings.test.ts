import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { changeableSettings, readUserSettings, writeUserSetting } from '../../src/config/user-settings.ts'

let folder: string
let file: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drydock-settings-'))
  file = join(folder, 'config.json')
})
beforeEach(() => rm(file, { force: true }))
afterAll(() => rm(folder, { recursive: true }))

const read = () => readFile(file, 'utf8')

test('one key is changed, and all else stays as it was written: order, indentation, line ends, mode', async () => {
  const text =
    '{\r\n\t"max_wait": "10m",\r\n\t"models": {\r\n\t\t"editor": "anthropic:a"\r\n\t},\r\n\t"target": "main"\r\n}\r\n'
  await writeFile(file, text)
  await chmod(file, 0o640)
  await writeUserSetting(file, { key: 'max_wait', value: '2d', seen: '10m' })
  expect(await read()).toBe(text.replace('10m', '2d'))
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  await writeUserSetting(file, { key: 'models.editor', value: null, seen: 'anthropic:a' })
  expect(JSON.parse(await read())).toEqual({ max_wait: '2d', target: 'main' })
  expect(await readdir(folder)).toEqual(['config.json'])
})

test('a file that is not there is made for its user alone, and a link to it stays a link', async () => {
  await writeUserSetting(file, { key: 'budget.run_usd', value: 4, seen: null })
  expect(JSON.parse(await read())).toEqual({ budget: { run_usd: 4 } })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const link = join(folder, 'link.json')
  await symlink(file, link)
  await writeUserSetting(link, { key: 'budget.run_usd', value: 5, seen: 4 })
  expect(JSON.parse(await read())).toEqual({ budget: { run_usd: 5 } })
  await rm(link)
})

test('values that the schema refuses, and changes by somebody else meanwhile, leave the file unchanged', async () => {
  const text = '{ "max_wait": "10m" }\n'
  await writeFile(file, text)
  for (const [key, value, seen, code] of [
    ['max_wait', 'soon', '10m', 'bad_config'],
    ['budget.run_usd', -1, null, 'bad_config'],
    ['notify.on', ['nothing of the kind'], null, 'bad_config'],
    ['max_wait', '2d', '5m', 'already_done'],
    ['max_wait', '2d', null, 'already_done'],
  ] as const)
    await expect(writeUserSetting(file, { key, value, seen })).rejects.toMatchObject({ code })
  expect(await read()).toBe(text)
})

test('nothing that starts programs, leads keys elsewhere or opens a sandbox can be changed, however it is named', async () => {
  const dangerous =
    /^(?:notify\.(?:command|webhook)|sandbox|providers|agents|mcp|forges|telemetry|state|repositories|commit|receipts|acp)\b/
  expect(changeableSettings.filter(({ key }) => dangerous.test(key))).toEqual([])
  const known = new Set(changeableSettings.map(({ key }) => key))
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom('__proto__', 'constructor.prototype', 'notify.command', 'models', 'sandbox.read_only_paths', ''),
  )
  await fc.assert(
    fc.asyncProperty(names, async (key) => {
      fc.pre(!known.has(key))
      await expect(writeUserSetting(file, { key, value: 'x', seen: null })).rejects.toMatchObject({ code: 'bad_usage' })
    }),
  )
})

test('a value in another form is not taken for nothing', async () => {
  await writeFile(file, '{ "models": { "default": ["anthropic:a", { "x": 1 }] } }')
  await expect(readUserSettings(file)).rejects.toMatchObject({ code: 'bad_config' })
  await writeFile(file, '{ "models": { "default": ["anthropic:a", "anthropic:b"] } }')
  expect((await readUserSettings(file)).get('models.default')).toEqual(['anthropic:a', 'anthropic:b'])
})
