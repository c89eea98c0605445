import { afterEach, expect, test } from 'vitest'
import { createMemoryFixture, type MemoryFixture } from '../world/fixture.ts'
import type { Program } from '../world/sandbox.ts'
import { conversationOf } from './world/conversation.ts'
import { call, change, passWhenNew, plan, resultOf } from './world/fixture.ts'

let fixture: MemoryFixture
afterEach(() => fixture.remove())

const host = 'packages.example.org'
const lanesOf = (story: string) => ({
  [`editor/${story}/PLANNING`]: [plan({ files: ['value.txt', 'lock'] })],
  [`editor/${story}/CODING`]: [
    call('write_file', { path: 'value.txt', content: 'new\n' }),
    call('write_file', { path: 'lock', content: 'two\n' }),
    change(),
  ],
})

/** A repository whose `prepare` needs a registry, which is unreachable while `isAway` is true. */
async function given(isAway: (lock: string) => boolean): Promise<void> {
  const install: Program = (seen) => {
    seen.write('deps/installed', seen.read('lock') ?? '')
    return isAway(seen.read('lock') ?? '') ? { exitCode: 1, output: 'npm error\n', unreached: [host] } : 0
  }
  const prepare = [{ name: 'install', command: 'install', inputs: ['lock'], outputs: ['deps'], network: ['registry'] }]
  const config = JSON.stringify({ verification: { prepare, steps: [passWhenNew] } })
  fixture = await createMemoryFixture({
    files: { lock: 'one\n', '.gitignore': 'deps\n', '.drydock/config.json': config },
    programs: { install },
  })
}

const start = async () => {
  const ended = await fixture.drydock('task', 'say new', '--json', '--model', await fixture.replay(lanesOf('task')))
  expect(ended.exitCode, ended.stdout + ended.stderr).toBe(4)
  expect(resultOf(ended)).toMatchObject({ status: 'INFRA_ERROR' })
  const report = (await fixture.drydock('report')).stdout
  expect(report).toContain(`had no connection to ${host}`)
  expect(report).toContain('Once the host can be reached, continue with: drydock resume')
  return ended
}

test('a registry that is away at the start is named, and resume begins then', async () => {
  let isAway = true
  await given(() => isAway)
  const ended = await start()
  isAway = false
  const again = await fixture.drydock('resume', '--json', '--model', await fixture.replay(lanesOf('task@2')))
  expect(again.exitCode, again.stdout + again.stderr).toBe(3)
  expect(resultOf(again)).toMatchObject({ status: 'DONE', run: resultOf(ended).run })
})

test('a registry that is away once the change has its own lock file is named, is not the change’s fault, and resume verifies', async () => {
  let isAway = true
  await given((lock) => isAway && lock === 'two\n')
  const ended = await start()
  isAway = false
  const again = await fixture.drydock('resume', '--json')
  expect(again.exitCode, again.stdout + again.stderr).toBe(3)
  const findings = [{ file: 'lock', state: 'open' }]
  expect(resultOf(again)).toMatchObject({ status: 'DONE', run: resultOf(ended).run, stories: [{ findings }] })
  expect(await conversationOf(fixture, again).lanes()).toEqual(['editor/task/PLANNING', 'editor/task/CODING'])
})

test('a registry that is away again while the story gets its workspace back loses nothing', async () => {
  let isAway = (lock: string): boolean => lock === 'two\n'
  await given((lock) => isAway(lock))
  await start()
  // Simulates retention, which may have removed the layers of the base.
  const { disk } = fixture.machine.git
  for (const folder of [...disk.keys()]) if (folder.includes('/cache/layers/')) disk.delete(folder)
  isAway = () => true
  const still = await fixture.drydock('resume', '--json')
  expect([still.exitCode, resultOf(still).status]).toEqual([4, 'INFRA_ERROR'])
  isAway = () => false
  const again = await fixture.drydock('resume', '--json')
  expect([again.exitCode, resultOf(again).status], again.stdout + again.stderr).toEqual([3, 'DONE'])
  expect(await conversationOf(fixture, again).lanes()).toEqual(['editor/task/PLANNING', 'editor/task/CODING'])
})
