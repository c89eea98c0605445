import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { limits } from '../../src/domain/limits.ts'
import { createCrewFixture, createFixture, type Fixture } from '../world/fixture.ts'
import { approve, build, greenStory, type Lanes, reply, specLanes } from './world/crew.ts'
import { type CommandResult, call, greenLanes, resultOf } from './world/fixture.ts'
import { configureUser, type Hook, startHook } from './world/hook.ts'

const config = {
  architect: { scoping_soft_limit: 2, scoping_hard_limit: 3, request_soft_limit: 2, request_hard_limit: 3 },
}
const look = (pattern: string) => call('list_files', { pattern })
/** A review up to its limit, and its end after a human's answer. */
const lost = [look('*.txt'), look('*.md'), approve()]

/** A crew with two reviews that ask a human. */
const twoQuestions: Lanes = {
  ...specLanes('one', 'two'),
  ...greenStory('one'),
  ...greenStory('two'),
  'architect/REQUEST/code/one/1': lost,
  'architect/REQUEST/plan/two/1': lost,
}
/** A crew in which nothing continues before a human has answered. */
const oneQuestion: Lanes = {
  ...specLanes('one'),
  ...greenStory('one'),
  'architect/SCOPING': [look('*.txt'), look('*.md'), reply('A small repository.')],
}

let fixture: Fixture
afterEach(() => fixture.remove())

async function start(
  notify: (hook: Hook) => object,
  options: Parameters<typeof createCrewFixture>[0] = {},
): Promise<Hook> {
  fixture = await createCrewFixture({ config, ...options })
  const hook = await startHook()
  await configureUser(fixture, { notify: notify(hook) })
  return hook
}

const resume = () => fixture.drydock('resume', '--json', '--no-wait')
const runOf = ({ events }: CommandResult) => String(events[0]?.run)
const askedBy = ({ events }: CommandResult) => events.filter(({ type }) => type === 'escalation')

async function notifications() {
  const records = (await fixture.open()).openRecords()
  const machines = await records.machines({ kind: 'notification' })
  await records.close()
  return machines.map(({ state, data }) => ({ state, tries: (data as { tries: number }).tries }))
}

