import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { createCrewFixture, type Fixture, type Running } from '../world/fixture.ts'
import { storeCrew } from '../world/stored-crew.ts'
import { approve, greenStory, type Lanes, specLanes } from './world/crew.ts'
import { call, resultOf } from './world/fixture.ts'
import { interruptWhen, machineIn } from './world/interrupt.ts'
import { expectBuilt, green, resume, run } from './world/stored-crew.ts'

let fixture: Fixture
afterEach(() => fixture.remove())

const config = { architect: { request_soft_limit: 2, request_hard_limit: 3 } }
const look = (pattern: string) => call('list_files', { pattern })
const follows = /Another drydock process works on this repository; following it/

const drydock = (...args: string[]): Running => fixture.launch(args)

/** A spec of one story whose review asks a human. */
const asking = (story: string): Lanes => ({
  ...specLanes(story),
  ...greenStory(story),
  [`architect/REQUEST/code/${story}/1`]: [look('*.txt'), look('*.md'), approve()],
})

/** Starts a crew in a separate process, with its own replay file. */
async function start(words: string, lanes: Lanes): Promise<Running> {
  const file = join(fixture.folder, `${words.replaceAll(' ', '-')}.json`)
  await writeFile(file, JSON.stringify({ version: 1, lanes }))
  return drydock('run', words, '--json', '--wait', '--model', `replay:${file}`)
}

async function question(running: Running): Promise<{ readonly id: string; readonly run: string }> {
  return JSON.parse(await running.line(/"type":"escalation"/))
}

describe('two specs in two processes', () => {
  test('are built beside each other: one waits for its human, and the other is not held up', async () => {
    fixture = await createCrewFixture({ config })
    const owner = await start('First spec', asking('first'))
    const { id } = await question(owner)
    const follower = await start('Second spec', { ...specLanes('second'), ...greenStory('second') })
    await follower.line(follows)
    expect(resultOf(await follower.ended)).toMatchObject({ status: 'DONE', branch: 'drydock/second-spec' })
    expect((await drydock('reply', id, 'Fine.').ended).exitCode).toBe(0)
    expect(resultOf(await owner.ended)).toMatchObject({ status: 'DONE', branch: 'drydock/first-spec' })
  })

  test('outlive the owner: who follows takes over, and both questions can still be answered', async () => {
    fixture = await createCrewFixture({ config })
    const owner = await start('First spec', asking('first'))
    const first = await question(owner)
    const follower = await start('Second spec', asking('second'))
    const second = await question(follower)
    owner.kill('SIGKILL')
    await owner.ended
    for (const { id } of [first, second]) {
      expect((await drydock('reply', id, 'Fine.').ended).exitCode).toBe(0)
    }
    expect(resultOf(await follower.ended)).toMatchObject({ status: 'DONE', branch: 'drydock/second-spec' })
    expect(resultOf(await drydock('resume', first.run, '--json').ended)).toMatchObject({
      status: 'DONE',
      branch: 'drydock/first-spec',
    })
  })
})

test('a question ends a command that nobody waits at, with what to do', async () => {
  fixture = await createCrewFixture({ config })
  const file = join(fixture.folder, 'asking.json')
  await writeFile(file, JSON.stringify({ version: 1, lanes: asking('first') }))
  const ended = await drydock('run', 'First spec', '--model', `replay:${file}`).ended
  expect(ended.exitCode, ended.stderr).toBe(6)
  expect(ended.stderr).toContain('Without a terminal it waits only with --wait.')
  expect(ended.stderr).not.toMatch(/Dashboard|token=|http:/)
})

describe('Ctrl-C', () => {
  test('while a human is waited for ends with 130, and the question stays', async () => {
    fixture = await createCrewFixture({ config })
    const owner = await start('First spec', asking('first'))
    const { id } = await question(owner)
    owner.kill('SIGINT')
    const stopped = await owner.ended
    expect(stopped).toMatchObject({ exitCode: 130, signal: null })
    expect(stopped.stderr).toContain('Continue with: drydock resume')
    const waiting = await resume(fixture)
    expect(waiting.exitCode).toBe(6)
    expect((await drydock('reply', id, 'Fine.').ended).exitCode).toBe(0)
    expect(resultOf(await resume(fixture))).toMatchObject({ status: 'DONE' })
  })

  test.each([
    ['SCOPING', machineIn('run', 'SCOPING')],
    ['STORY_GENERATION', machineIn('run', 'STORY_GENERATION')],
    ['PLAN_REVIEW', machineIn('story', 'PLAN_REVIEW')],
    ['VERIFYING', machineIn('story', 'VERIFYING')],
    ['CODE_REVIEW', machineIn('story', 'CODE_REVIEW')],
    ['MERGING', machineIn('merge', 'MERGING')],
  ])('in %s loses nothing, and nothing is asked twice', async (_state, when) => {
    fixture = await storeCrew(green)
    await interruptWhen(fixture, run, when)
    await expectBuilt(fixture, await resume(fixture))
  })
})
