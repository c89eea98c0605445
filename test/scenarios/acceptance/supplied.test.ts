import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFixture, type Fixture } from '../../world/fixture.ts'
import { memoryNode } from '../../world/node.ts'
import { call, change, plan, resultOf } from '../world/fixture.ts'

const asserts = "import assert from 'node:assert'\nimport { test } from 'node:test'\n"
const testOf = (name: string, n: number) =>
  `${asserts}import { double } from './double.js'\n\ntest('${name}', () => assert.equal(double(${n}), ${2 * n}))\n`
const hardCoded = 'export const double = (n) => (n === 2 ? 4 : 0)\n'
const honest = 'export const double = (n) => n * 2\n'

const write = (path: string, content: string) => call('write_file', { path, content })

const settled = { remarks: [{ id: 'F-1', settled: true, reply: 'Done.' }] }

let fixture: Fixture
let folder: string
beforeAll(async () => {
  fixture = await createFixture({
    programs: { node: memoryNode },
    files: {
      'package.json': '{ "type": "module" }\n',
      'double.js': 'export const double = () => 0\n',
      'zero.test.js': testOf('zero is doubled', 0),
    },
    steps: [{ name: 'test', command: 'node --test --test-reporter=spec', timeout_sec: 120 }],
  })
  folder = join(fixture.folder, 'acceptance')
  await mkdir(folder)
  await writeFile(join(folder, 'quokka.test.js'), testOf('a quokka is doubled', 37))
})
afterAll(() => fixture.remove())

describe('a task with --acceptance-tests', () => {
  test('is not done by code that is right for the visible tests alone, and no byte of them reaches its editor', async () => {
    const model = await fixture.replay({
      'editor/task/PLANNING': [plan()],
      'editor/task/CODING': [
        write('double.js', hardCoded),
        write('double.test.js', testOf('two is doubled', 2)),
        change(),
        write('double.js', honest),
        change(),
      ],
      'editor/review-1/PLANNING': [plan()],
      'editor/review-1/CODING': [
        write('double.js', hardCoded),
        change('Shorter', settled),
        write('double.js', honest.replace('n * 2', 'n + n')),
        change('Shorter', settled),
      ],
    })
    const args = ['task', 'double numbers', '--acceptance-tests', folder, '--json', '--no-wait', '--model', model]
    const done = await fixture.drydock(...args)
    expect(resultOf(done), done.stderr + done.stdout).toMatchObject({ status: 'DONE' })
    const states = done.events.filter(({ type }) => type === 'state').map(({ to }) => to)
    expect(states.slice(-4)).toEqual(['VERIFYING', 'CODING', 'VERIFYING', 'DONE'])
    expect((await fixture.drydock('report')).stdout).toMatch(/acceptance tests that no agent sees \(1 file, \w+\) pass/)
    const run = String(resultOf(done).run)
    // A follow-up works on the same code, so the same tests apply to it.
    const remarked = await fixture.drydock('review', run, '--comment', 'double.js:1', 'Add instead.', '--json')
    expect(remarked.exitCode, remarked.stderr + remarked.stdout).toBe(0)
    const records = (await fixture.open()).openRecords()
    const [, followUp] = await records.machines({ kind: 'run' })
    const statuses = (await records.verifications(followUp?.id ?? '')).map(({ status }) => status)
    expect(statuses).toEqual(['FAIL', 'PASS'])
    const lane = JSON.stringify([
      await records.messages(`${run}/editor/task/CODING`),
      await records.messages(`${followUp?.id}/editor/review-1/CODING`),
    ])
    const files = JSON.stringify(await records.contextFiles(run, 'task'))
    await records.close()
    expect(lane).toContain('the acceptance tests of this work did not')
    const shown = await Promise.all(
      [['log', '--verbose'], ['report'], ['status', '--json'], ['diff']].map((args) => fixture.drydock(...args)),
    )
    for (const text of [lane, files, done.stdout, ...shown.map(({ stdout }) => stdout)])
      expect(text).not.toContain('quokka')
  })

  test.each([
    ['a folder that is not there', 'nowhere', 'there is no such folder'],
    ['a folder without a file', 'empty', 'there is no file in it'],
  ])('refuses %s, and begins nothing', async (_what, name, says) => {
    await mkdir(join(fixture.folder, 'empty'), { recursive: true })
    const refused = await fixture.drydock('task', 'x', '--acceptance-tests', join(fixture.folder, name))
    expect([refused.exitCode, refused.stderr.includes(says)]).toEqual([2, true])
  })
})

test.each([
  ['red', hardCoded, 3],
  ['green', honest, 0],
])('verify asks them about the working tree: %s', async (_, text, exitCode) => {
  await fixture.write({ 'double.js': text })
  const asked = await fixture.drydock('verify', '--acceptance-tests', folder, '--json')
  expect([asked.exitCode, asked.stdout.includes('"acceptance":{"')], asked.stderr).toEqual([exitCode, true])
  expect(asked.stdout + asked.stderr).not.toContain('quokka')
})