describe('each question of a crew', () => {
  test('is told once, by webhook and by command, and so is nothing that was answered', async () => {
    const hook = await start(({ url }) => ({
      webhook: url,
      command: ['sh', '-c', 'cat >> "$0"; echo >> "$0"', join(fixture.folder, 'told')],
    }))
    const waiting = await build(fixture, twoQuestions)
    expect(waiting.exitCode, waiting.stderr).toBe(6)
    const run = runOf(waiting)
    const told = askedBy(waiting).map(({ id, story, question }) => ({
      key: `${run}/${id}`,
      notice: {
        id: `${run}/${id}`,
        type: 'escalation',
        run,
        story,
        title: 'Make the files',
        message: id,
        question,
      },
    }))
    expect(told).toHaveLength(2)
    const byMessage = (a: { key: unknown }, b: { key: unknown }) => String(a.key).localeCompare(String(b.key))
    expect(hook.posts.toSorted(byMessage)).toEqual(told.toSorted(byMessage))
    for (const { notice } of told) await fixture.drydock('reply', String(notice.message), 'Go on.')
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    expect(hook.posts).toHaveLength(2)
    const lines = (await readFile(join(fixture.folder, 'told'), 'utf8')).split('\n').filter(Boolean)
    expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(told.map(({ key }) => key).sort())
    expect(await notifications()).toEqual(Array(4).fill({ state: 'DELIVERED', tries: 1 }))
  })

  test('is told by the next process when nobody was there, with the same key', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    hook.answer(503)
    const waiting = await build(fixture, oneQuestion)
    expect(waiting.exitCode, waiting.stderr).toBe(6)
    expect(await notifications()).toEqual([{ state: 'PENDING', tries: 1 }])
    hook.answer(200)
    expect((await resume()).exitCode).toBe(6)
    expect(hook.posts.map(({ key }) => key)).toEqual(Array(2).fill(`${runOf(waiting)}/${askedBy(waiting)[0]?.id}`))
    expect((await resume()).exitCode).toBe(6)
    expect(hook.posts).toHaveLength(2)
  })

  test('is told again after a pause by a process that stays', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    hook.answer(500)
    const again = Promise.withResolvers<void>()
    hook.onPost(() => {
      if (hook.posts.length === 2) again.resolve()
    })
    const model = await fixture.replay(oneQuestion)
    const owner = fixture.launch(['run', 'Make the files', '--model', model, '--json', '--wait'])
    await owner.line(/"type":"escalation"/)
    await again.promise
    expect(hook.posts[1]).toEqual(hook.posts[0])
  })

  test('is tried by a process before it ends, even when others are told slowly', async () => {
    const told = () => join(fixture.folder, 'told')
    const hook = await start(({ url }) => ({
      webhook: url,
      command: ['sh', '-c', 'test -e "$0" && cat >> "$0"', told()],
    }))
    hook.answer(503)
    // Two Runs with one question each, which neither hook received.
    for (let runs = 0; runs < 2; runs += 1) expect((await build(fixture, oneQuestion, '--again')).exitCode).toBe(6)
    await writeFile(told(), '')
    const slowly = Promise.withResolvers<number>()
    hook.answer(slowly.promise)
    const ending = fixture.launch(['resume', '--json', '--no-wait'])
    await ending.line(/"type":"waiting"/)
    slowly.resolve(200)
    expect((await ending.ended).exitCode).toBe(6)
    expect((await notifications()).map(({ state }) => state)).toEqual(Array(4).fill('DELIVERED'))
  })

  test('is not told any more once it is answered', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    hook.answer(503)
    const waiting = await build(fixture, oneQuestion)
    await fixture.drydock('reply', String(askedBy(waiting)[0]?.id), 'Go on.')
    hook.answer(200)
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    expect(hook.posts).toHaveLength(1)
    expect(await notifications()).toEqual([{ state: 'DROPPED', tries: 1 }])
  })

  test('nor once its Run is cancelled', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    hook.answer(503)
    await build(fixture, oneQuestion)
    expect((await fixture.drydock('cancel', '--json')).exitCode).toBe(5)
    expect(hook.posts).toHaveLength(1)
    expect(await notifications()).toEqual([{ state: 'DROPPED', tries: 1 }])
  })

  test('is told also when its Run has stopped meanwhile, with that', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    hook.answer(503)
    const lanes = { ...twoQuestions, 'architect/REQUEST/plan/one/1': lost, 'architect/REQUEST/plan/two/1': [approve()] }
    const stopped = await build(fixture, { ...lanes, 'architect/REQUEST/code/two/1': [] })
    expect(stopped.exitCode, stopped.stderr).toBe(1)
    expect(askedBy(stopped)).toHaveLength(1)
    hook.answer(200)
    // Some other work of the same owner.
    expect((await fixture.drydock('verify', '--json')).exitCode).toBe(0)
    expect((await notifications()).map(({ state }) => state)).toEqual(['DELIVERED', 'DELIVERED'])
    expect(new Set(hook.posts.map(({ notice }) => notice.type))).toEqual(new Set(['escalation', 'paused']))
  })
})

describe('a process that is killed', () => {
  test('while it tells somebody leads to the same key again, never to another', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    const model = await fixture.replay(oneQuestion)
    const owner = fixture.launch(['run', 'Make the files', '--model', model, '--json'])
    hook.answer(null)
    hook.onPost(() => void owner.kill('SIGKILL'))
    expect((await owner.ended).signal).toBe('SIGKILL')
    hook.onPost(() => {})
    hook.answer(200)
    expect((await resume()).exitCode).toBe(6)
    const [first, second, ...more] = hook.posts
    expect(second).toEqual(first)
    expect(more).toEqual([])
  })
})

describe('a hook that fails', () => {
  test('delays nobody, and is reported in events, status and report', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    hook.answer(404)
    const waiting = await build(fixture, oneQuestion)
    expect(waiting.exitCode, waiting.stderr).toBe(6)
    const id = askedBy(waiting)[0]?.id
    const error = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ answered 404$/)
    const failed = {
      id: `${runOf(waiting)}/${id}`,
      about: 'escalation',
      message: id,
      notifier: 'webhook',
      error,
      tries: 1,
    }
    const log = await fixture.drydock('log', '--json')
    expect(log.events.filter(({ type }) => type === 'notification_failed')).toMatchObject([failed])
    const said = new RegExp(`could not be told of message ${id}. webhook: http://127.0.0.1:\\d+ answered 404`)
    expect((await fixture.drydock('status')).stdout).toMatch(said)
    expect((await fixture.drydock('report')).stdout).toMatch(said)
    expect((await resume()).exitCode).toBe(6)
    expect(hook.posts).toHaveLength(1)
    await fixture.drydock('reply', String(id), 'Go on.')
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
  })

  test('is given up after so many tries', async () => {
    const hook = await start(({ url }) => ({ webhook: url }))
    hook.answer(503)
    await build(fixture, oneQuestion)
    for (let tries = 1; tries < limits.notify.tries; tries += 1) await resume()
    await resume()
    expect(hook.posts).toHaveLength(limits.notify.tries)
    expect(await notifications()).toEqual([{ state: 'FAILED', tries: limits.notify.tries }])
  })
})

test('a key is not told to anybody, even when a model asks about it', async () => {
  const canary = 'sk-canary-5f0c1e77-never-told'
  const hook = await start(
    ({ url }) => ({ webhook: url, command: ['sh', '-c', 'cat > "$0"; env >> "$0"', join(fixture.folder, 'told')] }),
    {
      env: { ANTHROPIC_API_KEY: canary },
    },
  )
  const model = await fixture.replay({
    ...oneQuestion,
    'architect/SCOPING': [look(canary), look('*.md'), reply('Small.')],
  })
  const spec = `Make the files with ${canary}`
  const waiting = await fixture.drydock('run', spec, '--model', model, '--json', '--no-wait')
  expect(waiting.exitCode, waiting.stderr).toBe(6)
  expect(hook.posts).toMatchObject([{ notice: { title: expect.stringContaining('redacted') } }])
  expect(JSON.stringify(hook.posts)).not.toContain('5f0c1e77')
  expect(await readFile(join(fixture.folder, 'told'), 'utf8')).not.toContain('5f0c1e77')
})

describe('notices to people', () => {
  const reached = { budget: { run_tokens: 1_000_000 } }
  const dear = {
    ...greenLanes,
    'editor/task/PLANNING': [{ ...greenLanes['editor/task/PLANNING']?.[0], usage: { input: 999_999, output: 1 } }],
  }

  test('is a Run that a budget has paused, and with `ended` its end', async () => {
    fixture = await createFixture({ config: reached })
    const hook = await startHook()
    await configureUser(fixture, { notify: { webhook: hook.url, on: ['paused', 'ended'] } })
    const model = await fixture.replay(dear)
    const paused = await fixture.drydock('task', 'say new', '--model', model, '--json')
    expect(paused.exitCode, paused.stderr).toBe(7)
    expect((await fixture.drydock('budget', '--raise-tokens', '9000000')).exitCode).toBe(0)
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    const run = runOf(paused)
    expect(hook.posts.map(({ notice }) => notice)).toMatchObject([
      {
        type: 'paused',
        run,
        question: expect.stringMatching(
          `^PAUSED: budget.run_tokens is reached. Allow more: drydock budget ${run} --raise-tokens \\d+$`,
        ),
      },
      {
        type: 'ended',
        run,
        question: 'It has ended: DONE. The change is verified, but no test results were read.',
        message: null,
      },
    ])
    expect(new Set(hook.posts.map(({ key }) => key)).size).toBe(2)
  })

  test('include a Run in ERROR, unless it has continued before delivery; its end only if it is requested', async () => {
    fixture = await createFixture()
    const hook = await startHook()
    await configureUser(fixture, { notify: { webhook: hook.url } })
    hook.answer(503)
    const model = await fixture.replay({ ...greenLanes, 'editor/task/CODING': [] })
    expect((await fixture.drydock('task', 'say new', '--model', model, '--json')).exitCode).toBe(1)
    hook.answer(200)
    await fixture.replay(greenLanes)
    expect(resultOf(await resume())).toMatchObject({ status: 'DONE' })
    const question = expect.stringMatching(/^ERROR: editor\/task\/CODING/)
    expect(hook.posts).toMatchObject([{ notice: { type: 'paused', question } }])
    expect(await notifications()).toEqual([{ state: 'DROPPED', tries: 1 }])
  })

  test('is an end that a command brings, too', async () => {
    fixture = await createFixture()
    const hook = await startHook()
    await configureUser(fixture, { notify: { webhook: hook.url, on: ['ended'] } })
    const model = await fixture.replay({})
    expect((await fixture.drydock('task', 'say new', '--model', model)).exitCode).toBe(1)
    expect((await fixture.drydock('cancel', '--json')).exitCode).toBe(5)
    expect(hook.posts).toMatchObject([
      { notice: { type: 'ended', question: 'It has ended: CANCELLED. It was cancelled.' } },
    ])
  })
})

describe('a configuration', () => {
  test('of a repository cannot name a hook', async () => {
    const hook = await start(() => ({}), { config: { notify: { webhook: 'http://127.0.0.1:9/' } } })
    const refused = await build(fixture, oneQuestion)
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr + refused.stdout).toContain('notify: only the user may set this')
    expect(hook.posts).toEqual([])
  })
})
